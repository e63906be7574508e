// Options that state the problem.
#include <map>

#include "problem/loss.hpp"
#include "solve/options/make_row.hpp"

namespace s3gd {

template <>
std::span<const Name<Outputs>> names() {
  static constexpr Name<Outputs> kNames[] = {{Outputs::one_vs_rest, "ovr", "each class against the rest"},
                                             {Outputs::softmax, "softmax", "all classes as one model"}};
  return kNames;
}

namespace {

std::string names_of_terms(const PenaltySpec& penalty) {
  std::string words = name_of(penalty.kind);
  for (const PenaltySpec& term : penalty.also) words += "+" + name_of(term.kind);
  return words;
}

// Of the losses that have one; a loss says itself what it is called and what it is.
void add_parameters(std::vector<OptionRow>& rows) {
  static const std::map<std::string_view, const char*> kAbout{
      {"beta",
       "Larger is closer to the hinge and has more curvature: past 100 or so, steps become small and passes many for "
       "hardly another model."},
      {"knee",
       "In the unit of the labels: about the size of an error that is still ordinary. Much larger is the squared loss, "
       "much smaller the absolute one, whose fit is slower."}};
  for_each_parameter([&](const LossTraits& traits) {
    const auto about = kAbout.find(traits.parameter_name);
    rows.push_back(row(std::string(traits.parameter_name), traits.parameter, std::string(traits.parameter_summary),
                       about == kAbout.end() ? "See docs/theory.md." : about->second,
                       {.of_loss = std::string(traits.name)}, kPositive));
  });
}

OptionRow penalty_row() {
  OptionRow made = row("penalty", &PenaltySpec::kind, "l2, l1, elastic-net, l1-l2norm, none, l1+l2 ..",
                       "l2 keeps all features and is the fastest to fit. l1 chooses features, and among correlated "
                       "ones arbitrarily; elastic-net keeps such together. none leaves weights without a bound where "
                       "classes come apart.");
  made.choices.clear();
  made.expects = "a name, or several joined by +";
  made.copy = [](V& to, const V& from) {
    to.problem.penalty.kind = from.problem.penalty.kind;
    to.problem.penalty.also = from.problem.penalty.also;
  };
  made.get = [](const V& v) { return names_of_terms(v.problem.penalty); };
  made.set = [](V& v, const std::string& text) { v.problem.penalty = penalty_in_words(text, v.problem.penalty); };
  return made;
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

}  // namespace

std::vector<OptionRow> problem_rows() {
  const OptionFacts in_rows{.identity = false, .python = false};  // the rows themselves are compared
  std::vector<OptionRow> rows{
      row("loss", &LossSpec::kind, "",
          "logistic gives probabilities. squared-hinge and smooth-hinge care for the rows near the border alone, which "
          "suits clean labels and wide text. squared is for numbers; outliers pull at it, and less at huber. poisson "
          "is for counts.")};
  add_parameters(rows);
  const OptionRow more[] = {
      penalty_row(),
      for_all_terms(row("lambda", &PenaltySpec::lambda, "strength: lambda ||w||^2 has no one half",
                        "The one option worth choosing with care: `s3gd cv` does. Too small, and the model fits noise "
                        "and the fit is slow; too large, and features say nothing.",
                        {.need = &OptionScene::penalised, .harmless = "0"}, {.least = 0})),
      row("C", &V::c, "LIBLINEAR's C instead of lambda (docs/theory.md)",
          "For results beside LIBLINEAR's and scikit-learn's. It counts errors, not their mean: the same C is a weaker "
          "penalty on more rows, where the same lambda stays what it is.",
          {.need = &OptionScene::liblinear, .excludes = "lambda", .identity = false, .python = false, .plan = false},
          kPositive),
      for_all_terms(row("alpha", &PenaltySpec::alpha, "elastic nets: (1-alpha) |w| + alpha w^2",
                        "0 is all 1-norm, 1 has none (glmnet and scikit-learn count the other way round). A little of "
                        "w^2 keeps correlated features together and steadies the fit.",
                        {.need = &OptionScene::mixes}, {.least = 0, .most = 1})),
      row("penalty-factor", &PenaltySpec::factors, "one factor for each feature, one a line",
          "Multiplies lambda for a feature: 0 leaves one free that is known to matter, larger ones hold back those one "
          "trusts less. Free features have no duality gap; the certificate is then a norm.",
          {.need = &OptionScene::weighs, .takes = "FILE"}),
      row("intercept", &ProblemSpec::intercept, "",
          "free is what one wants unless the rows are centred, or hold a constant column (none). regularised is the "
          "paper's, and pulls predictions towards zero."),
      row("binary", &ProblemSpec::positive, "largest, or a LABEL: that class against the rest",
          "One class of many, in one fit. For all of them, multiclass shares every pass between the classes.",
          {.takes = "LABEL", .identity = false, .python = false}),
      row("class-weight", &ProblemSpec::class_weight, "",
          "balanced helps where a rare class matters as much as the others; probabilities are then those of a world in "
          "which all classes are as frequent.",
          in_rows),
      row("scale", &V::scale, "",
          "A penalty weighs on features by their unit: standard or max-abs make it the same for all, and the fit "
          "faster. unit-rows suits text. Not where units are alike already, as for pixels.",
          in_rows),
      row("multiclass", &V::outputs, "more than two classes (default: softmax for logistic and auto, else ovr)",
          "softmax fits all classes as one model, whose probabilities sum to one as they are. ovr fits each "
          "class against the rest: for other losses than logistic, for all solvers, and for very many classes.",
          {.excludes = "binary", .identity = false, .python = false, .plan = false}),
  };
  rows.insert(rows.end(), std::begin(more), std::end(more));
  return in_group(kProblemOptions, std::move(rows));
}

}  // namespace s3gd
