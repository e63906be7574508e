#include "data/format.hpp"

#include <filesystem>

#include "base/interrupt.hpp"
#include "base/memory.hpp"
#include "base/mention.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "data/catalog.hpp"
#include "data/compressed_output.hpp"
#include "data/generate.hpp"

namespace s3gd {
namespace {

// The file name in lower case, without folders and without a compression suffix: what formats are recognised by.
std::string plain_name(const std::string& path) {
  return std::string(without_compression_suffix(lower_case(path.substr(path.find_last_of('/') + 1))));
}

const Format& format_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& format : format_table()) {
    if (format.info.name == name) return format;
    names.push_back(format.info.name);
  }
  throw Error("there is no format '" + name + "'", suggestion(name, names));
}

std::string list_of_formats(bool writable) {
  std::string list;
  for (const auto& format : format_table())
    if (!writable || format.info.writable) list += (list.empty() ? "" : ", ") + format.info.name;
  return list;
}

const Format& recognise(Input& input) {
  const Format* best = nullptr;
  int best_score = 0;
  const std::string name = plain_name(input.name());
  for (const auto& format : format_table()) {
    const int score = format.recognise(name, input.peek());
    if (score > best_score) best = &format;
    best_score = std::max(score, best_score);
  }
  if (best != nullptr) return *best;
  if (input.peek().empty()) throw Error(input.name() + " is empty", "the formats are " + list_of_formats(false));
  throw Error(input.name() + " is in no known format, neither by its name nor by its first bytes",
              "the formats are " + list_of_formats(false) + "; " + opt("format", "NAME") + " chooses one");
}

// A path that exists is that file, whatever datasets are called.
std::string path_of(const std::string& source) {
  std::error_code ignored;
  if (source == "-" || std::filesystem::exists(source, ignored)) return source;
  if (const auto path = find_known(source)) return *path;
  if (const KnownDataset* entry = find_entry(source)) throw_not_here(*entry);
  const std::string close = source.find_first_of("/.") == std::string::npos ? nearest_entry(source) : "";
  if (!close.empty())
    throw Error(ErrorCode::unusable_file, {}, "there is no file '" + source + "', nor a known dataset of that name",
                "did you mean '" + close + "'?");
  return source;
}

// One index with a digit too many asks for a model larger than any memory: better said here than found out later.
void refuse_absurd_width(const Dataset& data) {
  constexpr double kBytesPerColumn = 16;  // a weight and a derivative
  const double memory = physical_memory_bytes();
  if (kBytesPerColumn * static_cast<double>(data.cols()) <= memory) return;
  throw Error(data.source + " would have " + std::to_string(data.cols()) +
                  " columns, as its largest index says: no model of so many fits into this machine's memory",
              "check that index, or number the features without gaps");
}

Dataset read_whole(const Format& format, Input& input, const LoadOptions& options) {
  Dataset data = format.read(input, options);
  refuse_absurd_width(data);
  return data;
}

constexpr Index kRowsPerBlock = 1024;
constexpr Index kBlocksAtOnce = 64;

Array<double> part_of(const Array<double>& all, Index begin, Index end) {
  if (all.empty()) return {};
  return Array<double>::borrow(all.span().subspan(at(begin), at(end - begin)));
}

Matrix part_of(const Matrix& x, Index begin, Index end) {
  return x.visit([&](auto view) {
    view.rows = end - begin;
    if constexpr (requires { view.stride; })
      view.values += begin * view.stride;
    else
      view.starts += begin;
    return Matrix::borrow(view);
  });
}

}  // namespace

const std::vector<Format>& format_table() {
  const auto format = [](const char* name, const char* extensions, const char* summary, Recognise* recognise,
                         Read* read, Write* write, WriteBlocks* stream = nullptr, ReadBlocks* stream_rows = nullptr) {
    return Format{{name, extensions, summary, true, write != nullptr}, recognise, read, write, stream, stream_rows};
  };
  static const std::vector<Format> table{
      format("libsvm", ".svm .libsvm .svmlight",
             "text, LABEL INDEX:VALUE ..; classes with names are written as 0, 1, ..", recognise_libsvm, read_libsvm,
             write_libsvm, stream_libsvm, stream_libsvm_rows),
      format("csv", ".csv", "text, fields between commas or semicolons, header or not", recognise_csv, read_csv,
             write_csv, nullptr, stream_csv_rows),
      format("tsv", ".tsv .tab", "text, fields between tabs, header or not", recognise_tsv, read_tsv, write_tsv,
             nullptr, stream_tsv_rows),
      format("s3d", ".s3d", "binary, checksummed, used where it lies: opens at once", recognise_s3d, read_s3d,
             write_s3d, stream_s3d),
      format("npz", ".npz", "NumPy archive, dense (X) or as scipy.sparse.save_npz, with y", recognise_npz, read_npz,
             write_npz),
      format("npy", ".npy", "NumPy array, used where it lies; labels in a file beside it", recognise_npy, read_npy,
             write_npy),
      format("idx", "-idx3-ubyte .idx", "MNIST's images, with the labels beside them", recognise_idx, read_idx,
             nullptr),
  };
  return table;
}

const Format& format_for_writing(const std::string& path, const SaveOptions& options) {
  const Format* chosen = options.format.empty() ? nullptr : &format_named(options.format);
  const std::string name = plain_name(path);
  for (const auto& format : format_table())
    if (chosen == nullptr && format.recognise(name, {}) == 2) chosen = &format;
  if (chosen == nullptr)
    throw Error("no format goes by the name of " + path,
                "the formats written are " + list_of_formats(true) + "; " + opt("out-format", "NAME") + " chooses one");
  if (chosen->write == nullptr)
    throw Error("the format " + chosen->info.name + " can be read but not written",
                "the formats written are " + list_of_formats(true));
  return *chosen;
}

std::vector<FormatInfo> formats() {
  std::vector<FormatInfo> infos;
  for (const auto& format : format_table()) infos.push_back(format.info);
  return infos;
}

Dataset load(const std::string& source, const LoadOptions& options) {
  const Format* chosen = options.format.empty() ? nullptr : &format_named(options.format);
  if (is_generated(source)) return generate(source, options);
  const auto input = Input::open(path_of(source));
  return read_whole(chosen != nullptr ? *chosen : recognise(*input), *input, options);
}

void stream_rows(const std::string& source, const LoadOptions& options, const RowStart& start) {
  const Format* chosen = options.format.empty() ? nullptr : &format_named(options.format);
  if (is_generated(source)) return stream_loaded(generate(source, options), options.threads, start);
  const auto input = Input::open(path_of(source));
  const Format& format = chosen != nullptr ? *chosen : recognise(*input);
  if (format.stream_rows != nullptr && options.missing != Missing::mean)
    return format.stream_rows(*input, options, start);
  stream_loaded(read_whole(format, *input, options), options.threads, start);
}

void save(const Dataset& data, const std::string& path, const SaveOptions& options) {
  const Format& format = format_for_writing(path, options);
  data.verify(options.threads);
  format.write(data, path, options);
}

Matrix empty_rows(Index cols) { return Matrix::own_csr<float, std::int32_t>({}, {}, {0}, cols); }

void stream_loaded(const Dataset& data, int threads, const RowStart& start) {
  data.verify(threads);
  Dataset shape = data;
  shape.verifier = nullptr;
  shape.x = part_of(data.x, 0, 0);
  shape.y.values = {};
  shape.weights = {};
  const BlockWork work = start(shape);
  std::vector<std::function<void()>> finish;
  for (Index first = 0; first < data.rows(); first += kRowsPerBlock * kBlocksAtOnce) {
    if (interrupted()) throw Interrupted("reading " + data.source + " was interrupted");
    const Index rows = std::min(data.rows() - first, kRowsPerBlock * kBlocksAtOnce);
    finish.assign(static_cast<std::size_t>((rows + kRowsPerBlock - 1) / kRowsPerBlock), {});
    parallel_ranges(rows, kRowsPerBlock, threads, [&](Index begin, Index end, Index chunk) {
      Dataset block = shape;
      block.x = part_of(data.x, first + begin, first + end);
      block.y.values = part_of(data.y.values, first + begin, first + end);
      block.weights = part_of(data.weights, first + begin, first + end);
      finish[at(chunk)] = work(block);
    });
    for (const auto& call : finish) call();
  }
}

}  // namespace s3gd
