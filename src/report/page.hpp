// Parts of a self-contained HTML page: no network, no script; readable on a phone and on paper.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace s3gd::report {

std::string escape(std::string_view text);  // for text and attributes
std::string number(double value);           // six significant digits; an em dash for what is not finite

// A whole page from its parts, in order.
std::string page(const std::string& title, const std::vector<std::string>& parts);

std::string paragraph(const std::string& text);
std::string facts(const std::vector<std::pair<std::string, std::string>>& list);  // names and values
std::string figures(const std::vector<std::string>& drawings);                    // side by side where there is room

struct Table {
  std::vector<std::string> head = {};
  std::vector<std::vector<std::string>> rows = {};
  std::vector<std::pair<std::size_t, std::string>> notes = {};  // rows that stand out, and what is said beside them
};
std::string table(const Table& table);

}  // namespace s3gd::report
