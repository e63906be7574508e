// What one iteration of each method costs, in one run on one thread: processor time, best of several interleaved
// repeats, snapshots included at their share.
//
//   bench_iteration_cost dense      d 784, p 10, m 100, k 5 (MNIST when $S3GD_DATA has it, else generated)
//   bench_iteration_cost text       20newsgroups with l2 (needs it in $S3GD_DATA)
//   bench_iteration_cost width      sparse rows of 50 non-zeros, d = 10^4 against 10^6
//   bench_iteration_cost exponents  Table 1 of the paper: fitted exponents of the time in p, d, m and n
#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "s3gd/error.hpp"
#include "s3gd/scale.hpp"
#include "stochastic/loop.hpp"

namespace {

using namespace s3gd;
using Times = std::map<std::string, double>;  // seconds an iteration, by method

struct Setting {
  Index batch = 10;
  Index inner = 0;  // 0 = the method's own
};

// One method, ready to run: owns everything the loop needs.
class Runner {
 public:
  Runner(const Problem& problem, const std::string& name, const Setting& setting, const Graph& graph)
      : problem_(problem), estimator_(*find_estimator(name)) {
    loop_.step = 1e-3;
    control_ = estimator_.build<float>({problem, &graph});
    std::vector<std::int32_t> strata;
    if (estimator_.sampling == Sampling::stratified) strata = make_strata(problem.x(), setting.batch, 0, 1);
    sampler_ = make_sampler(estimator_.sampling, problem, setting.batch, strata);
    iterate_ = make_iterate<float>(problem_, control_->basis());
    const Index inner = setting.inner > 0 && !estimator_.fixed_inner ? setting.inner : estimator_.inner;
    state_.emplace(LoopState<float>{*iterate_, *control_, *sampler_, inner});
  }

  // Processor seconds an iteration.
  double time(Index iterations) {
    double started = 0, seconds = 0;
    int call = 0;
    const Index first = state_->iteration;
    run_loop<float>(problem_, loop_, *state_, rng_, [&](LoopState<float>&) -> Index {
      if (++call == 1) {
        started = cpu_now();
        return first + iterations;
      }
      seconds = (cpu_now() - started) / static_cast<double>(iterations);
      return -1;
    });
    return seconds;
  }

  const std::string& name() const { return estimator_.name; }

 private:
  StochasticProblem problem_;
  const Estimator& estimator_;
  LoopOptions loop_;
  std::unique_ptr<Control<float>> control_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Iterate<float>> iterate_;
  std::optional<LoopState<float>> state_;
  Rng rng_{1};
};

using Runners = std::vector<std::unique_ptr<Runner>>;

// Best of `repeats`, the methods taking turns; `count` says how many iterations to time.
Times measure(Runners& runners, const std::function<Index(const std::string&)>& count, int repeats) {
  Times best;
  for (auto& runner : runners) {  // first visits: on sparse rows S3GD computes K_i at each row's first
    const double first = runner->time(count(runner->name()));
    if (runner->name() == "s3gd") fmt::print("  s3gd, first visits included: {:.3f} us\n", 1e6 * first);
  }
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (auto& runner : runners) {
      const double seconds = runner->time(count(runner->name()));
      const auto [at, fresh] = best.emplace(runner->name(), seconds);
      if (!fresh) at->second = std::min(at->second, seconds);
    }
  return best;
}

ProblemSpec one_thread() {
  ProblemSpec spec;
  spec.threads = 1;
  spec.positive = "largest";
  return spec;
}

Graph graph_for(const Problem& problem, Index anchors) {
  GraphOptions options;
  options.anchors = anchors;
  return build_graph(problem.x(), options);
}

Index enough(const std::string& method) { return method == "svrg" || method == "scv" ? 200 : 8000; }

void compare(const Problem& problem, const std::vector<std::string>& methods) {
  const Graph graph = graph_for(problem, 100);
  Runners runners;
  for (const std::string& name : methods) runners.push_back(std::make_unique<Runner>(problem, name, Setting{}, graph));
  const Times seconds = measure(runners, enough, 9);
  for (const std::string& name : methods)
    fmt::print("  {:8s} {:10.3f} us   {:8.2f} x sgd\n", name, 1e6 * seconds.at(name),
               seconds.at(name) / seconds.at("sgd"));
}

void dense() {
  LoadOptions options;
  options.layout = Layout::dense;
  Dataset data;
  try {
    data = load("mnist", options);
    fmt::print("MNIST as dense rows, 60,000 x 784, unit length\n");
  } catch (const Error&) {
    data = load("gen:manifold?rows=60000&cols=784", options);
    fmt::print("generated dense rows, 60,000 x 784\n");
  }
  data = apply_scaling(data, learn_scaling(data, Scale::unit_rows));
  compare(Problem(data, one_thread()), {"sgd", "s3gd", "ssgd", "svrg", "scv", "saga", "is-sgd"});
}

void text() {
  const Problem problem(load("20newsgroups"), one_thread());
  fmt::print("20newsgroups, {} x {}, {} non-zeros, l2\n", problem.rows(), problem.cols(), problem.x().stored());
  compare(problem, {"sgd", "s3gd", "ssgd", "svrg", "scv", "saga"});
}

void width() {
  fmt::print(
      "sparse rows, 20,000 x d, 50 non-zeros each, l2; svrg with a snapshot every 20,000 steps: its inner step\n");
  std::map<std::string, std::map<Index, double>> table;
  for (const Index cols : {Index{10000}, Index{1000000}}) {
    const Problem problem(load(fmt::format("gen:text?rows=20000&cols={}&nnz=50", cols)), one_thread());
    const Graph graph = graph_for(problem, 100);
    Runners runners;
    for (const std::string name : {"sgd", "s3gd", "svrg"})
      runners.push_back(std::make_unique<Runner>(problem, name, Setting{.inner = name == "svrg" ? 20000 : 0}, graph));
    for (const auto& [name, seconds] : measure(
             runners, [](const std::string&) { return Index{20000}; }, 5))
      table[name][cols] = seconds;
  }
  for (const auto& [name, by_cols] : table)
    fmt::print("  {:6s} d=10^4 {:8.3f} us   d=10^6 {:8.3f} us   ratio {:.2f}\n", name, 1e6 * by_cols.at(10000),
               1e6 * by_cols.at(1000000), by_cols.at(1000000) / by_cols.at(10000));
}

// Slope of log time over log value by least squares.
double exponent(const std::vector<double>& values, const std::vector<double>& seconds) {
  const auto n = static_cast<double>(values.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double x = std::log(values[k]), y = std::log(seconds[k]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

struct Sweep {
  std::string symbol;
  std::vector<double> values;
};

// The exponent of each method's time in one symbol, the others at their base.
Times sweep_exponents(const Sweep& sweep, const std::vector<std::string>& methods) {
  std::map<std::string, std::vector<double>> times;
  for (const double value : sweep.values) {
    const auto of = [&](const char* symbol, Index base) {
      return sweep.symbol == symbol ? static_cast<Index>(value) : base;
    };
    LoadOptions options;
    options.layout = Layout::dense;
    const Problem problem(load(fmt::format("gen:manifold?rows={}&cols={}", of("n", 5000), of("d", 400)), options),
                          one_thread());
    const Graph graph = graph_for(problem, of("m", 100));
    Runners runners;
    for (const std::string& name : methods)
      runners.push_back(std::make_unique<Runner>(problem, name, Setting{.batch = of("p", 10)}, graph));
    const auto count = [](const std::string& name) { return name == "scv" ? Index{20} : Index{1000}; };
    for (const auto& [name, seconds] : measure(runners, count, 3)) times[name].push_back(seconds);
  }
  Times fitted;
  for (const auto& [name, seconds] : times) fitted[name] = exponent(sweep.values, seconds);
  return fitted;
}

void exponents() {
  const std::vector<std::string> methods{"sgd", "ssgd", "svrg", "scv", "s3gd"};
  const std::vector<Sweep> sweeps{{"p", {20, 40, 80, 160}},
                                  {"d", {400, 800, 1600, 3200}},
                                  {"m", {100, 200, 400, 800}},
                                  {"n", {5000, 10000, 20000, 40000}}};
  fmt::print("fitted exponents of the time of an iteration, dense rows; base p 10, d 400, m 100, n 5000\n");
  fmt::print("  {:6s} {:>6s} {:>6s} {:>6s} {:>6s}\n", "", "p", "d", "m", "n");
  std::map<std::string, std::vector<double>> table;
  for (const Sweep& sweep : sweeps)
    for (const auto& [name, value] : sweep_exponents(sweep, methods)) table[name].push_back(value);
  for (const std::string& name : methods) {
    const auto& row = table.at(name);
    fmt::print("  {:6s} {:6.2f} {:6.2f} {:6.2f} {:6.2f}\n", name, row[0], row[1], row[2], row[3]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> parts{
      {"dense", dense}, {"text", text}, {"width", width}, {"exponents", exponents}};
  if (argc != 2 || !parts.contains(argv[1])) {
    fmt::print(stderr, "usage: bench_iteration_cost dense|text|width|exponents\n");
    return 2;
  }
  try {
    parts.at(argv[1])();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
