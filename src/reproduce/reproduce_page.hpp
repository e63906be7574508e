// The page and the results.json of a reproduction.
#pragma once

#include "report/document.hpp"
#include "reproduce/reproduce.hpp"

namespace s3gd::reproduce {

// evidence: one for each figure of the reproduction.
report::Document document_of(const Reproduction& done, const std::vector<Evidence>& evidence, const Json& machine);
Json results_json(const Reproduction& done, const std::vector<Evidence>& evidence, const Json& machine,
                  const Settings& settings, const std::vector<std::string>& command);

}  // namespace s3gd::reproduce
