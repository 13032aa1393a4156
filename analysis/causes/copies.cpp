// SPDX-License-Identifier: Apache-2.0
// Copies to shared memory that no warp waits at: asynchronous ones of threads (LDGSTS), and bulk copies of the TMA.
#include <cmath>

#include "analysis/causes/movement.h"
#include "analysis/causes/rooms.h"

namespace culprit {
namespace {

// Of a product, bytes x units for each, what the units for each byte brought: by LMDI, as times are shared out. Where
// one of the two has none of the units, all of them.
double ByRate(double a, double b, double bytes_from, double bytes_to) {
  if (!(bytes_from > 0) || !(bytes_to > 0)) return 0;
  if (!(a > 0) || !(b > 0)) return b - a;
  return LogarithmicMean(b, a) * (std::log(b / bytes_to) - std::log(a / bytes_from));
}

// What is copied through L1 passes the data pipe once more, and narrow copies cannot pass L1. More bytes by the same
// way are more data. Copies also queue with what waits for that pipe, each for itself.
void TakesWay(Wait wait, const Askers& pair, Movement& m) {
  if (wait != Wait::kResult && wait != Wait::kQueue) return;
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (from.copies.high == 0 || to.copies.high == 0) return;
  const auto by_width = [](double a, double b, double width_from, double width_to) {
    return a > 0 && b > 0 ? LogarithmicMean(b, a) * GrowthByWidth(a, b, width_from, width_to) : 0.0;
  };
  const Range of_width =
      AtEnds(by_width, from.shared_by_copies, to.shared_by_copies, from.global_width, to.global_width);
  const Range of_bytes = AtEnds(ByRate, from.shared_by_copies, to.shared_by_copies, from.copies * from.global_width,
                                to.copies * to.global_width);
  m.Pass(kSharedTraffic, "global_access_width", of_width);
  m.Pass(kSharedTraffic, "copies_through_l1", of_bytes - of_width);
  const Range narrower = AtEnds(by_width, from.copies, to.copies, from.global_width, to.global_width);
  if (pair.base.of_unit || (narrower.low == 0 && narrower.high == 0)) return;
  m.Add(kL2Traffic, from.copies, to.copies);
  m.Pass(kL2Traffic, "global_access_width", narrower);
}

// One thread issues bulk copies while the others wait: of the instructions that came with more copies, what these need.
void TakesSize(Wait wait, const Askers& pair, Movement& m) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (!IsPerInstruction(wait) || !from.KnowsBulk() || !to.KnowsBulk()) return;
  const double most =
      kBulkCopyInstructions * ByRate(*from.bulk_copies, *to.bulk_copies, *from.bulk_bytes, *to.bulk_bytes);
  const auto of_copies = [&](double a, double b) {
    return (b - a) * most <= 0 ? 0.0 : std::abs(b - a) < std::abs(most) ? b - a : most;
  };
  m.Pass(kInstructionCount, "bulk_copy_size", AtEnds(of_copies, from.other, to.other));
}

// More copies for the same bytes are waited for longer.
std::vector<RestShare> TakesArrivals(const Askers& pair, const Decomposition& d) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (!from.KnowsBulk() || !to.KnowsBulk()) return {};
  const double grew = std::log(*to.bulk_copies / *to.bulk_bytes) - std::log(*from.bulk_copies / *from.bulk_bytes);
  if (grew * d.DeltaUs() <= 0 || std::abs(grew) < kAlike) return {};
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
      .symptom = {"bulk copies", {"tma_load_inst"}},
      .sampled = SampledAt{{Operation::kAsyncCopy, Operation::kUniform}},
  };
}

}  // namespace culprit
