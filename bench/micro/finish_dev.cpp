#include <fmt/core.h>
#include <fstream>
#include <string>
#include "base/clock.hpp"
#include "finish/finisher.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"
using namespace s3gd;
struct P : Progress {
  const Problem& p; RunClock c; double fs; std::vector<std::array<double,3>> t; 
  P(const Problem& q, double f) : p(q), fs(f) { c.pause(); }
  bool moved(std::span<const double> w, double passes, double, double) override {
    if (getenv("BLIND")) return true; c.pause(); t.push_back({1e3*c.cpu_seconds(), passes, (objective(p, w) - fs) / fs}); c.resume(); return t.size() < 100; }
  bool must_stop() const override { return false; }
};
int main(int argc, char** argv) {
  std::string name = argv[1]; double lam = atof(argv[2]); int rounds = argc > 3 ? atoi(argv[3]) : 5; bool verbose = argc > 4;
  Dataset d = load(name == "fashion-mnist" ? "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz" : name);
  ProblemSpec s; s.intercept = Intercept::regularised; s.threads = getenv("T") ? atoi(getenv("T")) : 1; s.positive = "largest";
  if (name == "ijcnn1" || name == "a9a") s.positive = "1";
  if (name == "mnist" || name == "covtype-93k" || name == "fashion-mnist") d = apply_scaling(d, learn_scaling(d, Scale::max_abs));
  s.penalty.lambda = lam > 0 ? lam : 1.0 / d.rows();
  if (name == "cifar10-hog800" || name == "fer2013-hog256") { double k = name[0]=='c' ? 63 : 255; d = apply_scaling(d, {Scale::max_abs, std::vector<double>(d.cols(), 1/k), {}}); }
  Problem p(d, s);
  std::string cache = fmt::format("/tmp/cache/fs-{}-{}", name, s.penalty.lambda); double fs = 0;
  if (std::ifstream in(cache); !(in >> fs)) { OptimumOptions o; o.tol = 1e-12; ProblemSpec s2=s; s2.threads=0; fs = solve_reference(Problem(d,s2), o).objective; std::ofstream(cache) << fmt::format("{:.17g}", fs); }
  const double targets[] = {1e-2, 1e-3, 1e-4, 1e-6, 1e-9};
  std::vector<std::vector<double>> times(5);
  for (int r = 0; r < rounds; ++r) {
    P pr(p, fs);
    std::vector<double> start; double before = 0; if (getenv("SGD")) { SolveOptions o; o.solver = getenv("SOLVER") ? getenv("SOLVER") : "s3gd"; o.graph.anchors = 1; o.passes = atof(getenv("SGD")); o.tol = 0; o.seed = r; if (getenv("STEP")) o.step = atof(getenv("STEP")); if (o.solver=="sgd") o.order = RowOrder::shuffled; auto sol = solve(p, o); start = sol.w; before = sol.summary.cpu_seconds; if (verbose&&r==0) fmt::print("start {:.2e} after {:.1f} ms step {}\n", (sol.summary.objective - fs)/fs, 1e3*before, sol.summary.step); }
    pr.c.resume();
    Finish f = find_finisher("sampled-newton")->run({p, 1e-9, (std::uint64_t)r}, start, pr);
    pr.c.pause();
    for (int k = 0; k < 5; ++k) { double hit = 1e9; for (auto it = pr.t.rbegin(); it != pr.t.rend() && (*it)[2] < targets[k]; ++it) hit = (*it)[0]; times[k].push_back(hit); }
    if (verbose && r == 0) for (auto& t : pr.t) fmt::print("   {:8.2f} ms  {:6.2f} passes  {:.2e}\n", t[0], t[1], t[2]);
    if (r == 0 && verbose) fmt::print("end {} gap {:.1e} total {:.1f} ms\n", (int)f.end, f.certificate.relative_gap, 1e3*pr.c.cpu_seconds());
  }
  fmt::print("{:15} {:7.1e} ", name, lam);
  for (auto& t : times) { std::sort(t.begin(), t.end()); fmt::print(" {:8.2f}", t[getenv("MED") ? t.size()/2 : t.size()/5]); }
  fmt::print("\n");
}
