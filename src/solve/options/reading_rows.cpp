// Options of reading rows.
#include "solve/options/make_row.hpp"

namespace s3gd {
namespace {

OptionRow format_row() {
  OptionRow row =
      text_row({.name = "format",
                .takes = "NAME",
                .help = "instead of by content and extension",
                .about = "Only where the content misleads, as for LIBSVM text whose rows hold labels alone. A "
                         "wrong one ends in an error at the first line that does not fit."},
               [](V& v) -> std::string& { return v.load.format; });
  for (const FormatInfo& format : formats()) row.choices.push_back(format.name);
  return row;
}

OptionRow header_row() {
  OptionRow row{
      .name = "header",
      .takes = "YES|NO",
      .help = "CSV: yes, no; found out when not given",
      .about =
          "Say yes where the names of columns are numbers, or no where the first row holds words: neither can be "
          "told from the text."};
  row.expects = "yes or no";
  hold<std::optional<bool>>(row, [](V& v) -> std::optional<bool>& { return v.load.header; });
  row.get = [](const V& v) { return !v.load.header ? "" : *v.load.header ? "yes" : "no"; };
  row.set = [](V& v, const std::string& text) {
    if (text != "yes" && text != "no" && text != "true" && text != "false") refuse_value("header", text, "yes or no");
    v.load.header = text == "yes" || text == "true";
  };
  return row;
}

}  // namespace

std::vector<OptionRow> reading_rows() {
  std::vector<OptionRow> rows{
      format_row(),
      name_row<Precision>(
          {.name = "precision",
           .help = "of the values held",
           .about = "float halves memory and time. double helps where columns are far from zero beside their "
                    "spread, or where a very small tolerance is out of reach by rounding."},
          [](V& v) -> Precision& { return v.load.precision; }),
      name_row<Layout>(
          {.name = "layout",
           .about = "auto holds rows dense when more than a third of their entries are not zero. sparse saves "
                    "memory below that; dense is faster above it, and for narrow rows somewhat below."},
          [](V& v) -> Layout& { return v.load.layout; }),
      name_row<IndexBase>(
          {.name = "index-base",
           .help = "LIBSVM, number of the first feature",
           .about = "detect takes a file without an index 0 to count from 1. Say 0 where the first column happens "
                    "to be empty, or all columns are off by one from those of another file."},
          [](V& v) -> IndexBase& { return v.load.index_base; }),
      name_row<IndexOrder>(
          {.name = "index-order",
           .help = "LIBSVM, unsorted or repeated indices",
           .about = "merge reads files that break the format's rule; it hides what may be a fault of the program "
                    "that wrote them."},
          [](V& v) -> IndexOrder& { return v.load.index_order; }),
      text_row(
          {.name = "label-column",
           .takes = "COLUMN",
           .help = "CSV: name or number (0 first, -1 last), or none",
           .about =
               "Left out, it is the column named label, y, target or class, otherwise the first: right for most files, "
               "and wrong without a word for those whose first column is a number of the row."},
          [](V& v) -> std::string& { return v.load.label_column; }),
      text_row({.name = "weight-column",
                .takes = "COLUMN",
                .help = "CSV: name or number of the row weights",
                .about = "A column of weights that is not named as such is read as a feature."},
               [](V& v) -> std::string& { return v.load.weight_column; }),
      header_row(),
      name_row<Missing>(
          {.name = "missing",
           .help = "CSV, missing values",
           .about = "zero suits counts and columns around zero, mean all others; either says of a row what nobody "
                    "measured, so that error is what one gets without asking."},
          [](V& v) -> Missing& { return v.load.missing; }),
      text_row(
          {.name = "labels",
           .takes = "FILE",
           .help = "IDX, NumPy: the file of labels",
           .about = "Found by its usual name beside the rows (train-labels.. for train-images..) when it is left out."},
          [](V& v) -> std::string& { return v.load.labels_path; }),
  };
  for (OptionRow& row : rows) {
    row.group = kReadingOptions;
    row.identity = false;  // the rows themselves are compared
  }
  return rows;
}

}  // namespace s3gd
