// The library as bench/peers sees it: a C interface for ctypes. Options and results travel as JSON, matrices as
// pointers that both sides use where they lie. A failed call returns null or NaN and leaves its reason in bench_error().
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/clock.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {
namespace {

using Json = nlohmann::json;

struct Handle {
  Dataset data;
  std::map<std::string, Problem> judges;  // kept by their JSON: judging many weights prepares each problem once
};

thread_local std::string last_error;
thread_local std::string last_answer;

template <class T, class F>
T guarded(T on_failure, F&& body) {
  try {
    last_error.clear();
    return body();
  } catch (const std::exception& error) {
    last_error = error.what();
    return on_failure;
  }
}

const char* answer(const Json& json) {
  last_answer = json.dump();
  return last_answer.c_str();
}

ProblemSpec problem_spec(const Json& json) {
  ProblemSpec spec;
  spec.loss.kind = json.value("loss", "logistic") == "squared" ? LossKind::squared : LossKind::logistic;
  spec.penalty.kind = json.value("penalty", "l2") == "l1" ? PenaltyKind::l1 : PenaltyKind::l2;
  spec.penalty.lambda = json.at("lambda").get<double>();
  spec.intercept = Intercept::regularised;
  spec.threads = json.value("threads", 1);
  return spec;
}

SolveOptions solve_options(const Json& json) {
  SolveOptions options;
  options.solver = json.value("solver", options.solver);
  options.step = json.value("step", options.step);
  options.decay = json.value("decay", options.decay);
  options.batch = json.value("batch", options.batch);
  options.iterations = json.value("iterations", options.iterations);
  options.passes = json.value("passes", options.passes);
  options.seconds = json.value("seconds", options.seconds);
  options.tol = json.value("tol", options.tol);
  options.seed = json.value("seed", options.seed);
  options.trace_every = json.value("trace_every", options.trace_every);
  if (json.value("shuffled", false)) options.order = RowOrder::shuffled;
  return options;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Certificate& certificate) {
  return {{"primal", number(certificate.primal)},
          {"dual", number(certificate.dual)},
          {"relative_gap", number(certificate.relative_gap)}};
}

Json to_json(const Solution& solution) {
  const Summary& summary = solution.summary;
  Json stages = Json::array(), trace = Json::array();
  for (const Stage& stage : summary.stages) stages.push_back({stage.name, stage.seconds, stage.ended});
  for (const TraceRow& row : solution.trace)
    trace.push_back({row.wall_seconds, row.cpu_seconds, number(row.train_objective), row.passes, row.stage});
  return {{"status", name_of(summary.status)},
          {"solver", summary.solver},
          {"objective", number(summary.objective)},
          {"certificate", to_json(summary.certificate)},
          {"graph_seconds", summary.graph_seconds},
          {"solve_seconds", summary.solve_seconds},
          {"evaluate_seconds", summary.evaluate_seconds},
          {"cpu_seconds", summary.cpu_seconds},
          {"passes", summary.passes},
          {"step", summary.step},
          {"stages", stages},
          {"trace", trace}};
}

// The loss as the readers give it, with labels +1 and -1 (positive: "" for the larger value, or "largest"), scaled.
Dataset prepare(Dataset data, const Json& json) {
  const double divisor = json.value("divide", 1.0);
  Scaling scaling;
  if (json.value("max_abs", false)) {
    scaling = learn_scaling(data, Scale::max_abs);
  } else if (divisor != 1.0) {
    scaling.kind = Scale::max_abs;
    scaling.factor.assign(static_cast<std::size_t>(data.cols()), 1 / divisor);
  }
  data = apply_scaling(data, scaling);
  ProblemSpec spec;
  spec.positive = json.value("positive", "");
  const Problem problem(data, spec);
  data.y = Labels{Array<double>({problem.targets().begin(), problem.targets().end()}), LabelKind::classes, {}};
  return data;
}

Json describe(const Dataset& data) {
  const auto address = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  Json json{{"rows", data.rows()},
            {"cols", data.cols()},
            {"stored", data.x.stored()},
            {"dense", data.x.is_dense()},
            {"labels", address(data.y.values.data())}};
  data.x.visit([&]<class V>(const V& view) {
    json["values"] = address(view.values);
    json["value_bytes"] = sizeof(typename V::Value);
    if constexpr (requires { view.starts; }) {
      json["columns"] = address(view.columns);
      json["column_bytes"] = sizeof(typename V::Column);
      json["starts"] = address(view.starts);
    } else {
      json["stride"] = view.stride;
    }
  });
  return json;
}

Dataset borrowed(MatrixView view, Index rows, const double* labels) {
  Dataset data;
  data.x = Matrix::borrow(view);
  data.y.values = Array<double>::borrow({labels, static_cast<std::size_t>(rows)});
  data.y.kind = LabelKind::classes;
  return data;
}

const Problem& judge(Handle& handle, const char* problem) {
  const auto found = handle.judges.find(problem);
  if (found != handle.judges.end()) return found->second;
  return handle.judges.emplace(problem, Problem(handle.data, problem_spec(Json::parse(problem)))).first->second;
}

std::span<const double> weights_of(const Problem& problem, const double* w) {
  return {w, static_cast<std::size_t>(problem.dim())};
}

}  // namespace
}  // namespace s3gd

using namespace s3gd;

extern "C" {

const char* bench_error() { return last_error.c_str(); }

void* bench_load(const char* source, const char* options) {
  return guarded<void*>(nullptr, [&] {
    const Json json = Json::parse(options);
    LoadOptions load_options;
    const std::string layout = json.value("layout", "automatic");
    if (layout == "dense") load_options.layout = Layout::dense;
    if (layout == "sparse") load_options.layout = Layout::sparse;
    if (json.value("double", false)) load_options.precision = Precision::float64;
    return new Handle{prepare(load(source, load_options), json), {}};
  });
}

void* bench_borrow_dense(const void* values, int value_bytes, Index rows, Index cols, Index stride,
                         const double* labels) {
  return guarded<void*>(nullptr, [&] {
    MatrixView view = DenseView<float>{static_cast<const float*>(values), rows, cols, stride};
    if (value_bytes == 8) view = DenseView<double>{static_cast<const double*>(values), rows, cols, stride};
    return new Handle{borrowed(view, rows, labels), {}};
  });
}

void* bench_borrow_csr(const void* values, int value_bytes, const std::int32_t* columns, const std::int64_t* starts,
                       Index rows, Index cols, const double* labels) {
  return guarded<void*>(nullptr, [&] {
    MatrixView view = CsrView<float, std::int32_t>{static_cast<const float*>(values), columns, starts, rows, cols};
    if (value_bytes == 8)
      view = CsrView<double, std::int32_t>{static_cast<const double*>(values), columns, starts, rows, cols};
    return new Handle{borrowed(view, rows, labels), {}};
  });
}

void bench_free(void* handle) { delete static_cast<Handle*>(handle); }

const char* bench_describe(void* handle) {
  return guarded<const char*>(nullptr, [&] { return answer(describe(static_cast<Handle*>(handle)->data)); });
}

double bench_objective(void* handle, const char* problem, const double* w) {
  return guarded(std::numeric_limits<double>::quiet_NaN(), [&] {
    const Problem& judged = judge(*static_cast<Handle*>(handle), problem);
    return objective(judged, weights_of(judged, w));
  });
}

const char* bench_certify(void* handle, const char* problem, const double* w) {
  return guarded<const char*>(nullptr, [&] {
    const Problem& judged = judge(*static_cast<Handle*>(handle), problem);
    const double started = wall_now();
    Json json = to_json(certify(judged, weights_of(judged, w)));
    json["seconds"] = wall_now() - started;
    return answer(json);
  });
}

// Writes the loss part's gradient at w; for the lambda from which on an L1 solution is zero.
int bench_gradient(void* handle, const char* problem, const double* w, double* gradient) {
  return guarded(0, [&] {
    const Problem& judged = judge(*static_cast<Handle*>(handle), problem);
    smooth_gradient(judged, weights_of(judged, w), {gradient, static_cast<std::size_t>(judged.dim())});
    return 1;
  });
}

const char* bench_reference(void* handle, const char* problem, double tol, const char* cache, double* w) {
  return guarded<const char*>(nullptr, [&] {
    const Problem& judged = judge(*static_cast<Handle*>(handle), problem);
    OptimumOptions options;
    options.tol = tol;
    options.cache_folder = cache;
    const Optimum optimum = solve_reference(judged, options);
    std::copy(optimum.w.begin(), optimum.w.end(), w);
    return answer({{"objective", optimum.objective},
                   {"certificate", to_json(optimum.certificate)},
                   {"iterations", optimum.iterations},
                   {"method", optimum.method}});
  });
}

// From matrix to weights. `setup_seconds`: the Problem's construction, part of the way; `total_seconds`: all of it,
// observations and certificate included.
const char* bench_solve(void* handle, const char* problem, const char* options, double* w) {
  return guarded<const char*>(nullptr, [&] {
    const ProblemSpec spec = problem_spec(Json::parse(problem));
    const SolveOptions solve_with = solve_options(Json::parse(options));
    const double started = wall_now();
    const Problem fresh(static_cast<Handle*>(handle)->data, spec);
    const double ready = wall_now();
    const Solution solution = solve(fresh, solve_with);
    const double ended = wall_now();
    std::copy(solution.w.begin(), solution.w.end(), w);
    Json json = to_json(solution);
    json["setup_seconds"] = ready - started;
    json["total_seconds"] = ended - started;
    return answer(json);
  });
}

}  // extern "C"
