// Finds the command, parses its options, runs it, and turns whatever goes wrong into one sentence and an exit code.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <new>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/nearest.hpp"
#include "kernel/kernel.hpp"
#include "options.hpp"
#include "output.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

using Words = std::vector<std::string>;

bool has(const Words& arguments, const std::string& word) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, word) != end;
}

const Command* find_command(const std::string& name) {
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

[[noreturn]] void throw_unknown_command(const std::string& word) {
  const auto known = command_names();
  throw UsageError("unknown " + std::string(word.starts_with('-') ? "option" : "command") + " '" + word + "' (" +
                   suggestion(word, known) + ")");
}

// Common options may stand before the command; it is found as the first word that names one.
const Command& take_command(Words& arguments) {
  const auto at = std::find_if(arguments.begin(), arguments.end(),
                               [](const std::string& word) { return find_command(word) != nullptr; });
  const bool only_options_before =
      at != arguments.end() && (at == arguments.begin() || arguments.front().starts_with('-'));
  if (!only_options_before) {
    const auto word =
        std::find_if(arguments.begin(), arguments.end(), [](const auto& a) { return !a.starts_with('-'); });
    throw_unknown_command(word != arguments.end() ? *word : arguments.front());
  }
  const Command& command = *find_command(*at);
  arguments.erase(at);
  return command;
}

struct Prepared {
  explicit Prepared(const Command& command) : app(command.name), run(command.setup(app, common)) {
    add_common_options(app, common);
  }

  Arguments app;
  Common common;
  std::function<int()> run;
};

int run_command(Words arguments) {
  const Command& command = take_command(arguments);
  Prepared prepared(command);
  if (has(arguments, "--help") || has(arguments, "-h")) {
    print(command_help(command, prepared.app));
    return kGood;
  }
  const auto wrong = prepared.app.parse(std::move(arguments));
  // Required arguments are checked before unknown options, but a mistyped option is the likelier mistake.
  if (const auto rest = prepared.app.remaining(); !rest.empty())
    throw UsageError(explain_unexpected(rest, prepared.app, command));
  if (wrong) throw UsageError(*wrong + "; see s3gd help " + command.name);
  if (prepared.app.given("--config")) prepared.common.config = prepared.app.get_option("--config").value();
  return prepared.run();
}

int help(const Words& arguments) {
  if (arguments.size() < 2) {
    print(program_help());
    return kGood;
  }
  const Command* command = find_command(arguments[1]);
  if (command == nullptr) throw_unknown_command(arguments[1]);
  Prepared prepared(*command);
  print(command_help(*command, prepared.app));
  return kGood;
}

int version(bool json) {
  if (json)
    print_json(
        {{"version", S3GD_VERSION}, {"instruction_set", kernel::instruction_set()}, {"build_type", S3GD_BUILD_TYPE}});
  else
    print(std::string("s3gd " S3GD_VERSION " (") + kernel::instruction_set() + ", " S3GD_BUILD_TYPE " build)\n");
  return kGood;
}

int dispatch(const Words& arguments) {
  if (arguments.empty()) {
    print(program_help());
    return kUsage;
  }
  const std::string& first = arguments.front();
  if (first == "help" || first == "--help" || first == "-h") return help(arguments);
  if (first == "version" || has(arguments, "--version")) return version(has(arguments, "--json"));
  return run_command(arguments);
}

int guarded(const Words& arguments) {
  const bool json = has(arguments, "--json");
  try {
    return dispatch(arguments);
  } catch (const UsageError& error) {
    print_error(error.what(), json);
    return kUsage;
  } catch (const Interrupted& error) {
    print_error(error.what(), json);
    return kInterrupted;
  } catch (const Error& error) {
    print_error(error.in_words(program_words), json);
    return about_an_option(error.code()) ? kUsage : kBadInput;
  } catch (const std::bad_alloc&) {
    print_error("not enough memory", json);
  } catch (const std::filesystem::filesystem_error& error) {
    print_error("cannot use " + error.path1().string() + ": " + error.code().message(), json);
  } catch (const std::exception& error) {
    print_error(error.what(), json);
  }
  return kBadInput;
}

}  // namespace
}  // namespace s3gd::app

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away must not keep a model from being written
  s3gd::catch_interrupts();
  s3gd::app::install_rasteriser();
  return s3gd::app::finish_output(s3gd::app::guarded({argv + 1, argv + argc}));
}
