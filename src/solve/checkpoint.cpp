#include "solve/checkpoint.hpp"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/checksum.hpp"
#include "base/file.hpp"
#include "base/index.hpp"
#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/mention.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"

namespace s3gd {
namespace {

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

// Of a list of numbers, or a text.
template <class List>
std::string checksum_of(const List& list) {
  return hex(checksum(std::as_bytes(std::span(list))));
}

// Every option of the table that has a say, as it takes its value. Terms of the penalty may differ in what the table has once.
Json identity_of(const ProblemSpec& spec, const SolveOptions& options) {
  const OptionValues values = values_of(spec, options);
  Json json = Json::object();
  for (const OptionRow& row : option_table())
    if (row.identity) json[row.name] = row.get(values);
  std::string terms;
  for (const PenaltySpec& term : spec.penalty.also)
    terms += fmt::format("{} {} {}; ", term.lambda, term.alpha, checksum_of(term.factors));
  json["terms of the penalty"] = terms;
  return json;
}

// What kinds of problems have in common. data, validate: rows as rows_checksum() gives them, with whatever stands for labels and
// weights added; `further` options that state the problem, by name.
std::string run_identity(const std::string& data, const ProblemSpec& problem, const SolveOptions& options,
                         const std::vector<std::pair<std::string, std::string>>& further, const std::string& validate,
                         const Graph* graph) {
  Json all = identity_of(problem, options);
  for (const auto& [name, value] : further) all[name] = value;
  all["validate"] = validate;
  all["graph"] = graph != nullptr ? checksum_of(graph->gammas.span()) : "";
  return Json{{"version", S3GD_VERSION}, {"data", data}, {"options", all}}.dump();
}

// Sums over the same rows have other roundings in another layout, and what is kept of them has another shape.
std::string rows_checksum(const Matrix& x, int threads) {
  return (x.is_dense() ? "dense " : "sparse ") + hex(checksum(x, threads));
}

std::string rows_of(const SoftmaxProblem& problem) {
  return rows_checksum(problem.x(), problem.spec().threads) + checksum_of(problem.targets()) +
         checksum_of(problem.class_values()) + checksum_of(problem.weights());
}

// Labels as written, so that two files that name the same classes differently are told apart.
std::string rows_of(const Dataset& data, int threads) {
  std::string names;
  for (const std::string& name : data.y.class_names) names += name + '\n';
  return rows_checksum(data.x, threads) + checksum_of(data.y.values.span()) + checksum_of(names) +
         checksum_of(data.weights.span());
}

constexpr std::string_view kMagic = "s3gd-checkpoint ";
constexpr std::string_view kVersion = "3";
const std::string kRemedy = "remove it to begin anew";

std::string_view take_line(std::string_view& rest) {
  const auto end = std::min(rest.find('\n'), rest.size());
  const auto line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// The identity and the state; both are as they were written when the checksum holds.
std::pair<std::string, std::string> contents_of(const std::string& path) {
  const MappedFile file(path);
  std::string_view rest(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (rest.substr(0, kMagic.size()) != kMagic)
    throw Error({path, 0, 0}, "a file that does not start as a checkpoint does", "a checkpoint of s3gd",
                "give another name");
  const std::string_view version = take_line(rest).substr(kMagic.size(), 9);
  if (version != kVersion)
    throw Error({path, 0, 0}, "checkpoint version " + std::string(version), "version " + std::string(kVersion),
                "use the s3gd that wrote it, or " + kRemedy);
  const std::string_view sum = take_line(rest);
  if (sum != checksum_of(rest))
    throw Error({path, 0, 0}, "a truncated or damaged checkpoint (its checksum does not match)", "a whole one",
                kRemedy);
  const std::string_view identity = take_line(rest);
  return {std::string(identity), std::string(rest)};
}

// A write that was killed leaves its file beside. Those of processes that are gone are cleared away.
void remove_leftovers(const std::filesystem::path& path) {
  const std::string start = path.filename().string() + ".tmp";
  std::error_code ignored;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start)) continue;
    const long process = std::strtol(name.c_str() + start.size(), nullptr, 10);
    if (process > 0 && kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH)
      std::filesystem::remove(entry.path(), ignored);
  }
}

void check_folder(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path().string() : std::string(".");
  if (access(folder.c_str(), W_OK) != 0) throw_file_error("write", path.string(), errno);
}

void state(Archive& a, Solution& solution) { a(solution.w, solution.summary, solution.trace); }

}  // namespace

std::string rows_identity(const Problem& problem) {
  return hex(checksum(problem.x(), problem.spec().threads)) + checksum_of(problem.targets()) +
         checksum_of(problem.weights());
}

std::string options_identity(const ProblemSpec& spec, const SolveOptions& options) {
  return identity_of(spec, options).dump();
}

std::string run_identity(const Problem& problem, const SolveOptions& options, const OneOutputInput& input) {
  return run_identity((problem.x().is_dense() ? "dense " : "sparse ") + rows_identity(problem), problem.spec(), options,
                      {}, input.test != nullptr ? rows_identity(*input.test) : "", input.graph);
}

std::string run_identity(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input) {
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  ProblemSpec stated;
  stated.penalty = {PenaltyKind::l2, penalty.lambda, penalty.alpha, penalty.factors, {}};
  stated.intercept = problem.spec().intercept;
  return run_identity(rows_of(problem), stated, options,
                      {{"multiclass", "softmax"}, {"penalty", name_of(penalty.kind)}},
                      input.test != nullptr ? rows_of(*input.test) : "", input.graph);
}

std::string run_identity(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input) {
  const ProblemSpec& spec = problem.spec();
  return run_identity(rows_of(problem.data(), spec.threads), spec, options,
                      {{"multiclass", "ovr"}, {"class-weight", name_of(spec.class_weight)}},
                      input.test != nullptr ? rows_of(*input.test, spec.threads) : "", input.graph);
}

std::string identity_difference(const std::string& kept, const std::string& asked) {
  if (kept == asked) return {};
  const Json old = Json::parse(kept), now = Json::parse(asked);
  if (old.at("version") != now.at("version"))
    return fmt::format("written by s3gd {}, this is {}", old.at("version").get<std::string>(), S3GD_VERSION);
  if (old.at("data") != now.at("data"))
    return fmt::format(
        "its rows, labels or weights are others (files, {}, {}, {}, {}, {}, and {} or {} by a fraction have a say in "
        "them)",
        opt("scale"), opt("class-weight"), opt("binary"), opt("precision"), opt("layout"), opt("validate"),
        opt("calibrate"));
  for (const auto& [name, value] : now.at("options").items()) {
    const Json& options = old.at("options");
    if (options.contains(name) && options.at(name) == value) continue;
    const std::string before = options.contains(name) ? options.at(name).get<std::string>() : "";
    const std::string after = value.get<std::string>();
    const std::string also =
        name == "trace-every" ? fmt::format(" (or {}, {})", opt("trace"), opt("report")) : std::string();
    return fmt::format("{}{} was {}, now it is {}", name.find(' ') == std::string::npos ? opt(name) : name, also,
                       before.empty() ? "nothing" : before, after.empty() ? "nothing" : after);
  }
  return "its options are others";
}

FileCheckpoint::FileCheckpoint(const SolveOptions& options, std::string identity)
    : path_(options.checkpoint), every_(options.checkpoint_every), last_(wall_now()), identity_(std::move(identity)) {
  const bool exists = file_exists(path_);
  if (exists && !options.resume)
    throw Error(ErrorCode::other_run, {}, "there is a checkpoint in " + path_ + " already",
                "give " + opt("resume") + " to go on from it, or " + kRemedy);
  check_folder(path_);
  remove_leftovers(path_);
  if (exists) read();
}

void FileCheckpoint::read() {
  auto [identity, state] = contents_of(path_);
  if (const std::string difference = identity_difference(identity, identity_); !difference.empty())
    throw Error(ErrorCode::other_run, {}, path_ + " is the checkpoint of another run: " + difference,
                "resume with what it was made with, or " + kRemedy);
  resumed_.emplace(std::move(state));
}

bool FileCheckpoint::due() const { return interrupted() || wall_now() - last_ >= every_; }

void FileCheckpoint::save(const Archive& state) {
  const std::string body = identity_ + "\n" + state.bytes();
  try {
    write_atomically(path_, [&](std::ostream& out) {
      out << kMagic << kVersion << "\n" << checksum_of(body) << "\n" << body;
    });
    trouble_.clear();
  } catch (const Error& error) {
    trouble_ = error.what();
  }
  last_ = wall_now();
}

void add_trouble(const FileCheckpoint& file, Summary& summary) {
  if (!file.trouble().empty())
    summary.advice.push_back({AdviceCode::checkpoint_not_kept, "the checkpoint could not be kept: " + file.trouble()});
}

// The checkpoint of one class, as its solver sees it.
class ClassCheckpoints::Slot final : public Checkpoint {
 public:
  Slot(ClassCheckpoints& all, std::size_t k) : all_(all), k_(k) {
    const std::lock_guard lock(all.mutex_);
    if (all.entries_[k].stage == Stage::running) resumed_.emplace(all.entries_[k].bytes);
  }
  Archive* resumed() override { return resumed_ ? &*resumed_ : nullptr; }
  bool due() const override { return interrupted() || wall_now() - last_ >= all_.every_; }
  void save(const Archive& state) override {
    all_.put(k_, Stage::running, state);
    last_ = wall_now();
  }

 private:
  ClassCheckpoints& all_;
  std::size_t k_;
  std::optional<Archive> resumed_;
  double last_ = wall_now();
};

ClassCheckpoints::ClassCheckpoints(const OneVsRestProblem& problem, const SolveOptions& options,
                                   const SolveInput& input)
    : file_(options, run_identity(problem, options, input)),
      every_(options.checkpoint_every),
      entries_(problem.classes().size()) {
  Archive* kept = file_.resumed();
  if (kept == nullptr) return;
  (*kept)(entries_);
  kept->expect_end();
  if (entries_.size() != problem.classes().size())
    throw Error(ErrorCode::other_run, {}, "the state that was kept is of another number of classes");
}

std::optional<Solution> ClassCheckpoints::ended(std::size_t k) const {
  const std::lock_guard lock(mutex_);
  if (entries_[k].stage != Stage::ended) return std::nullopt;
  Archive kept(entries_[k].bytes);
  Solution solution;
  state(kept, solution);
  kept.expect_end();
  return solution;
}

Solution ClassCheckpoints::solve(std::size_t k, const Problem& problem, const SolveOptions& options,
                                 const OneOutputInput& input) {
  Slot slot(*this, k);
  Solution solution = solve_keeping(problem, options, input, slot);
  if (was_cut(solution.summary.status)) return solution;
  Archive end;
  state(end, solution);
  put(k, Stage::ended, end);
  return solution;
}

// A state is put here when its time has come; an end is not worth a file of its own.
void ClassCheckpoints::put(std::size_t k, Stage stage, const Archive& state) {
  const std::lock_guard lock(mutex_);
  entries_[k] = {stage, state.bytes()};
  written_ = false;
  if (stage == Stage::running || file_.due()) write();
}

void ClassCheckpoints::keep_the_rest() {
  const std::lock_guard lock(mutex_);
  if (!written_) write();
}

void ClassCheckpoints::write() {
  Archive all;
  all(entries_);
  file_.save(all);
  written_ = true;
}

}  // namespace s3gd
