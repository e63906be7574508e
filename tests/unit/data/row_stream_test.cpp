#include "data/row_stream.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/random.hpp"
#include "data/text_blocks.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

// What a stream of rows amounts to, entry by entry.
struct Rows {
  Dataset shape;
  Index blocks = 0;
  std::vector<std::vector<std::pair<Index, double>>> entries;  // zeros left out
  std::vector<std::string> labels;
  std::vector<double> weights;
};

void append(const Dataset& block, Rows& rows) {
  block.x.visit([&](const auto& view) {
    for (Index i = 0; i < view.rows; ++i) {
      auto& row = rows.entries.emplace_back();
      if constexpr (requires { view.stride; }) {
        for (Index j = 0; j < view.cols; ++j)
          if (view.row(i)[j] != 0) row.emplace_back(j, view.row(i)[j]);
      } else {
        for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k) row.emplace_back(view.columns[k], view.values[k]);
      }
    }
  });
  for (const double value : block.y.values) rows.labels.push_back(block.y.name_of(value));
  rows.weights.insert(rows.weights.end(), block.weights.begin(), block.weights.end());
}

Rows streamed(const std::string& path, const LoadOptions& options) {
  Rows rows;
  stream_rows(path, options, [&](const Dataset& shape) -> BlockWork {
    rows.shape = shape;
    return [&](const Dataset& block) -> std::function<void()> {
      auto part = std::make_shared<Rows>();
      append(block, *part);
      return [&rows, part] {
        ++rows.blocks;
        for (auto& row : part->entries) rows.entries.push_back(row);
        for (auto& label : part->labels) rows.labels.push_back(label);
        for (const double weight : part->weights) rows.weights.push_back(weight);
      };
    };
  });
  return rows;
}

Rows loaded(const std::string& path, const LoadOptions& options) {
  Rows rows;
  rows.shape = load(path, options);
  append(rows.shape, rows);
  return rows;
}

void expect_same(const Rows& a, const Rows& b) {
  EXPECT_EQ(a.entries, b.entries);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.shape.feature_names, b.shape.feature_names);
  EXPECT_EQ(a.shape.label_column, b.shape.label_column);
  EXPECT_EQ(a.shape.index_base, b.shape.index_base);
  EXPECT_EQ(a.shape.has_open_width(), b.shape.has_open_width());
  EXPECT_EQ(a.shape.source, b.shape.source);
  EXPECT_EQ(a.shape.y.kind == LabelKind::none, b.shape.y.kind == LabelKind::none);
}

class RowStream : public ::testing::Test {
 protected:
  ~RowStream() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(folder_);
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string folder_ = (std::filesystem::temp_directory_path() / ("s3gd_stream_" + std::to_string(getpid()))).string();
};

// A few blocks of text.
std::string libsvm_text(Index first_column) {
  std::string text;
  Rng rng(1, 1);
  while (text.size() < 3 * kBlockBytes) {
    text += rng.uniform() < 0.5 ? "1" : "-1";
    for (Index column = first_column; column < 200; column += 1 + static_cast<Index>(20 * rng.uniform()))
      text += " " + std::to_string(column) + ":" + std::to_string(rng.normal());
    text += "\n";
  }
  return text;
}

std::string csv_text() {
  std::string text = "kind,height,weight,width\n";
  Rng rng(2, 1);
  const char* const kinds[] = {"oak", "ash", "\"old, elm\"", "fir"};
  for (Index i = 0; text.size() < 3 * kBlockBytes; ++i) {
    text += kinds[(i / 7000 + static_cast<Index>(3 * rng.uniform())) % 4];
    for (int field = 0; field < 3; ++field) text += "," + (rng.uniform() < 0.3 ? "0" : std::to_string(rng.uniform()));
    text += "\n";
  }
  return text;
}

TEST_F(RowStream, OfLibsvmTextHasTheRowsOfTheFileAtAnyNumberOfThreads) {
  for (const Index first : {0, 1}) {
    const std::string path = write("rows.svm", libsvm_text(first));
    for (const int threads : {1, 2, 7})
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        LoadOptions options;
        options.threads = threads;
        options.precision = precision;
        const Rows rows = streamed(path, options);
        EXPECT_GE(rows.blocks, 3);
        expect_same(rows, loaded(path, options));
      }
  }
}

TEST_F(RowStream, OfCsvTextHasTheRowsOfTheFileAtAnyNumberOfThreads) {
  const std::string path = write("rows.csv", csv_text());
  for (const int threads : {1, 2, 7})
    for (const std::string weight_column : {"", "weight"})
      for (const std::string label_column : {"", "kind", "width"}) {
        LoadOptions options;
        options.threads = threads;
        options.weight_column = weight_column;
        options.label_column = label_column;
        if (label_column == "width") {  // then the first field is no number
          EXPECT_THROW(streamed(path, options), Error);
          continue;
        }
        const Rows rows = streamed(path, options);
        EXPECT_GE(rows.blocks, 3);
        expect_same(rows, loaded(path, options));
      }
}

TEST_F(RowStream, OfOtherFormatsAndOfMeansComesFromTheLoadedRows) {
  expect_same(streamed("gen:manifold?rows=70000&cols=3", {}), loaded("gen:manifold?rows=70000&cols=3", {}));
  const Dataset data = load(write("rows.svm", libsvm_text(1)));
  save(data, folder_ + "/rows.s3d");
  expect_same(streamed(folder_ + "/rows.s3d", {}), loaded(folder_ + "/rows.s3d", {}));
  LoadOptions mean;
  mean.missing = Missing::mean;
  const std::string path = write("gaps.csv", "1,2,3\n0,,5\n1,6,\n");
  expect_same(streamed(path, mean), loaded(path, mean));
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(RowStream, FailsAsLoadingDoes) {
  std::string late = libsvm_text(1);
  late.insert(late.rfind('\n', 2 * kBlockBytes) + 1, "1 5:banana\n");
  std::string mixed = csv_text();
  mixed.insert(mixed.rfind('\n', 2 * kBlockBytes) + 1, "4.5,1,1,1\n");
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{{"late.svm", late},
                                                                                   {"mixed.csv", mixed},
                                                                                   {"empty.svm", ""},
                                                                                   {"blank.svm", "# nothing\n\n"},
                                                                                   {"header.csv", "label,a,b\n"},
                                                                                   {"empty.csv", "\n"},
                                                                                   {"short.csv", "1,2,3\n1,2\n"}}) {
    const std::string path = write(name, text);
    for (const int threads : {1, 2, 7}) {
      LoadOptions options;
      options.threads = threads;
      const std::string expected = error_of([&] { load(path, options); });
      EXPECT_NE(expected, "no error") << name;
      EXPECT_EQ(error_of([&] { streamed(path, options); }), expected) << name;
    }
  }
}

TEST_F(RowStream, WhereAColumnZeroComesLateSaysHowToCountFromIt) {
  std::string text = libsvm_text(1);
  text += "1 0:5\n";
  const std::string path = write("late.svm", text);
  EXPECT_NE(error_of([&] { streamed(path, {}); }).find("index-base 0"), std::string::npos);
  LoadOptions options;
  options.index_base = IndexBase::zero;
  expect_same(streamed(path, options), loaded(path, options));
}

TEST_F(RowStream, StopsWhenWhatIsDoneWithABlockFails) {
  const std::string path = write("rows.svm", libsvm_text(1));
  struct Enough {};
  for (const int threads : {1, 2, 7}) {
    LoadOptions options;
    options.threads = threads;
    Index blocks = 0;
    const auto run = [&] {
      stream_rows(path, options, [&](const Dataset&) -> BlockWork {
        return [&](const Dataset&) -> std::function<void()> {
          return [&] {
            if (++blocks == 2) throw Enough();
          };
        };
      });
    };
    EXPECT_THROW(run(), Enough);
    EXPECT_EQ(blocks, 2);
  }
}

}  // namespace
}  // namespace s3gd
