// What is known of a loss without its numbers: what the tables of solvers, targets, predictions and sentences ask for.
#pragma once

#include <string_view>

#include "s3gd/model.hpp"

namespace s3gd {

// classes: -1 or +1. reals: any number. counts: none below zero, not all zero.
enum class TargetKind : std::uint8_t { classes, reals, counts };

struct LossTraits {
  LossKind kind;
  std::string_view name, summary;
  std::string_view formula;  // of a row: {u} stands for its margin, {p} for the parameter
  TargetKind targets;
  Link link = Link::identity;             // from margins to predictions
  bool separable = false;                 // the slope is phi(u) - label(y)
  bool quadratic = false;                 // the curvature is the same everywhere
  bool bounded_curvature = true;          // there is a largest one
  double LossSpec::*parameter = nullptr;  // positive; null: the loss has none
  std::string_view parameter_name = {}, parameter_summary = {};
};

// v moved to scale (v + shift) + tilt y.
struct Balance {
  double scale = 1, shift = 0, tilt = 0;
};

struct Derivatives {
  double slope, curvature;
};

struct Terms {
  double value, slope, curvature;
};

}  // namespace s3gd
