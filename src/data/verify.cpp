#include "data/verify.hpp"

#include <cmath>
#include <mutex>

#include "s3gd/error.hpp"

namespace s3gd {
namespace {

class OnceVerifier final : public Verifier {
 public:
  OnceVerifier(std::function<void(int)> check, bool has_checksums)
      : check_(std::move(check)), has_checksums_(has_checksums) {}
  void verify(int threads) const override {
    // Not std::call_once: a check that throws must leave the next caller free to find out for itself, which not every
    // implementation of it allows.
    std::lock_guard lock(mutex_);
    if (done_) return;
    check_(threads);
    done_ = true;
  }
  bool has_checksums() const override { return has_checksums_; }

 private:
  std::function<void(int)> check_;
  bool has_checksums_;
  mutable std::mutex mutex_;
  mutable bool done_ = false;
};

bool is_whole(double value) { return value == std::floor(value) && std::abs(value) <= 0x1.0p53; }

void check_labels(const Labels& labels, Index rows) {
  if (labels.kind == LabelKind::none) return;
  if (labels.values.size() != rows)
    throw Error("there are " + std::to_string(labels.values.size()) + " labels for " + std::to_string(rows) + " rows");
  for (Index i = 0; i < rows; ++i) {
    const double value = labels.values[i];
    const std::string where = "the label of row " + std::to_string(i) + " is ";
    if (!std::isfinite(value)) throw Error(where + "not a finite number");
    if (labels.kind == LabelKind::classes && !is_whole(value)) throw Error(where + "not a whole number");
    if (!labels.class_names.empty() && (value < 0 || value >= static_cast<double>(labels.class_names.size())))
      throw Error(where + "a class without a name");
  }
}

void check_weights(const Array<double>& weights, Index rows) {
  if (weights.empty()) return;
  if (weights.size() != rows)
    throw Error("there are " + std::to_string(weights.size()) + " weights for " + std::to_string(rows) + " rows");
  for (Index i = 0; i < rows; ++i)
    if (!std::isfinite(weights[i]) || weights[i] < 0)
      throw Error("the weight of row " + std::to_string(i) + " is not a finite number from 0 on");
}

// Errors of the checks know nothing of files: puts the name in front.
template <class F>
void named(const std::string& name, F&& check) {
  try {
    check();
  } catch (const Error& error) {
    throw error.within(name);
  }
}

}  // namespace

std::shared_ptr<const Verifier> verify_once(std::function<void(int threads)> check, bool has_checksums) {
  return std::make_shared<const OnceVerifier>(std::move(check), has_checksums);
}

void check_targets(const Dataset& data, const std::string& name) {
  named(name, [&] {
    check_labels(data.y, data.rows());
    check_weights(data.weights, data.rows());
  });
}

void check_contents(const Dataset& data, const std::string& name, int threads) {
  named(name, [&] { data.x.check(threads); });
  check_targets(data, name);
}

}  // namespace s3gd
