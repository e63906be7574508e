// The files of report/, embedded by cmake/embed.cmake.
#pragma once

namespace s3gd::report {

extern const char* const kSkeleton;  // page.html
extern const char* const kStyleSheet;
extern const char* const kScript;

}  // namespace s3gd::report
