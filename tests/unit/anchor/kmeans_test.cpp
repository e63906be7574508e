#include "anchor/kmeans.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "reference.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

using namespace reference;

std::vector<double> centre(const Centres& centres, Index j) { return {centres.row(j), centres.row(j) + centres.dim}; }

// sum_i min_j ||x_i - c_j||^2
double cost(const Table& table, const Centres& centres) {
  double sum = 0;
  for (const auto& row : table) {
    double nearest = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < centres.count; ++j) nearest = std::min(nearest, squared_distance(row, centre(centres, j)));
    sum += nearest;
  }
  return sum;
}

KmeansOptions into(Index clusters) {
  KmeansOptions options;
  options.clusters = clusters;
  options.threads = 2;
  return options;
}

TEST(Kmeans, SettledCentresAreTheMeansOfTheirRows) {
  const auto table = clumped_rows(400, 6, 21);
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    auto options = into(9);
    options.rounds = 1000;
    const auto centres = kmeans(x, options);
    const auto cluster = assign_clusters(x, centres, 2);
    for (Index j = 0; j < centres.count; ++j) {
      std::vector<double> mean(6, 0.0);
      double count = 0;
      for (std::size_t i = 0; i < table.size(); ++i) {
        if (cluster[i] != j) continue;
        ++count;
        for (std::size_t c = 0; c < 6; ++c) mean[c] += table[i][c];
      }
      ASSERT_GT(count, 0);
      for (std::size_t c = 0; c < 6; ++c) EXPECT_NEAR(centres.row(j)[c], mean[c] / count, 1e-9);
    }
  }
}

TEST(Kmeans, EveryRoundLowersTheCost) {
  const auto table = clumped_rows(600, 10, 22);
  const auto x = dense<double>(table);
  double previous = std::numeric_limits<double>::infinity();
  for (Index rounds = 0; rounds < 6; ++rounds) {
    auto options = into(12);
    options.rounds = rounds;
    const double now = cost(table, kmeans(x, options));
    EXPECT_LE(now, previous);
    previous = now;
  }
}

TEST(Kmeans, SeedingFindsWellSeparatedClumps) {
  Table table;
  Rng rng(3);
  for (int clump = 0; clump < 20; ++clump)
    for (int i = 0; i < 50; ++i) table.push_back({100.0 * clump + rng.normal(), rng.normal()});
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    auto options = into(20);
    options.seed = seed;
    // 20 clumps, 50 rows each, two coordinates of variance 1: about 2000 when every clump has its centre, and at
    // least 250,000 more for every clump without one.
    EXPECT_LT(cost(table, kmeans(dense<float>(table), options)), 3000);
  }
}

TEST(Kmeans, AClusterWithoutRowsMovesToTheFarthestOne) {
  const Table table{{0}, {1}, {2}, {100}};
  const Centres start{2, 1, {0.5, 5000.0}};  // no row is nearest to the second
  const auto centres = improve_centres(dense<float>(table), start, 5);
  std::set<double> places;
  for (Index j = 0; j < centres.count; ++j) places.insert(centres.row(j)[0]);
  EXPECT_EQ(places, (std::set<double>{1, 100}));
}

TEST(Kmeans, HasNoMoreCentresThanDistinctRows) {
  Table table(50, {1.0, 2.0});
  for (std::size_t i = 0; i < 20; ++i) table[i] = {3.0, -1.0};
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    const auto centres = kmeans(x, into(10));
    EXPECT_EQ(centres.count, 2);
    EXPECT_NEAR(cost(table, centres), 0, 1e-20);
  }
}

TEST(Kmeans, ASampleDoesNearlyAsWellAsAllRows) {
  const auto table = clumped_rows(6000, 8, 24);
  const auto x = dense<float>(table);
  auto options = into(7);
  const double all = cost(table, kmeans(x, options));
  options.sample = 700;
  EXPECT_LT(cost(table, kmeans(x, options)), 1.25 * all);
}

TEST(Kmeans, HasTheSameBitsAtAnyNumberOfThreads) {
  const auto table = clumped_rows(2000, 15, 25);
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    auto options = into(30);
    options.sample = 900;
    options.threads = 1;
    const auto one = kmeans(x, options);
    const auto clusters = assign_clusters(x, one, 1);
    for (const int threads : {2, 7}) {
      options.threads = threads;
      EXPECT_EQ(one.values, kmeans(x, options).values);
      EXPECT_EQ(clusters, assign_clusters(x, one, threads));
    }
  }
}

TEST(AssignClusters, FindsTheNearestCentre) {
  const auto table = clumped_rows(500, 9, 26);
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    const auto centres = kmeans(x, into(13));
    const auto cluster = assign_clusters(x, centres);
    for (std::size_t i = 0; i < table.size(); ++i) {
      double nearest = std::numeric_limits<double>::infinity();
      for (Index j = 0; j < centres.count; ++j)
        nearest = std::min(nearest, squared_distance(table[i], centre(centres, j)));
      EXPECT_NEAR(squared_distance(table[i], centre(centres, cluster[i])), nearest, 1e-4);
    }
  }
}

TEST(NearestRows, AreTheNearestOfAllInEveryLayout) {
  const auto table = clumped_rows(5000, 40, 27);
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    const auto centres = kmeans(x, into(25));
    const auto found = nearest_rows(x, centres, 3, 2);
    EXPECT_EQ(found, nearest_rows(x, centres, 3, 7));
    ASSERT_EQ(found.size(), 25U);
    const bool single = x.precision() == Precision::float32;
    for (Index j = 0; j < centres.count; ++j) {
      auto place = centre(centres, j);
      if (single)
        for (auto& value : place) value = static_cast<double>(static_cast<float>(value));
      std::vector<double> distances;
      for (const auto& row : table) distances.push_back(squared_distance(row, place));
      auto sorted = distances;
      std::sort(sorted.begin(), sorted.end());
      const auto& rows = found[static_cast<std::size_t>(j)];
      ASSERT_EQ(rows.size(), 3U);
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(distances[static_cast<std::size_t>(rows[k])], sorted[k], (single ? 1e-6 : 1e-13) * sorted[k]);
    }
  }
}

TEST(Kmeans, WrongArgumentsAreRefused) {
  const auto x = dense<float>({{1.0}, {2.0}});
  EXPECT_THROW(kmeans(x, into(0)), Error);
  auto options = into(1);
  options.sample = -1;
  EXPECT_THROW(kmeans(x, options), Error);
  EXPECT_THROW(assign_clusters(x, Centres{1, 2, {0, 0}}), Error);
  EXPECT_THROW(assign_clusters(x, Centres{0, 1, {}}), Error);
}

}  // namespace
}  // namespace s3gd
