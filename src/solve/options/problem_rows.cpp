// Options that state the problem.
#include <map>

#include "base/checksum.hpp"
#include "problem/loss.hpp"
#include "problem/names.hpp"
#include "solve/options/make_row.hpp"

namespace s3gd {
namespace {

std::string names_of_terms(const PenaltySpec& penalty) {
  std::string words = name_of(penalty.kind);
  for (const PenaltySpec& term : penalty.also) words += "+" + name_of(term.kind);
  return words;
}

// Of the losses that have one; a loss says itself what it is called and what it is.
std::vector<OptionRow> parameter_rows() {
  static const std::map<std::string_view, const char*> kAbout{
      {"beta",
       "Larger is closer to the hinge and has more curvature: past 100 or so, steps become small and passes many for "
       "hardly another model."},
      {"knee",
       "In the unit of the labels: about the size of an error that is still ordinary. Much larger is the squared loss, "
       "much smaller the absolute one, whose fit is slower."}};
  std::vector<OptionRow> rows;
  for_each_parameter([&](const LossTraits& traits) {
    const auto about = kAbout.find(traits.parameter_name);
    rows.push_back(number_row<double>({.name = std::string(traits.parameter_name),
                                       .help = std::string(traits.parameter_summary),
                                       .about = about == kAbout.end() ? "See docs/theory.md." : about->second,
                                       .of_loss = std::string(traits.name)},
                                      [member = traits.parameter](V& v) -> double& { return v.problem.loss.*member; },
                                      {.least = 0, .open = true}));
  });
  return rows;
}

OptionRow penalty_row() {
  OptionRow row{.name = "penalty",
                .takes = "NAME",
                .help = "l2, l1, elastic-net, l1-l2norm, none, l1+l2 ..",
                .about =
                    "l2 keeps all features and is the fastest to fit. l1 chooses features, and among correlated ones "
                    "arbitrarily; elastic-net keeps such together. none leaves weights without a bound where classes "
                    "come apart."};
  row.expects = "a name, or several joined by +";
  row.copy = [](V& to, const V& from) {
    to.problem.penalty.kind = from.problem.penalty.kind;
    to.problem.penalty.also = from.problem.penalty.also;
  };
  row.get = [](const V& v) { return names_of_terms(v.problem.penalty); };
  row.set = [](V& v, const std::string& text) { v.problem.penalty = penalty_in_words(text, v.problem.penalty); };
  return row;
}

// What is set of the first term holds for all.
OptionRow for_all_terms(OptionRow row) {
  row.set = [set = row.set](V& v, const std::string& text) {
    set(v, text);
    for (PenaltySpec& term : v.problem.penalty.also) {
      term.lambda = v.problem.penalty.lambda;
      term.alpha = v.problem.penalty.alpha;
    }
  };
  return row;
}

OptionRow factor_row() {
  OptionRow row{
      .name = "penalty-factor",
      .takes = "FILE",
      .help = "one factor for each feature, one a line",
      .about =
          "Multiplies lambda for a feature: 0 leaves one free that is known to matter, larger ones hold back those "
          "one trusts less. Free features have no duality gap; the certificate is then a norm.",
      .need = &OptionScene::weighs};
  hold<std::vector<double>>(row, [](V& v) -> std::vector<double>& { return v.problem.penalty.factors; });
  row.get = [](const V& v) {
    const auto& factors = v.problem.penalty.factors;
    return factors.empty() ? "" : fmt::format("{:016x}", checksum(std::as_bytes(std::span(factors))));
  };
  return row;
}

}  // namespace

std::vector<OptionRow> problem_rows() {
  std::vector<OptionRow> rows{
      name_row<LossKind>(
          {.name = "loss",
           .about = "logistic gives probabilities. squared-hinge and smooth-hinge care for the rows near the border "
                    "alone, which suits clean labels and wide text. squared is for numbers; outliers pull at it, and "
                    "less at huber. poisson is for counts."},
          [](V& v) -> LossKind& { return v.problem.loss.kind; }),
      penalty_row(),
      for_all_terms(number_row<double>(
          {.name = "lambda",
           .help = "strength: lambda ||w||^2 has no one half",
           .about = "The one option worth choosing with care: `s3gd cv` does. Too small, and the model "
                    "fits noise and the fit is slow; too large, and features say nothing.",
           .need = &OptionScene::penalised,
           .harmless = "0"},
          [](V& v) -> double& { return v.problem.penalty.lambda; }, {.least = 0})),
      for_all_terms(number_row<double>(
          {.name = "alpha",
           .help = "elastic nets: (1-alpha) |w| + alpha w^2",
           .about = "0 is all 1-norm, 1 has none (glmnet and scikit-learn count the other way round). A "
                    "little of w^2 keeps correlated features together and steadies the fit.",
           .need = &OptionScene::mixes},
          [](V& v) -> double& { return v.problem.penalty.alpha; }, {.least = 0, .most = 1})),
      factor_row(),
      name_row<Intercept>(
          {.name = "intercept",
           .about = "free is what one wants unless the rows are centred, or hold a constant column (none). "
                    "regularised is the paper's, and pulls predictions towards zero."},
          [](V& v) -> Intercept& { return v.problem.intercept; }),
      text_row(
          {.name = "binary",
           .takes = "LABEL",
           .help = "largest, or a LABEL: that class against the rest",
           .about = "One class of many, in one fit. For all of them, multiclass shares every pass between the classes.",
           .identity = false},
          [](V& v) -> std::string& { return v.problem.positive; }),
      name_row<ClassWeight>(
          {.name = "class-weight",
           .about = "balanced helps where a rare class matters as much as the others; probabilities are then those "
                    "of a world in which all classes are as frequent.",
           .identity = false},
          [](V& v) -> ClassWeight& { return v.problem.class_weight; }),
      name_row<Scale>(
          {.name = "scale",
           .about =
               "A penalty weighs on features by their unit: standard or max-abs make it the same for all, and the fit "
               "faster. unit-rows suits text. Not where units are alike already, as for pixels.",
           .identity = false},
          [](V& v) -> Scale& { return v.scale; }),
  };
  const std::vector<OptionRow> parameters = parameter_rows();
  rows.insert(rows.begin() + 1, parameters.begin(), parameters.end());
  for (OptionRow& row : rows) row.group = kProblemOptions;
  return rows;
}

}  // namespace s3gd
