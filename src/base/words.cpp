#include "s3gd/words.hpp"

#include "base/mention.hpp"

namespace s3gd {
namespace {

// Control characters that no text of a user's holds: a mark is kBegin, its kind, the name, kBetween, the value, kEnd.
constexpr char kBegin = '\x02', kBetween = '\x1f', kEnd = '\x03';

constexpr std::string_view kKinds[] = {"option", "smaller", "larger", "fewer", "more", "class"};

}  // namespace

std::string_view name_of(Mention::Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string marked(const Mention& mention) {
  std::string text{kBegin, static_cast<char>('a' + static_cast<int>(mention.kind))};
  text.append(mention.name).append(1, kBetween).append(mention.value).append(1, kEnd);
  return text;
}

std::string plain_words(const Mention& mention) {
  const bool changed = mention.kind != Mention::Kind::option && mention.kind != Mention::Kind::class_name;
  std::string text = changed ? std::string(name_of(mention.kind)) + " " : "";
  text += mention.name;
  if (!mention.value.empty()) text.append(" ").append(mention.value);
  return text;
}

std::string in_words(std::string_view sentence, Words words) {
  std::string text;
  while (true) {
    const std::size_t begin = sentence.find(kBegin), end = sentence.find(kEnd, begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return text.append(sentence);
    text.append(sentence.substr(0, begin));
    const std::string_view mark = sentence.substr(begin + 1, end - begin - 1);
    sentence.remove_prefix(end + 1);
    const std::size_t between = mark.find(kBetween);
    const int kind = mark.empty() ? -1 : mark.front() - 'a';
    if (between == std::string_view::npos || kind < 0 || kind > static_cast<int>(Mention::Kind::class_name))
      text.append(mark);  // bytes of a broken file, quoted
    else
      text += words({static_cast<Mention::Kind>(kind), mark.substr(1, between - 1), mark.substr(between + 1)});
  }
}

}  // namespace s3gd
