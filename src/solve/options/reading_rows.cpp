// Options of where rows come from and what becomes of them.
#include "solve/options/make_row.hpp"

namespace s3gd {
namespace {

OptionRow format_row() {
  OptionRow made = row("format", &LoadOptions::format, "instead of by content and extension",
                       "Only where the content misleads, as for LIBSVM text whose rows hold labels alone. A wrong one "
                       "ends in an error at the first line that does not fit.",
                       {.takes = "NAME"});
  for (const FormatInfo& format : formats()) made.choices.push_back(format.name);
  return made;
}

OptionRow header_row() {
  OptionRow made{{.takes = "YES|NO"},
                 "header",
                 {},
                 "CSV: yes, no; found out when not given",
                 "Say yes where the names of columns are numbers, or no where the first row holds words: neither can "
                 "be told from the text.",
                 "yes or no"};
  made.copy = [](V& to, const V& from) { to.load.header = from.load.header; };
  made.get = [](const V& v) { return !v.load.header ? "" : *v.load.header ? "yes" : "no"; };
  made.set = [](V& v, const std::string& text) {
    if (text.empty()) refuse_value("header", text, "yes or no");
    v.load.header = parse_flag("header", text);
  };
  return made;
}

std::vector<OptionRow> data_rows() {
  return in_group(
      kDataOptions,
      {row("sample-weight", &V::sample_weight, "a COLUMN of a CSV file, or a FILE of numbers",
           "A row of weight 3 is the row three times, one of weight 0 is not there: for rows that were counted, or are "
           "trusted more. A few heavy ones make the fit that of these alone.",
           {.takes = "COLUMN"}),
       row("validate", &V::validate, "rows to judge by: other DATA, or a FRACTION held out",
           "The loss on rows that the fit has not seen, traced and in the end. A fraction is rows less to fit to; "
           "other DATA costs none.",
           {.takes = "DATA"}),
       row("calibrate", &V::calibrate, "rows held out to fit probabilities on (Platt scaling)",
           "Probabilities for losses that have none, as the hinges. logistic has its own, which held-out rows rarely "
           "better; below ten rows of a class they say little.",
           {.need = &OptionScene::calibrates, .takes = "FRACTION"}, {.least = 0, .most = 1})});
}

}  // namespace

std::vector<OptionRow> reading_rows() {
  std::vector<OptionRow> rows = in_group(
      kReadingOptions,
      {format_row(),
       row("precision", &LoadOptions::precision, "of the values held",
           "float halves memory and time. double helps where columns are far from zero beside their spread, or where a "
           "very small tolerance is out of reach by rounding."),
       row("layout", &LoadOptions::layout, "",
           "auto holds rows dense when more than a third of their entries are not zero. sparse saves memory below "
           "that; dense is faster above it, and for narrow rows somewhat below."),
       row("index-base", &LoadOptions::index_base, "LIBSVM, number of the first feature",
           "detect takes a file without an index 0 to count from 1. Say 0 where the first column happens to be empty, "
           "or all columns are off by one from those of another file."),
       row("index-order", &LoadOptions::index_order, "LIBSVM, unsorted or repeated indices",
           "merge reads files that break the format's rule; it hides what may be a fault of the program that wrote "
           "them."),
       row("label-column", &LoadOptions::label_column, "CSV: name or number (0 first, -1 last), or none",
           "Left out, it is the column named label, y, target or class, otherwise the first: right for most files, and "
           "wrong without a word for those whose first column is a number of the row.",
           {.takes = "COLUMN"}),
       row("weight-column", &LoadOptions::weight_column, "CSV: name or number of the row weights",
           "A column of weights that is not named as such is read as a feature.", {.takes = "COLUMN"}),
       header_row(),
       row("missing", &LoadOptions::missing, "CSV, missing values",
           "zero suits counts and columns around zero, mean all others; either says of a row what nobody measured, so "
           "that error is what one gets without asking."),
       row("labels", &LoadOptions::labels_path, "IDX, NumPy: the file of labels",
           "Found by its usual name beside the rows (train-labels.. for train-images..) when it is left out.",
           {.takes = "FILE"})});
  for (OptionRow& one : data_rows()) {
    one.plan = one.python = false;
    rows.push_back(std::move(one));
  }
  for (OptionRow& one : rows) one.identity = false;  // the rows themselves are compared
  return rows;
}

}  // namespace s3gd
