#include "compare/subject.hpp"

#include <algorithm>
#include <filesystem>

#include "data/catalog.hpp"
#include "data/columns.hpp"
#include "data/generate.hpp"
#include "problem/judged_rows.hpp"
#include "problem/loss.hpp"
#include "problem/needs.hpp"
#include "s3gd/fit.hpp"
#include "solve/checkpoint.hpp"

namespace s3gd {
namespace {

constexpr double kSmallUnit = 0.05;  // below this 1/L(p), the paper's steps are of no use
const std::vector<double> kPaperSteps{0.1, 1, 5, 10};

// The test rows of a known dataset lie beside its training rows.
std::string test_source(const CompareData& data) {
  if (!data.test.empty()) return data.test;
  std::error_code ignored;
  if (is_generated(data.source) || std::filesystem::exists(data.source, ignored)) return {};
  return find_known(data.source, Part::test).value_or("");
}

// Read, held out, scaled.
FitRows read_rows(const Plan& plan, const CompareData& data) {
  LoadOptions options = plan.load;
  Dataset train = load(data.source, options);
  FitOptions with;
  with.solve.seed = plan.seed;
  with.scale = data.scale.value_or(plan.scale);
  if (const std::string test = test_source(data); !test.empty()) {
    read_alike(options, train.index_base, train.label_column);
    with.validation = load(test, options);
  } else {
    with.validation_fraction = plan.test_fraction;
  }
  return prepare(std::move(train), with);
}

ProblemSpec spec_for(const Plan& plan, const CompareData& data, const Dataset& train) {
  ProblemSpec spec = plan.problem;
  spec.threads = plan.threads;
  if (data.lambda) spec.penalty.lambda = *data.lambda;
  if (data.positive) spec.positive = *data.positive;
  if (plan.usual_loss && train.y.kind == LabelKind::real) {
    spec.loss.kind = usual_loss(train.y.kind);
    spec.class_weight = ClassWeight::none;
    spec.positive.clear();
  }
  return spec;
}

Problem on_threads(const Problem& problem, ProblemSpec spec, int threads) {
  spec.threads = threads;
  return {problem.data(), spec};
}

void choose_steps(const Plan& plan, Subject& subject) {
  subject.steps = plan.steps;
  const auto relative = [](const StepRule& rule) { return rule.relative; };
  bool wanted = plan.steps.empty() || std::any_of(plan.steps.begin(), plan.steps.end(), relative);
  for (const Contender& contender : plan.contenders)
    wanted = wanted || std::any_of(contender.steps.begin(), contender.steps.end(), relative);
  const bool bounded = kBoundedCurvature.met(subject.judge);
  if (wanted && bounded) subject.unit_step = theory(subject.judge, plan.common.batch, plan.seed).suggested_step;
  if (!plan.steps.empty()) return;
  for (const double step : kPaperSteps)
    subject.steps.push_back({.value = step, .decay = 0, .relative = bounded && subject.unit_step < kSmallUnit});
}

}  // namespace

std::string name_for(const CompareData& data) {
  if (!data.name.empty()) return data.name;
  if (is_generated(data.source) || data.source == "-") return data.source;
  std::string name = std::filesystem::path(data.source).filename().string();
  return name.substr(0, name.find('.', 1));
}

Subject read_subject(const Plan& plan, const CompareData& data) {
  const FitRows rows = read_rows(plan, data);
  const ProblemSpec spec = spec_for(plan, data, rows.train);
  Problem problem(rows.train, spec);
  const int evaluating = plan.jobs > 1 ? 1 : 0;  // a forked process has no pool of threads
  Problem judge = on_threads(problem, spec, evaluating);
  Subject subject{.name = name_for(data),
                  .source = data.source,
                  .stand_in = data.stand_in,
                  .content = rows_identity(judge),
                  .classes = !Loss(spec.loss).classifies() ? 0 : static_cast<Index>(rows.train.y.distinct().size()),
                  .problem = problem,
                  .judge = judge,
                  .test = {},
                  .test_left_out = 0,
                  .steps = {},
                  .unit_step = 0};
  if (rows.validation) {
    JudgedRows judged = Task(problem).judged(*rows.validation);
    subject.test = on_rows(judge, std::move(judged.rows));
    subject.test_left_out = judged.left_out;
    subject.content += rows_identity(*subject.test);
  }
  choose_steps(plan, subject);
  return subject;
}

}  // namespace s3gd
