// The problems that `auto` is held to, by theme. Each is solved in float and in double.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "s3gd/problem.hpp"
#include "support/awkward_samples.hpp"

namespace s3gd::testing {

using enum PenaltyKind;
using Intercept::regularised;

inline constexpr LossSpec kLogistic{LossKind::logistic, 10}, kSquared{LossKind::squared, 10},
    kSquaredHinge{LossKind::squared_hinge, 10}, kSmoothHinge{LossKind::smooth_hinge, 10};

struct Case {
  std::string name;
  std::function<Sample()> sample;
  LossSpec loss;
  PenaltySpec penalty;
  Intercept intercept = Intercept::free;
  bool sparse = false;
  bool weighted = false;
  ClassWeight class_weight = ClassWeight::none;
  int threads = 1;
  double tol = 1e-6;         // with float
  double tol_double = 1e-6;  // and with double
};

inline void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

inline PenaltySpec weigh(PenaltyKind kind, double lambda, double alpha = 0.5) { return {kind, lambda, alpha, {}, {}}; }

inline PenaltySpec with_factors(PenaltySpec penalty, std::vector<double> factors) {
  penalty.factors = std::move(factors);
  return penalty;
}

inline PenaltySpec sum_of(PenaltySpec penalty, const PenaltySpec& also) {
  penalty.also = {also};
  return penalty;
}

inline std::vector<Case> every_loss_and_penalty() {
  const auto data = [] { return plain(400, 8); };
  const std::vector<std::pair<std::string, LossSpec>> losses{
      {"logistic", kLogistic}, {"squared", kSquared}, {"squared_hinge", kSquaredHinge}, {"smooth_hinge", kSmoothHinge}};
  const std::vector<std::pair<std::string, PenaltySpec>> penalties{
      {"l2", weigh(l2, 1e-3)},
      {"l1", weigh(l1, 1e-2)},
      {"elastic_net", weigh(elastic_net, 1e-2)},
      {"l1_l2norm", weigh(l1_l2norm, 1e-2)},
      {"none", weigh(none, 0)},
      {"l2_and_l1", sum_of(weigh(l2, 1e-3), weigh(l1, 3e-3))},
      {"l1_l2norm_and_l2", sum_of(weigh(l1_l2norm, 1e-2), weigh(l2, 1e-3))},
      {"l2_factors", with_factors(weigh(l2, 1e-3), {1, 2, 0, 1, 0.1, 1, 5, 1})},
      {"l1_factors", with_factors(weigh(l1, 1e-2), {1, 2, 0, 1, 0.1, 1, 5, 1})}};
  std::vector<Case> cases;
  for (const auto& [loss_name, loss] : losses)
    for (const auto& [penalty_name, penalty] : penalties) {
      const std::size_t number = cases.size();
      cases.push_back({.name = loss_name + "_" + penalty_name,
                       .sample = data,
                       .loss = loss,
                       .penalty = penalty,
                       .intercept = kIntercepts[number % 3],
                       .sparse = number % 2 == 1,
                       .threads = number % 5 == 0 ? 2 : 1,
                       .tol_double = number % 4 == 0 ? 1e-9 : 1e-6});
    }
  return cases;
}

inline std::vector<Case> shapes() {
  const auto wide = [] { return plain(40, 120, 7, 0.5); };
  const auto very_wide = [] { return plain(60, 2500, 8, 0.02); };
  const auto tall = [] { return plain(20000, 6, 9); };
  const auto one_feature = [] { return plain(300, 1, 10, 1.0); };
  const auto two_rows = [] { return plain(2, 3, 11, 1.0); };
  return {
      {.name = "wide_logistic_l2", .sample = wide, .loss = kLogistic, .penalty = weigh(l2, 1e-3), .tol_double = 1e-9},
      {.name = "wide_squared_l1",
       .sample = wide,
       .loss = kSquared,
       .penalty = weigh(l1, 1e-2),
       .intercept = Intercept::none},
      {.name = "wide_squared_hinge_l2", .sample = wide, .loss = kSquaredHinge, .penalty = weigh(l2, 1e-4)},
      {.name = "wide_smooth_hinge_elastic_net",
       .sample = wide,
       .loss = kSmoothHinge,
       .penalty = weigh(elastic_net, 1e-2, 0.1),
       .intercept = regularised},
      {.name = "very_wide_sparse_logistic_l2",
       .sample = very_wide,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-4),
       .sparse = true},
      {.name = "very_wide_sparse_squared_l2",
       .sample = very_wide,
       .loss = kSquared,
       .penalty = weigh(l2, 1e-3),
       .intercept = regularised,
       .sparse = true},
      {.name = "very_wide_sparse_logistic_l1",
       .sample = very_wide,
       .loss = kLogistic,
       .penalty = weigh(l1, 1e-3),
       .sparse = true},
      {.name = "tall_logistic_l2",
       .sample = tall,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-6),
       .threads = 2,
       .tol_double = 1e-9},
      {.name = "tall_squared_none", .sample = tall, .loss = kSquared, .penalty = weigh(none, 0)},
      {.name = "tall_squared_hinge_l1_l2norm",
       .sample = tall,
       .loss = kSquaredHinge,
       .penalty = weigh(l1_l2norm, 1e-3),
       .sparse = true,
       .threads = 2},
      {.name = "tall_smooth_hinge_l2",
       .sample = tall,
       .loss = kSmoothHinge,
       .penalty = weigh(l2, 1e-5),
       .intercept = regularised},
      {.name = "one_feature_logistic_l2", .sample = one_feature, .loss = kLogistic, .penalty = weigh(l2, 1e-4)},
      {.name = "one_feature_squared_hinge_l1",
       .sample = one_feature,
       .loss = kSquaredHinge,
       .penalty = weigh(l1, 1e-3),
       .intercept = regularised},
      {.name = "one_feature_squared_none",
       .sample = one_feature,
       .loss = kSquared,
       .penalty = weigh(none, 0),
       .intercept = Intercept::none},
      {.name = "one_feature_all_zero_at_optimum", .sample = one_feature, .loss = kLogistic, .penalty = weigh(l1, 10)},
      {.name = "two_rows_logistic_l2", .sample = two_rows, .loss = kLogistic, .penalty = weigh(l2, 1e-3)},
      {.name = "two_rows_squared_l1", .sample = two_rows, .loss = kSquared, .penalty = weigh(l1, 1e-2)},
  };
}

inline std::vector<Case> degenerate_rows_and_columns() {
  const auto twice = [] { return duplicate_rows(50, 5, 8); };
  const auto flat = [] { return constant_zero_and_equal_columns(200, 7); };
  return {
      {.name = "duplicate_rows_logistic_l2", .sample = twice, .loss = kLogistic, .penalty = weigh(l2, 1e-4)},
      {.name = "duplicate_rows_squared_none", .sample = twice, .loss = kSquared, .penalty = weigh(none, 0)},
      {.name = "duplicate_rows_squared_hinge_l1",
       .sample = twice,
       .loss = kSquaredHinge,
       .penalty = weigh(l1, 1e-3),
       .intercept = regularised,
       .sparse = true},
      {.name = "flat_columns_logistic_l2",
       .sample = flat,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-6),
       .tol_double = 1e-9},
      {.name = "flat_columns_squared_l1", .sample = flat, .loss = kSquared, .penalty = weigh(l1, 1e-2)},
      {.name = "flat_columns_squared_none", .sample = flat, .loss = kSquared, .penalty = weigh(none, 0)},
      {.name = "flat_columns_logistic_none",
       .sample = flat,
       .loss = kLogistic,
       .penalty = weigh(none, 0),
       .intercept = Intercept::none},
      {.name = "flat_columns_squared_hinge_elastic_net",
       .sample = flat,
       .loss = kSquaredHinge,
       .penalty = weigh(elastic_net, 1e-3),
       .intercept = Intercept::none,
       .sparse = true},
      {.name = "flat_columns_smooth_hinge_l1_l2norm",
       .sample = flat,
       .loss = kSmoothHinge,
       .penalty = weigh(l1_l2norm, 1e-3)},
      {.name = "flat_columns_unpenalised_zero_column",
       .sample = flat,
       .loss = kLogistic,
       .penalty = with_factors(weigh(l2, 1e-3), {1, 0, 1, 1, 1, 1, 1})},
  };
}

inline std::vector<Case> scales() {
  const auto mixed = [] { return all_scales(300, 7); };
  const auto mixed_tall = [] { return all_scales(15000, 7); };
  const auto mixed_wide = [] { return all_scales(50, 100); };
  const auto rare_mixed = [] { return on_all_scales(imbalanced(12000, 7, 1000)); };
  const auto split_mixed = [] { return on_all_scales(separable(500, 7)); };
  return {
      {.name = "scales_logistic_l2", .sample = mixed, .loss = kLogistic, .penalty = weigh(l2, 1e-4)},
      {.name = "scales_squared_l2",
       .sample = mixed,
       .loss = kSquared,
       .penalty = weigh(l2, 1e-4),
       .intercept = regularised},
      {.name = "scales_squared_hinge_l2",
       .sample = mixed,
       .loss = kSquaredHinge,
       .penalty = weigh(l2, 1e-8),
       .intercept = Intercept::none},
      {.name = "scales_smooth_hinge_l2", .sample = mixed, .loss = kSmoothHinge, .penalty = weigh(l2, 1e-10)},
      {.name = "scales_logistic_l1", .sample = mixed, .loss = kLogistic, .penalty = weigh(l1, 1e-3)},
      {.name = "scales_squared_l1", .sample = mixed, .loss = kSquared, .penalty = weigh(l1, 1e-6)},
      {.name = "scales_squared_hinge_l1", .sample = mixed, .loss = kSquaredHinge, .penalty = weigh(l1, 1e-8)},
      {.name = "scales_smooth_hinge_elastic_net",
       .sample = mixed,
       .loss = kSmoothHinge,
       .penalty = weigh(elastic_net, 1e-5),
       .sparse = true},
      {.name = "scales_logistic_l1_l2norm", .sample = mixed, .loss = kLogistic, .penalty = weigh(l1_l2norm, 1e-4)},
      {.name = "scales_squared_l1_l2norm", .sample = mixed, .loss = kSquared, .penalty = weigh(l1_l2norm, 1e-6)},
      {.name = "scales_rare_logistic_l2", .sample = rare_mixed, .loss = kLogistic, .penalty = weigh(l2, 1e-9)},
      {.name = "scales_rare_logistic_l1", .sample = rare_mixed, .loss = kLogistic, .penalty = weigh(l1, 1e-9)},
      {.name = "scales_separable_logistic_l2", .sample = split_mixed, .loss = kLogistic, .penalty = weigh(l2, 1e-10)},
      {.name = "scales_separable_squared_hinge_l1",
       .sample = split_mixed,
       .loss = kSquaredHinge,
       .penalty = weigh(l1, 1e-9)},
      {.name = "scales_squared_small_l1", .sample = mixed, .loss = kSquared, .penalty = weigh(l1, 1e-8)},
      {.name = "scales_wide_logistic_l2",
       .sample = mixed_wide,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-6),
       .tol_double = 1e-9},
      // The labels' squares are 80, F* is 3e-5: residuals known to 2e-15, times features of 1e6, leave a gap of about 1e-8.
      {.name = "scales_wide_squared_l2",
       .sample = mixed_wide,
       .loss = kSquared,
       .penalty = weigh(l2, 1e-6),
       .tol_double = 3e-8},
      {.name = "scales_squared_hinge_none", .sample = mixed, .loss = kSquaredHinge, .penalty = weigh(none, 0)},
      {.name = "scales_tall_logistic_l2",
       .sample = mixed_tall,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-8),
       .threads = 2},
      {.name = "scales_tall_squared_l2",
       .sample = mixed_tall,
       .loss = kSquared,
       .penalty = weigh(l2, 1e-12),
       .intercept = regularised},
      {.name = "scales_tall_squared_hinge_l2_sparse",
       .sample = mixed_tall,
       .loss = kSquaredHinge,
       .penalty = weigh(l2, 1e-6),
       .sparse = true},
      {.name = "scales_squared_none", .sample = mixed, .loss = kSquared, .penalty = weigh(none, 0)},
      {.name = "scales_logistic_none", .sample = mixed, .loss = kLogistic, .penalty = weigh(none, 0)},
  };
}

inline std::vector<Case> separable_classes() {
  const auto split = [] { return separable(500, 5); };
  const auto split_wide = [] { return separable(100, 60); };
  const auto split_tall = [] { return separable(15000, 5); };
  return {
      {.name = "separable_logistic_l2", .sample = split, .loss = kLogistic, .penalty = weigh(l2, 1e-10)},
      {.name = "separable_squared_hinge_l2",
       .sample = split,
       .loss = kSquaredHinge,
       .penalty = weigh(l2, 1e-10),
       .intercept = Intercept::none},
      {.name = "separable_smooth_hinge_l2",
       .sample = split,
       .loss = kSmoothHinge,
       .penalty = weigh(l2, 1e-10),
       .intercept = regularised},
      {.name = "separable_logistic_l1", .sample = split, .loss = kLogistic, .penalty = weigh(l1, 1e-8)},
      {.name = "separable_squared_hinge_l1", .sample = split, .loss = kSquaredHinge, .penalty = weigh(l1, 1e-8)},
      {.name = "separable_smooth_hinge_l1", .sample = split, .loss = kSmoothHinge, .penalty = weigh(l1, 1e-8)},
      {.name = "separable_logistic_l1_l2norm", .sample = split, .loss = kLogistic, .penalty = weigh(l1_l2norm, 1e-7)},
      {.name = "separable_wide_logistic_l2", .sample = split_wide, .loss = kLogistic, .penalty = weigh(l2, 1e-10)},
      {.name = "separable_wide_logistic_l2_sparse",
       .sample = split_wide,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-9),
       .sparse = true},
      {.name = "separable_wide_squared_hinge_l1",
       .sample = split_wide,
       .loss = kSquaredHinge,
       .penalty = weigh(l1, 1e-8)},
      {.name = "separable_wide_squared_hinge_l1_l2norm",
       .sample = split_wide,
       .loss = kSquaredHinge,
       .penalty = weigh(l1_l2norm, 1e-8)},
      {.name = "separable_wide_squared_hinge_small_elastic_net",
       .sample = split_wide,
       .loss = kSquaredHinge,
       .penalty = weigh(elastic_net, 1e-8)},
      {.name = "separable_wide_squared_hinge_elastic_net",
       .sample = split_wide,
       .loss = kSquaredHinge,
       .penalty = weigh(elastic_net, 1e-4)},
      {.name = "separable_wide_smooth_hinge_l1",
       .sample = split_wide,
       .loss = kSmoothHinge,
       .penalty = weigh(l1, 1e-8)},
      {.name = "separable_wide_smooth_hinge_l2",
       .sample = split_wide,
       .loss = kSmoothHinge,
       .penalty = weigh(l2, 1e-10)},
      {.name = "separable_wide_squared_hinge_l2",
       .sample = split_wide,
       .loss = kSquaredHinge,
       .penalty = weigh(l2, 1e-10)},
      {.name = "separable_wide_squared_hinge_l2_sparse",
       .sample = split_wide,
       .loss = kSquaredHinge,
       .penalty = weigh(l2, 1e-10),
       .sparse = true},
      {.name = "separable_wide_logistic_l1", .sample = split_wide, .loss = kLogistic, .penalty = weigh(l1, 1e-8)},
      {.name = "separable_logistic_least_l2", .sample = split, .loss = kLogistic, .penalty = weigh(l2, 1e-14)},
      {.name = "separable_tall_logistic_l2",
       .sample = split_tall,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-10),
       .threads = 2},
      {.name = "separable_tall_squared_hinge_l2",
       .sample = split_tall,
       .loss = kSquaredHinge,
       .penalty = weigh(l2, 1e-10)},
  };
}

inline std::vector<Case> imbalance_and_weights() {
  const auto rare = [] { return imbalanced(12000, 6, 1000); };
  const auto some = [] { return plain(600, 6, 12); };
  using ClassWeight::balanced, ClassWeight::paper;
  return {
      {.name = "rare_logistic_l2", .sample = rare, .loss = kLogistic, .penalty = weigh(l2, 1e-6)},
      {.name = "rare_logistic_none",
       .sample = [] { return imbalanced(12000, 3, 1000); },
       .loss = kLogistic,
       .penalty = weigh(none, 0)},
      {.name = "huge_l2", .sample = some, .loss = kLogistic, .penalty = weigh(l2, 1e4)},
      {.name = "rare_logistic_l2_balanced",
       .sample = rare,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-6),
       .class_weight = balanced},
      {.name = "rare_squared_hinge_l2_paper",
       .sample = rare,
       .loss = kSquaredHinge,
       .penalty = weigh(l2, 1e-5),
       .intercept = regularised,
       .class_weight = paper,
       .threads = 2},
      {.name = "rare_squared_hinge_l2", .sample = rare, .loss = kSquaredHinge, .penalty = weigh(l2, 1e-5)},
      {.name = "rare_smooth_hinge_l1", .sample = rare, .loss = kSmoothHinge, .penalty = weigh(l1, 1e-5)},
      {.name = "rare_smooth_hinge_l1_balanced",
       .sample = rare,
       .loss = kSmoothHinge,
       .penalty = weigh(l1, 1e-4),
       .sparse = true,
       .class_weight = balanced},
      {.name = "rare_logistic_l2_sparse",
       .sample = rare,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-7),
       .sparse = true},
      {.name = "rare_logistic_l1_sample_weights",
       .sample = rare,
       .loss = kLogistic,
       .penalty = weigh(l1, 1e-5),
       .weighted = true},
      {.name = "weights_logistic_l2",
       .sample = some,
       .loss = kLogistic,
       .penalty = weigh(l2, 1e-4),
       .weighted = true,
       .tol_double = 1e-9},
      {.name = "weights_squared_l1", .sample = some, .loss = kSquared, .penalty = weigh(l1, 1e-2), .weighted = true},
      {.name = "weights_squared_hinge_l2_sparse",
       .sample = some,
       .loss = kSquaredHinge,
       .penalty = weigh(l2, 1e-4),
       .intercept = Intercept::none,
       .sparse = true,
       .weighted = true},
      {.name = "weights_smooth_hinge_l1_l2norm_balanced",
       .sample = some,
       .loss = kSmoothHinge,
       .penalty = weigh(l1_l2norm, 1e-3),
       .intercept = regularised,
       .weighted = true,
       .class_weight = balanced},
  };
}

}  // namespace s3gd::testing
