#include "fit/fit_json.hpp"

#include <cmath>

#include "base/memory.hpp"

namespace s3gd {
namespace {

Json to_json(const std::string& name, const Summary& summary) {
  return {{"class", name},
          {"status", name_of(summary.status)},
          {"objective", summary.objective},
          {"certificate", to_json(summary.certificate)},
          {"passes", summary.passes},
          {"iterations", summary.iterations},
          {"cpu_seconds", summary.cpu_seconds}};
}

Json codes_of(const std::vector<Advice>& advice) {
  Json list = Json::array();
  for (const Advice& one : advice) {
    Json values = Json::object();
    for (const auto& [name, value] : one.values) values[name] = value;
    list.push_back({{"code", name_of(one.code)}, {"values", values}, {"classes", one.classes}});
  }
  return list;
}

Json to_json(const Calibration& calibration) {
  Json a = Json::array(), b = Json::array();
  for (std::size_t k = 0; k + 1 < calibration.sigmoids.size(); k += 2) {
    a.push_back(calibration.sigmoids[k]);
    b.push_back(calibration.sigmoids[k + 1]);
  }
  return {{"rows", calibration.rows}, {"a", a}, {"b", b}};
}

}  // namespace

Json to_json(const Certificate& certificate) {
  return {{"primal", certificate.primal},
          {"dual", certificate.dual},
          {"relative_gap", certificate.relative_gap},
          {"kind", certificate.kind == Certificate::Kind::duality_gap ? "duality_gap" : "prox_gradient"}};
}

const char* multiclass_name(const Task& task) {
  return task.kind() == Outputs::softmax ? "softmax" : task.kind() == Outputs::one_vs_rest ? "ovr" : "";
}

Index count_classes(const Task& task) {
  const auto* one = std::get_if<Problem>(&task.stated());
  const bool merged = one != nullptr && !std::isnan(one->positive_class()) && std::isnan(one->negative_class());
  return merged ? std::ssize(task.data().y.distinct()) : std::ssize(task.classes());
}

Json to_json(const Fit& fit, const FitRun& run) {
  const Summary& summary = fit.summary;
  const Dataset& data = fit.task.data();
  Json stages = Json::array();
  for (const Stage& stage : summary.stages)
    stages.push_back(
        {{"name", stage.name}, {"seconds", stage.seconds}, {"iterations", stage.iterations}, {"ended", stage.ended}});
  Json json{{"status", name_of(summary.status)},
            {"objective", summary.objective},
            {"certificate", to_json(summary.certificate)},
            {"formula", fit.task.formula()},
            {"seconds",
             {{"load", run.load_seconds},
              {"graph", summary.graph_seconds},
              {"solve", summary.solve_seconds},
              {"evaluate", summary.evaluate_seconds},
              {"total", run.total_seconds}}},
            {"cpu_seconds", summary.cpu_seconds},
            {"passes", summary.passes},
            {"iterations", summary.iterations},
            {"step", summary.step},
            {"inner", summary.inner},
            {"solver", summary.solver},
            {"surrogate_gap", summary.surrogate_gap},
            {"stages", stages},
            {"rows", data.rows()},
            {"cols", data.cols()},
            {"nonzeros", data.x.stored()},
            {"classes", count_classes(fit.task)},
            {"peak_memory_bytes", peak_memory_bytes()},
            {"seed", run.seed},
            {"advice", sentences(summary.advice, run.words)},
            {"advice_codes", codes_of(summary.advice)}};
  if (fit.task.kind() != Outputs::one) json["multiclass"] = multiclass_name(fit.task);
  if (fit.rank) json["rank"] = *fit.rank;
  if (const auto& seen = fit.validation)
    json["validation"] = {{"rows", seen->rows}, {"left_out", seen->left_out}, {"loss", seen->loss}};
  if (fit.calibration) json["calibration"] = to_json(*fit.calibration);
  const std::vector<std::string> classes = fit.task.classes();
  for (std::size_t k = 0; k < summary.classes.size(); ++k)
    json["class_fits"].push_back(to_json(classes[k], summary.classes[k]));
  return json;
}

}  // namespace s3gd
