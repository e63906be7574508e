// What building the graph costs, in full gradients, and what it buys: the variance of S3GD's estimate over SGD's
// near the optimum (logistic loss, lambda ||w||^2 with lambda 1e-3, regularised intercept, m 100, k 5).
//
//   bench_graph_build [--unit-rows] [--dense|--csr] [--double] [--positive CLASS] [--threads N] [--sample
//   ROWS_PER_ANCHOR]
//                     [--rounds N] [--seed N] DATASET
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "anchor/propagate.hpp"
#include "anchor/rows.hpp"
#include "base/clock.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"
#include "s3gd/error.hpp"
#include "s3gd/graph.hpp"
#include "s3gd/scale.hpp"

namespace {

using namespace s3gd;

struct Arguments {
  std::string dataset, positive;
  bool unit_rows = false;
  LoadOptions load;
  GraphOptions graph;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] {
      if (++i == argc) throw Error(word + " needs a value");
      return std::string(argv[i]);
    };
    if (word == "--unit-rows")
      arguments.unit_rows = true;
    else if (word == "--dense")
      arguments.load.layout = Layout::dense;
    else if (word == "--csr")
      arguments.load.layout = Layout::sparse;
    else if (word == "--double")
      arguments.load.precision = Precision::float64;
    else if (word == "--positive")
      arguments.positive = value();
    else if (word == "--threads")
      arguments.graph.threads = std::stoi(value());
    else if (word == "--sample")
      arguments.graph.sample_per_anchor = std::stol(value());
    else if (word == "--rounds")
      arguments.graph.rounds = std::stol(value());
    else if (word == "--seed")
      arguments.graph.seed = std::stoul(value());
    else
      arguments.dataset = word;
  }
  if (arguments.dataset.empty()) throw Error("no dataset given", "name one, e.g. mnist");
  return arguments;
}

Problem make_problem(const Arguments& arguments) {
  Dataset data = load(arguments.dataset, arguments.load);
  if (arguments.unit_rows) data = apply_scaling(data, learn_scaling(data, Scale::unit_rows));
  ProblemSpec spec;
  spec.intercept = Intercept::regularised;
  spec.positive = arguments.positive;
  spec.threads = arguments.graph.threads;
  return Problem(data, spec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Body>
double seconds_of_one(Body&& body) {
  const double start = wall_now();
  body();
  return wall_now() - start;
}

// Interleaved, so that whatever else the machine does falls on all of them.
void time_build(const Problem& problem, const GraphOptions& options) {
  std::vector<double> gradients, builds, products;
  std::vector<double> w(static_cast<std::size_t>(problem.dim()), 0.0), gradient = w;
  for (int repetition = 0; repetition < 7; ++repetition) {
    for (int i = 0; i < 4; ++i) gradients.push_back(seconds_of_one([&] { smooth_gradient(problem, w, gradient); }));
    Graph graph;
    builds.push_back(seconds_of_one([&] { graph = build_graph(problem.x(), options); }));
    products.push_back(seconds_of_one([&] { propagate<float>(problem.x(), graph, {}, true, options.threads); }));
  }
  const double one = median(gradients);
  fmt::print("gradient {:.1f} ms, graph {:.1f} ms = {:.2f} gradients, X M {:.1f} ms = {:.2f} gradients\n", 1e3 * one,
             1e3 * median(builds), median(builds) / one, 1e3 * median(products), median(products) / one);
}

// Accelerated gradient steps with restarts: near enough to the optimum for a variance.
std::vector<double> near_optimum(const Problem& problem) {
  const auto& penalty = problem.spec().penalty;
  const auto dim = static_cast<std::size_t>(problem.dim());
  double largest = 0;
  problem.x().visit([&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i) largest = std::max(largest, 1 + row_square(x, i));
  });
  const double step = 1 / (0.25 * largest + 2 * penalty.lambda);
  std::vector<double> w(dim, 0.0), ahead = w, gradient = w;
  double momentum = 1;
  for (int iteration = 0; iteration < 400; ++iteration) {
    smooth_gradient(problem, ahead, gradient);
    const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    double uphill = 0;
    for (std::size_t j = 0; j < dim; ++j) {
      const double g = gradient[j] + 2 * penalty.lambda * ahead[j], moved = ahead[j] - step * g;
      uphill += g * (moved - w[j]);
      ahead[j] = moved + (momentum - 1) / next * (moved - w[j]);
      w[j] = moved;
    }
    momentum = uphill > 0 ? 1 : next;
  }
  return w;
}

// Trace of the covariance of r_i x_i over the rows.
double variance(const Problem& problem, const std::vector<double>& r) {
  double squares = 0, mean_square = 0;
  const auto rows = static_cast<double>(problem.rows());
  problem.x().visit([&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i) {
      const double coefficient = r[static_cast<std::size_t>(i)];
      squares += coefficient * coefficient * (1 + row_square(x, i)) / rows;
    }
  });
  std::vector<double> mean(static_cast<std::size_t>(problem.dim()));
  transpose_times(problem, r, mean);
  for (const double value : mean) mean_square += value / rows * (value / rows);
  return squares - mean_square;
}

void print_quality(const Problem& problem, GraphOptions options, const std::vector<double>& w) {
  const Loss loss(problem.spec().loss);
  std::vector<double> u(static_cast<std::size_t>(problem.rows())), slopes(u), residuals(u);
  margins(problem, w, u);
  for (const auto kernel : {Kernel::paper, Kernel::scaled}) {
    options.kernel = kernel;
    const Graph graph = build_graph(problem.x(), options);
    const Index k = graph.neighbours_per_row();
    for (Index i = 0; i < problem.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const double y = problem.targets()[row];
      double propagated = -loss.label(y);
      for (Index e = i * k; e < (i + 1) * k; ++e)
        propagated +=
            static_cast<double>(graph.gammas[e]) *
            loss.phi(u[static_cast<std::size_t>(graph.anchor_rows[static_cast<std::size_t>(graph.neighbours[e])])]);
      slopes[row] = loss.slope(u[row], y);
      residuals[row] = slopes[row] - propagated;
    }
    fmt::print("variance over SGD's, {} kernel: {:.4f}\n", kernel == Kernel::paper ? "paper" : "scaled",
               variance(problem, residuals) / variance(problem, slopes));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments = parse(argc, argv);
  const Problem problem = make_problem(arguments);
  fmt::print("{}: {} x {}, {}\n", arguments.dataset, problem.rows(), problem.cols(),
             problem.x().is_dense() ? "dense" : "CSR");
  time_build(problem, arguments.graph);
  print_quality(problem, arguments.graph, near_optimum(problem));
  return 0;
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
