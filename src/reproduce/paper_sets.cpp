#include "reproduce/paper_sets.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "data/catalog.hpp"
#include "data/generate.hpp"
#include "problem/names.hpp"
#include "reproduce/experiments.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce {
namespace {

std::string generated_rows(const Json& recipe, Index rows, Index cols, Index first) {
  return fmt::format("gen:{}?rows={}&cols={}&first={}&{}", recipe.at("kind").get<std::string>(), rows, cols, first,
                     recipe.at("with").get<std::string>());
}

void generate_instead(FoundSet& set, const Json& recipe, const Settings& settings) {
  const Json smaller = settings.quick ? recipe.at("quick") : Json::object();
  Index train = smaller.value("train", set.train), test = smaller.value("test", set.test);
  Index cols = smaller.value("cols", set.cols);
  if (settings.rows > 0) {
    cols = std::min(cols, settings.rows);
    train = std::min(train, settings.rows);
    test = std::min(test, std::max<Index>(1, settings.rows / 2));
  }
  set.generated = true;
  set.data.source = generated_rows(recipe, train, cols, 0);
  set.data.test = generated_rows(recipe, test, cols, train);
  set.data.name = set.name + " (generated)";
  set.data.stand_in = "generated: " + set.name + " is not on this machine";
  set.differs = fmt::format("generated rows of {} shape ({})",
                            smaller.empty() && settings.rows == 0 ? "the same" : "a smaller", set.data.source);
}

// The first of the known datasets that is here.
bool use_known(FoundSet& set, const Json& candidates) {
  for (const Json& candidate : candidates) {
    const std::string source = candidate.at("source").get<std::string>();
    if (!find_known(source)) continue;
    set.data.source = source;
    set.data.stand_in = candidate.value("stand_in", "");
    set.data.name = set.name + (set.data.stand_in.empty() ? "" : " (stand-in)");
    set.differs = set.data.stand_in.empty() ? candidate.value("differs", "") : set.data.stand_in;
    if (candidate.contains("scale"))
      set.data.scale = parse_name<Scale>("scale", candidate.at("scale").get<std::string>());
    return true;
  }
  return false;
}

}  // namespace

std::vector<FoundSet> find_paper_sets(const Settings& settings) {
  std::vector<FoundSet> found;
  const Json file = embedded_json("datasets");
  for (const Json& entry : file.at("datasets")) {
    FoundSet set;
    set.name = entry.at("name").get<std::string>();
    set.train = entry.at("train").get<Index>();
    set.test = entry.at("test").get<Index>();
    set.cols = entry.at("cols").get<Index>();
    set.classes = entry.at("classes").get<Index>();
    if (!use_known(set, entry.at("use"))) generate_instead(set, entry.at("generated"), settings);
    found.push_back(std::move(set));
  }
  return found;
}

void check_set_names(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  const Json file = embedded_json("datasets");
  for (const Json& entry : file.at("datasets")) known.push_back(entry.at("name").get<std::string>());
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string close = nearest(name, known);
    throw Error("the paper has no set '" + name + "'",
                fmt::format("{}there are: {}", close.empty() ? "" : "did you mean '" + close + "'? ", join(known)));
  }
}

std::string capped_rows(const std::string& source, Index rows) {
  const std::size_t at = source.find("rows=");
  if (rows <= 0 || !is_generated(source) || at == std::string::npos) return source;
  const std::size_t end = std::min(source.find('&', at), source.size());
  const Index asked = std::stoll(source.substr(at + 5, end - at - 5));
  return source.substr(0, at + 5) + std::to_string(std::min(asked, rows)) + source.substr(end);
}

}  // namespace s3gd::reproduce
