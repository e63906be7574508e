// An ONNX file of operators every runtime has (ai.onnx, opset 13), in double precision between a float input and the
// outputs:
//
//   x (N, features) -> margins (N, outputs) -> label (N), probabilities (N, classes) where the model has them
//   x (N, features) -> value (N) for regression
//
// Labels are 64-bit numbers where all classes are whole numbers, otherwise strings. The numbers of fields below are
// those of the messages in onnx.proto.
#include <fmt/core.h>

#include <bit>
#include <span>

#include "base/json.hpp"
#include "s3gd/error.hpp"
#include "saved/export_formats.hpp"

namespace s3gd {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian");

constexpr int kIrVersion = 7;
constexpr int kOpset = 13;
constexpr double kLargestFile = 2147483647.0;  // of a Protocol Buffers message

enum ElementType : std::uint8_t { kFloat = 1, kInt64 = 7, kString = 8, kDouble = 11 };

struct Attribute {
  std::string name;
  std::int64_t value;
};

// GraphProto, node by node. Tensors are called by name.
class OnnxGraph {
 public:
  OnnxGraph() { graph_.bytes(2, "s3gd"); }

  std::string node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                   const std::vector<Attribute>& attributes = {}) {
    ProtobufMessage node;
    for (const std::string& input : inputs) node.bytes(1, input);
    node.bytes(2, output);
    node.bytes(3, output + "_node");
    node.bytes(4, op);
    for (const Attribute& attribute : attributes) {
      ProtobufMessage message;
      message.bytes(1, attribute.name);
      message.number(3, static_cast<std::uint64_t>(attribute.value));
      message.number(20, 2);  // a whole number
      node.message(5, message);
    }
    graph_.message(1, node);
    return output;
  }

  std::string doubles(const std::string& name, const std::vector<Index>& dims, const std::vector<double>& values) {
    return tensor(name, dims, kDouble, std::as_bytes(std::span(values)));
  }
  std::string numbers(const std::string& name, const std::vector<std::int64_t>& values) {
    return tensor(name, {static_cast<Index>(values.size())}, kInt64, std::as_bytes(std::span(values)));
  }
  std::string strings(const std::string& name, const std::vector<std::string>& values) {
    ProtobufMessage tensor = tensor_start(name, {static_cast<Index>(values.size())}, kString);
    for (const std::string& value : values) tensor.bytes(6, value);
    graph_.message(5, tensor);
    return name;
  }

  void input(const std::string& name, ElementType type, Index cols) { graph_.message(11, value(name, type, cols)); }
  void output(const std::string& name, ElementType type, std::optional<Index> cols = {}) {
    graph_.message(12, value(name, type, cols));
  }

  const ProtobufMessage& message() const { return graph_; }

 private:
  static ProtobufMessage tensor_start(const std::string& name, const std::vector<Index>& dims, ElementType type) {
    ProtobufMessage tensor;
    for (const Index dim : dims) tensor.number(1, static_cast<std::uint64_t>(dim));
    tensor.number(2, type);
    tensor.bytes(8, name);
    return tensor;
  }

  std::string tensor(const std::string& name, const std::vector<Index>& dims, ElementType type,
                     std::span<const std::byte> raw) {
    ProtobufMessage message = tensor_start(name, dims, type);
    message.bytes(9, {reinterpret_cast<const char*>(raw.data()), raw.size()});
    graph_.message(5, message);
    return name;
  }

  // ValueInfoProto of a tensor with N rows; without columns: a vector.
  static ProtobufMessage value(const std::string& name, ElementType type, std::optional<Index> cols) {
    ProtobufMessage rows, shape, tensor, kind, info;
    rows.bytes(2, "N");
    shape.message(1, rows);
    if (cols) {
      ProtobufMessage width;
      width.number(1, static_cast<std::uint64_t>(*cols));
      shape.message(1, width);
    }
    tensor.number(1, type);
    tensor.message(2, shape);
    kind.message(1, tensor);
    info.bytes(1, name);
    info.message(2, kind);
    return info;
  }

  ProtobufMessage graph_;
};

// Rows in double, scaled to length 1 where the model does that; zero rows stay zero.
std::string add_rows(OnnxGraph& graph, const Model& model) {
  graph.input("x", kFloat, model.features());
  const std::string rows = graph.node("Cast", {"x"}, "rows", {{"to", kDouble}});
  if (!model.unit_rows) return rows;
  const std::string squares = graph.node("Mul", {rows, rows}, "squares");
  const std::string square =
      graph.node("ReduceSum", {squares, graph.numbers("columns", {1})}, "square", {{"keepdims", 1}});
  const std::string length = graph.node("Sqrt", {square}, "length");
  const std::string divisor = graph.node("Max", {length, graph.doubles("tiny", {1}, {1e-300})}, "divisor");
  return graph.node("Div", {rows, divisor}, "unit_rows");
}

std::string add_margins(OnnxGraph& graph, const Model& model) {
  std::vector<double> columns;  // features x outputs
  columns.reserve(model.weights.size());
  for (Index j = 0; j < model.features(); ++j)
    for (Index k = 0; k < model.outputs(); ++k) columns.push_back(weight_at(model, k, j));
  const std::string rows = add_rows(graph, model);
  const std::string weights = graph.doubles("weights", {model.features(), model.outputs()}, columns);
  const std::string products = graph.node("MatMul", {rows, weights}, "products");
  return graph.node("Add", {products, graph.doubles("intercepts", {model.outputs()}, model.intercepts)}, "margins");
}

std::string flat(OnnxGraph& graph, const std::string& column, const std::string& output) {
  return graph.node("Reshape", {column, graph.numbers("flat", {-1})}, output);
}

void add_label(OnnxGraph& graph, const Model& model, const std::string& margins) {
  std::string place;
  if (model.outputs() == 1) {
    const std::string positive = graph.node("Greater", {margins, graph.doubles("zero", {1}, {0})}, "positive");
    place = flat(graph, graph.node("Cast", {positive}, "column_of_places", {{"to", kInt64}}), "place");
  } else {
    place = graph.node("ArgMax", {margins}, "place", {{"axis", 1}, {"keepdims", 0}});
  }
  const auto numbers = numeric_classes(model);
  const std::string classes =
      numbers ? graph.numbers("classes", {numbers->begin(), numbers->end()}) : graph.strings("classes", model.classes);
  graph.node("Gather", {classes, place}, "label");
  graph.output("label", numbers ? kInt64 : kString);
}

// log(sigmoid(z)) = min(z, 0) - log(1 + exp(-|z|)): no score is too large or too small for it.
std::string add_log_sigmoid(OnnxGraph& graph, const std::string& scores) {
  const std::string size = graph.node("Abs", {scores}, "size");
  const std::string power = graph.node("Exp", {graph.node("Neg", {size}, "minus_size")}, "power");
  const std::string sum = graph.node("Add", {power, graph.doubles("one", {1}, {1})}, "one_plus_power");
  const std::string cut = graph.node("Min", {scores, graph.doubles("nought", {1}, {0})}, "cut");
  return graph.node("Sub", {cut, graph.node("Log", {sum}, "logarithm")}, "log_sigmoid");
}

// The sigmoid is of these.
std::string add_scores(OnnxGraph& graph, const Model& model, const std::string& margins) {
  if (model.link != Link::platt) return margins;
  std::vector<double> slopes, offsets;
  for (std::size_t k = 0; k < model.platt.size(); k += 2) {
    slopes.push_back(-model.platt[k]);
    offsets.push_back(-model.platt[k + 1]);
  }
  const std::string tilted = graph.node("Mul", {margins, graph.doubles("slopes", {model.outputs()}, slopes)}, "tilted");
  return graph.node("Add", {tilted, graph.doubles("offsets", {model.outputs()}, offsets)}, "scores");
}

void add_probabilities(OnnxGraph& graph, const Model& model, const std::string& margins) {
  const std::string scores = add_scores(graph, model, margins);
  if (model.outputs() == 1) {
    const std::string against = graph.node("Neg", {scores}, "against");
    graph.node("Sigmoid", {graph.node("Concat", {against, scores}, "both", {{"axis", 1}})}, "probabilities");
  } else {
    const std::string logarithms = model.link == Link::softmax ? scores : add_log_sigmoid(graph, scores);
    graph.node("Softmax", {logarithms}, "probabilities", {{"axis", 1}});
  }
  graph.output("probabilities", kDouble, static_cast<Index>(model.classes.size()));
}

// Metadata: words as a JSON array.
void add_property(ProtobufMessage& file, const std::string& key, const std::vector<std::string>& words) {
  ProtobufMessage entry;
  entry.bytes(1, key);
  entry.bytes(2, Json(words).dump_repaired());
  file.message(14, entry);
}

}  // namespace

Exported export_onnx(const Model& model, const std::string&) {
  if (8.0 * static_cast<double>(model.weights.size()) + 1e6 > kLargestFile)
    throw Error(fmt::format("{} weights are more than an ONNX file can hold", model.weights.size()),
                "export to json or c, which leave out zeros");
  OnnxGraph graph;
  const std::string margins = add_margins(graph, model);
  if (model.classifies()) {
    add_label(graph, model, margins);
    graph.output(margins, kDouble, model.outputs());
    if (has_probabilities(model)) add_probabilities(graph, model, margins);
  } else {
    flat(graph, model.link == Link::log ? graph.node("Exp", {margins}, "predictions") : margins, "value");
    graph.output("value", kDouble);
  }

  ProtobufMessage opset, file;
  opset.bytes(1, "");
  opset.number(2, kOpset);
  file.number(1, kIrVersion);
  file.bytes(2, "s3gd");
  file.bytes(3, S3GD_VERSION);
  file.message(7, graph.message());
  file.message(8, opset);
  add_property(file, "classes", model.classes);
  if (!model.feature_names.empty()) add_property(file, "feature_names", model.feature_names);
  return {file.text(), {}};
}

}  // namespace s3gd
