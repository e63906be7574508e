#include "problem/conjugate_gradients.hpp"

#include <numeric>
#include <utility>

#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

struct System {
  std::vector<double> x, r, direction;
  double rz = 0, enough = 0;
  bool running = true;
};

}  // namespace

std::vector<Index> conjugate_gradients(const LinearSystems& systems, std::span<std::vector<double>> v) {
  const std::size_t size = v.empty() ? 0 : v[0].size();
  const auto n = static_cast<Index>(size);
  std::vector<System> all(v.size());
  std::vector<Index> made(v.size(), 0);
  std::vector<std::size_t> running(v.size());
  std::iota(running.begin(), running.end(), std::size_t{0});
  std::vector<double> joined, images;  // of those that run, one after the other
  const auto join = [&](std::vector<double> System::*part) {
    joined.clear();
    for (const std::size_t k : running) joined.insert(joined.end(), (all[k].*part).begin(), (all[k].*part).end());
  };
  const auto precondition = [&] {
    join(&System::r);
    systems.precondition(joined);
  };
  for (std::size_t k = 0; k < v.size(); ++k) {
    all[k].x.assign(size, 0.0);
    all[k].r = std::move(v[k]);
  }
  precondition();
  for (std::size_t k = 0; k < v.size(); ++k) {
    System& one = all[k];
    one.direction.assign(joined.begin() + static_cast<Index>(k) * n, joined.begin() + static_cast<Index>(k + 1) * n);
    one.rz = kernel::dot(one.r.data(), one.direction.data(), n);
    one.enough = systems.accuracy * systems.accuracy * one.rz;
  }
  std::erase_if(running, [&](std::size_t k) { return !(all[k].rz > all[k].enough); });
  for (int step = 0; step < systems.most_products && !running.empty() && !(systems.stop && systems.stop()); ++step) {
    const bool alone = running.size() == 1;
    if (!alone) join(&System::direction);
    images.resize(running.size() * size);
    systems.times(running, alone ? all[running[0]].direction : joined, images);
    for (std::size_t c = 0; c < running.size(); ++c) {
      System& one = all[running[c]];
      const double* image = images.data() + static_cast<Index>(c) * n;
      const double bent = kernel::dot(one.direction.data(), image, n);
      one.running = bent > 0;
      ++made[running[c]];
      if (!one.running) continue;
      const double length = one.rz / bent;
      kernel::axpy(length, one.direction.data(), one.x.data(), n);
      kernel::axpy(-length, image, one.r.data(), n);
    }
    precondition();
    for (std::size_t c = 0; c < running.size(); ++c) {
      System& one = all[running[c]];
      const double* z = joined.data() + static_cast<Index>(c) * n;
      const double next = kernel::dot(one.r.data(), z, n), carry = next / one.rz;
      for (std::size_t j = 0; j < size; ++j) one.direction[j] = z[j] + carry * one.direction[j];
      one.rz = next;
      one.running = one.running && next > one.enough;
    }
    std::erase_if(running, [&](std::size_t k) { return !all[k].running; });
  }
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = std::move(all[k].x);
  return made;
}

}  // namespace s3gd
