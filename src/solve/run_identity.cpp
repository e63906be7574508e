#include "solve/run_identity.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/checksum.hpp"
#include "model/names.hpp"

namespace s3gd {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }
std::string hex(std::span<const double> values) { return checksum_text(std::as_bytes(values)); }

std::string graph_of(const Graph& graph) {
  return hex(checksum(std::as_bytes(std::span(graph.gammas.data(), static_cast<std::size_t>(graph.gammas.size())))));
}

Json penalty_of(const PenaltySpec& spec) {
  Json json{name_of(spec.kind), spec.lambda, spec.alpha, hex(spec.factors)};
  for (const PenaltySpec& term : spec.also) json.push_back(penalty_of(term));
  return json;
}

Json solve_options(const SolveOptions& options) {
  return {{"--solver", options.solver},
          {"--seed", options.seed},
          {"--step", {options.step, options.decay}},
          {"--batch", options.batch},
          {"--inner", options.inner},
          {"--order", static_cast<int>(options.order)},
          {"--average", options.average_snapshot},
          {"--accelerated", options.accelerated},
          {"--anchors", options.graph.anchors},
          {"--neighbours", options.graph.neighbours},
          {"--kernel", name_of(options.graph.kernel)},
          {"--graph-mode", name_of(options.graph_mode)},
          {"--control", name_of(options.control)},
          {"--iterations", options.iterations},
          {"--passes", options.passes},
          {"--tol", options.tol},
          {"--patience", options.patience},
          {"--warm-start", hex(options.start)},
          {"--trace-every", options.trace_every},
          {"--trace-gradients", options.trace_gradients},
          {"stop at a plateau", options.stop_at_plateau}};
}

// As the option takes it.
std::string shown(const std::string& option, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (option != "--step" || !value.is_array()) return value.dump();
  const double step = value.at(0).get<double>(), decay = value.at(1).get<double>();
  if (step == 0) return "auto";
  return decay > 0 ? fmt::format("decay:{},{}", step, decay) : fmt::format("{}", step);
}

}  // namespace

std::string checksum_text(std::span<const std::byte> bytes) { return hex(checksum(bytes)); }

// Sums over the same rows have other roundings in another layout, and what is kept of them has another shape.
std::string rows_checksum(const Matrix& x, int threads) {
  return (x.is_dense() ? "dense " : "sparse ") + hex(checksum(x, threads));
}

std::string rows_identity(const Problem& problem) {
  return hex(checksum(problem.x(), problem.spec().threads)) + hex(problem.targets()) + hex(problem.weights());
}

Json identity_of(const ProblemSpec& spec) {
  return {{"--loss", name_of(spec.loss.kind)},
          {"--beta", spec.loss.beta},
          {"--lambda", spec.penalty.lambda},
          {"--penalty", penalty_of(spec.penalty)},
          {"--intercept", name_of(spec.intercept)}};
}

std::string options_identity(const ProblemSpec& spec, const SolveOptions& options) {
  Json all = identity_of(spec);
  all.update(solve_options(options));
  return all.dump();
}

std::string run_identity(const Problem& problem, const SolveOptions& options, const SolveInput& input) {
  return run_identity(
      {(problem.x().is_dense() ? "dense " : "sparse ") + rows_identity(problem), identity_of(problem.spec()),
       input.test != nullptr ? rows_identity(*input.test) : "", input.graph},
      options);
}

std::string run_identity(const IdentityParts& parts, const SolveOptions& options) {
  Json all = parts.problem;
  all.update(solve_options(options));
  all["--validate"] = parts.validate;
  all["--graph"] = parts.graph != nullptr ? graph_of(*parts.graph) : "";
  return Json{{"version", S3GD_VERSION}, {"data", parts.data}, {"options", all}}.dump();
}

std::string identity_difference(const std::string& kept, const std::string& asked) {
  if (kept == asked) return {};
  const Json old = Json::parse(kept), now = Json::parse(asked);
  if (old.at("version") != now.at("version"))
    return fmt::format("written by s3gd {}, this is {}", old.at("version").get<std::string>(), S3GD_VERSION);
  if (old.at("data") != now.at("data"))
    return "its rows, labels or weights are others (files, --scale, --class-weight, --binary, --precision, --layout, "
           "and --validate or --calibrate by a fraction have a say in them)";
  for (const auto& [name, value] : now.at("options").items())
    if (!old.at("options").contains(name) || old["options"][name] != value)
      return fmt::format("{} was {}, now it is {}",
                         name == "--trace-every" ? "--trace-every (or --trace, --report)" : name,
                         shown(name, old["options"].value(name, Json())), shown(name, value));
  return "its options are others";
}

}  // namespace s3gd
