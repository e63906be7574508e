// The text of a generator: gen:KIND?name=value&name=value, and its kinds. Every value is a number.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/generate.hpp"

namespace s3gd {

class GeneratorParameters;

struct GeneratorEntry {
  std::string name;
  std::string summary;
  std::vector<std::pair<std::string, double>> defaults;  // every parameter there is
  std::unique_ptr<const RowGenerator> (*make)(const GeneratorParameters&);
};
const std::vector<GeneratorEntry>& generator_table();

// Values by name; a parameter that is not in the text has the kind's default. Errors name the parameter.
class GeneratorParameters {
 public:
  GeneratorParameters(const std::string& spec, const GeneratorEntry& kind);
  static const GeneratorEntry& kind_of(const std::string& spec);

  Index whole(const std::string& name, Index lowest) const;
  double real(const std::string& name, double lowest, double highest) const;
  std::uint64_t seed() const;

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& expected) const;
  std::string spec_;
  std::map<std::string, double> values_;
};

}  // namespace s3gd
