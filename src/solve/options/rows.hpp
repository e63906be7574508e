// The parts of the table of options.
#pragma once

#include "solve/options/table.hpp"

namespace s3gd {

std::vector<OptionRow> reading_rows();
std::vector<OptionRow> problem_rows();
std::vector<OptionRow> solver_rows();
std::vector<OptionRow> run_rows();  // when it stops, what it keeps, what it tells

}  // namespace s3gd
