#include "solve/checkpoint.hpp"

#include <fmt/core.h>

#include "base/checksum.hpp"
#include "base/index.hpp"
#include "base/json.hpp"
#include "base/mention.hpp"
#include "problem/names.hpp"
#include "solve/options/table.hpp"

namespace s3gd {
namespace {

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }
std::string checksum_text(std::span<const std::byte> bytes) { return hex(checksum(bytes)); }
std::string hex(std::span<const double> values) { return checksum_text(std::as_bytes(values)); }

std::string graph_of(const Graph& graph) {
  return hex(checksum(std::as_bytes(std::span(graph.gammas.data(), at(graph.gammas.size())))));
}

// Every option of the table that has a say, as it takes its value. Terms of the penalty may differ in what the table has once.
Json identity_of(const ProblemSpec& spec, const SolveOptions& options) {
  const OptionValues values = values_of(spec, options);
  Json json = Json::object();
  for (const OptionRow& row : option_table())
    if (row.identity) json[row.name] = row.get(values);
  std::string terms;
  for (const PenaltySpec& term : spec.penalty.also)
    terms += fmt::format("{} {} {}; ", term.lambda, term.alpha, hex(term.factors));
  json["terms of the penalty"] = terms;
  return json;
}

// What kinds of problems have in common: rows as rows_checksum() gives them, with whatever stands for labels and weights added;
// the options that state the problem, and further ones by name; the rows to judge by, or nothing.
struct IdentityParts {
  std::string data;
  ProblemSpec problem;
  std::vector<std::pair<std::string, std::string>> further;
  std::string validate;
  const Graph* graph = nullptr;
};
std::string run_identity(const IdentityParts& parts, const SolveOptions& options) {
  Json all = identity_of(parts.problem, options);
  for (const auto& [name, value] : parts.further) all[name] = value;
  all["validate"] = parts.validate;
  all["graph"] = parts.graph != nullptr ? graph_of(*parts.graph) : "";
  return Json{{"version", S3GD_VERSION}, {"data", parts.data}, {"options", all}}.dump();
}

// Sums over the same rows have other roundings in another layout, and what is kept of them has another shape.
std::string rows_checksum(const Matrix& x, int threads) {
  return (x.is_dense() ? "dense " : "sparse ") + hex(checksum(x, threads));
}

std::string rows_of(const SoftmaxProblem& problem) {
  return rows_checksum(problem.x(), problem.spec().threads) + checksum_text(std::as_bytes(problem.targets())) +
         checksum_text(std::as_bytes(problem.class_values())) + checksum_text(std::as_bytes(problem.weights()));
}

// Labels as written, so that two files that name the same classes differently are told apart.
std::string rows_of(const Dataset& data, int threads) {
  std::string names;
  for (const std::string& name : data.y.class_names) names += name + '\n';
  return rows_checksum(data.x, threads) + checksum_text(std::as_bytes(data.y.values.span())) +
         checksum_text(std::as_bytes(std::span(names.data(), names.size()))) +
         checksum_text(std::as_bytes(data.weights.span()));
}

}  // namespace

std::string rows_identity(const Problem& problem) {
  return hex(checksum(problem.x(), problem.spec().threads)) + hex(problem.targets()) + hex(problem.weights());
}

std::string options_identity(const ProblemSpec& spec, const SolveOptions& options) {
  return identity_of(spec, options).dump();
}

std::string run_identity(const Problem& problem, const SolveOptions& options, const OneOutputInput& input) {
  return run_identity({(problem.x().is_dense() ? "dense " : "sparse ") + rows_identity(problem),
                       problem.spec(),
                       {},
                       input.test != nullptr ? rows_identity(*input.test) : "",
                       input.graph},
                      options);
}

std::string run_identity(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input) {
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  IdentityParts parts;
  parts.data = rows_of(problem);
  parts.problem.penalty = {PenaltyKind::l2, penalty.lambda, penalty.alpha, penalty.factors, {}};
  parts.problem.intercept = problem.spec().intercept;
  parts.further = {{"multiclass", "softmax"}, {"penalty", name_of(penalty.kind)}};
  if (input.test != nullptr) parts.validate = rows_of(*input.test);
  parts.graph = input.graph;
  return run_identity(parts, options);
}

std::string run_identity(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input) {
  const ProblemSpec& spec = problem.spec();
  IdentityParts parts;
  parts.data = rows_of(problem.data(), spec.threads);
  parts.problem = spec;
  parts.further = {{"multiclass", "ovr"}, {"class-weight", name_of(spec.class_weight)}};
  if (input.test != nullptr) parts.validate = rows_of(*input.test, spec.threads);
  parts.graph = input.graph;
  return run_identity(parts, options);
}

std::string identity_difference(const std::string& kept, const std::string& asked) {
  if (kept == asked) return {};
  const Json old = Json::parse(kept), now = Json::parse(asked);
  if (old.at("version") != now.at("version"))
    return fmt::format("written by s3gd {}, this is {}", old.at("version").get<std::string>(), S3GD_VERSION);
  if (old.at("data") != now.at("data"))
    return fmt::format(
        "its rows, labels or weights are others (files, {}, {}, {}, {}, {}, and {} or {} by a fraction have a say in "
        "them)",
        opt("scale"), opt("class-weight"), opt("binary"), opt("precision"), opt("layout"), opt("validate"),
        opt("calibrate"));
  for (const auto& [name, value] : now.at("options").items()) {
    const Json& options = old.at("options");
    if (options.contains(name) && options.at(name) == value) continue;
    const std::string before = options.contains(name) ? options.at(name).get<std::string>() : "";
    const std::string after = value.get<std::string>();
    const std::string also =
        name == "trace-every" ? fmt::format(" (or {}, {})", opt("trace"), opt("report")) : std::string();
    return fmt::format("{}{} was {}, now it is {}", name.find(' ') == std::string::npos ? opt(name) : name, also,
                       before.empty() ? "nothing" : before, after.empty() ? "nothing" : after);
  }
  return "its options are others";
}

}  // namespace s3gd
