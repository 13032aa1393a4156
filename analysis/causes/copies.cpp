// SPDX-License-Identifier: Apache-2.0
// Copies to shared memory that no warp waits at: asynchronous ones of threads (LDGSTS), and bulk copies of the TMA.
#include <algorithm>
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

// What is copied through L1 passes the data pipe once more. More bytes by the same way are more data.
void TakesWay(Wait wait, const Askers& pair, Movement& m) {
  if (wait != Wait::kResult && wait != Wait::kQueue) return;
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (from.copies.high == 0 || to.copies.high == 0) return;
  // Bank conflicts are shared out by themselves.
  const auto useful = [](const Demand& d) {
    const auto of = [](double copies, double all, double useful) {
      return all > 0 ? copies * std::min(1.0, useful / all) : 0.0;
    };
    return AtEnds(of, d.shared_by_copies, d.shared_all, d.shared_useful);
  };
  m.Pass(kSharedTraffic, "copies_through_l1",
         AtEnds(ByRate, useful(from), useful(to), from.copies * from.global_width, to.copies * to.global_width));
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

}  // namespace culprit
