// SPDX-License-Identifier: Apache-2.0
// One verdict on a pair, whichever report says it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/judge/difference/verdict.h"
#include "analysis/judge/why/explain.h"
#include "analysis/number/format.h"
#include "analysis/show/report/compare_report.h"
#include "db/machine_figure.h"
#include "tests/support/invented_gate.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

// 3 % slower, on a card that was measured to scatter by `noise`, which only the candidate's recording knows.
struct Pair {
  testing::KernelBuilder base = testing::Quiet(), candidate = testing::Quiet();

  explicit Pair(double noise) {
    testing::SetTimes(base.record, 100);
    testing::SetTimes(candidate.record, 103);
    testing::InOneProcess(base.record);
    testing::InOneProcess(candidate.record);
    candidate.record.run.run.machine.push_back(
        {.name = std::string(figures::kCycleNoise), .setting = 100, .value = noise, .unit = ""});
  }
  Explanation Why() const { return Explain(KernelView(base.record), KernelView(candidate.record)); }
  std::string Compared() const {
    const Report report = MakeCompareReport(base.record, candidate.record, false);
    const auto fact = std::ranges::find(report.answer.facts, "Verdict", &Fact::title);
    return fact == report.answer.facts.end() ? "" : Format(fact->value);
  }
};

TEST(PairVerdict, KnowsTheNoiseThatEitherRecordingMeasured) {
  const Pair quiet(0.001), loud(0.2);
  EXPECT_EQ(quiet.Why().verdict.speed, Speed::kSlower);
  EXPECT_NE(loud.Why().verdict.speed, Speed::kSlower);
  EXPECT_DOUBLE_EQ(loud.Why().verdict.floor.change, 0.2);
}

TEST(PairVerdict, IsTheSameInCompareAndWhy) {
  for (const double noise : {0.001, 0.02, 0.2}) {
    const Pair pair(noise);
    const Verdict verdict = pair.Why().verdict;
    EXPECT_EQ(pair.Compared(), std::string(ToText(verdict.speed)) + ": " + verdict.reason);
  }
}

}  // namespace
}  // namespace culprit
