// Sentences that mention options. The library knows the names of options, not how they are written where it is used:
// its sentences hold marks, and whoever shows one puts words of its own there.
//
//     give a MARK      plain: give a smaller lambda      Python: give a larger C
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace s3gd {

// What a mark stands for. smaller .. more: the option, changed that way.
struct Mention {
  enum class Kind : std::uint8_t { option, smaller, larger, fewer, more, class_name };
  Kind kind = Kind::option;
  std::string_view name;   // of the option (or the class)
  std::string_view value;  // to be given to it; empty: none in particular
};

using Words = std::string (*)(const Mention& mention);
std::string plain_words(const Mention& mention);  // "penalty l2", "smaller lambda"
std::string_view name_of(Mention::Kind kind);     // "option", "smaller", ..

std::string marked(const Mention& mention);  // the mark itself, for who puts words there later

// The sentence with each mark replaced by these words.
std::string in_words(std::string_view sentence, Words words = plain_words);

}  // namespace s3gd
