// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/sharing.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "analysis/judge/causes/cause.h"

namespace culprit {
namespace {

// Traffic from device memory is reported if it is at least kAmplification times the necessary bytes and takes at least
// kFeltPct percent of the bandwidth.
constexpr double kAmplification = 4;
constexpr double kFeltPct = 30;

// 1 if every SM has work from start to end.
Measured ActiveShare(const Sharing& k) { return k.Get("smsp_cycles_active") / k.Get("smsp_cycles_elapsed"); }

Measured SharedPctWhileActive(const Sharing& k) { return k.Get("shared_wavefronts_pct") / ActiveShare(k); }

// Divides `left_us` among the sectors of one level. Each kind gets the smallest share that is possible.
void ShareBySectors(const Range& local, const Range& useful, const Range& excess, double left_us, BusyTime& busy) {
  const double all = local.high + useful.high + excess.high;
  if (all > 0) {
    busy.local_us = local.low / all * left_us;
    busy.excess_us = excess.low / all * left_us;
  }
  busy.rest_us = std::max(0.0, left_us - busy.local_us - busy.excess_us);
}

// At `pct` of its peak over the whole time.
std::optional<BusyTime> BusyFor(const Measured& pct, const Measured& time_us) {
  if (!pct || !time_us) return std::nullopt;
  return BusyTime{.pct = *pct, .total_us = *pct / 100 * *time_us, .saturated = *pct >= kBusyPct};
}

}  // namespace

const Demand& Sharing::demand() const {
  if (!demand_) demand_.emplace(kernel_, Demand::Splits::kMerged);
  return *demand_;
}

double Sharing::Of(Wait wait, CauseIds ids) const {
  std::vector<Range>& asked = asked_[static_cast<std::size_t>(std::ranges::find(kWaits, wait) - kWaits.begin())];
  const std::span<const Cause> causes = Causes();
  if (asked.empty()) {
    const Asker asker = AskerAlone(kernel_, demand());
    asked.resize(causes.size());
    for (std::size_t i = 0; i < causes.size(); ++i)
      if (causes[i].asks != nullptr) asked[i] = causes[i].asks(wait, asker);
  }
  double least = 0, others = 0;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const bool meant = std::ranges::find(ids, causes[i].id) != ids.end();
    open_ = open_ || !asked[i].IsPoint();
    (meant ? least : others) += meant ? asked[i].low : asked[i].high;
  }
  // If no instruction of shared memory itself passes this queue, warps there wait because memory is saturated.
  if (least + others == 0 && (wait == Wait::kQueue || wait == Wait::kResult)) return Of(Wait::kMemory, ids);
  return least > 0 ? least / (least + others) : 0;
}

double Sharing::Least(const Range& demanded) const {
  open_ = open_ || !demanded.IsPoint();
  return demanded.low;
}

double Sharing::WaitUs(std::initializer_list<std::string_view> states, CauseIds causes) const {
  double sum = 0;
  for (const std::string_view state : states) {
    const Measured us = StallUs(state);
    if (!us) throw std::logic_error("a cause shares out '" + std::string(state) + "' without naming it in its needs");
    sum += *us * Of(*WaitOf(state), causes);
  }
  // The states were counted in several passes, so their sum may exceed the whole time.
  return std::min(sum, *Get("time_us"));
}

Measured ConflictShare(const KernelView& k) {
  const Measured exact = k.Get("sass_shared_wavefronts");
  return (exact - k.Get("sass_shared_wavefronts_ideal")) / exact;
}
Measured ExcessShare(const KernelView& k) {
  const Measured touched = k.Get("sass_global_sectors");
  return (touched - k.Get("sass_global_sectors_ideal")) / touched;
}

double PartOf(const std::optional<BusyTime>& busy, double BusyTime::*part) {
  return busy && busy->total_us > 0 ? (*busy).*part / busy->total_us : 0;
}

std::optional<BusyTime> SharedBusy(const Sharing& k) {
  std::optional<BusyTime> busy = BusyFor(SharedPctWhileActive(k), k.Get("time_us"));
  if (!busy) return busy;
  if (const Measured conflicts = ConflictShare(k.kernel())) busy->excess_us = *conflicts * busy->total_us;
  busy->rest_us = busy->total_us - busy->excess_us;
  return busy;
}

std::optional<BusyTime> L1Busy(const Sharing& k) {
  std::optional<BusyTime> busy = BusyFor(k.Get("l1_throughput_pct"), k.Get("time_us"));
  if (!busy) return busy;
  if (const auto shared = BusyFor(SharedPctWhileActive(k), k.Get("time_us")))
    busy->shared_us = std::min(busy->total_us, shared->total_us);
  const Demand& d = k.demand();
  ShareBySectors(d.local_l1, d.useful_l1, d.excess_l1, busy->total_us - busy->shared_us, *busy);
  return busy;
}

std::optional<BusyTime> L2Busy(const Sharing& k) {
  std::optional<BusyTime> busy = BusyFor(k.Get("l2_throughput_pct"), k.Get("time_us"));
  if (!busy || !k.Get("l2_sectors")) return std::nullopt;
  const Demand& d = k.demand();
  ShareBySectors(d.local_l2, d.useful_l2, d.excess_l2, busy->total_us, *busy);
  return busy;
}

bool IsMuchDram(const Sharing& k, double bytes, double pct) {
  const Measured needed = k.Get("min_bytes");
  return pct >= kBusyPct || (needed && bytes >= kAmplification * *needed && pct >= kFeltPct);
}

std::optional<BusyTime> DramBusy(const Sharing& k) {
  const Measured bytes = k.Get("dram_bytes"), time = k.Get("time_us");
  const Measured alone = bytes / k.Get("dram_bytes_per_s") * Measured(1e6);
  const Measured pct = Measured(100) * alone / time;
  if (!pct) return std::nullopt;
  BusyTime busy{.pct = *pct, .total_us = *alone, .saturated = IsMuchDram(k, *bytes, *pct)};
  const Demand& d = k.demand();
  ShareBySectors(d.local_dram, d.useful_dram, d.excess_dram, busy.total_us, busy);
  return busy;
}

LevelShare LargestShare(const Sharing& k, double BusyTime::*part) {
  LevelShare largest;
  const std::pair<std::string_view, std::optional<BusyTime>> levels[] = {
      {"L1", L1Busy(k)}, {"L2", L2Busy(k)}, {"device memory", DramBusy(k)}};
  for (const auto& [name, busy] : levels)
    if (busy && busy->saturated && (*busy).*part > largest.time_us) largest = {name, busy->pct, (*busy).*part};
  return largest;
}

}  // namespace culprit
