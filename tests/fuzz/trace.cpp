// SPDX-License-Identifier: Apache-2.0
// What a recorded program writes, as a whole and behind a first line that is right: read, and made into what is stored.
#include "profiler/trace/trace.h"

#include <cmath>
#include <string>

#include "bench/program/plan.h"
#include "bench/program/stored_program.h"
#include "tests/fuzz/fuzz.h"

namespace culprit {
namespace {

void Read(std::string_view text) {
  fuzz::Accepts([&] {
    const ProcessTrace trace = ParseTrace(text, "fuzz");
    for (const char* range : {"", "step"}) {
      const TimedProgram timed = ReadTimed(std::span(&trace, 1), range);
      double sum = timed.program.idle_us.value_or(0);
      for (const LaunchClass& of : timed.classes) sum += of.share_us;
      for (const ProgramCopy& copy : timed.program.copies) sum += copy.share_us;
      const double span = timed.program.span_us.value_or(0);
      fuzz::Require(std::abs(sum - span) <= 1e-9 * span + 1e-6, "shares and idle time that do not add up");
      const CountingPlan plan = PlanCounting(timed, {});
      fuzz::Require(plan.not_counted.size() == timed.classes.size(), "a class without a word on its counters");
      fuzz::Require(MatchCounts(timed, std::span(&trace, 1), "none").size() == timed.classes.size(), "a class too few");
      PlanAgain(plan.plan, std::span(&trace, 1));
    }
  });
}

}  // namespace
}  // namespace culprit

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = culprit::fuzz::Text(data, size);
  culprit::Read(text);
  culprit::Read("culprit-trace\t3\n" + std::string(text));
  return 0;
}
