// Models for other programs: docs/export.md says what each format holds and how it is used.
#pragma once

#include <string>
#include <vector>

#include "s3gd/model.hpp"

namespace s3gd {

struct ExportFormat {
  std::string name;
  std::string summary;  // one line
};
std::vector<ExportFormat> export_formats();

struct Exported {
  std::string bytes;                 // the file's contents
  std::vector<std::string> remarks;  // for people: how it is used, and what the format could not say
};

// name: what the names of the C functions begin with; other formats do not use it. What a format cannot express is an
// Error with a remedy.
Exported export_model(const Model& model, const std::string& format, const std::string& name = "model");

}  // namespace s3gd
