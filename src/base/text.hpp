// Words put together, and the time as files say it.
#pragma once

#include <string>
#include <vector>

namespace s3gd {

std::string join(const std::vector<std::string>& words, const char* between = ", ");

std::string utc_now();  // 2026-01-31T23:59:59Z

}  // namespace s3gd
