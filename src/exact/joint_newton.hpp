// Newton steps for smooth problems of several outputs over the same rows, all of them in one pass.
//
// What is solved are systems: one-vs-rest is one for each class, softmax a single one that couples its classes. Every system
// has its own point, step length, memory of past steps and certificate (exact/system_search.hpp); what they share is the
// reading of the rows: the pass, the sample of the Hessians and what preconditions them. A system that expects to be
// certified rests, and is certified together with the others.
//
// From nothing, the rows are looked at in samples that grow. Over all rows a step is one pass and conjugate gradients on the
// Hessians of a sample; the memory of past steps corrects what the sample missed, and where that is too slow the sample
// doubles. One output has a Newton of its own (exact/sampled_newton.cpp): there a factor of the Hessian costs little beside a
// pass and is kept over steps and penalties, which K of them would not.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "exact/finisher.hpp"
#include "exact/search.hpp"

namespace s3gd {

struct SystemPoint : SearchPoint {
  std::vector<double> curvatures;  // of the rows looked at: what they are drawn by
  double scale = 1;                // what sums over them are multiplied by to stand for all rows
};

// One of the systems where it is to be seen.
struct SystemAt {
  std::size_t system;
  SystemPoint* point;
};

// What the search asks of the problem.
class NewtonSystems {
 public:
  virtual ~NewtonSystems() = default;
  virtual Index rows() const = 0;
  virtual bool has_dual() const = 0;  // whether gaps are duality gaps

  // F, its gradient and the rows' curvatures at these points, in one pass over `rows` (empty = all).
  virtual void look(std::span<const SystemAt> at, std::span<const Index> rows, Arithmetic arithmetic) = 0;
  virtual double gap(const SystemAt& at) const = 0;  // relative, estimated from what a look has found
  struct Certified {
    Certificate certificate;
    double passes;
  };
  virtual std::vector<Certified> certify(std::span<const SystemAt> at) const = 0;

  // What preconditions all of them, from `rows` as they were looked at.
  virtual void precondition(std::span<const SystemAt> at, std::span<const Index> rows, Rng& rng) = 0;
  // Their Hessians, from about `sample` of those rows.
  virtual void build(std::span<const SystemAt> at, std::span<const Index> rows, Index sample, Rng& rng) = 0;
  // v_k <- H_k^-1 v_k, about, for the systems of the last build(), in their order. Returns the passes that took, for each.
  virtual std::vector<double> solve(std::span<std::vector<double>> v, const std::function<bool()>& stop) = 0;
};

struct JointInput {
  double tol = 1e-4;
  std::uint64_t seed = 0;
  Index max_iterations = std::numeric_limits<Index>::max();  // for each system
  bool climbs = true;                                        // over samples that grow, before the first pass
};

// starts and progress: one for each system. One that its Progress stops ends where it is.
std::vector<Finish> finish_jointly(NewtonSystems& systems, const JointInput& input,
                                   std::vector<std::vector<double>> starts, std::span<Progress* const> progress);

}  // namespace s3gd
