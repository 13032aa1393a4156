// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies to shared memory: those of threads (LDGSTS), and bulk copies of the TMA.
#include <cmath>

#include "analysis/judge/causes/movement.h"
#include "analysis/judge/causes/rooms.h"

namespace culprit {
namespace {

// The part of the growth that comes from more units per byte. If one kernel has none of the units, the whole growth.
double ByRate(double a, double b, double bytes_from, double bytes_to) {
  const bool known = bytes_from > 0 && bytes_to > 0, one_has_none = !(a > 0) || !(b > 0);
  return known && one_has_none ? b - a : MoreByRate(a, b, bytes_from, bytes_to);
}

// Copies through L1 pass the data pipe once more, and narrow copies cannot bypass L1. More bytes by the same path
// belong to the amount of data. Each copy also waits in the queue before that pipe.
void TakesWay(Wait wait, const Askers& pair, Movement& m) {
  if (wait != Wait::kResult && wait != Wait::kQueue) return;
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (from.copies.high == 0 || to.copies.high == 0) return;
  const Range of_width =
      AtEnds(MoreByWidth, from.shared_by_copies, to.shared_by_copies, from.global_width, to.global_width);
  const Range of_bytes = AtEnds(ByRate, from.shared_by_copies, to.shared_by_copies, from.copies * from.global_width,
                                to.copies * to.global_width);
  m.Pass(kSharedTraffic, "global_access_width", of_width);
  m.Pass(kSharedTraffic, "copies_through_l1", of_bytes - of_width);
  const Range narrower = AtEnds(MoreByWidth, from.copies, to.copies, from.global_width, to.global_width);
  if (pair.base.of_unit || (narrower.low == 0 && narrower.high == 0)) return;
  m.Add(kL2Traffic, from.copies, to.copies);
  m.Pass(kL2Traffic, "global_access_width", narrower);
}

// One thread issues bulk copies while the others wait. Takes the instructions that the added copies need.
void TakesSize(Wait wait, const Askers& pair, Movement& m) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (!IsPerInstruction(wait) || !from.KnowsBulk() || !to.KnowsBulk()) return;
  const double most =
      kBulkCopyInstructions * ByRate(*from.bulk_copies, *to.bulk_copies, *from.bulk_bytes, *to.bulk_bytes);
  const auto of_copies = [&](double a, double b) { return Within(most, b - a); };
  m.Pass(kInstructionCount, "bulk_copy_size", AtEnds(of_copies, from.other, to.other));
}

// With more copies for the same bytes, warps wait longer.
std::vector<RestShare> TakesArrivals(const Askers& pair, const Decomposition& d) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (!from.KnowsBulk() || !to.KnowsBulk()) return {};
  const double grew = std::log(*to.bulk_copies / *to.bulk_bytes) - std::log(*from.bulk_copies / *from.bulk_bytes);
  if (grew * d.DeltaUs() <= 0 || std::abs(grew) < kAlikeLog) return {};
  return {{states::kCopies, 1.0}};
}

}  // namespace

Cause CopiesThroughL1() {
  return {
      .id = "copies_through_l1",
      .title = "asynchronous copies through L1",
      .saves = "asynchronous copies past L1",
      .explains = "short_scoreboard and mio_throttle",
      .moves = "shared wavefronts of asynchronous copies for the same bytes",
      .remedy = "copy 16 bytes at once and past L1 (cp.async.cg), or by bulk copies",
      .needs = {"shared_wavefronts", "shared_load_wavefronts", "shared_store_wavefronts", "global_load_requests",
                "global_load_inst"},
      .evidence = {"copied_wavefronts", "shared_wavefronts", "global_access_bytes", "l1_throughput_pct"},
      .rises = {"copied_wavefronts"},
      .loads = units::kL1,
      .takes = TakesWay,
      .sampled = SampledAt{kSharedAccesses},
  };
}

Cause BulkCopySize() {
  return {
      .id = "bulk_copy_size",
      .title = "small bulk copies",
      .saves = "larger bulk copies",
      .explains = "issued instructions and wait, of the thread that copies, and mbarrier_copy",
      .moves = "more bulk copies for the same bytes",
      .remedy = "copy more bytes at once: a whole tile, or a box of a tensor",
      .needs = {"inst_issued"},
      .evidence = {"tma_load_inst", "tma_read_bytes", "inst_issued"},
      .rises = {"tma_load_inst"},
      .loads = units::kIssue | units::kAlu | units::kFma,
      .takes = TakesSize,
      .takes_rest = TakesArrivals,
      .symptom = {"bulk copies", "tma_load_inst"},
      .sampled = SampledAt{{Operation::kAsyncCopy, Operation::kUniform}},
  };
}

}  // namespace culprit
