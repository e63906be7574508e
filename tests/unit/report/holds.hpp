// Looking for pieces in a page.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace s3gd::report {

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Nothing is fetched: no links, no pictures or scripts from elsewhere.
inline void expect_self_contained(const std::string& page) {
  for (const char* word : {"<link", "https:", "@import", "src=", "fetch(", "XMLHttpRequest", "import("})
    EXPECT_FALSE(holds(page, word)) << word;
  EXPECT_EQ(count_of(page, "http:"), count_of(page, "http://www.w3.org/2000/svg"));  // a name, not an address
  EXPECT_EQ(count_of(page, "url("), count_of(page, "url(#"));
  EXPECT_TRUE(holds(page, "<meta name=\"viewport\""));
  EXPECT_TRUE(holds(page, "@media print"));
  for (const std::string tag : {"table", "figure", "div", "tr", "td", "dl", "title", "script", "section", "ul"})
    EXPECT_EQ(count_of(page, "<" + tag + ">") + count_of(page, "<" + tag + " "), count_of(page, "</" + tag + ">"))
        << tag;
}

}  // namespace s3gd::report
