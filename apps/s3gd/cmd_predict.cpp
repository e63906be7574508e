// s3gd predict MODEL DATA [-o OUT]: rows are read, predicted and written block by block, and none is kept. And s3gd export MODEL
// --format FORMAT [-o FILE].
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/file.hpp"
#include "data/columns.hpp"
#include "data/row_stream.hpp"
#include "metrics_report.hpp"
#include "options.hpp"
#include "output.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model_use.hpp"
#include "saved/predictor.hpp"

namespace s3gd::app {
namespace {

struct PredictOptions {
  std::string model, data, output;
  bool proba = false, margin = false;
  MetricChoice metrics;
  OptionValues values;
};

bool is_standard_output(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

void check_options(const PredictOptions& options, const Common& common) {
  if (options.proba && options.margin) throw UsageError("--proba and --margin exclude each other");
  if (common.json && is_standard_output(options.output))
    throw UsageError("--json and -o - both want standard output: give -o a file, or leave it out");
  check_files(
      common,
      {{"MODEL", options.model}, {"DATA", file_of_source(options.data)}, {"--labels", options.values.load.labels_path}},
      {{"--output", is_standard_output(options.output) ? "" : options.output}});
}

// Nobody reads standard output any more: there is no point in going on.
struct ReaderLeft {};

// What is kept of a block until its turn to be written comes.
struct PredictedBlock {
  std::vector<double> margins;
  Labels labels;
  std::vector<double> weights;
  std::string lines;
  Index cols = 0;
};

// The numbers shown for a row: its margins, or its probabilities (of two classes, the second one's).
class Numbers {
 public:
  Numbers(const Model& model, bool proba, bool margin)
      : model_(model), proba_(proba), margin_(margin || model.classifies()), shares_(model.classes.size()) {}
  std::span<const double> of(std::span<const double> margins) {
    if (!proba_ && margin_) return margins;
    if (!proba_) return std::span<const double>(&(number_ = predicted_number(model_, margins[0])), 1);
    probabilities(model_, margins, shares_);
    return model_.outputs() == 1 ? std::span<const double>(shares_).last(1) : shares_;
  }

 private:
  const Model& model_;
  bool proba_, margin_;
  double number_ = 0;
  std::vector<double> shares_;
};

class Prediction {
 public:
  using Write = std::function<void(const std::string& lines)>;

  // write: takes the lines of each block in turn; empty = keep them as JSON. only_unlabelled: predictions are wanted
  // only when there is nothing to compare them with.
  Prediction(const Model& model, const PredictOptions& options, bool only_unlabelled, Write write)
      : model_(model),
        numbers_shown_(options.margin || options.proba || !model.classifies()),
        proba_(options.proba),
        margin_(options.margin),
        write_(std::move(write)),
        wanted_(only_unlabelled ? Wanted::not_known : Wanted::yes),
        counter_(model, needs_ranks(options.metrics, model)) {}

  void run(const std::string& source, const LoadOptions& options) {
    stream_rows(source, options, [this](const Dataset& shape) -> BlockWork {
      source_ = shape.source;
      labelled_ = shape.y.kind != LabelKind::none;
      if (wanted_ == Wanted::not_known && !labelled_) wanted_ = Wanted::yes;
      predictor_.emplace(model_, shape);
      return [this](const Dataset& block) -> std::function<void()> {
        return [this, predicted = predict(block)] { take(*predicted); };
      };
    });
  }

  Index rows() const { return rows_; }
  Index widest() const { return widest_; }  // columns of the rows
  Metrics metrics() const { return counter_.result(); }
  bool wanted() const { return wanted_ == Wanted::yes; }
  const Json& predictions() const { return predictions_; }

 private:
  enum class Wanted { not_known, yes, no };

  // On any thread.
  std::shared_ptr<PredictedBlock> predict(const Dataset& block) const {
    auto result = std::make_shared<PredictedBlock>();
    result->margins.resize(static_cast<std::size_t>(block.rows() * predictor_->outputs()));
    predictor_->margins(block.x, 0, block.rows(), result->margins.data());
    result->cols = block.cols();
    if (labelled_) {
      result->labels.values = Array<double>(std::vector<double>(block.y.values.begin(), block.y.values.end()));
      result->labels.class_names = block.y.class_names;
      result->weights.assign(block.weights.begin(), block.weights.end());
    }
    if (write_ && wanted_ != Wanted::no) result->lines = to_lines(result->margins);
    return result;
  }

  // In the order of the rows.
  void take(const PredictedBlock& block) {
    const Index outputs = predictor_->outputs();
    require_finite(block.margins, outputs, rows_, source_);
    rows_ += static_cast<Index>(block.margins.size()) / outputs;
    widest_ = std::max(widest_, block.cols);
    if (labelled_) counter_.add(block.labels, block.weights, block.margins);
    if (wanted_ == Wanted::not_known) wanted_ = counter_.known_rows() > 0 ? Wanted::no : Wanted::yes;
    if (wanted_ == Wanted::yes) write_ ? write_(block.lines) : keep(block.margins);
  }

  template <class F>
  void for_each_row(std::span<const double> margins, F&& f) const {
    const auto outputs = static_cast<std::size_t>(predictor_->outputs());
    for (std::size_t at = 0; at < margins.size(); at += outputs) f(margins.subspan(at, outputs));
  }

  const std::string& class_of(std::span<const double> margins) const {
    return model_.classes[static_cast<std::size_t>(predicted_class(model_, margins))];
  }

  std::string to_lines(std::span<const double> all_margins) const {
    std::string lines;
    Numbers numbers(model_, proba_, margin_);
    for_each_row(all_margins, [&](std::span<const double> margins) {
      if (numbers_shown_) {
        const auto shown = numbers.of(margins);
        for (std::size_t k = 0; k < shown.size(); ++k)
          fmt::format_to(std::back_inserter(lines), "{}{}", k == 0 ? "" : " ", shown[k]);
      } else {
        lines += class_of(margins);
      }
      lines += '\n';
    });
    return lines;
  }

  void keep(std::span<const double> all_margins) {
    Numbers numbers(model_, proba_, margin_);
    for_each_row(all_margins, [&](std::span<const double> margins) {
      const auto shown = numbers_shown_ ? numbers.of(margins) : std::span<const double>();
      if (!numbers_shown_)
        predictions_.push_back(class_of(margins));
      else if (shown.size() == 1)
        predictions_.push_back(shown[0]);
      else
        predictions_.push_back(std::vector<double>(shown.begin(), shown.end()));
    });
  }

  const Model& model_;
  const bool numbers_shown_, proba_, margin_;
  const Write write_;
  std::atomic<Wanted> wanted_;
  MetricsCounter counter_;
  std::optional<Predictor> predictor_;
  std::string source_;
  bool labelled_ = false;
  Index rows_ = 0, widest_ = 0;
  Json predictions_ = Json::array();
};

// One kind of result on standard output: predictions where they are asked for or all there is, otherwise metrics.
// Metrics that have to give way go to standard error.
void report(const Prediction& prediction, const Metrics& metrics, bool shown, const Model& model,
            const PredictOptions& options, const Common& common) {
  if (common.json) {
    Json object{{"rows", prediction.rows()}};
    add_metrics(object, metrics, options.metrics, model);
    if (shown) object["predictions"] = prediction.predictions();
    print_json(object);
  } else if (metrics.rows > 0) {
    std::string text = metrics_text(metrics, options.metrics, model);
    if (!shown) return print(text);
    text.pop_back();  // remark ends the line
    remark(common, text);
  }
}

int predict(const PredictOptions& options, const Common& common) {
  check_options(options, common);
  const Model model = load_model(options.model);
  if (options.proba) require_probabilities(model);
  check_metrics(options.metrics, model);
  LoadOptions load_options = options.values.load;
  load_options.threads = common.threads;
  read_alike(load_options, model.index_base, model.label_column);

  const bool to_file = !options.output.empty() && !is_standard_output(options.output);
  const bool asked = !options.output.empty() || options.proba || options.margin;
  std::ostream* file = nullptr;
  Prediction::Write write;
  if (to_file)
    write = [&](const std::string& lines) {
      if (!(*file << lines)) throw_file_error("write", options.output, errno);
    };
  else if (!common.json)
    write = [](const std::string& lines) {
      if (!print_now(lines)) throw ReaderLeft();
    };
  Prediction prediction(model, options, !asked, std::move(write));
  try {
    if (to_file)
      write_atomically(options.output, [&](std::ostream& out) {
        file = &out;
        prediction.run(options.data, load_options);
      });
    else
      prediction.run(options.data, load_options);
  } catch (const ReaderLeft&) {
    return kGood;  // what went wrong, if it was no reader that left, is reported with the exit code
  }
  const Metrics metrics = prediction.metrics();
  report(prediction, metrics, !to_file && prediction.wanted(), model, options, common);
  if (metrics.rows == 0 && metrics.unknown > 0) remark(common, "no metrics: the model knows none of the labels");
  if (prediction.widest() > model.features())
    remark(common, fmt::format("the rows have {} columns, the model {}: entries beyond those are left out",
                               format_count(prediction.widest()), format_count(model.features())));
  if (to_file) remark(common, "predictions written to " + options.output);
  return kGood;
}

struct ExportOptions {
  std::string model, format, output;
};

int run(const ExportOptions& options, const Common& common) {
  const bool to_file = !options.output.empty() && options.output != "-";
  if (common.json && !to_file)
    throw UsageError("--json and the exported model both want standard output: give -o a file");
  check_files(common, {{"MODEL", options.model}}, {{"--output", to_file ? options.output : ""}});
  const Model model = load_model(options.model);
  const std::string name = to_file ? std::filesystem::path(options.output).stem().string() : "model";
  const Exported exported = export_model(model, options.format, name);
  if (to_file)
    write_atomically(options.output, [&](std::ostream& out) { out << exported.bytes; });
  else
    print(exported.bytes);
  for (const std::string& text : exported.remarks) remark(common, text);
  if (to_file) remark(common, "model written to " + options.output);
  if (common.json)
    print_json({{"format", options.format},
                {"path", options.output},
                {"bytes", exported.bytes.size()},
                {"features", model.features()},
                {"outputs", model.outputs()},
                {"classes", model.classes},
                {"remarks", exported.remarks}});
  return kGood;
}

}  // namespace

std::function<int()> setup_predict(Arguments& app, const Common& common) {
  auto options = std::make_shared<PredictOptions>();
  app.add("MODEL", &options->model, "a model saved by `s3gd train -o`", {.required = true});
  app.add("DATA", &options->data, "rows to predict; with labels, metrics are printed", {.required = true});
  app.add("-o,--output", &options->output, "where the predictions go, one a line; - = standard output",
          {.takes = "FILE"});
  app.add("--proba", &options->proba,
          "probability of the positive class, or of every class, instead of a label (logistic, softmax, --calibrate)");
  app.add("--margin", &options->margin, "w.x + b (of every class) instead of a label");
  add_metrics_option(app, options->metrics);
  add_table_options(app, options->values, names_in(kReadingOptions));
  return [options, &common] { return predict(*options, common); };
}

std::function<int()> setup_export(Arguments& app, const Common& common) {
  auto options = std::make_shared<ExportOptions>();
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) names.push_back(format.name);
  app.add("MODEL", &options->model, "a model saved by `s3gd train -o`", {.required = true});
  app.add("--format", &options->format, "", {.choices = names, .required = true});
  app.add("-o,--output", &options->output, "where it goes; standard output when left out", {.takes = "FILE"});
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
