#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "problem/loss.hpp"
#include "problem/newton.hpp"
#include "problem/optimality.hpp"
#include "problem/reference_cache.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr char kMagic[8] = {'s', '3', 'g', 'd', 'o', 'p', 't', '1'};

template <class T>
std::span<const std::byte> bytes_of(const T* values, Index count) {
  return std::as_bytes(std::span<const T>(values, static_cast<std::size_t>(count)));
}

// What the content of a problem boils down to: a list of numbers, checksummed once more at the end.
class Key {
 public:
  void add(std::uint64_t number) { numbers_.push_back(number); }
  void add(double number) { numbers_.push_back(std::bit_cast<std::uint64_t>(number)); }
  void add(std::span<const double> values) { add(checksum(std::as_bytes(values))); }
  std::uint64_t value() const { return checksum(std::as_bytes(std::span(numbers_))); }

 private:
  std::vector<std::uint64_t> numbers_;
};

template <class T>
void add_rows(Key& key, const DenseView<T>& x) {
  if (x.stride == x.cols) return key.add(checksum(bytes_of(x.values, x.rows * x.cols)));
  for (Index i = 0; i < x.rows; ++i) key.add(checksum(bytes_of(x.row(i), x.cols)));
}

template <class T, class I>
void add_rows(Key& key, const CsrView<T, I>& x) {
  key.add(checksum(bytes_of(x.starts, x.rows + 1)));
  key.add(checksum(bytes_of(x.columns + x.starts[0], x.nonzeros())));
  key.add(checksum(bytes_of(x.values + x.starts[0], x.nonzeros())));
}

void add_penalty(Key& key, const PenaltySpec& term) {
  key.add(static_cast<std::uint64_t>(term.kind));
  key.add(term.lambda);
  key.add(term.alpha);
  key.add(std::span<const double>(term.factors));
  for (const auto& further : term.also) add_penalty(key, further);
}

std::uint64_t key_of(const Problem& problem) {
  Key key;
  key.add(static_cast<std::uint64_t>(problem.x().view().index()));
  key.add(static_cast<std::uint64_t>(problem.rows()));
  key.add(static_cast<std::uint64_t>(problem.cols()));
  problem.x().visit([&](const auto& view) { add_rows(key, view); });
  key.add(problem.targets());
  key.add(problem.weights());
  key.add(static_cast<std::uint64_t>(problem.spec().loss.kind));
  for_each_parameter([&](const LossTraits& traits) { key.add(problem.spec().loss.*traits.parameter); });
  key.add(static_cast<std::uint64_t>(problem.spec().intercept));
  add_penalty(key, problem.spec().penalty);
  return key.value();
}

}  // namespace

ReferenceCache::ReferenceCache(const Problem& problem, const std::string& folder)
    : problem_(problem), path_(fmt::format("{}/optimum-{:016x}.bin", folder, key_of(problem))) {}

// File: magic, iterations, dim, w, checksum of all that.
std::optional<Optimum> ReferenceCache::load() const {
  if (!std::filesystem::exists(path_)) return std::nullopt;
  const MappedFile file(path_);
  const auto bytes = file.bytes();
  const auto dim = static_cast<std::size_t>(problem_.dim());
  const std::size_t body = sizeof kMagic + 16 + 8 * dim;
  std::uint64_t sum = 0;
  if (bytes.size() != body + 8 || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) return std::nullopt;
  std::memcpy(&sum, bytes.data() + body, 8);
  if (sum != checksum(bytes.first(body))) return std::nullopt;
  Optimum optimum;
  optimum.w.resize(dim);
  std::memcpy(&optimum.iterations, bytes.data() + 8, 8);
  std::memcpy(optimum.w.data(), bytes.data() + 24, 8 * dim);
  for (const double value : optimum.w)
    if (!std::isfinite(value)) return std::nullopt;
  optimum.certificate = certify(problem_, optimum.w);
  optimum.objective = optimum.certificate.primal;
  optimum.method = "cached";
  return optimum;
}

void ReferenceCache::store(const Optimum& optimum) const {
  std::error_code failure;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), failure);
  if (failure) throw_file_error("create the folder of", path_, failure.value());
  std::string content(kMagic, sizeof kMagic);
  const auto append = [&](const void* data, std::size_t size) { content.append(static_cast<const char*>(data), size); };
  const Index dim = problem_.dim();
  append(&optimum.iterations, 8);
  append(&dim, 8);
  append(optimum.w.data(), 8 * optimum.w.size());
  const std::uint64_t sum = checksum(std::as_bytes(std::span(content)));
  append(&sum, 8);
  write_atomically(path_,
                   [&](std::ostream& out) { out.write(content.data(), static_cast<std::streamsize>(content.size())); });
}

namespace {

constexpr int kProxSteps = 3;  // between Newton steps: lets coordinates enter and leave
constexpr int kPatience = 6;   // rounds without a better certificate before rounding is taken to be reached

class Search {
 public:
  Search(const Problem& problem, const OptimumOptions& options)
      : problem_(problem), options_(options), newton_(problem, start_of(problem, options)) {}

  Optimum run() {
    keep();
    while (!done()) {
      ++best_.iterations;
      round();
      keep();
      stopped_ = options_.keep_going && !options_.keep_going(best_.w, best_.certificate);
    }
    best_.method = newton_.direct() ? "newton" : "newton-cg";
    if (!newton_.smooth()) best_.method = "prox-" + best_.method;
    return best_;
  }

 private:
  static std::vector<double> start_of(const Problem& problem, const OptimumOptions& options) {
    if (options.start.empty()) return std::vector<double>(static_cast<std::size_t>(problem.dim()), 0.0);
    if (static_cast<Index>(options.start.size()) != problem.dim())
      throw Error("the start has " + std::to_string(options.start.size()) + " numbers, expected " +
                  std::to_string(problem.dim()));
    return options.start;
  }

  void round() {
    // Conjugate gradients solve as exactly as the point deserves: superlinear, and cheap far away.
    const double gap = best_.certificate.relative_gap;
    const double accuracy = std::clamp(0.1 * std::sqrt(gap), 1e-9, 0.1);
    if (!newton_.smooth() && !newton_.coordinate_step())
      for (int step = 0; step < kProxSteps && newton_.prox_step(); ++step) continue;
    newton_.newton_step(accuracy);
  }

  void keep() {
    const Certificate certificate = certify(problem_, newton_.w());
    const bool better = best_.w.empty() || certificate.relative_gap < best_.certificate.relative_gap;
    vain_.count(certificate.relative_gap, newton_.objective(), rounding_of(newton_.objective()));
    if (!better) return;
    best_.w = newton_.w();
    best_.objective = certificate.primal;
    best_.certificate = certificate;
  }

  bool done() const {
    return best_.certificate.relative_gap <= options_.tol || best_.iterations >= options_.max_iterations ||
           vain_.steps() >= kPatience || interrupted() || stopped_ ||
           (options_.max_seconds > 0 && clock_.wall_seconds() > options_.max_seconds);
  }

  const Problem& problem_;
  const OptimumOptions& options_;
  Newton newton_;
  RunClock clock_;
  Optimum best_;
  VainSteps vain_{0.9};
  bool stopped_ = false;
};

}  // namespace

Optimum solve_reference(const Problem& problem, const OptimumOptions& options) {
  if (options.cache_folder.empty()) return Search(problem, options).run();
  const ReferenceCache cache(problem, options.cache_folder);
  if (auto known = cache.load(); known && known->certificate.relative_gap <= options.tol) return *std::move(known);
  Optimum found = Search(problem, options).run();
  cache.store(found);
  return found;
}

}  // namespace s3gd
