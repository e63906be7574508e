// Weights of classes, read from a file and multiplied into the weights of rows.
//
// The file is a JSON object, {"spam": 3, "ham": 1}, or one class a line, its weight last, after a blank, a tab or a
// comma; a first line "class,weight" is passed over. Classes it leaves out weigh 1.
#pragma once

#include <string>
#include <vector>

#include "s3gd/dataset.hpp"

namespace s3gd {

struct ClassWeightEntry {
  std::string name;  // as written in the data
  double weight = 1;
};
struct ClassWeights {
  std::string source;  // for messages
  std::vector<ClassWeightEntry> entries;
};

ClassWeights read_class_weights(const std::string& path);

// The data with every row's weight multiplied by its class's. A class no row has is an Error, unless `absent_is_fine`:
// for further rows of data that was checked.
Dataset with_class_weights(Dataset data, const ClassWeights& weights, bool absent_is_fine = false);

}  // namespace s3gd
