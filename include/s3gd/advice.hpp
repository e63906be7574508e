// Advice: what is off with the data, the options or the run, and what to do about it. A code, what was measured, and a
// sentence; a front end shows the sentence in its words, or makes one of its own from code and values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "s3gd/words.hpp"

namespace s3gd {

enum class AdviceCode : std::uint8_t {
  // the run
  diverged,             // step, safe_step
  stopped_short,        // passes, relative_gap, tol
  checkpoint_not_kept,  //
  unfinished_classes,   // unfinished, classes
  further_classes,      // further: advice to single classes that is left out
  // rows and labels
  wild_scales,       // factor
  zero_rows,         // share
  constant_columns,  // columns
  zero_columns,      //
  one_class,         //
  lopsided_classes,  // factor
  suspect_labels,    // astray, other_way
  // the penalty
  separable,          // wrong, rows
  zero_weights,       // lambda, and where it is known from which on: largest
  vanishing_weights,  //
  mute_features,      //
  idle_anchors,       // variance_left
  // paths and cross-validation
  unfinished_lambdas,  // unfinished, lambdas, tol, relative_gap
  lambdas_above,       // above, lambdas, largest
  small_classes,       // classes, rows
  cut_short,           // lambdas, of_lambdas, folds, of_folds
  best_is_smallest,    //
  best_is_last,        //
  best_is_largest,     //
};
std::string_view name_of(AdviceCode code);

struct Advice {
  AdviceCode code = AdviceCode::diverged;
  std::string text = {};                                    // with marks
  std::vector<std::pair<std::string, double>> values = {};  // as listed at the code
  std::vector<std::string> classes = {};                    // one-vs-rest: the classes it is for; empty = all

  std::string sentence(Words words = plain_words) const;  // "class CLASS: .." where it is for some
  bool operator==(const Advice&) const = default;
};
std::vector<std::string> sentences(const std::vector<Advice>& advice, Words words = plain_words);

}  // namespace s3gd
