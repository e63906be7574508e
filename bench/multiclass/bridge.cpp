// The library as bench/multiclass sees it: a C interface for ctypes. Options and results travel as JSON, rows and labels
// as pointers that both sides use where they lie. A failed call returns null or NaN; multi_error() says why.
//
// A problem is {"lambda": 1e-3, "threads": 2}: logistic loss, lambda ||w||^2, the intercept a regularised
// column of ones. Parameters are classes x (cols + 1) doubles, one class after the other.
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/clock.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {
namespace {

using Json = nlohmann::json;

thread_local std::string last_error;
thread_local std::string last_answer;

template <class T, class F>
T guarded(T on_failure, F&& body) {
  try {
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

ProblemSpec binary_spec(const Json& json) {
  ProblemSpec spec;
  spec.penalty.lambda = json.at("lambda").get<double>();
  spec.intercept = Intercept::regularised;
  spec.threads = json.value("threads", 1);
  return spec;
}

Json describe(const Dataset& data) {
  const auto address = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  Json json{{"rows", data.rows()},
            {"cols", data.cols()},
            {"stored", data.x.stored()},
            {"labels", address(data.y.values.data())},
            {"classes", data.y.distinct()}};
  const auto& view = std::get<CsrView<float, std::int32_t>>(data.x.view());
  json["values"] = address(view.values);
  json["columns"] = address(view.columns);
  json["starts"] = address(view.starts);
  return json;
}

// The sum of the classes' objectives.
double objective_of_all(const Dataset& data, const Json& json, const double* w) {
  ProblemSpec spec = binary_spec(json);
  double sum = 0;
  for (const double value : data.y.distinct()) {
    spec.positive = data.y.name_of(value);
    const Problem problem(data, spec);
    const auto dim = static_cast<std::size_t>(problem.dim());
    sum += objective(problem, {w, dim});
    w += dim;
  }
  return sum;
}

Json fit_all(const Dataset& data, const Json& json, const SolveOptions& options, double* w) {
  const double wall = wall_now(), cpu = cpu_now();
  const Solution fit = solve(OneVsRestProblem(data, binary_spec(json)), options);
  const Json clocks{{"seconds", wall_now() - wall}, {"cpu_seconds", cpu_now() - cpu}};
  std::copy(fit.w.begin(), fit.w.end(), w);
  Json stages = Json::array();
  for (const Stage& stage : fit.summary.stages) stages.push_back({stage.name, stage.seconds, stage.ended});
  return {{"clocks", clocks},
          {"status", name_of(fit.summary.status)},
          {"relative_gap", fit.summary.certificate.relative_gap},
          {"passes", fit.summary.passes},
          {"stages", stages}};
}

}  // namespace
}  // namespace s3gd

using namespace s3gd;

extern "C" {

const char* multi_error() { return last_error.c_str(); }

// Sparse rows in float; max_abs: every column divided by its largest absolute value.
void* multi_load(const char* source, int max_abs) {
  return guarded<void*>(nullptr, [&] {
    LoadOptions options;
    options.layout = Layout::sparse;
    Dataset data = load(source, options);
    if (max_abs != 0) data = apply_scaling(data, learn_scaling(data, Scale::max_abs));
    return new Dataset(std::move(data));
  });
}

const char* multi_describe(void* data) {
  return guarded<const char*>(nullptr, [&] { return answer(describe(*static_cast<Dataset*>(data))); });
}

double multi_objective(void* data, const char* problem, const double* w) {
  return guarded(std::numeric_limits<double>::quiet_NaN(),
                 [&] { return objective_of_all(*static_cast<Dataset*>(data), Json::parse(problem), w); });
}

// From the rows in memory to the parameters, set-up and certificates included.
const char* multi_fit(void* data, const char* problem, double tol, std::uint64_t seed, double* w) {
  return guarded<const char*>(nullptr, [&] {
    SolveOptions options;
    options.tol = tol;
    options.seed = seed;
    return answer(fit_all(*static_cast<Dataset*>(data), Json::parse(problem), options, w));
  });
}

}  // extern "C"
