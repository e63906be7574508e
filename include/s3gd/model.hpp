// Model: what a fit leaves behind, and all that prediction needs. Immutable once made; saved in one small file.
//
// One linear function (an output) for regression and for two classes, one for each class when there are more:
//     margin_k(x) = w_k.x + b_k
// The weights apply to rows as they are in the user's file: column scaling done for the fit is folded into them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "s3gd/dataset.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/scale.hpp"

namespace s3gd {

// How margins m become probabilities, with s(m) = 1 / (1 + exp(-m)):
//   identity   they do not
//   logistic   s(m) of the one output; with several, s(m_k) / sum_j s(m_j)
//   softmax    exp(m_k) / sum_j exp(m_j)
//   platt      as logistic, with -(a_k m_k + b_k) in place of m_k
//   log        not probabilities, but the number that is predicted: exp(m)
enum class Link : std::uint8_t { identity, logistic, softmax, platt, log };

inline constexpr const char* kRestClass = "rest";  // the name of all classes but one, merged

struct Model {
  // As written in the data. Empty: regression. Two: one output, whose positive margin means classes[1]. More: one
  // output each, the largest margin wins.
  std::vector<std::string> classes;
  std::vector<double> weights;          // outputs x features, one output after the other
  std::vector<double> intercepts{0.0};  // one per output
  Link link = Link::identity;
  std::vector<double> platt;   // Link::platt: a and b of each output, in turn
  LossSpec loss;               // for the record; Link::softmax: not this one, but the softmax loss
  PenaltySpec penalty;         // as fitted (factors left out), for the record
  std::string matrix_penalty;  // the name of a penalty of the whole weight matrix, of size penalty.lambda, in its stead
  bool unit_rows = false;      // rows are scaled to length 1 before the weights are applied
  std::vector<std::string> feature_names;  // one per feature, or empty
  std::optional<Index> index_base;         // as in the training file: see Dataset
  std::string label_column;
  double objective = 0;
  double relative_gap = 0;

  bool classifies() const { return !classes.empty(); }
  Index outputs() const { return classes.size() > 2 ? static_cast<Index>(classes.size()) : 1; }
  Index features() const { return static_cast<Index>(weights.size()) / outputs(); }
  std::span<const double> weights_of(Index output) const {
    const auto count = static_cast<std::size_t>(features());
    return std::span(weights).subspan(static_cast<std::size_t>(output) * count, count);
  }
  std::string loss_name() const;  // as on the command line
  std::string penalty_name() const;
};

// From fitted parameters, the d weights and then (unless Intercept::none) the intercept; folds the scaling in.
Model make_model(const Problem& problem, std::span<const double> w, const Scaling& scaling,
                 const Certificate& certificate);

// The same for several vectors of parameters over the same scaled rows, one for each of `classes` and in their order
// (two classes: their difference becomes the one output). spec: loss, penalty, and whether there is an intercept.
// link: logistic or identity for one class against the rest, softmax for the softmax loss.
Model make_model(const Dataset& data, const ProblemSpec& spec, const std::vector<std::string>& classes,
                 std::span<const std::vector<double>> parameters, Link link, const Scaling& scaling,
                 const Certificate& certificate);

// A file with a magic line, a version, a JSON header, the weights (sparse where that is smaller) as little-endian
// numbers and a checksum. Written beside and renamed. Loading a truncated, damaged or foreign file, one of a newer
// version, or one that would not fit into `most_bytes` of memory (0: the machine's) is one clear Error.
void save_model(const Model& model, const std::string& path);
Model load_model(const std::string& path);
bool is_model_file(const std::string& path);  // a file that starts as models do; false for what cannot be opened
Model load_model_bytes(std::span<const char> bytes, const std::string& name, double most_bytes = 0);

// w_k.x_i + b_k for every row i and output k: rows x outputs, row by row. Where both have feature names, columns are
// matched by name, in any order. Otherwise rows of open width (see Dataset) may lack columns, or hold some the model
// has not seen, which count for nothing; others must have as many columns as the model. The same bits whether rows are
// dense or sparse.
std::vector<double> predict_margins(const Model& model, const Dataset& data, int threads = 0);

// Of regression: the number predicted, which is the margin itself or its exponential.
double predicted_number(const Model& model, double margin);
// Of one row, whose margins are given. The class predicted, as a place in model.classes; the first of equals.
Index predicted_class(const Model& model, std::span<const double> margins);
// One probability for each class, in the order of model.classes; they sum to 1. Throws where there are none.
void probabilities(const Model& model, std::span<const double> margins, std::span<double> out);
// The logarithm of one of them, right also where the probability itself is too small for a double.
double log_probability(const Model& model, std::span<const double> margins, Index of_class);
bool has_probabilities(const Model& model);
void require_probabilities(const Model& model);  // throws where there are none

}  // namespace s3gd
