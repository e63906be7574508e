#include "fit/fit_json.hpp"

#include <nlohmann/json.hpp>

#include "base/memory.hpp"

namespace s3gd {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::string& name, const Summary& summary) {
  return {{"class", name},
          {"status", name_of(summary.status)},
          {"objective", summary.objective},
          {"certificate", to_json(summary.certificate)},
          {"passes", summary.passes},
          {"iterations", summary.iterations},
          {"cpu_seconds", summary.cpu_seconds}};
}

Json to_json(const CalibrationFacts& facts) {
  Json a = Json::array(), b = Json::array();
  for (std::size_t k = 0; k + 1 < facts.sigmoids.size(); k += 2) {
    a.push_back(facts.sigmoids[k]);
    b.push_back(facts.sigmoids[k + 1]);
  }
  return {{"rows", facts.rows}, {"a", a}, {"b", b}};
}

}  // namespace

Json to_json(const Certificate& certificate) {
  return {{"primal", certificate.primal},
          {"dual", certificate.dual},
          {"relative_gap", certificate.relative_gap},
          {"kind", certificate.kind == Certificate::Kind::duality_gap ? "duality_gap" : "prox_gradient"}};
}

Json to_json(const FitFacts& facts) {
  const Summary& summary = facts.summary;
  Json stages = Json::array();
  for (const Stage& stage : summary.stages)
    stages.push_back(
        {{"name", stage.name}, {"seconds", stage.seconds}, {"iterations", stage.iterations}, {"ended", stage.ended}});
  Json json{{"status", name_of(summary.status)},
            {"objective", summary.objective},
            {"certificate", to_json(summary.certificate)},
            {"formula", facts.formula},
            {"seconds",
             {{"load", facts.load_seconds},
              {"graph", summary.graph_seconds},
              {"solve", summary.solve_seconds},
              {"evaluate", summary.evaluate_seconds},
              {"total", facts.total_seconds}}},
            {"cpu_seconds", summary.cpu_seconds},
            {"passes", summary.passes},
            {"iterations", summary.iterations},
            {"step", summary.step},
            {"inner", summary.inner},
            {"solver", summary.solver},
            {"surrogate_gap", summary.surrogate_gap},
            {"stages", stages},
            {"rows", facts.data.rows()},
            {"cols", facts.data.cols()},
            {"nonzeros", facts.data.x.stored()},
            {"classes", facts.classes},
            {"peak_memory_bytes", peak_memory_bytes()},
            {"seed", facts.seed},
            {"advice", summary.advice}};
  if (!facts.multiclass.empty()) json["multiclass"] = facts.multiclass;
  if (facts.rank) json["rank"] = *facts.rank;
  if (const auto& seen = facts.validation)
    json["validation"] = {{"rows", seen->rows}, {"left_out", seen->left_out}, {"loss", seen->loss}};
  if (facts.calibration) json["calibration"] = to_json(*facts.calibration);
  for (std::size_t k = 0; k < facts.class_summaries.size(); ++k)
    json["class_fits"].push_back(to_json(facts.class_names[k], facts.class_summaries[k]));
  return json;
}

}  // namespace s3gd
