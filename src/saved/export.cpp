#include "s3gd/export.hpp"

#include <fmt/core.h>

#include <charconv>
#include <limits>

#include "base/mention.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "saved/export_formats.hpp"

namespace s3gd {
namespace {

struct Writer {
  ExportFormat format;
  Exported (*write)(const Model& model, const std::string& name);
};

const std::vector<Writer>& writers() {
  static const std::vector<Writer> table{
      {{"liblinear", "model text of LIBLINEAR, for liblinear-predict"}, export_liblinear},
      {{"json", "everything the model knows, for any language"}, export_json},
      {{"onnx", "a graph of standard operators, for ONNX runtimes"}, export_onnx},
      {{"vw", "text from which Vowpal Wabbit makes its model"}, export_vw},
      {{"c", "C99 functions that need no library"}, export_c},
  };
  return table;
}

}  // namespace

std::vector<ExportFormat> export_formats() {
  std::vector<ExportFormat> formats;
  for (const Writer& writer : writers()) formats.push_back(writer.format);
  return formats;
}

Exported export_model(const Model& model, const std::string& format, const std::string& name) {
  std::vector<std::string> known;
  for (const Writer& writer : writers()) {
    if (writer.format.name == format) return writer.write(model, name);
    known.push_back(writer.format.name);
  }
  throw_unknown_name("export format", format, known);
}

std::vector<Index> active_columns(const Model& model) {
  std::vector<Index> columns;
  for (Index j = 0; j < model.features(); ++j) {
    bool used = false;
    for (Index k = 0; k < model.outputs(); ++k) used = used || weight_at(model, k, j) != 0;
    if (used) columns.push_back(j);
  }
  return columns;
}

std::optional<std::vector<std::int32_t>> numeric_classes(const Model& model) {
  std::vector<std::int32_t> numbers;
  for (const std::string& name : model.classes) {
    std::int32_t value = 0;
    std::from_chars(name.data(), name.data() + name.size(), value);
    if (std::to_string(value) != name) return std::nullopt;  // also words such as 007
    numbers.push_back(value);
  }
  return numbers;
}

void refuse_unit_rows(const Model& model, const std::string& program) {
  if (model.unit_rows)
    throw Error("the model scales each row to length 1, which " + program + " does not do",
                "export to json, onnx or c, or scale the data itself by `s3gd convert` with " +
                    opt("scale", "unit-rows") + " and train on that");
}

void refuse_log_link(const Model& model, const std::string& program) {
  if (model.link == Link::log)
    throw Error("the model predicts exp(margin), and " + program + " the margin", "export to json, onnx or c");
}

void refuse_many_features(const Model& model, const std::string& program) {
  if (model.features() >= std::numeric_limits<std::int32_t>::max())
    throw Error(fmt::format("{} cannot hold {} features", program, model.features()), "export to json");
}

std::string numbering(const Model& model, int first) {
  std::string text;
  for (const std::string& name : model.classes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", first++, name);
  return text;
}

}  // namespace s3gd
