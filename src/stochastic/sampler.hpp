// Samplers: which rows a step looks at, and with which weight, so that
//
//     E[ sum over the batch of weight_i x_i r_i' ] = sum_i q_i x_i r_i'      for any r_i, of K numbers each.
//
// weighted     p rows with replacement, by q (the paper's protocol):        weight = Q / p
// shuffled     p rows without replacement, a fresh order for every pass:    weight = n q_i / p
// importance   p rows with replacement, by pi_i ~ q_i ||x_i||, the Lipschitz
//              constant of the row's loss:                                  weight = q_i / (p pi_i)
// stratified   one row from each of p strata, by q within:                  weight = mass of the stratum
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/random.hpp"
#include "stochastic/outputs.hpp"

namespace s3gd {

struct Batch {
  std::vector<Index> rows;
  std::vector<double> weights;
  void state(Archive& a) { a(rows, weights); }
  Index size() const { return static_cast<Index>(rows.size()); }
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual void next(Rng& rng, Batch& batch) = 0;
  // Rows that next() will draw, in order: `count` of them, or fewer where a pass ends sooner. None where chance decides.
  virtual std::span<const Index> look_ahead(Rng&, Index /*count*/) { return {}; }
  virtual void state(Archive&) {}                      // what earlier draws left behind, for a checkpoint
  virtual std::unique_ptr<Sampler> clone() const = 0;  // draws from it leave this one where it is
  // Trace of the covariance of one step's estimate for these r_i (rows x K), given ||x_i||^2 (intercept included). Exact.
  virtual double variance(std::span<const double> residuals, std::span<const double> squared_norms,
                          const StochasticProblem& problem) const = 0;
};

enum class Sampling : std::uint8_t { weighted, shuffled, importance, stratified };

// `strata` gives the stratum of every row (0 .. batch-1); only for stratified.
std::unique_ptr<Sampler> make_sampler(Sampling kind, const StochasticProblem& problem, Index batch,
                                      std::span<const std::int32_t> strata = {});

// Strata for SSGD: k-means into as many clusters as a batch has rows, on a sample; then every row to its nearest centre.
std::vector<std::int32_t> make_strata(const Matrix& x, Index strata, std::uint64_t seed, int threads);

// Draws an index by weight in O(1) (Walker's alias method); O(1) memory when all weights are equal.
class AliasTable {
 public:
  AliasTable() = default;
  explicit AliasTable(std::span<const double> weights);  // empty or zero-sum weights throw
  static AliasTable uniform(Index count);
  Index draw(Rng& rng) const;

 private:
  Index count_ = 0;
  std::vector<double> keep_;  // empty when uniform
  std::vector<Index> other_;
};

}  // namespace s3gd
