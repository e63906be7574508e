// From parameters to a model, from rows to margins, and from these to classes and probabilities.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mention.hpp"
#include "base/threads.hpp"
#include "data/columns.hpp"
#include "data/row_access.hpp"
#include "problem/loss.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"
#include "s3gd/solve.hpp"
#include "saved/predictor.hpp"

namespace s3gd {
namespace {

Model from_training(const Dataset& data, const ProblemSpec& spec, const Scaling& scaling,
                    const Certificate& certificate) {
  Model model;
  model.unit_rows = scaling.kind == Scale::unit_rows;
  model.loss = spec.loss;
  model.penalty = spec.penalty;
  model.penalty.factors.clear();
  for (PenaltySpec& term : model.penalty.also) term.factors.clear();
  model.feature_names = data.feature_names;
  model.index_base = data.index_base;
  model.label_column = data.label_column;
  model.objective = certificate.primal;
  model.relative_gap = certificate.relative_gap;
  model.intercepts.clear();
  return model;
}

// Appends an output with the scaling folded in: w.(f x - s) + b = (f w).x + (b - w.s).
void add_output(Model& model, std::span<const double> w, bool has_intercept, const Scaling& scaling) {
  double intercept = has_intercept ? w.back() : 0.0;
  if (has_intercept) w = w.first(w.size() - 1);
  for (std::size_t j = 0; j < scaling.shift.size(); ++j) intercept -= w[j] * scaling.shift[j];
  for (std::size_t j = 0; j < w.size(); ++j)
    model.weights.push_back(scaling.factor.empty() ? w[j] : w[j] * scaling.factor[j]);
  model.intercepts.push_back(intercept);
}

std::vector<std::vector<double>> of_each(std::span<const double> w, std::size_t outputs) {
  std::vector<std::vector<double>> parameters;
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto one = w.subspan(k * (w.size() / outputs), w.size() / outputs);
    parameters.emplace_back(one.begin(), one.end());
  }
  return parameters;
}

Model make_model(const OneVsRestProblem& problem, std::span<const double> w, const Scaling& scaling,
                 const Certificate& certificate) {
  const Link link = traits_of(problem.spec().loss.kind).link;
  const std::vector<std::string>& classes = problem.classes();
  return make_model(problem.data(), problem.spec(), classes, of_each(w, classes.size()), link, scaling, certificate);
}

// A penalty of the whole matrix goes on record by its name.
Model make_model(const SoftmaxProblem& problem, std::span<const double> w, const Scaling& scaling,
                 const Certificate& certificate) {
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  const bool of_matrix = penalty.kind == MatrixPenaltyKind::group_lasso || penalty.kind == MatrixPenaltyKind::nuclear;
  ProblemSpec spec;
  if (!of_matrix) spec.penalty.kind = parse_name<PenaltyKind>("penalty", name_of(penalty.kind));
  spec.penalty.lambda = penalty.lambda;
  spec.penalty.alpha = penalty.alpha;
  spec.intercept = problem.spec().intercept;
  const std::vector<std::string> classes = problem.class_names();
  Model model =
      make_model(problem.data(), spec, classes, of_each(w, classes.size()), Link::softmax, scaling, certificate);
  if (of_matrix) model.matrix_penalty = name_of(penalty.kind);
  return model;
}

constexpr Index kRowsPerChunk = 1024;

double log_sigmoid(double t) { return std::min(0.0, t) - std::log1p(std::exp(-std::abs(t))); }

// What the logistic_of is taken of.
double score(const Model& model, std::span<const double> margins, std::size_t output) {
  if (model.link != Link::platt) return margins[output];
  return -(model.platt[2 * output] * margins[output] + model.platt[2 * output + 1]);
}

// Several outputs: a number for each whose exponentials are in the ratio of the probabilities.
double log_share(const Model& model, std::span<const double> margins, std::size_t output) {
  return model.link == Link::softmax ? margins[output] : log_sigmoid(score(model, margins, output));
}

}  // namespace

std::string Model::loss_name() const { return link == Link::softmax ? "softmax" : std::string(name_of(loss.kind)); }

std::string Model::penalty_name() const {
  if (!matrix_penalty.empty()) return matrix_penalty;
  std::string name(name_of(penalty.kind));
  for (const PenaltySpec& term : penalty.also) name += "+" + std::string(name_of(term.kind));
  return name;
}

Model make_model(const Problem& problem, std::span<const double> w, const Scaling& scaling,
                 const Certificate& certificate) {
  Model model = from_training(problem.data(), problem.spec(), scaling, certificate);
  add_output(model, w, problem.has_intercept(), scaling);
  model.link = traits_of(model.loss.kind).link;
  model.classes = Task(problem).classes();
  return model;
}

Model make_model(const Dataset& data, const ProblemSpec& spec, const std::vector<std::string>& classes,
                 std::span<const std::vector<double>> parameters, Link link, const Scaling& scaling,
                 const Certificate& certificate) {
  if (classes.size() < 2 || classes.size() != parameters.size())
    throw Error(
        std::to_string(parameters.size()) + " vectors of parameters for " + std::to_string(classes.size()) + " classes",
        "give one for each of at least two classes");
  const bool has_intercept = spec.intercept != Intercept::none;
  const auto dim = static_cast<std::size_t>(data.cols()) + (has_intercept ? 1 : 0);
  for (const auto& w : parameters)
    if (w.size() != dim)
      throw Error(std::to_string(w.size()) + " parameters of a class", "there are " + std::to_string(dim));
  Model model = from_training(data, spec, scaling, certificate);
  model.classes = classes;
  model.link = link;
  if (classes.size() == 2) {
    std::vector<double> difference = parameters[1];
    for (std::size_t j = 0; j < dim; ++j) difference[j] -= parameters[0][j];
    add_output(model, difference, has_intercept, scaling);
  } else {
    model.weights.reserve(classes.size() * static_cast<std::size_t>(data.cols()));
    for (const auto& w : parameters) add_output(model, w, has_intercept, scaling);
  }
  return model;
}

Model Task::model(std::span<const double> w, const Scaling& scaling, const Certificate& certificate) const {
  return std::visit([&](const auto& problem) { return make_model(problem, w, scaling, certificate); }, stated_);
}

bool has_probabilities(const Model& model) { return model.classifies() && model.link != Link::identity; }

void require_probabilities(const Model& model) {
  if (!has_probabilities(model))
    throw Error("this model has no probabilities", "use " + opt("margin") + ", or train with " +
                                                       opt("loss", "logistic") + ", or with " +
                                                       opt("calibrate", "0.2") + " for any loss");
}

// The largest double at the most: what is predicted stays a number.
double predicted_number(const Model& model, double margin) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return model.link == Link::log ? std::min(std::exp(margin), kMost) : margin;
}

Index predicted_class(const Model& model, std::span<const double> margins) {
  if (model.outputs() == 1) return margins[0] > 0 ? 1 : 0;
  return std::max_element(margins.begin(), margins.end()) - margins.begin();
}

void probabilities(const Model& model, std::span<const double> margins, std::span<double> out) {
  require_probabilities(model);
  if (model.outputs() == 1) {
    const double t = score(model, margins, 0);
    out[0] = logistic_of(-t);
    out[1] = logistic_of(t);
    return;
  }
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = log_share(model, margins, k);
  const double largest = *std::max_element(out.begin(), out.end());
  double sum = 0;
  for (double& share : out) sum += share = std::exp(share - largest);
  for (double& share : out) share /= sum;
}

double log_probability(const Model& model, std::span<const double> margins, Index of_class) {
  require_probabilities(model);
  if (model.outputs() == 1) {
    const double t = score(model, margins, 0);
    return log_sigmoid(of_class == 1 ? t : -t);
  }
  const double own = log_share(model, margins, static_cast<std::size_t>(of_class));
  double largest = own, sum = 0;
  for (std::size_t k = 0; k < margins.size(); ++k) largest = std::max(largest, log_share(model, margins, k));
  for (std::size_t k = 0; k < margins.size(); ++k) sum += std::exp(log_share(model, margins, k) - largest);
  return own - largest - std::log(sum);
}

Predictor::Predictor(const Model& model, const Dataset& like)
    : outputs_(model.outputs()),
      known_(model.features()),
      unit_rows_(model.unit_rows),
      intercepts_(model.intercepts),
      weights_(model.weights) {
  const std::vector<Index> places = column_places(like, model.feature_names, known_);
  if (outputs_ == 1 && places.empty()) return;
  arranged_.resize(model.weights.size());
  for (Index k = 0; k < outputs_; ++k) {
    const auto own = model.weights_of(k);
    for (std::size_t j = 0; j < own.size(); ++j)
      arranged_[j * static_cast<std::size_t>(outputs_) + static_cast<std::size_t>(k)] =
          own[places.empty() ? j : static_cast<std::size_t>(places[j])];
  }
  weights_ = arranged_;
}

void Predictor::margins(const Matrix& x, Index begin, Index end, double* out) const {
  x.visit([&](const auto& view) {
    for (Index i = begin; i < end; ++i, out += outputs_) {
      const RowLength length = unit_rows_ ? row_length(view, i) : RowLength{};
      const auto scaled = [&](double value) { return unit_rows_ ? length.unit(value) : value; };
      if (outputs_ == 1) {
        double sum = 0;
        for_each_nonzero(view, i, [&](Index j, double value) {
          if (j < known_) sum += scaled(value) * weights_[static_cast<std::size_t>(j)];
        });
        out[0] = sum + intercepts_[0];
        continue;
      }
      std::fill(out, out + outputs_, 0.0);
      for_each_nonzero(view, i, [&](Index j, double value) {
        if (j >= known_) return;
        const double entry = scaled(value);
        const double* const w = weights_.data() + j * outputs_;
        for (Index k = 0; k < outputs_; ++k) out[k] += entry * w[k];
      });
      for (Index k = 0; k < outputs_; ++k) out[k] += intercepts_[static_cast<std::size_t>(k)];
    }
  });
}

void require_finite(std::span<const double> margins, Index outputs, Index first_row, const std::string& source) {
  const auto bad = std::find_if(margins.begin(), margins.end(), [](double margin) { return !std::isfinite(margin); });
  if (bad == margins.end()) return;
  const Index row = first_row + (bad - margins.begin()) / outputs;
  throw Error("the prediction of row " + std::to_string(row) + " of " + source + " is not a finite number",
              "its values are too large for the weights: scale the data as for training");
}

std::vector<double> predict_margins(const Model& model, const Dataset& data, int threads) {
  data.verify(threads);
  const Predictor predictor(model, data);
  const Index outputs = predictor.outputs();
  std::vector<double> margins(static_cast<std::size_t>(data.rows() * outputs));
  parallel_ranges(data.rows(), kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    predictor.margins(data.x, begin, end, margins.data() + begin * outputs);
  });
  require_finite(margins, outputs, 0, data.source);
  return margins;
}

}  // namespace s3gd
