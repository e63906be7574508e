#include <nanobind/stl/string.h>

#include <cmath>

#include "calls.hpp"
#include "s3gd/compare.hpp"
#include "work.hpp"

namespace s3gd::python {

nb::dict compare(const std::string& plan, const std::string& folder, nb::object callback) {
  const Plan parsed = parse_plan(plan);
  WatchPlan watch;
  Work work(OnInterrupt::raise);
  if (!callback.is_none())
    watch = [&](const PlanProgress& progress) {
      return work.tell(callback, [&] {
        nb::dict row;
        row["done"] = progress.done;
        row["of"] = progress.of;
        row["doing"] = progress.doing;
        row["iteration"] = progress.iteration;
        row["seconds_left"] = progress.seconds_left;
        return row;
      });
    };
  PlanResult run;
  work.run([&] { run = run_plan(parsed, folder, watch); });
  nb::dict result;
  result["status"] = name_of(run.status);
  result["runs"] = run.runs;
  result["planned"] = run.planned;
  result["failed"] = run.failed;
  result["run_file"] = run.run_file;
  return result;
}

}  // namespace s3gd::python
