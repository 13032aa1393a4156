// SPDX-License-Identifier: Apache-2.0
// Causes told from global and local accesses. 40 us of work and 60 us of waiting for memory unless a test says
// otherwise; units of demand are those of wait.h: a sector at L1 is 1, of L2 and of device memory what the machine says
// beyond that, a request 4 x what its sectors cost on the average of the two kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/judge/why/attribute.h"
#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::AreUs;
using testing::Attributed;
using testing::KernelBuilder;
using testing::Spending;
using testing::Us;

constexpr double kSectorBytes = 32;

KernelBuilder Waiting(double us) { return Spending("waiting", {{"selected", 40}, {"long_scoreboard", us}}); }

struct Accesses {
  double requests, sectors, ideal;
};

KernelBuilder Loading(double us, const Accesses& a) {
  KernelBuilder k = Waiting(us);
  k.Metric("global_load_requests", a.requests).Metric("global_load_sectors", a.sectors);
  k.Metric("sass_global_sectors", a.sectors).Metric("sass_global_sectors_ideal", a.ideal);
  return k;
}

// 100 loads of 32 bit, coalesced.
KernelBuilder Loading(double us) { return Loading(us, {100, 400, 400}); }

KernelBuilder UsingLocal(KernelBuilder k, double sectors, double frame_bytes, double spilled_bytes) {
  k.Metric("local_load_sectors", sectors).Metric("local_load_requests", sectors / 4);
  k.Attribute("stack_frame_bytes", frame_bytes).Attribute("spill_store_bytes", spilled_bytes);
  return k;
}

TEST(LocalMemoryArray, TakesTheWaitingForSectorsThatOnlyTheCandidateHas) {
  EXPECT_THAT(Attributed(Loading(60), UsingLocal(Loading(120), 400, 256, 0)), AreUs({{"local_memory_array", 60}}));
}

TEST(LocalMemoryArray, IsSilentWhereLocalSectorsDidNotMove) {
  EXPECT_THAT(Attributed(UsingLocal(Waiting(60), 400, 256, 0), UsingLocal(Waiting(120), 400, 256, 0)),
              AreUs({{"unexplained", 60}}));
}

TEST(LocalMemorySpill, TakesItWhereTheFrameHoldsSpills) {
  EXPECT_THAT(Attributed(Loading(60), UsingLocal(Loading(120), 400, 16, 16)), AreUs({{"local_memory_spill", 60}}));
}

TEST(LocalMemorySpill, IsSilentWhereTheFrameIsMostlyAnArray) {
  EXPECT_THAT(Attributed(Loading(60), UsingLocal(Loading(120), 400, 256, 16)), AreUs({{"local_memory_array", 60}}));
}

TEST(LocalMemorySpill, MakesRoomForAnArrayAsTwoCauses) {
  const auto spending = [](double long_scoreboard, double lg_throttle) {
    return Spending("local", {{"selected", 40}, {"long_scoreboard", long_scoreboard}, {"lg_throttle", lg_throttle}});
  };
  // Each kind's own sectors: the array's 1,200 came with 60 us in one state, the spills' 400 went with 20 us in
  // another.
  EXPECT_THAT(Attributed(UsingLocal(spending(60, 40), 400, 16, 16), UsingLocal(spending(120, 20), 1200, 256, 0)),
              AreUs({{"local_memory_array", 60}, {"local_memory_spill", -20}}));
}

TEST(GlobalUncoalesced, TakesTheWaitingForExcessSectors) {
  EXPECT_THAT(Attributed(Loading(60), Loading(120, {100, 3200, 400})), AreUs({{"global_uncoalesced", 60}}));
}

TEST(GlobalUncoalesced, IsSilentWhereEqualExcessGoesToL2) {
  KernelBuilder base = Loading(60, {100, 3200, 400}), candidate = Loading(120, {100, 3200, 400});
  candidate.Metric("l2_sectors_from_l1", 3200);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"l2_traffic", 60}}));
}

TEST(GlobalUncoalesced, IsSilentWhereEqualExcessGoesToDeviceMemory) {
  KernelBuilder base = Loading(60, {100, 3200, 400}), candidate = Loading(120, {100, 3200, 400});
  base.Metric("l2_sectors_from_l1", 3200);
  candidate.Metric("l2_sectors_from_l1", 3200).Metric("dram_read_bytes", 3200 * kSectorBytes);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"dram_traffic", 60}}));
}

TEST(GlobalUncoalesced, TakesDeeperSectorsTooWhereTheExcessItselfGrew) {
  KernelBuilder base = Loading(60, {100, 800, 400}), candidate = Loading(120, {100, 3200, 400});
  candidate.Metric("l2_sectors_from_l1", 3200);
  // Units: the 400 useful sectors now come from L2, 6 times theirs or so more; the excess goes from 400 at L1 to 2,800
  // at L2, 7 times as many, and none at L1, where it fell against its growth: -400 that is the caches'.
  const double deeper = MachineOf(base.record.run.run).L2OverL1();
  const double l2 = 400 * deeper - 400, uncoalesced = 2800 * (1 + deeper);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"global_uncoalesced", 60 * uncoalesced / (uncoalesced + l2)},
                                                  {"l2_traffic", 60 * l2 / (uncoalesced + l2)}}));
}

TEST(GlobalAccessWidth, TakesTheRequestsThatNarrowAccessesNeedForTheSameBytes) {
  KernelBuilder wide = Loading(60, {100, 1600, 1600}), narrow = Loading(120, {400, 1600, 1600});
  wide.record.access_bytes["global"] = 16;
  narrow.record.access_bytes["global"] = 4;
  EXPECT_THAT(Attributed(wide, narrow), AreUs({{"global_access_width", 60}}));
}

TEST(GlobalAccessWidth, IsNotJudgedWhereInstructionsWereNotCounted) {
  KernelBuilder wide = Loading(60, {100, 1600, 1600}), narrow = Loading(120, {400, 1600, 1600});
  for (KernelBuilder* k : {&wide, &narrow}) k->record.barriers.reset();
  EXPECT_THAT(Attributed(wide, narrow), AreUs({{"unexplained", 60}})) << "the requests may be narrower, or more";
}

TEST(GlobalAccessWidth, IsWhatInstructionsNameWhereSectorsPerRequestDoNotTell) {
  // Four sectors a request in both: 128 bit broadcast to four lanes each, and 32 bit for each lane.
  KernelBuilder wide = Loading(60, {100, 400, 400}), narrow = Loading(120, {400, 1600, 1600});
  wide.record.access_bytes["global"] = 16;
  narrow.record.access_bytes["global"] = 4;
  // 1,200 units of requests are the width's, 1,200 of sectors the caches'.
  EXPECT_THAT(Attributed(wide, narrow), AreUs({{"global_access_width", 30}, {"l2_traffic", 30}}));
}

TEST(GlobalAccessWidth, IsSilentWhereMoreAccessesAreAsWide) {
  KernelBuilder few = Loading(60, {100, 400, 400}), many = Loading(120, {400, 1600, 1600});
  few.record.access_bytes["global"] = many.record.access_bytes["global"] = 4;
  EXPECT_THAT(Attributed(few, many), AreUs({{"l2_traffic", 60}}));
}

TEST(GlobalAccessWidth, IsSilentBetweenABroadcastAndACoalescedLoad) {
  // A sector for a broadcast of 32 bit, four for a coalesced load of 32 bit: neither is narrower.
  EXPECT_THAT(Attributed(Loading(60, {100, 400, 400}), Loading(120, {400, 400, 400})), AreUs({{"l2_traffic", 60}}));
}

TEST(L2Traffic, TakesTheWaitingForMoreCoalescedSectors) {
  EXPECT_THAT(Attributed(Loading(60), Loading(120, {200, 800, 800})), AreUs({{"l2_traffic", 60}}));
}

TEST(L2Traffic, TakesTheWaitingForSectorsThatL1NoLongerHolds) {
  EXPECT_THAT(Attributed(Loading(60), Loading(120).Metric("l2_sectors_from_l1", 400)), AreUs({{"l2_traffic", 60}}));
}

TEST(L2Traffic, IsSilentWhereSectorsOfL2NowComeFromDeviceMemory) {
  KernelBuilder base = Loading(60).Metric("l2_sectors_from_l1", 400);
  KernelBuilder candidate = Loading(120).Metric("l2_sectors_from_l1", 400);
  candidate.Metric("dram_read_bytes", 400 * kSectorBytes);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"dram_traffic", 60}}));
}

// Local accesses take a share of what passes device memory, as much as before: of global accesses less does.
TEST(DramTraffic, TakesNoWaitingWithItThatItsBytesDoNotShowToHaveGone) {
  const auto issuing = [](double instructions_us, double waiting_us) {
    return Spending("issuing", {{"selected", instructions_us}, {"long_scoreboard", waiting_us}})
        .Metric("inst_issued", 1000 * instructions_us / 40)
        .Metric("global_load_requests", 100)
        .Metric("global_load_sectors", 400)
        .Metric("sass_global_sectors", 400)
        .Metric("sass_global_sectors_ideal", 400)
        .Metric("l2_sectors_from_l1", 400)
        .Metric("dram_read_bytes", 400 * kSectorBytes);
  };
  const KernelBuilder candidate = UsingLocal(issuing(70, 10), 400, 256, 0);
  // The 10 us that vanished are hidden behind the 30 us of instructions.
  EXPECT_THAT(Attributed(issuing(40, 20), candidate), AreUs({{"instruction_count", 20}}));
}

TEST(DramTraffic, IsSilentWhereAsManyBytesAreReadAndMoreSectorsHitL2) {
  KernelBuilder base = Loading(60).Metric("l2_sectors_from_l1", 400);
  KernelBuilder candidate = Loading(120, {200, 800, 800}).Metric("l2_sectors_from_l1", 800);
  for (KernelBuilder* k : {&base, &candidate}) k->Metric("dram_read_bytes", 400 * kSectorBytes);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"l2_traffic", 60}}));
}

TEST(Growth, BeyondTheThirdPowerOfTheDemandsIsNotItsDoing) {
  // Demand x 1.25 explains 3 x ln 1.25 of ln 10; loads that are no longer the same cannot be exposed.
  const double explained = 540 * 3 * std::log(1.25) / std::log(10);
  EXPECT_THAT(Attributed(Loading(60), Loading(600, {125, 500, 500})),
              AreUs({{"l2_traffic", explained}, {"unexplained", 540 - explained}}));
}

TEST(Growth, IsThatOfAllStatesOfAUnitWhereOneOverflowsIntoAnother) {
  const auto loading = [](double long_scoreboard, double lg_throttle, double requests) {
    return Spending("k", {{"selected", 40}, {"long_scoreboard", long_scoreboard}, {"lg_throttle", lg_throttle}})
        .Metric("global_load_requests", requests)
        .Metric("global_load_sectors", 4 * requests);
  };
  // 91 us of waiting for memory become 181 for twice the sectors, all of the growth in the queue before it.
  EXPECT_THAT(Attributed(loading(90, 1, 100), loading(90, 91, 200)), AreUs({{"l2_traffic", 90}}));
  // The queue grows eightfold for 1.25 times the sectors; that the unit as a whole is waited for less is no measure.
  const double explained = 35 * 3 * std::log(1.25) / std::log(8);
  EXPECT_THAT(Attributed(loading(100, 5, 100), loading(20, 40, 125)),
              AreUs({{"l2_traffic", explained}, {"unexplained", -45 - explained}}));
}

TEST(ExposedLatency, LiesInTheCodeAndIsNoCauseWhereBothAreTheSame) {
  KernelBuilder base = Loading(60), candidate = Loading(120);
  base.record.cubin_digest = candidate.record.cubin_digest = "c0de";
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"unexplained", 60}}));
  candidate.record.launch.grid_x += 1;  // other blocks may wait for other data
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"exposed_latency", 60}}));
}

TEST(ExposedLatency, TakesTheWaitingForTheSameLoads) {
  EXPECT_THAT(Attributed(Loading(60), Loading(120)), AreUs({{"exposed_latency", 60}}));
}

TEST(ExposedLatency, IsSilentWhereThereAreFewerLoads) {
  EXPECT_THAT(Attributed(Loading(60), Loading(120, {50, 200, 200})), AreUs({{"unexplained", 60}}));
}

// Asynchronous copies are requests of global loads that no load instruction makes.
KernelBuilder Copying(double us, const Accesses& a) { return Loading(us, a).Metric("global_load_inst", 0); }
KernelBuilder ByInstructions(double us, const Accesses& a) {
  return Loading(us, a).Metric("global_load_inst", a.requests);
}

TEST(ExposedLatency, TakesTheWaitingForAsManySectorsWhereOnlyOneCopies) {
  // Four copies of 32 bit to a lane are as many bytes as one load of 128. Fewer requests are no reason to wait longer,
  // nor more of them to wait for less.
  const Accesses copies{400, 1600, 1600}, loads{100, 1600, 1600};
  EXPECT_THAT(Attributed(Copying(60, copies), ByInstructions(120, loads)), AreUs({{"exposed_latency", 60}}));
  EXPECT_THAT(Attributed(ByInstructions(120, loads), Copying(60, copies)), AreUs({{"exposed_latency", -60}}));
}

TEST(ExposedLatency, IsSilentWhereOnlyOneCopiesAndSectorsAreFewer) {
  // As many requests: it is not these that are compared.
  EXPECT_THAT(Attributed(Copying(60, {100, 1600, 1600}), ByInstructions(120, {100, 800, 800})),
              AreUs({{"unexplained", 60}}));
}

TEST(ExposedLatency, CountsRequestsWhereBothCopyOrNeitherDoes) {
  EXPECT_THAT(Attributed(Copying(60, {400, 1600, 1600}), Copying(120, {100, 1600, 1600})),
              AreUs({{"unexplained", 60}}));
  EXPECT_THAT(Attributed(ByInstructions(60, {400, 1600, 1600}), ByInstructions(120, {100, 1600, 1600})),
              AreUs({{"unexplained", 60}}));
}

TEST(ExposedLatency, IsSilentInStatesThatNoLoadWaitsIn) {
  const auto loading = [](double us) {
    return Spending("k", {{"selected", 40}, {"sleeping", us}}).Metric("global_load_requests", 100);
  };
  EXPECT_THAT(Attributed(loading(60), loading(120)), AreUs({{"unexplained", 60}}));
}

TEST(Atomics, TakeTheWaitingForTheirOwnSectors) {
  EXPECT_THAT(
      Attributed(Loading(60), Loading(120).Metric("global_red_requests", 100).Metric("global_red_sectors", 100)),
      AreUs({{"atomics", 60}}));
}

KernelBuilder LoadingFor(double us, double cycles) { return Loading(us).Metric("sm_cycles_elapsed_max", cycles); }

TEST(HostMemory, TakesTheWaitingForItsSectors) {
  const auto from_host = [](double us, double sectors) {
    return LoadingFor(us, 10'000).Metric("host_sectors", sectors);
  };
  EXPECT_THAT(Attributed(from_host(60, 0), from_host(120, 1000)), AreUs({{"host_memory", 60}}));
  // A sector takes 1.2 cycles of the link.
  EXPECT_THAT(Attributed(from_host(60, 0), from_host(120, 80)), AreUs({{"exposed_latency", 60}})) << "hardly busy";
}

TEST(HostMemory, IsLeftOutIfOneKernelWasNotMeasured) {
  KernelBuilder old = LoadingFor(60, 10'000);
  old.Remove("host_sectors");
  const KernelBuilder now = LoadingFor(120, 10'000).Metric("host_sectors", 1000);
  EXPECT_THAT(Attributed(old, now), AreUs({{"exposed_latency", 60}})) << "both may have read as many";
}

TEST(L2Camping, TakesTheWaitingForTheBusiestSliceBeyondAtomics) {
  const auto slices = [](double us, double busiest) {
    return LoadingFor(us, 10'000).Metric("l2_slice_requests_max", busiest).Metric("l2_slice_requests_avg", 100);
  };
  EXPECT_THAT(Attributed(slices(60, 150), slices(120, 2000)), AreUs({{"l2_camping", 60}}));
  EXPECT_THAT(Attributed(slices(60, 150), slices(120, 600)), AreUs({{"exposed_latency", 60}}))
      << "busy for less than a tenth of the time";
  const auto with_atomics = [&](double us, double busiest, double atomics) {
    return slices(us, busiest).Metric("global_red_requests", atomics).Metric("global_red_sectors", atomics);
  };
  EXPECT_THAT(Attributed(with_atomics(60, 150, 0), with_atomics(120, 2000, 1900)), AreUs({{"atomics", 60}}));
}

TEST(Atomics, TakeTheWaitingForTheCyclesOfOneAddress) {
  const auto reducing = [](double us, double l2_cycles) {
    return Loading(us).Metric("global_red_requests", 100).Metric("l2_atomic_cycles", l2_cycles);
  };
  EXPECT_THAT(Attributed(reducing(60, 100), reducing(120, 3200)), AreUs({{"atomics", 60}}));
  const auto rarely = [](double us, double l2_cycles) {
    return Loading(us).Metric("global_red_requests", 4).Metric("l2_atomic_cycles", l2_cycles);
  };
  EXPECT_THAT(Attributed(rarely(60, 100), rarely(120, 3200)), AreUs({{"atomics", 60}})) << "few, but each of them long";
}

TEST(Atomics, OfWhichThereAreAsManyAreNotWhatLoadsWaitFor) {
  const auto reducing = [](double us) { return Loading(us).Metric("global_red_requests", 100); };
  EXPECT_THAT(Attributed(reducing(60), reducing(120)), AreUs({{"exposed_latency", 60}}));
}

TEST(Atomics, ThatMeetHoldUpLoadsByAsMuchAsTheyAreWaitedForThemselves) {
  const auto meeting = [](double loads, double drain) {
    return Spending("k", {{"selected", 40}, {"long_scoreboard", loads}, {"drain", drain}})
        .Metric("global_load_requests", 100)
        .Metric("global_load_sectors", 400)
        .Metric("global_red_requests", 100);
  };
  EXPECT_THAT(Attributed(meeting(60, 1), meeting(120, 10)), AreUs({{"atomics", 69}}));
  // Waiting twice as long for loads; a tenth longer for the reductions.
  const double share = std::log(1.1) / std::log(121.1 / 61);
  const Us us = Attributed(meeting(60, 1), meeting(120, 1.1));
  EXPECT_NEAR(us.at("atomics"), 60.1 * share, 0.1);
  EXPECT_NEAR(us.at("exposed_latency"), 60 * (1 - share), 0.1);
}

TEST(Atomics, HoldUpTheSameLoadsByAsMuchAsIsNoLatency) {
  // 1,000 warp-cycles are a microsecond. A load takes 1,235 cycles in 60 us; twice that is still latency.
  const double loads = 60 * 1000 / 1235.0;
  const auto with = [&](double us, double reductions) {
    return Loading(us, {loads, 4 * loads, 4 * loads})
        .Metric("global_red_requests", loads / 2)
        .Metric("global_red_sectors", reductions);
  };
  const Us us = Attributed(with(60, 1), with(600, 4));
  // Beside what their few sectors more ask for by themselves.
  EXPECT_NEAR(us.at("atomics"), 480, 5);
  EXPECT_NEAR(us.at("exposed_latency"), 60, 5);
  EXPECT_NEAR(Attributed(with(600, 4), with(60, 1)).at("atomics"), -480, 5);
  EXPECT_NEAR(Attributed(with(60, 4), with(600, 4)).at("exposed_latency"), 540, 1) << "no more atomics";
  EXPECT_NEAR(Attributed(with(60, 1), with(115, 4)).at("exposed_latency"), 55, 10) << "latency under load";
}

TEST(Atomics, ThatReturnAValueAreWhatIsWaitedForWhereThereAreHardlyAnyLoads) {
  const auto kernel = [](double us, double loads) {
    return Waiting(us).Metric("global_atom_requests", 100).Metric("global_load_requests", loads);
  };
  EXPECT_THAT(Attributed(kernel(60, 1), kernel(120, 1)), AreUs({{"atomics", 60}}));
  EXPECT_THAT(Attributed(kernel(60, 100), kernel(120, 100)), AreUs({{"exposed_latency", 60}}));
}

TEST(Atomics, AreSilentWhereAKernelOfManyLoadsHasOne) {
  const auto with_one = [](double us) {
    return Loading(us).Metric("global_red_requests", 1).Metric("global_red_sectors", 1);
  };
  EXPECT_THAT(Attributed(with_one(60), with_one(120)), AreUs({{"exposed_latency", 60}}));
}

TEST(Divergence, TakesTheRequestsOfFewerLanes) {
  // Half the lanes, twice the requests, for the same sectors.
  KernelBuilder base = Loading(60), candidate = Loading(120, {200, 400, 400});
  candidate.Metric("threads_per_inst", 16, "thread");
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"divergence", 60}}));
}

TEST(Divergence, OfAFewLanesDoesNotTakeAFourfoldGrowthOfRequests) {
  KernelBuilder base = Loading(60), candidate = Loading(120, {400, 1600, 1600});
  candidate.Metric("threads_per_inst", 28, "thread");
  // Of 1,600 requests' units for 400, ln(32 / 28) / ln 4 of the growth: 115.6 of 1,200; the sectors' 1,200 are none's
  // but the caches'.
  const double lanes = 60 * 1200 * std::log(32.0 / 28) / std::log(4) / 2400;
  EXPECT_LT(lanes, 3);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"divergence", lanes}, {"l2_traffic", 60 - lanes}}));
}

KernelBuilder WithoutExactCounts(KernelBuilder k) {
  return k.Remove("sass_global_sectors").Missing("sass_global_sectors_ideal", ReadingStatus::kDenied);
}

TEST(WithoutExactCounts, MoreSectorsPerRequestAreNobodys) {
  const KernelBuilder base = Loading(60), candidate = Loading(120, {100, 3200, 400});
  EXPECT_THAT(Attributed(WithoutExactCounts(base), WithoutExactCounts(candidate)), AreUs({{"unexplained", 60}}));
  EXPECT_THAT(Attributed(base, WithoutExactCounts(candidate)), AreUs({{"unexplained", 60}}));
}

TEST(WithoutExactCounts, MoreDataFromDeviceMemoryIsStillToldApart) {
  KernelBuilder base = Loading(60), candidate = Loading(120);
  base.Metric("l2_sectors_from_l1", 400).Metric("l2_sectors", 400);
  candidate.Metric("l2_sectors_from_l1", 400).Metric("l2_sectors", 400).Metric("dram_read_bytes", 4000 * kSectorBytes);
  const Us whole = Attributed(base, candidate);
  const Us less = Attributed(WithoutExactCounts(base), WithoutExactCounts(candidate));
  EXPECT_GT(less.at("dram_traffic"), 0.4 * whole.at("dram_traffic"));
  EXPECT_LE(less.at("dram_traffic"), whole.at("dram_traffic"));
}

TEST(LocalMemory, IsNoArraysAndNoSpillsWhereTheCompilersReportIsMissing) {
  const auto unreported = [](KernelBuilder k) { return k.Remove("spill_store_bytes"); };
  EXPECT_THAT(Attributed(unreported(Loading(60)), unreported(UsingLocal(Loading(120), 400, 256, 0))),
              AreUs({{"local_memory_unknown", 60}}));
  // Without a frame to compare with, that there are spills does not say how much of it they are.
  EXPECT_THAT(Attributed(Loading(60), UsingLocal(Loading(120), 400, 256, 16).Remove("stack_frame_bytes")),
              AreUs({{"local_memory_unknown", 60}}));
}

TEST(LocalMemory, IsNobodysWhereTheBasesCountersFailed) {
  KernelBuilder base = UsingLocal(Waiting(60), 400, 256, 0), candidate = UsingLocal(Waiting(120), 400, 256, 0);
  base.Metric("local_load_inst", 100);
  candidate.Metric("local_load_inst", 100);
  for (const char* id : {"local_load_sectors", "local_load_requests"}) base.Missing(id, ReadingStatus::kFailed);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"unexplained", 60}}));
}

}  // namespace
}  // namespace culprit
