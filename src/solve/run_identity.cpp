#include "solve/run_identity.hpp"

#include <fmt/core.h>

#include "base/checksum.hpp"
#include "base/json.hpp"
#include "base/mention.hpp"
#include "solve/options/table.hpp"

namespace s3gd {
namespace {

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }
std::string hex(std::span<const double> values) { return checksum_text(std::as_bytes(values)); }

std::string graph_of(const Graph& graph) {
  return hex(checksum(std::as_bytes(std::span(graph.gammas.data(), static_cast<std::size_t>(graph.gammas.size())))));
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

}  // namespace

std::string checksum_text(std::span<const std::byte> bytes) { return hex(checksum(bytes)); }

// Sums over the same rows have other roundings in another layout, and what is kept of them has another shape.
std::string rows_checksum(const Matrix& x, int threads) {
  return (x.is_dense() ? "dense " : "sparse ") + hex(checksum(x, threads));
}

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

std::string run_identity(const IdentityParts& parts, const SolveOptions& options) {
  Json all = identity_of(parts.problem, options);
  for (const auto& [name, value] : parts.further) all[name] = value;
  all["validate"] = parts.validate;
  all["graph"] = parts.graph != nullptr ? graph_of(*parts.graph) : "";
  return Json{{"version", S3GD_VERSION}, {"data", parts.data}, {"options", all}}.dump();
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
