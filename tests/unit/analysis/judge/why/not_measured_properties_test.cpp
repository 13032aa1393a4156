// SPDX-License-Identifier: Apache-2.0
// Whatever two kernels counted: without any one of their metrics no cause's part grows, and no part is larger than what
// taking its cause away could give. tests/planted/missing_test.cpp says the same of recorded kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "analysis/judge/difference/decompose.h"
#include "analysis/judge/why/attribute.h"
#include "tests/support/slow_build.h"
#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::KernelBuilder;
using testing::Spending;

constexpr int kKernels = testing::kSlowBuild ? 5 : 30;

// The same kernels on every platform, which the standard's distributions do not promise.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  double Below(unsigned most) { return random_() % most; }
  double Part() { return Below(101) / 100; }
  // Nothing at all now and then.
  double Some(unsigned most) { return random_() % 3 == 0 ? 0 : 1 + Below(most); }

 private:
  std::mt19937 random_;
};

// Counters that agree with each other, as those of one launch do.
KernelBuilder Invented(Draw& draw) {
  testing::Us us;
  for (const char* state : {"selected", "long_scoreboard", "short_scoreboard", "mio_throttle", "lg_throttle", "barrier",
                            "wait", "math_pipe_throttle", "not_selected", "no_instruction", "imc_miss", "drain"})
    us[state] = draw.Some(100);
  us["misc"] = 1;
  KernelBuilder k = Spending("invented", us);
  double issued = 1000 + draw.Below(100000), l1 = 0;
  const auto accesses = [&](const std::string& kind, double count) {
    const double sectors = count * (1 + draw.Below(32));
    k.Metric(kind + "_inst", count).Metric(kind + "_requests", count).Metric(kind + "_sectors", sectors);
    issued += count;
    l1 += sectors;
    return sectors;
  };
  accesses("local_load", draw.Some(10000));
  const double loads = draw.Some(50000);
  const double global = accesses("global_load", loads);
  k.Metric("sass_global_sectors", global);
  k.Metric("sass_global_sectors_ideal", loads + draw.Part() * (global - loads));
  const double reductions = draw.Some(1000);
  k.Metric("global_red_requests", reductions).Metric("global_red_sectors", reductions);
  issued += reductions;
  l1 += reductions;
  const double missed = l1 * draw.Part();
  k.Metric("l1_sectors_miss", missed).Metric("l1_sectors_hit", l1 - missed);
  k.Metric("l2_sectors_from_l1", missed).Metric("l2_sectors", 2 * missed);
  k.Metric("dram_read_bytes", 32 * missed * draw.Part());
  const double shared = draw.Some(50000), wavefronts = shared * (1 + draw.Below(8));
  k.Metric("shared_load_inst", shared).Metric("shared_wavefronts", wavefronts);
  k.Metric("sass_shared_wavefronts", wavefronts).Metric("sass_shared_wavefronts_ideal", shared);
  k.Metric("shared_conflicts_hw", wavefronts - shared);
  issued += shared;
  for (const char* memory : {"shared", "global"}) k.record.access_bytes[memory] = 4 * (1 + draw.Below(4));
  const double fp32 = draw.Some(50000), halves = draw.Some(50000), integers = draw.Some(50000);
  const double fp64 = draw.Some(10000), special = draw.Some(10000), conversions = draw.Some(5000);
  k.Metric("ffma_thread_inst", 32 * fp32).Metric("fp16_thread_inst", 32 * halves);
  k.Metric("integer_thread_inst", 32 * integers).Metric("pipe_alu_inst", integers);
  k.Metric("pipe_fma_inst", fp32 + halves).Metric("pipe_fp64_inst", fp64);
  k.Metric("pipe_xu_inst", special + conversions).Metric("conversion_thread_inst", 32 * conversions);
  k.Metric("inst_issued", issued + fp32 + halves + integers + fp64 + special + conversions);
  k.Metric("icc_misses", draw.Some(1000)).Metric("imc_misses", draw.Some(1000)).Metric("idc_requests", draw.Some(1000));
  k.record.barriers = draw.Some(1000);
  for (const char* id : {"l1_throughput_pct", "l2_throughput_pct", "shared_wavefronts_pct"})
    k.Metric(id, draw.Below(100), "%");
  return k;
}

// Warps waited for anything in any state.
SampledPair InventedSamples(Draw& draw) {
  CostByKind more_us;
  for (const Operation operation : {Operation::kGlobalLoad, Operation::kGlobalStore, Operation::kLocalLoad,
                                    Operation::kSharedLoad, Operation::kFp32, Operation::kFp64, Operation::kInteger,
                                    Operation::kSpecialFunction, Operation::kGlobalAtomic, Operation::kBarrier})
    for (const char* state : {"long_scoreboard", "lg_throttle", "mio_throttle", "short_scoreboard", "wait",
                              "math_pipe_throttle", "drain", "barrier"})
      more_us[{operation, state}] = 50 * (draw.Part() - 0.3);
  return testing::Sampled(more_us);
}

Attribution Ask(const KernelRecord& base, const KernelRecord& candidate, const SampledPair* sampled = nullptr) {
  const KernelView from(base), to(candidate);
  const LaunchCountersResult a = CountersOf(from), b = CountersOf(to);
  return a.counters && b.counters ? Attributor(from, to, sampled).Attribute(Decompose(*a.counters, *b.counters))
                                  : Attribution{};
}

KernelRecord Without(KernelRecord record, const std::string& id) {
  std::erase_if(record.readings, [&](const Reading& r) { return r.metric.id == id; });
  std::erase_if(record.attributes, [&](const StaticAttribute& a) { return a.name == id; });
  return record;
}

// Local memory whose kind is not known was an array or spills.
double Before(const Attribution& whole, const std::string& cause) {
  const auto part = [&](const char* id) {
    return whole.parts.contains(id) ? std::abs(whole.parts.find(id)->second) : 0;
  };
  if (cause == "local_memory_unknown") return std::max(part("local_memory_array"), part("local_memory_spill"));
  return part(cause.c_str());
}

TEST(NotMeasured, LetsNoCauseGrowBetweenAnyTwoKernels) {
  Draw draw(1);
  for (int i = 0; i < kKernels; ++i) {
    const KernelRecord base = Invented(draw).record, candidate = Invented(draw).record;
    // Every second pair was sampled.
    const SampledPair invented = InventedSamples(draw);
    const SampledPair* const sampled = i % 2 == 1 ? &invented : nullptr;
    const Attribution whole = Ask(base, candidate, sampled);
    const double slack = 0.001 * (*KernelView(base).Get("time_us") + *KernelView(candidate).Get("time_us"));
    std::set<std::string> ids;
    // Without a stall state parts can still grow by some hundredths of the time: what was passed on in it, and netted
    // with parallelism, is then among the unattributed.
    for (const Reading& r : base.readings)
      if (!r.metric.id.starts_with("stall_")) ids.insert(r.metric.id);
    for (const StaticAttribute& a : base.attributes) ids.insert(a.name);
    for (const std::string& id : ids) {
      const KernelRecord from = Without(base, id), to = Without(candidate, id);
      for (const Attribution& less : {Ask(from, candidate, sampled), Ask(base, to, sampled), Ask(from, to, sampled)})
        for (const auto& [cause, us] : less.parts)
          EXPECT_LE(std::abs(us), Before(whole, cause) + slack) << i << ": " << cause << " without " << id;
    }
  }
}

TEST(Limits, HoldForEveryPartOfAnyTwoKernels) {
  Draw draw(2);
  for (int i = 0; i < 10 * kKernels; ++i) {
    const KernelRecord base = Invented(draw).record, candidate = Invented(draw).record;
    const KernelView from(base), to(candidate);
    for (const auto& [cause, us] : Ask(base, candidate).parts) {
      const KernelView& has_it = us > 0 ? to : from;
      const Range most = MostShare(*FindCause(cause), has_it, Demand(has_it));
      EXPECT_LE(std::abs(us), *has_it.Get("time_us") * most.high * (1 + 1e-9)) << cause;
      EXPECT_EQ(EvidenceMoved(*FindCause(cause), from, RepeatedFacts(from), to, RepeatedFacts(to), us > 0 ? 1 : -1).low,
                1)
          << cause;
    }
  }
}

TEST(Limits, LeaveOfACauseWhatTheBusiestOtherUnitDoesNotTake) {
  // 40 us of issue in 100 us; the FMA pipe is busy for 75 of them.
  KernelBuilder k = Spending("k", {{"selected", 40}, {"sleeping", 60}});
  const double elapsed = *KernelView(k.record).Get("smsp_cycles_elapsed");
  k.Metric("inst_issued", 0.8 * elapsed).Metric("pipe_fma_inst", 0.75 * elapsed);
  const KernelView view(k.record);
  EXPECT_NEAR(MostShare(*FindCause("shared_bank_conflicts"), view, Demand(view)).high, 0.2, 1e-9);
  EXPECT_NEAR(MostShare(*FindCause("l2_traffic"), view, Demand(view)).high, 0.25, 1e-9)
      << "its own instructions go with it";
  EXPECT_NEAR(MostShare(*FindCause("fma_pipe"), view, Demand(view)).high, 1, 1e-9);
  EXPECT_EQ(MostShare(*FindCause("clock"), view, Demand(view)).high, 1);
}

TEST(Limits, AreNotKnownWhereAUnitWasNotCounted) {
  KernelBuilder k = Spending("k", {{"selected", 40}, {"sleeping", 60}}).Remove("pipe_alu_inst");
  const double elapsed = *KernelView(k.record).Get("smsp_cycles_elapsed");
  k.Metric("inst_issued", 0.3 * elapsed);
  const KernelView view(k.record);
  EXPECT_NEAR(MostShare(*FindCause("barrier"), view, Demand(view)).low, 0.4, 1e-9) << "all may be the ALU's";
  EXPECT_NEAR(MostShare(*FindCause("barrier"), view, Demand(view)).high, 1, 1e-9);
}

TEST(Evidence, OfACauseIsAMetricOfItsOwnThatMovedItsWay) {
  KernelBuilder base = Spending("base", {{"selected", 40}}), candidate = base;
  const auto moved = [&](const char* cause, int sign) {
    const KernelView from(base.record), to(candidate.record);
    return EvidenceMoved(*FindCause(cause), from, RepeatedFacts(from), to, RepeatedFacts(to), sign);
  };
  base.Metric("pipe_fp64_inst", 100);
  candidate.Metric("pipe_fp64_inst", 100.5);
  EXPECT_EQ(moved("fp64_pipe", 1).high, 0) << "half a percent is noise";
  candidate.Metric("pipe_fp64_inst", 200);
  EXPECT_EQ(moved("fp64_pipe", 1).low, 1);
  EXPECT_EQ(moved("fp64_pipe", -1).high, 0);
  candidate.Remove("pipe_fp64_inst");
  EXPECT_EQ(moved("fp64_pipe", 1).low, 0);
  EXPECT_EQ(moved("fp64_pipe", 1).high, 1) << "nobody knows";
}

}  // namespace
}  // namespace culprit
