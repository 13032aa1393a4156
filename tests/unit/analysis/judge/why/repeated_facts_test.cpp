// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/repeated_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::KernelBuilder;
using testing::Spending;

// A metric's value is the median of its repetitions. All repetitions have all readings.
KernelBuilder Kernel(const std::string& stage, const std::vector<double>& repetitions) {
  KernelBuilder k = Spending(stage, {{"selected", 50}}).Metric("inst_issued", repetitions[repetitions.size() / 2]);
  for (const Reading& r : k.record.readings)
    if (r.value) k.record.repeats[r.metric.id].assign(repetitions.size(), *r.value);
  k.record.repeats["inst_issued"] = repetitions;
  return k;
}

bool Moved(const KernelBuilder& base, const KernelBuilder& candidate, int sign, const char* id = "inst_issued") {
  const KernelView from(base.record), to(candidate.record);
  return FactMoved(id, from, RepeatedFacts(from), to, RepeatedFacts(to), sign);
}

TEST(FactMoved, SeesAThousandthOfACountThatRepeatsExactly) {
  const KernelBuilder base = Kernel("base", {1000, 1000, 1000}), more = Kernel("more", {1001, 1001, 1001});
  EXPECT_TRUE(Moved(base, more, 1));
  EXPECT_FALSE(Moved(base, more, -1));
  EXPECT_TRUE(Moved(more, base, -1));
}

TEST(FactMoved, SeesNoMillionth) {
  EXPECT_FALSE(Moved(Kernel("base", {1e6, 1e6, 1e6}), Kernel("more", {1e6 + 1, 1e6 + 1, 1e6 + 1}), 1));
}

TEST(FactMoved, ForgivesACountWhatItScatters) {
  const KernelBuilder base = Kernel("base", {950, 1000, 1050});
  EXPECT_FALSE(Moved(base, Kernel("more", {1000, 1050, 1100}), 1));
  EXPECT_TRUE(Moved(base, Kernel("more", {1300, 1350, 1400}), 1));
}

TEST(FactMoved, ComparesADerivedFactByItsOwnRepetitions) {
  KernelBuilder base = Kernel("base", {1000, 1000, 1000}), more = Kernel("more", {1000, 1000, 1000});
  for (KernelBuilder* k : {&base, &more})
    for (const auto& [id, values] :
         {std::pair("dram_read_bytes", std::vector<double>{90, 100, 110}), {"dram_write_bytes", {60, 50, 40}}}) {
      k->Metric(id, values[1]);
      k->record.repeats[id] = values;
    }
  for (double& value : more.record.repeats["dram_write_bytes"]) value += 1;
  for (Reading& r : more.record.readings)
    if (r.metric.id == "dram_write_bytes") r.value = *r.value + 1;
  EXPECT_FALSE(Moved(base, more, 1, "dram_write_bytes"));
  EXPECT_TRUE(Moved(base, more, 1, "dram_bytes")) << "the sum is 150 in each repetition";
}

TEST(FactMoved, TakesAHundredthWhereAKernelWasCountedOnce) {
  KernelBuilder base = Kernel("base", {1000, 1000, 1000});
  base.record.repeats.clear();
  EXPECT_FALSE(Moved(base, Kernel("more", {1009, 1009, 1009}), 1));
  EXPECT_TRUE(Moved(base, Kernel("more", {1011, 1011, 1011}), 1));
}

TEST(FactMoved, TakesAHundredthOfACounterThatARepetitionDidNotRead) {
  KernelBuilder base = Kernel("base", {1000, 1000, 1000}), more = Kernel("more", {1009, 1009, 1009});
  more.record.repeats.erase("inst_issued");
  EXPECT_FALSE(Moved(base, more, 1));
}

TEST(OneRepetition, HasTheReadingsOfThatRepetitionAndNoOthers) {
  const KernelBuilder k = Kernel("k", {7, 8, 9});
  ASSERT_EQ(RepetitionsOf(k.record), 3u);
  const KernelRecord last = OneRepetition(k.record, 2);
  EXPECT_EQ(*KernelView(last).Get("inst_issued"), 9);
  EXPECT_EQ(*KernelView(last).Get("warps_active"), *KernelView(k.record).Get("warps_active"));
  EXPECT_EQ(RepetitionsOf(last), 0u);
}

}  // namespace
}  // namespace culprit
