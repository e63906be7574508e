#include "stochastic/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "anchor/kmeans.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

std::size_t rows_of(const StochasticProblem& problem) { return at(problem->rows()); }

// ||sum_i q_i x_i r_i'||^2 over the rows for which keep(i).
template <class Keep>
double squared_mean(std::span<const double> residuals, const StochasticProblem& problem, Keep keep) {
  std::vector<double> coefficients(residuals.size());
  for_each_slope(rows_of(problem), problem->outputs(), [&](std::size_t i, std::size_t place) {
    coefficients[place] = keep(i) ? problem->weight(static_cast<Index>(i)) * residuals[place] : 0.0;
  });
  std::vector<double> mean(at(problem->dim()));
  problem->transpose_times(coefficients, mean);
  return std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0);
}

double squared_mean(std::span<const double> residuals, const StochasticProblem& problem) {
  return squared_mean(residuals, problem, [](std::size_t) { return true; });
}

// sum_i factor(i) r_i^2 ||x_i||^2
template <class Factor>
double second_moment(std::span<const double> residuals, std::span<const double> norms, const StochasticProblem& problem,
                     Factor factor) {
  double sum = 0;
  for_each_slope(rows_of(problem), problem->outputs(), [&](std::size_t i, std::size_t place) {
    sum += factor(static_cast<Index>(i)) * residuals[place] * residuals[place] * norms[i];
  });
  return sum;
}

class WeightedSampler final : public Sampler {
 public:
  WeightedSampler(const StochasticProblem& problem, Index batch)
      : table_(problem->weights().empty() ? AliasTable::uniform(problem->rows()) : AliasTable(problem->weights())),
        batch_(batch),
        weight_(problem->total_weight() / static_cast<double>(batch)) {}

  std::unique_ptr<Sampler> clone() const override { return std::make_unique<WeightedSampler>(*this); }

  void next(Rng& rng, Batch& batch) override {
    batch.rows.resize(at(batch_));
    batch.weights.assign(at(batch_), weight_);
    for (Index& row : batch.rows) row = table_.draw(rng);
  }

  double variance(std::span<const double> residuals, std::span<const double> norms,
                  const StochasticProblem& problem) const override {
    const double second =
        problem->total_weight() * second_moment(residuals, norms, problem, [&](Index i) { return problem->weight(i); });
    return (second - squared_mean(residuals, problem)) / static_cast<double>(batch_);
  }

 private:
  AliasTable table_;
  Index batch_;
  double weight_;
};

// Rows in a random order, each once a pass. The order is drawn as it is used: a run that needs few of the rows does not
// wait for all of them to be shuffled.
class ShuffledSampler final : public Sampler {
 public:
  ShuffledSampler(const StochasticProblem& problem, Index batch)
      : problem_(problem), batch_(std::min(batch, problem->rows())), order_(at(problem->rows())) {
    std::iota(order_.begin(), order_.end(), Index{0});
    at_ = mixed_ = order_.size();
  }

  std::unique_ptr<Sampler> clone() const override { return std::make_unique<ShuffledSampler>(*this); }
  void state(Archive& a) override { a(order_, at_, mixed_); }

  std::span<const Index> look_ahead(Rng& rng, Index count) override {
    if (at_ == order_.size()) at_ = mixed_ = 0;
    mix(rng, std::min(order_.size(), at_ + at(count)));
    return std::span<const Index>(order_).subspan(at_, std::min(order_.size() - at_, at(count)));
  }

  void next(Rng& rng, Batch& batch) override {
    if (at_ == order_.size()) at_ = mixed_ = 0;
    // What would be left over joins the last batch: alone, a row or two would carry a whole batch's weight.
    const auto size = at(batch_);
    const std::size_t end = order_.size() - at_ < 2 * size ? order_.size() : at_ + size;
    mix(rng, end);
    batch.rows.assign(order_.begin() + static_cast<std::ptrdiff_t>(at_),
                      order_.begin() + static_cast<std::ptrdiff_t>(end));
    batch.weights.resize(batch.rows.size());
    const double share = static_cast<double>(order_.size()) / static_cast<double>(batch.rows.size());
    for (std::size_t b = 0; b < batch.rows.size(); ++b) batch.weights[b] = share * problem_->weight(batch.rows[b]);
    at_ = end;
  }

  double variance(std::span<const double> residuals, std::span<const double> norms,
                  const StochasticProblem& problem) const override {
    const auto n = static_cast<double>(problem->rows());
    const double second =
        second_moment(residuals, norms, problem, [&](Index i) { return n * problem->weight(i) * problem->weight(i); });
    const double without_replacement = n > 1 ? (n - static_cast<double>(batch_)) / (n - 1) : 0.0;
    return (second - squared_mean(residuals, problem)) / static_cast<double>(batch_) * without_replacement;
  }

 private:
  void mix(Rng& rng, std::size_t end) {
    for (; mixed_ < end; ++mixed_)
      std::swap(order_[mixed_], order_[mixed_ + at(rng.below(static_cast<Index>(order_.size() - mixed_)))]);
  }

  StochasticProblem problem_;
  Index batch_;
  std::vector<Index> order_;
  std::size_t at_ = 0, mixed_ = 0;  // drawn so far in this pass; in their final place so far
};

class ImportanceSampler final : public Sampler {
 public:
  ImportanceSampler(const StochasticProblem& problem, Index batch) : problem_(problem), batch_(batch) {
    probability_ = problem->squared_row_norms();
    double sum = 0;
    for (std::size_t i = 0; i < probability_.size(); ++i)
      sum += probability_[i] = problem->weight(static_cast<Index>(i)) * std::sqrt(probability_[i]);
    if (!(sum > 0)) throw Error("every row is zero: there is nothing to sample by importance");
    for (double& value : probability_) value /= sum;
    table_ = AliasTable(probability_);
  }

  std::unique_ptr<Sampler> clone() const override { return std::make_unique<ImportanceSampler>(*this); }

  void next(Rng& rng, Batch& batch) override {
    batch.rows.resize(at(batch_));
    batch.weights.resize(at(batch_));
    for (std::size_t b = 0; b < batch.rows.size(); ++b) {
      const Index row = batch.rows[b] = table_.draw(rng);
      batch.weights[b] = problem_->weight(row) / (static_cast<double>(batch_) * probability_[at(row)]);
    }
  }

  double variance(std::span<const double> residuals, std::span<const double> norms,
                  const StochasticProblem& problem) const override {
    const double second = second_moment(residuals, norms, problem, [&](Index i) {
      const double q = problem->weight(i), probability = probability_[at(i)];
      return probability == 0 ? 0.0 : q * q / probability;
    });
    return (second - squared_mean(residuals, problem)) / static_cast<double>(batch_);
  }

 private:
  StochasticProblem problem_;
  Index batch_;
  std::vector<double> probability_;
  AliasTable table_;
};

class StratifiedSampler final : public Sampler {
 public:
  StratifiedSampler(const StochasticProblem& problem, std::span<const std::int32_t> strata)
      : strata_(strata.begin(), strata.end()) {
    if (static_cast<Index>(strata.size()) != problem->rows()) throw Error("strata and rows differ in number");
    const auto count = at(*std::max_element(strata.begin(), strata.end()) + 1);
    members_.resize(count);
    for (std::size_t i = 0; i < strata.size(); ++i) {
      if (problem->weight(static_cast<Index>(i)) > 0) members_[at(strata[i])].push_back(static_cast<Index>(i));
    }
    std::erase_if(members_, [](const auto& rows) { return rows.empty(); });
    for (const auto& rows : members_) {
      std::vector<double> weights(rows.size());
      std::transform(rows.begin(), rows.end(), weights.begin(), [&](Index row) { return problem->weight(row); });
      masses_.push_back(std::accumulate(weights.begin(), weights.end(), 0.0));
      tables_.emplace_back(weights);
    }
  }

  std::unique_ptr<Sampler> clone() const override { return std::make_unique<StratifiedSampler>(*this); }

  void next(Rng& rng, Batch& batch) override {
    batch.rows.resize(members_.size());
    batch.weights = masses_;
    for (std::size_t s = 0; s < members_.size(); ++s) batch.rows[s] = members_[s][at(tables_[s].draw(rng))];
  }

  double variance(std::span<const double> residuals, std::span<const double> norms,
                  const StochasticProblem& problem) const override {
    double total = 0;
    for (std::size_t s = 0; s < members_.size(); ++s) {
      double second = 0;
      for (const Index row : members_[s]) {
        const auto i = at(row), k = at(problem->outputs());
        for (std::size_t place = i * k; place < (i + 1) * k; ++place)
          second += problem->weight(row) * residuals[place] * residuals[place] * norms[i];
      }
      const auto stratum = strata_[at(members_[s].front())];
      total +=
          masses_[s] * second - squared_mean(residuals, problem, [&](std::size_t i) { return strata_[i] == stratum; });
    }
    return total;
  }

 private:
  std::vector<std::int32_t> strata_;
  std::vector<std::vector<Index>> members_;
  std::vector<double> masses_;
  std::vector<AliasTable> tables_;
};

}  // namespace

AliasTable AliasTable::uniform(Index count) {
  AliasTable table;
  table.count_ = count;
  return table;
}

AliasTable::AliasTable(std::span<const double> weights) : count_(static_cast<Index>(weights.size())) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0)) throw Error("the sampling weights are all zero");
  const std::size_t n = weights.size();
  keep_.resize(n);
  other_.resize(n);
  std::vector<std::size_t> small, large;
  for (std::size_t i = 0; i < n; ++i) {
    keep_[i] = weights[i] * static_cast<double>(n) / sum;
    other_[i] = static_cast<Index>(i);
    (keep_[i] < 1 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::size_t poor = small.back(), rich = large.back();
    small.pop_back();
    other_[poor] = static_cast<Index>(rich);
    keep_[rich] -= 1 - keep_[poor];
    if (keep_[rich] < 1) {
      large.pop_back();
      small.push_back(rich);
    }
  }
  // What is left differs from 1 by rounding only, except that a weight of zero must never be drawn.
  for (const std::size_t i : large) keep_[i] = 1;
  const auto heaviest = std::max_element(weights.begin(), weights.end()) - weights.begin();
  for (const std::size_t i : small) {
    keep_[i] = weights[i] > 0 ? 1 : 0;
    other_[i] = heaviest;
  }
}

Index AliasTable::draw(Rng& rng) const {
  const Index column = rng.below(count_);
  if (keep_.empty()) return column;
  const auto c = at(column);
  return rng.uniform() < keep_[c] ? column : other_[c];
}

std::vector<std::int32_t> make_strata(const Matrix& x, Index strata, std::uint64_t seed, int threads) {
  constexpr Index kSamplePerStratum = 500;  // rows for k-means; doubled or halved, 10 to 20 % more passes
  KmeansOptions options;
  options.clusters = std::min(strata, x.rows());
  options.sample = kSamplePerStratum * options.clusters;
  options.seed = seed;
  options.threads = threads;
  return assign_clusters(x, kmeans(x, options), threads);
}

std::unique_ptr<Sampler> make_sampler(Sampling kind, const StochasticProblem& problem, Index batch,
                                      std::span<const std::int32_t> strata) {
  if (batch < 1) throw Error("the mini-batch has " + std::to_string(batch) + " rows", "give at least 1");
  switch (kind) {
    case Sampling::weighted:
      return std::make_unique<WeightedSampler>(problem, batch);
    case Sampling::shuffled:
      return std::make_unique<ShuffledSampler>(problem, batch);
    case Sampling::importance:
      return std::make_unique<ImportanceSampler>(problem, batch);
    case Sampling::stratified:
      return std::make_unique<StratifiedSampler>(problem, strata);
  }
  throw Error("unknown sampling");
}

}  // namespace s3gd
