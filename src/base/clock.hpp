// Clocks: wall time and processor time of the whole process (all threads). A RunClock stops while paused, so that
// evaluating an objective is not charged to the method being measured.
#pragma once

#include <ctime>

namespace s3gd {

inline double seconds_of(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
inline double wall_now() { return seconds_of(CLOCK_MONOTONIC); }
inline double cpu_now() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

class RunClock {
 public:
  RunClock() { resume(); }
  void pause() {
    if (!running_) return;
    wall_ += wall_now() - wall_start_;
    cpu_ += cpu_now() - cpu_start_;
    running_ = false;
  }
  void resume() {
    if (running_) return;
    running_ = true;
    wall_start_ = wall_now();
    cpu_start_ = cpu_now();
  }
  // Time spent by an earlier part of the run.
  void add(double wall, double cpu) {
    wall_ += wall;
    cpu_ += cpu;
  }
  double wall_seconds() const { return wall_ + (running_ ? wall_now() - wall_start_ : 0.0); }
  double cpu_seconds() const { return cpu_ + (running_ ? cpu_now() - cpu_start_ : 0.0); }

 private:
  bool running_ = false;
  double wall_ = 0, cpu_ = 0, wall_start_ = 0, cpu_start_ = 0;
};

}  // namespace s3gd
