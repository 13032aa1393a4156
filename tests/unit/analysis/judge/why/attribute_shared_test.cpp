// SPDX-License-Identifier: Apache-2.0
// Causes told from shared memory and from what shares its queue. 40 us of work; units of demand are cycles of the SM's
// data pipe: a wavefront is 1 and so is the instruction itself, a special function 2.
#include <gtest/gtest.h>

#include "analysis/judge/why/attribute.h"
#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::AreUs;
using testing::Attributed;
using testing::KernelBuilder;
using testing::Spending;
using testing::Us;

KernelBuilder Waiting(double us) { return Spending("waiting", {{"selected", 40}, {"short_scoreboard", us}}); }

struct Accesses {
  double instructions, wavefronts, ideal, bytes;
};

KernelBuilder Loading(double us, const Accesses& a) {
  KernelBuilder k = Waiting(us);
  k.Metric("shared_load_inst", a.instructions).Metric("shared_wavefronts", a.wavefronts);
  k.Metric("sass_shared_wavefronts", a.wavefronts).Metric("sass_shared_wavefronts_ideal", a.ideal);
  k.record.access_bytes["shared"] = a.bytes;
  return k;
}

KernelBuilder WithoutExactCounts(KernelBuilder k) {
  return k.Remove("sass_shared_wavefronts").Remove("sass_shared_wavefronts_ideal");
}

TEST(SharedBankConflicts, TakeTheWaitingForWavefrontsBeyondTheIdeal) {
  EXPECT_THAT(Attributed(Loading(10, {100, 100, 100, 4}), Loading(30, {100, 300, 100, 4})),
              AreUs({{"shared_bank_conflicts", 20}}));
}

TEST(SharedBankConflicts, AreSilentWhereTheyFellAndTrafficGrew) {
  EXPECT_THAT(Attributed(Loading(10, {100, 300, 100, 4}), Loading(30, {300, 400, 300, 4})),
              AreUs({{"shared_traffic", 20}}));
}

TEST(SharedBankConflicts, AreSilentWhereNobodyAskedForMore) {
  EXPECT_THAT(Attributed(Loading(10, {100, 300, 100, 4}), Loading(30, {100, 300, 100, 4})),
              AreUs({{"exposed_shared", 20}}));
}

TEST(SharedBankConflicts, AreNotJudgedWithoutExactCounts) {
  const KernelBuilder base = WithoutExactCounts(Loading(10, {100, 100, 0, 4}).Metric("shared_conflicts_hw", 0));
  const KernelBuilder candidate = WithoutExactCounts(Loading(30, {100, 300, 0, 4}).Metric("shared_conflicts_hw", 200));
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"unexplained", 20}}));
}

TEST(SharedBankConflicts, OfOneKernelAreNotHeldAgainstWhatIsNotKnownOfTheOther) {
  // Lost arbitration alone: the base knows that none of its 300 wavefronts is a conflict, the candidate does not.
  const KernelBuilder base = Loading(10, {100, 300, 300, 4}).Metric("shared_conflicts_hw", 200);
  const KernelBuilder candidate =
      WithoutExactCounts(Loading(30, {100, 300, 300, 4}).Metric("shared_conflicts_hw", 200));
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"unexplained", 20}}));
}

TEST(SharedAccessWidth, TakesTheInstructionsThatNarrowAccessesNeedForTheSameBytes) {
  // 500 units become 800 at 1,600 bytes per lane.
  EXPECT_THAT(Attributed(Loading(10, {100, 400, 400, 16}), Loading(16, {400, 400, 400, 4})),
              AreUs({{"shared_access_width", 6}}));
}

TEST(SharedAccessWidth, TakesTheirIssueTooAndNoOtherInstructions) {
  const auto issuing = [](double us, double issued, double shared, double bytes) {
    KernelBuilder k =
        Spending("k", {{"selected", us}}).Metric("inst_issued", issued).Metric("shared_load_inst", shared);
    k.record.access_bytes["shared"] = bytes;
    return k;
  };
  EXPECT_THAT(Attributed(issuing(40, 1000, 100, 16), issuing(52, 1300, 400, 4)), AreUs({{"shared_access_width", 12}}));
}

TEST(SharedAccessWidth, IsSilentWhereMoreAccessesAreAsWide) {
  EXPECT_THAT(Attributed(Loading(10, {100, 100, 100, 4}), Loading(16, {400, 400, 400, 4})),
              AreUs({{"shared_traffic", 6}}));
}

TEST(SharedTraffic, IsSilentWhereTheSameBytesAreAskedForMoreNarrowly) {
  EXPECT_THAT(Attributed(Loading(10, {100, 400, 400, 8}), Loading(12, {200, 400, 400, 4})),
              AreUs({{"shared_access_width", 2}}));
}

TEST(SharedTraffic, TakesWhatOnlyOneOfTheTwoHas) {
  EXPECT_THAT(Attributed(Waiting(10), Loading(30, {100, 100, 100, 4})), AreUs({{"shared_traffic", 20}}));
}

TEST(Atomics, OfSharedMemoryTakeTheirOwnWavefronts) {
  const auto adding = [](double us, double wavefronts) {
    return Loading(us, {100, 100 + wavefronts, 100, 4})
        .Metric("shared_atom_wavefronts", wavefronts)
        .Metric("sass_shared_wavefronts", 100);
  };
  EXPECT_THAT(Attributed(adding(10, 100), adding(30, 3200)), AreUs({{"atomics", 20}}));
}

TEST(Atomics, OfSharedMemoryTakeTheLoadsOfTheirLoopsToo) {
  // Each atomic on a float loads, and swaps what it loaded. Half of the wavefronts of both are bank conflicts.
  const auto adding = [](double us, double atomics) {
    KernelBuilder k = Loading(us, {100 + atomics, 100 + 4 * atomics, 100 + 2 * atomics, 4});
    k.Metric("shared_load_wavefronts", 100 + 2 * atomics).Metric("shared_atom_inst", atomics);
    return k.Metric("shared_ldsm_wavefronts", 0).Metric("shared_atom_wavefronts", 2 * atomics);
  };
  const auto with_code = [&](double us, double atomics) {
    KernelBuilder k = adding(us, atomics);
    k.record.swap_loads =
        SwapLoads{.executions = atomics, .wavefronts = 2 * atomics, .ideal_wavefronts = atomics, .bytes = 4};
    return k;
  };
  const Us known = Attributed(with_code(10, 10), with_code(30, 900));
  EXPECT_GT(known.at("atomics"), 15);
  EXPECT_FALSE(known.contains("shared_traffic"));
  Us unknown = Attributed(adding(10, 10), adding(30, 900));
  EXPECT_LT(unknown["atomics"], 12);
  // A pair is treated alike, so what is known of one kernel alone makes no difference.
  EXPECT_EQ(Attributed(with_code(10, 10), adding(30, 900)), unknown);
  EXPECT_EQ(Attributed(adding(10, 10), with_code(30, 900)), unknown);
}

TEST(ExposedShared, TakesTheWaitingForTheSameAccesses) {
  EXPECT_THAT(Attributed(Loading(10, {100, 300, 300, 4}), Loading(30, {100, 300, 300, 4})),
              AreUs({{"exposed_shared", 20}}));
}

TEST(ExposedShared, TakesWaitingInTheQueueBeforeThemToo) {
  const auto queueing = [](double us) {
    return Spending("queueing", {{"selected", 40}, {"mio_throttle", us}})
        .Metric("shared_load_inst", 100)
        .Metric("shared_wavefronts", 300)
        .Metric("sass_shared_wavefronts", 300)
        .Metric("sass_shared_wavefronts_ideal", 300);
  };
  EXPECT_THAT(Attributed(queueing(10), queueing(30)), AreUs({{"exposed_shared", 20}}));
}

TEST(ExposedShared, IsSilentWhereAccessesAreMore) {
  EXPECT_THAT(Attributed(Loading(10, {100, 300, 300, 4}), Loading(30, {300, 900, 900, 4})),
              AreUs({{"shared_traffic", 20}}));
}

TEST(ExposedShared, IsSilentWhereAsManyAccessesTakeFarLess) {
  // Of 900 wavefronts 600 went, against the waiting: these are other accesses.
  EXPECT_THAT(Attributed(Loading(10, {100, 900, 300, 4}), Loading(30, {100, 300, 300, 4})),
              AreUs({{"unexplained", 20}}));
}

TEST(ExposedShared, IsSilentOfWaitingForSpecialFunctions) {
  EXPECT_THAT(Attributed(Waiting(10), Waiting(30)), AreUs({{"unexplained", 20}}));
}

TEST(ExposedShared, LeavesToBarriersWhatTheseBrought) {
  KernelBuilder base = Loading(10, {100, 300, 300, 4}), candidate = Loading(30, {100, 300, 300, 4});
  base.record.barriers = 100;
  candidate.record.barriers = 1000;
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"barrier", 20}}));
}

TEST(Atomics, OfSharedMemoryAreSilentWhereTheirWavefrontsDidNotMove) {
  const auto adding = [](double us) {
    return Loading(us, {1000, 1100, 1000, 4})
        .Metric("shared_atom_wavefronts", 100)
        .Metric("sass_shared_wavefronts", 1000);
  };
  EXPECT_THAT(Attributed(adding(10), adding(30)), AreUs({{"unexplained", 20}}));
}

TEST(Atomics, OfSharedMemoryTakeTheirOwnWavefrontsEvenWhereTheyAreFew) {
  const auto adding = [](double us, double wavefronts) {
    return Loading(us, {1000, 1000 + wavefronts, 1000, 4})
        .Metric("shared_atom_wavefronts", wavefronts)
        .Metric("sass_shared_wavefronts", 1000);
  };
  // 30 of 2,010 units more explain up to 3 x 1.5 % more waiting.
  EXPECT_THAT(Attributed(adding(10, 10), adding(10.4, 40)), AreUs({{"atomics", 0.4}}));
}

TEST(ConstantCache, TakesTheWaitingForLanesThatAskForDifferentConstants) {
  EXPECT_THAT(Attributed(Waiting(10).Metric("idc_requests", 100),
                         Waiting(30).Metric("idc_requests", 100).Metric("idc_replays", 3100)),
              AreUs({{"constant_cache", 20}}));
}

TEST(ConstantCache, TakesTheWaitingForMissesOfImmediateConstants) {
  const auto missing = [](double us, double misses) {
    return Spending("k", {{"selected", 40}, {"imc_miss", us}}).Metric("imc_misses", misses);
  };
  EXPECT_THAT(Attributed(missing(10, 100), missing(30, 400)), AreUs({{"constant_cache", 20}}));
  EXPECT_THAT(Attributed(missing(10, 100), missing(30, 100)), AreUs({{"unexplained", 20}}));
}

TEST(ConstantCache, IsSilentWhereAllLanesAskForOneConstantAsOften) {
  EXPECT_THAT(Attributed(Waiting(10).Metric("idc_requests", 100), Waiting(30).Metric("idc_requests", 100)),
              AreUs({{"unexplained", 20}}));
}

TEST(SfuPipe, TakesTheWaitingForSpecialFunctions) {
  EXPECT_THAT(Attributed(Waiting(10), Waiting(30).Metric("pipe_xu_inst", 200)), AreUs({{"sfu_pipe", 20}}));
}

TEST(SfuPipe, IsSilentWhereThePipeConverts) {
  // 200 warp instructions of 32 lanes: all of what the pipe did.
  const KernelBuilder converting = Waiting(30).Metric("pipe_xu_inst", 200).Metric("conversion_thread_inst", 200 * 32);
  EXPECT_THAT(Attributed(Waiting(10), converting), AreUs({{"instruction_count", 20}}));
}

TEST(Fp64Pipe, TakesTheConversionsThatCameWithIt) {
  const KernelBuilder mixed =
      Waiting(30).Metric("pipe_xu_inst", 200).Metric("conversion_thread_inst", 200 * 32).Metric("pipe_fp64_inst", 200);
  EXPECT_THAT(Attributed(Waiting(10), mixed), AreUs({{"fp64_pipe", 20}}));
}

TEST(Fp64Pipe, TakesTheTwoConversionsOfAnAccidentalDouble) {
  // x * 1.0001 + 0.3: two conversions and a DFMA.
  const KernelBuilder mixed =
      Waiting(30).Metric("pipe_xu_inst", 400).Metric("conversion_thread_inst", 400 * 32).Metric("pipe_fp64_inst", 200);
  EXPECT_THAT(Attributed(Waiting(10), mixed), AreUs({{"fp64_pipe", 20}}));
}

TEST(Fp64Pipe, LeavesConversionsThatAreTooManyForItToInstructions) {
  const KernelBuilder mixed =
      Waiting(30).Metric("pipe_xu_inst", 400).Metric("conversion_thread_inst", 400 * 32).Metric("pipe_fp64_inst", 50);
  EXPECT_THAT(Attributed(Waiting(10), mixed), AreUs({{"fp64_pipe", 10}, {"instruction_count", 10}}));
}

TEST(MioThrottle, BelongsToLocalAccessesToo) {
  const auto queueing = [](double us, double local) {
    KernelBuilder k = Spending("k", {{"selected", 40}, {"mio_throttle", us}}).Metric("local_store_inst", local);
    k.Attribute("stack_frame_bytes", 64);
    return k.Metric("shared_load_inst", 100);
  };
  EXPECT_THAT(Attributed(queueing(10, 0), queueing(30, 300)), AreUs({{"local_memory_array", 20}}));
}

// As many bytes copied asynchronously, beside 100 wavefronts of loads; a copy's wavefronts are those that neither loads
// nor stores take.
KernelBuilder Copying(double us, double copies, double bytes, double wavefronts) {
  KernelBuilder k = Loading(us, {100, 100 + wavefronts, 100 + wavefronts, 16});
  k.Metric("shared_load_wavefronts", 100).Metric("shared_store_wavefronts", 0).Metric("shared_atom_wavefronts", 0);
  k.Metric("global_load_requests", copies).Metric("global_load_inst", 0);
  k.record.access_bytes["global"] = bytes;
  return k;
}

TEST(CopiesThroughL1, TakeTheWaitingForWavefrontsOfTheSameCopies) {
  EXPECT_THAT(Attributed(Copying(10, 50, 16, 0), Copying(30, 50, 16, 200)), AreUs({{"copies_through_l1", 20}}));
}

TEST(CopiesThroughL1, AreSilentWhereMoreIsCopiedTheSameWay) {
  const Us parts = Attributed(Copying(10, 50, 16, 200), Copying(30, 150, 16, 600));
  EXPECT_FALSE(parts.contains("copies_through_l1"));
  EXPECT_FALSE(parts.contains("global_access_width"));
}

TEST(CopiesThroughL1, AreSilentWhereNothingWasCopiedBefore) {
  EXPECT_FALSE(Attributed(Copying(10, 0, 16, 0), Copying(30, 50, 16, 200)).contains("copies_through_l1"));
}

TEST(GlobalAccessWidth, TakesWhatNarrowerCopiesAskOfTheDataPipe) {
  // Four times as many copies for the same bytes, and wavefronts with them.
  EXPECT_THAT(Attributed(Copying(10, 50, 16, 50), Copying(30, 200, 4, 200)), AreUs({{"global_access_width", 20}}));
}

}  // namespace
}  // namespace culprit
