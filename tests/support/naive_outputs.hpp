// Problems of one output and of several, and the obvious way to compute things about them: loops over plain doubles.
#pragma once

#include <functional>
#include <string>

#include "data/row_access.hpp"
#include "problem/loss.hpp"
#include "s3gd/task.hpp"
#include "stochastic/control.hpp"
#include "support/problems.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd::testing {

struct NaiveOutputs {
  std::string name;
  StochasticProblem problem;
  std::function<Vector(Index row, const Vector& u)> slopes;  // K of them

  std::size_t outputs() const { return static_cast<std::size_t>(problem->outputs()); }
  // x_i with the intercept's 1 appended.
  Vector row(Index i) const {
    Vector row(static_cast<std::size_t>(problem->features()), 0.0);
    problem->x().visit([&](const auto& view) { expand_row(view, i, row.data()); });
    if (problem->has_intercept()) row.back() = 1.0;
    return row;
  }
  Vector margins(Index i, const Vector& w) const {
    const Vector x = row(i);
    Vector u(outputs(), 0.0);
    for (std::size_t j = 0; j < x.size(); ++j)
      for (std::size_t k = 0; k < u.size(); ++k) u[k] += x[j] * w[j * u.size() + k];
    return u;
  }
  Vector slopes_at(Index i, const Vector& w) const { return slopes(i, margins(i, w)); }
  // sum += weight x_i c'
  void add(double weight, Index i, const Vector& c, Vector& sum) const {
    const Vector x = row(i);
    for (std::size_t j = 0; j < x.size(); ++j)
      for (std::size_t k = 0; k < c.size(); ++k) sum[j * c.size() + k] += weight * c[k] * x[j];
  }
  // sum over the rows of (n / count) q_i x_i value(i)'
  template <class Value>
  Vector mean_over(std::span<const Index> rows, Value value) const {
    Vector sum(static_cast<std::size_t>(problem->dim()), 0.0);
    const double share = static_cast<double>(problem->rows()) / static_cast<double>(rows.size());
    for (const Index i : rows) add(share * problem->weight(i), i, value(i), sum);
    return sum;
  }
};

inline NaiveOutputs naive_outputs(const Problem& problem, std::string name) {
  return {std::move(name), problem, [problem, loss = Loss(problem.spec().loss)](Index i, const Vector& u) {
            return Vector{loss.slope(u[0], problem.targets()[static_cast<std::size_t>(i)])};
          }};
}

inline NaiveOutputs naive_outputs(const SoftmaxProblem& problem, std::string name) {
  return {std::move(name), problem, [problem](Index i, const Vector& u) {
            double total = 0;
            for (const double margin : u) total += std::exp(margin);
            Vector slopes;
            for (const double margin : u) slopes.push_back(std::exp(margin) / total);
            slopes[static_cast<std::size_t>(problem.targets()[static_cast<std::size_t>(i)])] -= 1;
            return slopes;
          }};
}

// One class against the rest each.
inline NaiveOutputs naive_outputs(const OneVsRestProblem& problem, std::string name) {
  std::vector<Problem> classes;
  for (std::size_t k = 0; k < problem.classes().size(); ++k) classes.push_back(problem.of(static_cast<Index>(k)));
  return {
      std::move(name), StochasticProblem(classes), [classes](Index i, const Vector& u) {
        Vector slopes;
        for (std::size_t k = 0; k < u.size(); ++k)
          slopes.push_back(Loss(classes[k].spec().loss).slope(u[k], classes[k].targets()[static_cast<std::size_t>(i)]));
        return slopes;
      }};
}

template <class T>
Matrix matrix_of(const Table& table, bool sparse) {
  return sparse ? table.csr<T, std::int32_t>() : table.dense<T>();
}

// Every loss, weighted and not, with every kind of intercept; no penalty.
template <class T>
std::vector<NaiveOutputs> unpenalised_problems(bool sparse, Index rows = 60) {
  struct One {
    LossKind loss;
    bool weighted;
    ClassWeight class_weight;
    Intercept intercept;
  };
  std::vector<NaiveOutputs> list;
  for (const One& one : {One{LossKind::logistic, false, ClassWeight::none, Intercept::free},
                         One{LossKind::logistic, true, ClassWeight::paper, Intercept::regularised},
                         One{LossKind::squared, true, ClassWeight::none, Intercept::free},
                         One{LossKind::squared_hinge, false, ClassWeight::balanced, Intercept::none},
                         One{LossKind::smooth_hinge, true, ClassWeight::none, Intercept::free}}) {
    SmallData shape;
    shape.rows = rows;
    shape.weighted = one.weighted;
    shape.regression = one.loss == LossKind::squared;
    ProblemSpec spec;
    spec.loss.kind = one.loss;
    spec.penalty.kind = PenaltyKind::none;
    spec.class_weight = one.class_weight;
    spec.intercept = one.intercept;
    list.push_back(naive_outputs(Problem(small_data<T>(shape, sparse), spec),
                                 "loss " + std::to_string(static_cast<int>(one.loss)) + (sparse ? " sparse" : "")));
  }
  for (const Intercept intercept : {Intercept::free, Intercept::regularised, Intercept::none}) {
    const SoftmaxSample sample = softmax_sample(rows, 7, 4, 51);
    SoftmaxSpec spec;
    spec.penalty.kind = MatrixPenaltyKind::none;
    spec.intercept = intercept;
    if (intercept == Intercept::regularised) spec.class_weight = ClassWeight::balanced;
    list.push_back(naive_outputs(
        SoftmaxProblem(sample.data(matrix_of<T>(sample.table, sparse), intercept == Intercept::none), spec),
        std::string("softmax") + (sparse ? " sparse" : "")));
    ProblemSpec each;
    each.loss.kind = intercept == Intercept::free ? LossKind::logistic : LossKind::squared;
    each.penalty.kind = PenaltyKind::none;
    each.intercept = intercept;
    list.push_back(naive_outputs(
        OneVsRestProblem(sample.data(matrix_of<T>(sample.table, sparse), intercept == Intercept::none), each),
        std::string("one-vs-rest") + (sparse ? " sparse" : "")));
  }
  return list;
}

// What one step of size 1 without rows moves the iterate by; there is no penalty.
template <class T>
Vector observed_drift(Iterate<T>& iterate, const Vector& w) {
  Vector after(w.size()), drift(w.size());
  iterate.assign(w);
  iterate.set_step_size(1.0);
  iterate.step({}, nullptr);
  iterate.read(after);
  for (std::size_t j = 0; j < w.size(); ++j) drift[j] = w[j] - after[j];
  return drift;
}

// A step of the loop.
template <class T>
void make_step(const StochasticProblem& problem, Control<T>& control, Iterate<T>& iterate, const Batch& batch) {
  Vector u(batch.rows.size() * static_cast<std::size_t>(problem->outputs())), slopes(u.size());
  iterate.margins(batch.rows, u.data());
  problem->slopes(batch.rows, u.data(), slopes.data());
  control.coefficients(batch, u.data(), slopes.data());
  iterate.step(batch.rows, slopes.data());
  control.after_step(batch, iterate);
}

}  // namespace s3gd::testing
