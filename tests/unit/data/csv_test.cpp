#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "data/text_blocks.hpp"
#include "unit/data/text_reference.hpp"

namespace s3gd {
namespace {

using Cells = std::vector<std::vector<std::string>>;

std::string in_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string write_cells(Rng& rng, const Cells& cells, char separator) {
  std::string text;
  for (const auto& row : cells) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0) text += separator;
      const bool must = row[k].find_first_of("\"\n,;\t ") != std::string::npos;
      const std::string pad = rng.below(10) == 0 ? " " : "";
      text += pad + (must || rng.below(15) == 0 ? in_quotes(row[k]) : row[k]) + pad;
    }
    text += rng.below(4) == 0 ? "\r\n" : "\n";
    if (rng.below(20) == 0) text += "\n";
  }
  if (rng.below(2) == 0) text.pop_back();
  return text;
}

// The label is the word or number in `label_at`; every other cell is a number.
struct Table {
  Cells cells;
  std::vector<std::string> labels;
  std::vector<std::vector<float>> values;
};

Table random_table(Rng& rng, Index rows, Index cols, Index label_at, const std::vector<std::string>& labels) {
  Table table;
  for (Index i = 0; i < rows; ++i) {
    std::vector<std::string> row;
    std::vector<float> values;
    for (Index j = 0; j < cols; ++j) {
      char text[40];
      std::snprintf(text, sizeof text, rng.below(2) == 0 ? "%.9g" : "%.3f", rng.below(3) == 0 ? 0.0 : rng.normal());
      row.emplace_back(text);
      values.push_back(std::strtof(text, nullptr));
    }
    table.labels.push_back(labels[static_cast<std::size_t>(rng.below(static_cast<Index>(labels.size())))]);
    row.insert(row.begin() + label_at, table.labels.back());
    table.cells.push_back(row);
    table.values.push_back(values);
  }
  return table;
}

void expect_table(const Dataset& data, const Table& table) {
  ASSERT_EQ(data.rows(), static_cast<Index>(table.values.size()));
  for (Index i = 0; i < data.rows(); ++i) {
    ASSERT_EQ(data.y.name_of(data.y.values[i]), table.labels[static_cast<std::size_t>(i)]) << "row " << i;
    std::vector<float> row(static_cast<std::size_t>(data.cols()), 0.0f);
    const auto plain = plain_rows<float>(take_rows(data, std::vector<Index>{i}));
    for (const auto& [j, value] : plain.rows[0].entries) row[static_cast<std::size_t>(j)] = value;
    ASSERT_EQ(row, table.values[static_cast<std::size_t>(i)]) << "row " << i;
  }
}

TEST(Csv, RandomTablesAreReadCellByCellAtAnyNumberOfThreads) {
  Rng rng(31);
  const std::vector<std::string> words{"cat", "a \"dog\"", "two\nlines", "x,y;z\tw", "3rd", "-"},
      numbers{"0", "1", "-7"};
  for (int round = 0; round < 30; ++round) {
    const Index cols = 1 + rng.below(12), label_at = rng.below(cols + 1);
    auto table = random_table(rng, 1 + rng.below(20), cols, label_at, rng.below(2) == 0 ? words : numbers);
    LoadOptions options;
    options.label_column = std::to_string(rng.below(2) == 0 ? label_at : label_at - cols - 1);
    options.header = rng.below(2) == 0;
    Cells cells = table.cells;
    if (*options.header) {
      std::vector<std::string> names;
      for (Index j = 0; j <= cols; ++j) names.push_back("n" + std::to_string(j));
      cells.insert(cells.begin(), names);
    }
    const char separator = ",;\t"[rng.below(3)];
    const std::string text = write_cells(rng, cells, separator);
    options.format = separator == '\t' ? "tsv" : "csv";
    for (const int threads : {1, 2, 7}) {
      options.threads = threads;
      expect_table(read_text(separator == '\t' ? read_tsv : read_csv, text, options), table);
      if (HasFatalFailure()) FAIL() << text;
    }
  }
}

TEST(Csv, NewlinesInQuotesDoNotBreakBlocks) {
  Rng rng(32);
  const std::vector<std::string> words{"plain", "with \"quotes\"\nand lines\n", "\n\n\"\"\n,"};
  const auto table = random_table(rng, 12000, 6, 0, words);
  const std::string text = write_cells(rng, table.cells, ',');
  ASSERT_GT(text.size(), kBlockBytes);
  LoadOptions options;
  options.header = false;
  for (const int threads : {1, 2, 7}) {
    options.threads = threads;
    const auto data = read_text(read_csv, text, options);
    ASSERT_EQ(data.rows(), 12000);
    for (Index i = 0; i < data.rows(); ++i)
      ASSERT_EQ(data.y.name_of(data.y.values[i]), table.labels[static_cast<std::size_t>(i)]);
  }
}

TEST(Csv, AHeaderIsDetectedAndGivesTheNames) {
  const auto data = read_text(read_csv, "height,class,width\n1,a,2\n3,b,4\n", {});
  EXPECT_EQ(data.rows(), 2);
  EXPECT_EQ(data.feature_names, (std::vector<std::string>{"height", "width"}));
  EXPECT_EQ(data.y.class_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read_text(read_csv, "y\n1\n2\n", {}).rows(), 2);
}

TEST(Csv, AWordInTheLabelColumnAloneIsNoHeader) {
  const auto data = read_text(read_csv, "setosa,1,2\nother,3,4\n", {});
  EXPECT_EQ(data.rows(), 2);
  EXPECT_TRUE(data.feature_names.empty());
}

TEST(Csv, TheLabelColumnIsChosenByNameByNumberOrNotAtAll) {
  const std::string text = "a,b,c\n1,2,3\n4,5,6\n";
  LoadOptions options;
  const auto label = [&](const std::string& column) {
    options.label_column = column;
    return read_text(read_csv, text, options).y.values[1];
  };
  EXPECT_EQ(label(""), 4);
  EXPECT_EQ(label("b"), 5);
  EXPECT_EQ(label("2"), 6);
  EXPECT_EQ(label("-1"), 6);
  options.label_column = "none";
  const auto unlabelled = read_text(read_csv, text, options);
  EXPECT_EQ(unlabelled.y.kind, LabelKind::none);
  EXPECT_EQ(unlabelled.cols(), 3);
}

TEST(Csv, WordsAreNumberedInSortedOrder) {
  const auto data = read_text(read_csv, "zebra,1\nant,2\nmole,3\nant,4\n", {});
  EXPECT_EQ(data.y.class_names, (std::vector<std::string>{"ant", "mole", "zebra"}));
  EXPECT_EQ(std::vector<double>(data.y.values.begin(), data.y.values.end()), (std::vector<double>{2, 0, 1, 0}));
}

std::vector<std::string> label_names(const std::string& text) {
  const auto data = read_text(read_csv, text, {});
  std::vector<std::string> names;
  for (const double value : data.y.values) names.push_back(data.y.name_of(value));
  return names;
}

TEST(Csv, DigitsThatAreNamesAreKeptAsWritten) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(label_names("007,1\n12,2\n007,3\n-3,4\n"), (Names{"007", "12", "007", "-3"}));
  EXPECT_EQ(label_names("12345678901234567890,1\n12345678901234567891,2\n"),
            (Names{"12345678901234567890", "12345678901234567891"}));
  EXPECT_EQ(label_names("9007199254740992,1\n9007199254740993,2\n"), (Names{"9007199254740992", "9007199254740993"}));
  EXPECT_EQ(label_names("1,1\na,2\n2.0,3\n+1,4\n"), (Names{"1", "a", "2", "1"}));
}

TEST(Csv, NumbersStayNumbers) {
  for (const std::string text : {"1,1\n2.0,2\n+1,3\n", "0,1\n-0,1\n0.5,2\n00.5,1\n", "9007199254740992,1\n7,2\n"})
    EXPECT_TRUE(read_text(read_csv, text, {}).y.class_names.empty()) << text;
  std::string codes;
  for (Index i = 0; i < 1500; ++i) codes += "0" + std::to_string(i) + ",1\n";
  const auto data = read_text(read_csv, codes, {});  // too many for classes
  EXPECT_TRUE(data.y.class_names.empty());
  EXPECT_EQ(data.y.values[1234], 1234);
}

TEST(Csv, AWordInAnyBlockMakesNamesOfAllNumbers) {
  Rng rng(34);
  for (const bool word_first : {true, false}) {
    Table table = random_table(rng, 60000, 4, 0, {"1", "22", "-3"});
    const std::size_t where = word_first ? 0 : table.labels.size() - 1;
    table.labels[where] = table.cells[where][0] = "oak";
    const std::string text = write_cells(rng, table.cells, ',');
    ASSERT_GT(text.size(), kBlockBytes);
    LoadOptions options;
    options.header = false;
    for (const int threads : {1, 3}) {
      options.threads = threads;
      const auto data = read_text(read_csv, text, options);
      ASSERT_EQ(data.y.class_names, (std::vector<std::string>{"-3", "1", "22", "oak"}));
      for (std::size_t i = 0; i < table.labels.size(); ++i)
        ASSERT_EQ(data.y.name_of(data.y.values[static_cast<Index>(i)]), table.labels[i]) << i;
    }
  }
}

TEST(Csv, AWeightColumnIsTakenOutOfTheFeatures) {
  LoadOptions options;
  options.weight_column = "w";
  const auto data = read_text(read_csv, "label,x,w\n1,5,0.25\n0,6,2\n", options);
  EXPECT_EQ(data.cols(), 1);
  EXPECT_EQ(std::vector<double>(data.weights.begin(), data.weights.end()), (std::vector<double>{0.25, 2}));
}

TEST(Csv, MissingValuesBecomeZeroOrTheMeanOfTheOthers) {
  const std::string text = "label,a,b,c\n1,2,NA,0\n2,,5,0\n3,4,?,\n4,0,nan,0\n";
  for (const Layout layout : {Layout::dense, Layout::sparse}) {
    LoadOptions options;
    options.layout = layout;
    options.missing = Missing::zero;
    const auto zeros = plain_rows<float>(read_text(read_csv, text, options));
    EXPECT_EQ(zeros.rows[1].entries, (std::map<Index, float>{{1, 5.0f}}));
    options.missing = Missing::mean;
    const auto means = plain_rows<float>(read_text(read_csv, text, options));
    EXPECT_EQ(means.rows[0].entries, (std::map<Index, float>{{0, 2.0f}, {1, 5.0f}}));
    EXPECT_EQ(means.rows[1].entries, (std::map<Index, float>{{0, 2.0f}, {1, 5.0f}}));  // (2 + 4 + 0) / 3
    EXPECT_EQ(means.rows[2].entries.count(1), 1U);
  }
}

}  // namespace
}  // namespace s3gd
