// The table of golden fits: solvers, losses, penalties, layouts and precisions, classes, weights, intercepts, starts, paths, folds.
#include <cmath>

#include "base/checksum.hpp"
#include "golden/fit.hpp"
#include "problem/names.hpp"
#include "s3gd/path.hpp"
#include "solve/inputs.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd::golden {

void keep_parameters(Fit& fit, const std::vector<double>& w) {
  fit.bits = checksum(std::as_bytes(std::span(w)), 1);
  double sum = 0;
  for (const double value : w) sum += value * value;
  fit.norm = std::sqrt(sum);
}

namespace {

using testing::random_sample;
using testing::softmax_sample;
using testing::Vector;

const char* const kLayouts[] = {"dense-float", "dense-double", "csr-float", "csr-double"};  // as Table::layouts()
constexpr LossKind kLosses[] = {LossKind::logistic, LossKind::squared, LossKind::squared_hinge, LossKind::smooth_hinge};
constexpr Intercept kIntercepts[] = {Intercept::free, Intercept::regularised, Intercept::none};
constexpr double kTight = 1e-8;

Fit keep(const Vector& w, const Summary& summary) {
  const Certificate& certificate = summary.certificate;
  Fit fit;
  fit.objective = certificate.primal;
  fit.status = name_of(summary.status);
  keep_parameters(fit, w);
  fit.has_dual = certificate.kind == Certificate::Kind::duality_gap;
  fit.gap = fit.has_dual ? (certificate.primal - certificate.dual) / certificate.primal : certificate.relative_gap;
  fit.passes = summary.passes;
  fit.iterations = summary.iterations;
  return fit;
}

Fit keep(const Path& path, const Vector& scores = {}) {
  Fit fit;
  fit.status = name_of(path.status);
  Vector w;
  double dual = 0;
  for (const PathPoint& point : path.points) {
    w.insert(w.end(), point.w.begin(), point.w.end());
    fit.objective += point.certificate.primal;
    dual += point.certificate.dual;
    fit.passes += point.passes;
  }
  fit.gap = (fit.objective - dual) / fit.objective;
  w.insert(w.end(), scores.begin(), scores.end());
  keep_parameters(fit, w);
  return fit;
}

Fit keep(const CrossValidation& folds) {
  Vector scores;
  for (const ScoredLambda& point : folds.points) scores.insert(scores.end(), point.scores.begin(), point.scores.end());
  return keep(folds.path, scores);
}

struct Shape {
  Index rows = 240, cols = 9;
  double density = 0.5;
  std::size_t layout = 0;
  bool weighted = false;
  std::uint64_t seed = 3;
};

// One output.
struct One {
  Shape shape;
  ProblemSpec spec;
  SolveOptions options;

  One(LossKind loss, PenaltyKind penalty, std::string solver) {
    spec.loss = {loss, 4.0};
    spec.penalty.kind = penalty;
    spec.penalty.lambda = 0.01;
    options.solver = std::move(solver);
    options.tol = kTight;
  }
  // A stochastic solver, that is: it ends after a few passes.
  One& few_passes() {
    options.tol = 1e-3;
    options.passes = 6;
    return *this;
  }
  // Layout, intercept and weights take turns, each at its own pace.
  One& turn(std::size_t number) {
    shape.layout = number % 4;
    spec.intercept = kIntercepts[number % 3];
    shape.weighted = number / 4 % 2 == 1;
    return *this;
  }
  Problem problem() const {
    const auto sample = random_sample(shape.rows, shape.cols, shape.seed, shape.density);
    return Problem(sample.data(sample.table.layouts()[shape.layout], spec.loss, shape.weighted), spec);
  }
  std::string name() const {
    std::string text = options.solver + "/" + name_of(spec.loss.kind) + "/" + name_of(spec.penalty.kind) + "/" +
                       kLayouts[shape.layout] + "/" + name_of(spec.intercept);
    return shape.weighted ? text + "/weighted" : text;
  }
};

class Table {
 public:
  void add(const One& one, const std::string& what = {}) {
    add("one/" + one.name() + (what.empty() ? "" : "/" + what), true, [one] {
      const Solution solution = solve(one.problem(), one.options);
      return keep(solution.w, solution.summary);
    });
  }
  void add(std::string name, bool one_output, std::function<Fit()> run) {
    list.push_back({std::move(name), one_output, std::move(run)});
  }
  std::vector<Case> list;
};

void add_exact(Table& table) {
  using enum PenaltyKind;
  std::size_t turn = 0;
  for (const LossKind loss : kLosses)
    for (const PenaltyKind penalty : {l2, l1, elastic_net, l1_l2norm, none})
      table.add(One(loss, penalty, "auto").turn(turn++));
  for (const char* solver : {"newton", "sampled-newton", "lbfgs"})
    for (const LossKind loss : kLosses) table.add(One(loss, l2, solver).turn(turn++));
  for (const LossKind loss : kLosses) {
    table.add(One(loss, l1, "active-set").turn(turn++));
    table.add(One(loss, l1_l2norm, "newton").turn(turn++));
  }
  for (const PenaltyKind penalty : {l2, l1, elastic_net})
    table.add(One(LossKind::squared, penalty, "gram").turn(turn++));
  for (const LossKind loss : kLosses) {
    One wide = One(loss, l2, "dual").turn(turn++);
    wide.shape.rows = 80;
    wide.shape.cols = 1600;
    wide.shape.density = 0.02;
    wide.shape.layout = 2 + turn % 2;
    table.add(wide, "wide");
  }
}

void add_stochastic(Table& table) {
  std::size_t turn = 0;
  for (const char* solver : {"s3gd", "sgd", "ssgd", "svrg", "scv", "saga", "sag", "is-sgd", "gd"})
    for (std::size_t layout = 0; layout < 4; ++layout, ++turn) {
      One one = One(kLosses[turn % 3 == 2 ? turn % 4 : 0], turn % 2 ? PenaltyKind::l1 : PenaltyKind::l2, solver);
      one.turn(turn).few_passes().shape.layout = layout;
      table.add(one);
    }
}

// Whatever else changes the way.
void add_options(Table& table) {
  const auto logistic = [](const char* solver) {
    return One(LossKind::logistic, PenaltyKind::l2, solver).few_passes();
  };
  One one = logistic("gd");
  one.options.accelerated = true;
  table.add(one, "accelerated");
  one = logistic("svrg");
  one.options.average_snapshot = true;
  table.add(one, "averaged");
  one = logistic("saga");
  one.options.order = RowOrder::shuffled;
  one.options.decay = 50;
  table.add(one, "shuffled-decay");
  one.options.start = Vector(static_cast<std::size_t>(one.shape.cols + 1), 0.1);
  table.add(one, "start");
  one = logistic("s3gd");
  one.options.graph_mode = GraphMode::full;
  one.options.order = RowOrder::weighted;
  table.add(one, "full-graph");
  apply_paper_setting(one.spec, one.options);
  table.add(one, "paper");
  one = One(LossKind::logistic, PenaltyKind::l2, "auto");
  one.options.start = Vector(static_cast<std::size_t>(one.shape.cols + 1), 0.1);
  table.add(one, "start");
  one = One(LossKind::logistic, PenaltyKind::l2, "auto");
  one.shape.rows = 6000;
  table.add(one, "many-rows");
  one.spec.penalty.kind = PenaltyKind::l1;
  table.add(one, "many-rows");
  one = One(LossKind::logistic, PenaltyKind::l2, "auto");
  one.spec.class_weight = ClassWeight::balanced;
  table.add(one, "balanced");
  one.shape.weighted = true;
  one.spec.penalty.factors = {1, 0.5, 2, 0.1, 1, 1, 3, 1, 1};
  table.add(one, "balanced-factors");
  one = One(LossKind::squared_hinge, PenaltyKind::l1, "auto");
  one.spec.class_weight = ClassWeight::paper;
  one.spec.penalty.also.resize(1);
  table.add(one, "two-terms");
}

struct Many {
  Shape shape{.rows = 200, .cols = 6};
  Index classes = 4;
  Dataset data() const {
    const auto sample = softmax_sample(shape.rows, shape.cols, classes, shape.seed, shape.density);
    return sample.data(sample.table.layouts()[shape.layout], shape.weighted);
  }
};

void add_one_vs_rest(Table& table, const Many& many, LossKind loss, PenaltyKind penalty, const std::string& solver) {
  const One like = loss == LossKind::logistic && solver == "saga" ? One(loss, penalty, solver).few_passes()
                                                                  : One(loss, penalty, solver);
  const std::string name = "ovr/" + solver + "/" + name_of(loss) + "/" + name_of(penalty) + "/" +
                           kLayouts[many.shape.layout] + (many.shape.weighted ? "/weighted" : "");
  table.add(name, false, [many, like] {
    const Solution fit = solve(OneVsRestProblem(many.data(), like.spec), like.options);
    return keep(fit.w, fit.summary);
  });
}

SoftmaxSpec softmax_spec(MatrixPenaltyKind penalty, Intercept intercept = Intercept::free) {
  SoftmaxSpec spec;
  spec.penalty = {penalty, 0.01, 0.5, {}};
  spec.intercept = intercept;
  return spec;
}

void add_softmax(Table& table, const Many& many, MatrixPenaltyKind penalty, Intercept intercept,
                 const std::string& solver) {
  const SoftmaxSpec spec = softmax_spec(penalty, intercept);
  SolveOptions options;
  options.solver = solver;
  options.tol = solver == "s3gd" ? 1e-3 : 1e-7;
  options.passes = solver == "s3gd" ? 6 : 0;
  const std::string name = "softmax/" + options.solver + "/" + name_of(penalty) + "/" + kLayouts[many.shape.layout] +
                           "/" + name_of(intercept) + (many.shape.weighted ? "/weighted" : "") +
                           (many.shape.rows > 1000 ? "/many-rows" : "");
  table.add(name, false, [many, spec, options] {
    const Solution fit = solve_softmax(SoftmaxProblem(many.data(), spec), options);
    return keep(fit.w, fit.summary);
  });
}

void add_many_classes(Table& table) {
  for (std::size_t layout = 0; layout < 4; ++layout) {
    Many many;
    many.shape.layout = layout;
    many.shape.weighted = layout == 3;
    add_one_vs_rest(table, many, kLosses[layout], PenaltyKind::l2, "auto");
    add_one_vs_rest(table, many, LossKind::logistic, layout % 2 ? PenaltyKind::l1 : PenaltyKind::l2,
                    layout < 2 ? "saga" : "newton");
    using enum MatrixPenaltyKind;
    std::size_t turn = layout;
    for (const MatrixPenaltyKind penalty : {l2, l1, elastic_net, none, group_lasso, nuclear})
      if (++turn % 2 == 0) add_softmax(table, many, penalty, kIntercepts[turn % 3], "auto");
    if (layout % 2 == 0) add_softmax(table, many, l2, Intercept::free, "s3gd");
    if (layout % 2 != 0) add_softmax(table, many, l2, Intercept::free, "prox-newton");
  }
  Many large;
  large.shape.rows = 5200;
  add_softmax(table, large, MatrixPenaltyKind::l2, Intercept::free, "auto");
}

void add_family(Table& table, const std::string& name, bool one_output, const std::function<Task()>& make) {
  SolveOptions options;
  options.tol = 1e-7;
  table.add("path/" + name, one_output, [make, options] {
    const Task task = make();
    return keep(solve_path(task, lambda_grid(task, {.count = 8}), options));
  });
  table.add("folds/" + name, one_output, [make, options] {
    const Task task = make();
    CrossValidationOptions folds;
    folds.folds = 3;
    folds.solve = options;
    folds.metric = usual_metric(task);
    folds.lambdas = lambda_grid(task, {.count = 4});
    return keep(cross_validate(task, folds));
  });
}

void add_families(Table& table) {
  std::size_t turn = 0;
  for (const auto& [loss, penalty] :
       {std::pair(LossKind::logistic, PenaltyKind::l2), std::pair(LossKind::logistic, PenaltyKind::l1),
        std::pair(LossKind::squared, PenaltyKind::elastic_net),
        std::pair(LossKind::squared_hinge, PenaltyKind::elastic_net)}) {
    One one(loss, penalty, "auto");
    one.shape.layout = turn++ % 4;
    add_family(table, one.name(), true, [one] { return Task(one.problem()); });
  }
  add_family(table, "ovr/logistic/l1", false, [] {
    return Task(OneVsRestProblem(Many().data(), One(LossKind::logistic, PenaltyKind::l1, "auto").spec));
  });
  for (const MatrixPenaltyKind penalty : {MatrixPenaltyKind::l2, MatrixPenaltyKind::group_lasso})
    add_family(table, std::string("softmax/") + name_of(penalty), false,
               [penalty] { return Task(SoftmaxProblem(Many().data(), softmax_spec(penalty))); });
}

}  // namespace

std::vector<Case> cases() {
  Table table;
  add_exact(table);
  add_stochastic(table);
  add_options(table);
  add_many_classes(table);
  add_families(table);
  return std::move(table.list);
}

}  // namespace s3gd::golden
