// s3gd compare DATA [DATA..] -o DIR
#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>

#include "compare_options.hpp"
#include "compare_report.hpp"
#include "output.hpp"
#include "s3gd/compare.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

// As typed, for run.json.
std::vector<std::string> command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    words.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  if (!words.empty()) words.front() = "s3gd";
  return words;
}

// The display of a plan at work. What it will take is said once, before the first run.
class Display {
 public:
  Display(const Common& common, bool quick) : common_(common), quick_(quick), line_(common, "comparing") {}

  bool show(const PlanProgress& now, Index iterations) {
    if (!std::isnan(now.seconds_left) && !announced_) {
      line_.clear();
      announced_ = true;
      announce(now);
    }
    std::string text = fmt::format("{}/{}", now.done, now.of);
    if (!std::isnan(now.seconds_left)) text += fmt::format(", {} left", format_seconds(now.seconds_left));
    text += "  " + now.doing;
    if (now.iteration > 0)
      text += fmt::format("  {:.0f} %", 100.0 * static_cast<double>(now.iteration) / static_cast<double>(iterations));
    line_.show(text);
    return true;
  }

  void clear() { line_.clear(); }

 private:
  void announce(const PlanProgress& now) const {
    std::string text = format_count(now.of) + " runs";
    if (now.seconds_left > 0)
      text += ", about " + format_seconds(now.seconds_left) + " for those that are not there yet";
    if (now.seconds_left > kLong && !quick_) text += "; --quick takes a tenth of that";
    remark(common_, text);
  }

  static constexpr double kLong = 60;

  const Common& common_;
  bool quick_;
  Progress line_;
  bool announced_ = false;
};

int estimate(const Plan& plan, const PlanResult& result, const Common& common) {
  if (common.json)
    print_json({{"status", "estimated"}, {"runs", result.planned}, {"seconds", result.estimated_seconds}});
  else
    print(fmt::format("{} runs on {} datasets, about {}\n", format_count(result.planned), plan.datasets.size(),
                      format_seconds(result.estimated_seconds)));
  return kGood;
}

int compare(const CompareOptions& options, const Common& common, bool threads_given) {
  Plan plan = plan_of(options, common, threads_given);
  plan.command = command_line();
  const std::string folder = folder_of(options, plan);
  Display display(common, options.quick);
  const PlanResult result =
      run_plan(plan, folder, [&](const PlanProgress& now) { return display.show(now, plan.iterations); });
  display.clear();  // or the first remark would stand behind it
  if (plan.estimate_only) return estimate(plan, result, common);
  return print_comparison(result, folder, plan.pages, common);
}

}  // namespace

std::function<int()> setup_compare(Arguments& app, const Common& common) {
  auto options = std::make_shared<CompareOptions>();
  add_compare_options(app, *options);
  return [options, &common, &app] { return compare(*options, common, app.get_option("--threads")->count() > 0); };
}

}  // namespace s3gd::app
