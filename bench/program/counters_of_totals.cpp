// SPDX-License-Identifier: Apache-2.0
#include "bench/program/counters_of_totals.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "bench/program/sampled_readings.h"

namespace culprit {
namespace {

constexpr double kWarp = 32, kSectorBytes = 32, kWavefrontBytes = 128;
// The error of lanes beside that of guards (docs/evidence/samples_as_counters.md).
constexpr double kLanes = 0.005;
// The standard deviation of a value that may lie anywhere in a range, by the range's length.
const double kOfRange = 1 / std::sqrt(12.0);
// Of all wavefronts: how far the hardware's count of bank conflicts is off.
constexpr double kArbitration = 0.02;
// Loads and stores share global sectors by what they need if coalesced. Where either scatters, this share of the
// smaller is wrong.
constexpr double kDivided = 0.3;
// Of what is divided: how far the quotient is off where nothing scatters. Of atomics' sectors: what is left over for
// them is off by so much.
constexpr double kDivisions = 0.02, kLeftOver = 0.1;
// Of all look-ups in L1: how far their sum is off, and what may have run without being seen.
constexpr double kLookedUp = 0.003, kUnseen = 0.003;

// A sum over instructions, with the square of its error.
struct Sum {
  double value = 0, variance = 0;

  double Error() const { return std::sqrt(variance); }
};

template <class WeightOf>
Sum Over(const ExecutedCode& code, const WeightOf& weight_of) {
  Sum sum;
  for (const RunTogether& group : code.groups) {
    double weight = 0;
    for (const SassInstruction& instruction : group.code) weight += weight_of(instruction);
    sum.value += weight * group.executions;
    const double unseen = weight * group.unseen;
    sum.variance += weight * weight * group.executions * group.executions * group.variance + unseen * unseen;
  }
  return sum;
}

bool IsAmong(std::string_view names, const SassInstruction& i) {
  return !i.mnemonic.empty() && names.find(" " + i.mnemonic + " ") != names.npos;
}

constexpr std::string_view kGlobalLoads = " LDG LDGSTS ", kGlobalStores = " STG ", kGeneric = " LD ST ";
constexpr std::string_view kAtomics = " RED REDG ATOM ATOMG ", kReturning = " ATOM ATOMG ";
constexpr std::string_view kShared =
    " LDS STS LDSM STSM LDGSTS ATOMS REDAS STAS LD ST ATOM HGMMA UTMALDG UTMASTG UBLKCP ";
constexpr std::string_view kSharedByThreads = " LDS STS LDSM STSM ";

class Derivation {
 public:
  Derivation(const ExecutedCode& code, std::span<const Reading> totals, std::vector<SampledCounter>& counters)
      : code_(code), totals_(totals), counters_(counters) {}

  void AddWidths() {
    AddWidth("shared_access_bytes", kSharedByThreads);
    AddWidth("global_access_bytes", " LDG STG LDGSTS ");
    GiveExecutions("barrier_inst", " BAR ");
  }

  void AddShared() {
    const auto all = Total("shared_wavefronts"), conflicts = Total("shared_conflicts_hw");
    // The hardware counts some wavefronts of kernels without shared memory, too.
    const bool has_none = HasNo(kShared);
    if (has_none || (all && conflicts)) {
      const double wavefronts = has_none ? 0 : all->value;
      const double share = wavefronts > 0 ? std::clamp(conflicts->value / wavefronts, 0.0, 1.0) : 0;
      // Rules use the quotient of both, so the error stands in one of them.
      Give("sass_shared_wavefronts", wavefronts, 0);
      const double error = share > 0 ? std::hypot(kArbitration * wavefronts, conflicts->error) : 0;
      Give("sass_shared_wavefronts_ideal", wavefronts * (1 - share), error);
    }
    if (!all) return;
    const auto loads = Total("shared_load_wavefronts"), stores = Total("shared_store_wavefronts");
    const Sum atomics = Executions(" ATOMS ATOM REDAS ");
    if (atomics.value == 0 && code_.complete) {
      Give("shared_atom_wavefronts", 0, 0);
    } else if (loads && stores) {
      const double rest = std::max(0.0, all->value - loads->value - stores->value);
      Give("shared_atom_wavefronts", rest, std::hypot(all->error, std::hypot(loads->error, stores->error)));
    } else if (atomics.value > 0) {
      // Each needs a wavefront for each lane that hits a bank that another lane hits.
      const Sum others = Over(code_, [](const SassInstruction& i) {
        return IsAmong(kSharedByThreads, i) ? std::max(1.0, i.access_bytes * kWarp / kWavefrontBytes) : 0.0;
      });
      const double most = std::max(0.0, all->value - others.value), least = std::min(atomics.value, most);
      Give("shared_atom_wavefronts", most, std::hypot((most - least) * kOfRange, others.Error()));
    }
  }

  void AddGlobal() {
    const auto hits = Total("l1_sectors_hit"), misses = Total("l1_sectors_miss");
    if (!hits || !misses) return;
    const double looked_up = hits->value + misses->value;
    const auto needed = [](std::string_view names) {
      return [names](const SassInstruction& i) {
        return IsAmong(names, i) ? std::max(1.0, i.access_bytes * kWarp / kSectorBytes) : 0.0;
      };
    };
    const Sum loads = Over(code_, needed(kGlobalLoads)), stores = Over(code_, needed(kGlobalStores));
    const Sum generic = Over(code_, needed(kGeneric));
    const Sum atomics = Executions(kAtomics), returning = Executions(kReturning);
    const double ideal = loads.value + stores.value + generic.value / 2;
    const double ideal_error = std::hypot(loads.Error() + stores.Error(), generic.value / 2);
    double local = 0, error = std::hypot(hits->error, misses->error) + kLookedUp * looked_up;
    const Sum own = Over(code_, needed(" LDL STL "));
    for (const auto& [id, names] :
         {std::pair("local_load_sectors", " LDL "), std::pair("local_store_sectors", " STL ")}) {
      auto sectors = Total(id);
      if (!sectors && HasNo(" LDL STL LD ST ")) continue;
      if (!sectors) {
        if (generic.value > 0 || !code_.complete || atomics.value > 0) return;
        // Lanes' words lie beside each other. What was looked up beyond that belongs to local or global accesses.
        const Sum its = Over(code_, needed(names));
        const double beyond = std::max(0.0, looked_up - ideal - own.value);
        const double part = own.value + ideal > 0 ? its.value / (own.value + ideal) : 0;
        sectors = SampledCounter{id, its.value + beyond * part, std::hypot(its.Error(), beyond * kOfRange)};
        Give(id, sectors->value, sectors->error);
      }
      local += sectors->value, error = std::hypot(error, sectors->error);
    }
    const double all = std::max(0.0, looked_up - local);

    // What the code has can have run, seen or not.
    const double floor = kUnseen * looked_up;
    double of_atomics = 0, atomics_error = 0;
    if (atomics.value > 0) {
      const double least = std::min(atomics.value, all), most = std::min(all, kWarp * atomics.value);
      of_atomics = std::clamp(all - ideal, least, most);
      atomics_error = std::min(std::hypot(ideal_error, kLeftOver * of_atomics), (most - least) * kOfRange) + floor;
    }
    const double part = atomics.value > 0 ? returning.value / atomics.value : 0;
    Give("global_atom_sectors", of_atomics * part, atomics_error * part);
    Give("global_red_sectors", of_atomics * (1 - part), atomics_error * (1 - part));
    Give("l2_atomic_cycles", of_atomics, std::hypot(atomics_error, kLeftOver * of_atomics));

    const double global = all - of_atomics, global_error = std::hypot(error, atomics_error);
    const double of_loads = loads.value + generic.value / 4, of_stores = stores.value + generic.value / 4;
    const double load_part = of_loads + of_stores > 0 ? of_loads / (of_loads + of_stores) : 1;
    const bool scatters = ideal + ideal_error < global;
    const double guess = generic.value > 0 || scatters ? kDivided * std::min(load_part, 1 - load_part) : 0;
    const double sum = std::max(of_loads + of_stores, 1.0);
    const double by_samples = std::hypot(loads.Error() * of_stores, stores.Error() * of_loads) / (sum * sum);
    const double divided = std::hypot(guess, std::min(by_samples, 0.5)) * global;
    const auto give = [&](std::string_view id, double share, bool has_some) {
      const double off = std::hypot(std::hypot(global_error * share, divided), kDivisions * global * share);
      Give(id, global * share, has_some ? off + floor : 0);
    };
    give("global_load_sectors", load_part, !HasNo(kGlobalLoads) || !HasNo(kGeneric));
    give("global_store_sectors", 1 - load_part, !HasNo(kGlobalStores) || !HasNo(kGeneric));
    Give("sass_global_sectors", global, 0);
    // Lanes that share sectors, or that are switched off, need fewer than the code names. Executions that are not
    // certain make no excess.
    const double excess = std::max(0.0, global - ideal - ideal_error);
    Give("sass_global_sectors_ideal", global - excess, excess > 0 ? std::min(excess, ideal_error) : 0);
  }

  // In place of the count by names, which are less certain.
  void AddFmaPipe() {
    const auto halves = Total("pipe_fma_halves_inst");
    if (!halves) return;
    const Sum both = Over(code_, [](const SassInstruction& i) {
      return IsAmong(" HADD2 HMUL2 HFMA2 ", i) && !i.opcode.starts_with("HFMA2.MMA") ? 1.0 : 0.0;
    });
    std::erase_if(counters_, [](const SampledCounter& c) { return c.id == "pipe_fma_inst"; });
    Give("pipe_fma_inst", std::max(0.0, halves->value - both.value), std::hypot(halves->error, both.Error()));
  }

  void AddConstants() {
    const auto requests = Total("idc_requests");
    if (!requests) return;
    const Sum loads = Executions(" LDC ");
    const double replays = std::max(0.0, requests->value - loads.value);
    Give("idc_replays", replays, std::hypot(requests->error, loads.Error()));
  }

  void AddLocalRequests() {
    if (Executions(kGeneric).value > 0) return;
    GiveExecutions("local_load_requests", " LDL ");
    GiveExecutions("local_store_requests", " STL ");
  }

 private:
  std::optional<SampledCounter> Total(std::string_view id) const { return TotalOf(totals_, id); }

  Sum Executions(std::string_view names) const {
    return Over(code_, [&](const SassInstruction& i) { return IsAmong(names, i) ? 1.0 : 0.0; });
  }

  // Executions of all that is among `names`, unless the code may do more than it shows.
  void GiveExecutions(std::string_view id, std::string_view names) {
    const Sum sum = Executions(names);
    if (sum.value > 0 || code_.complete) Give(id, sum.value, sum.Error());
  }

  bool HasNo(std::string_view names) const {
    return code_.complete && std::ranges::none_of(code_.groups, [&](const RunTogether& group) {
             return std::ranges::any_of(group.code, [&](const SassInstruction& i) { return IsAmong(names, i); });
           });
  }

  void AddWidth(std::string_view id, std::string_view names) {
    const auto is_known = [&](const SassInstruction& i) { return IsAmong(names, i) && i.access_bytes > 0; };
    const Sum accesses = Over(code_, [&](const SassInstruction& i) { return is_known(i) ? 1.0 : 0.0; });
    if (accesses.value <= 0) {
      if (HasNo(names) && HasNo(kGeneric)) Give(id, 0, 0);
      return;
    }
    const double bytes =
        Over(code_, [&](const SassInstruction& i) { return is_known(i) ? 1.0 * i.access_bytes : 0.0; }).value;
    const double mean = bytes / accesses.value;
    const Sum apart = Over(code_, [&](const SassInstruction& i) { return is_known(i) ? i.access_bytes - mean : 0.0; });
    Give(id, mean, apart.Error() / accesses.value);
  }

  void Give(std::string_view id, double value, double error) {
    if (std::ranges::find(counters_, id, &SampledCounter::id) == counters_.end())
      counters_.push_back({std::string(id), value, error});
  }

  const ExecutedCode& code_;
  std::span<const Reading> totals_;
  std::vector<SampledCounter>& counters_;
};

}  // namespace

std::optional<SampledCounter> TotalOf(std::span<const Reading> totals, std::string_view id) {
  const Reading* const reading = FindReading(totals, id);
  if (reading == nullptr || !reading->value) return std::nullopt;
  return SampledCounter{std::string(id), *reading->value, reading->error.value_or(0)};
}

std::optional<SampledCounter> ActiveLanes(const ExecutedCode& code, std::span<const Reading> totals) {
  const auto on = TotalOf(totals, "sass_thread_inst_on");
  if (!on || !(code.inst_executed > 0)) return std::nullopt;
  const double lanes = on->value / code.inst_executed;
  const double guarded = Over(code, [](const SassInstruction& i) { return i.guarded ? 1.0 : 0.0; }).value;
  const double part = std::clamp(guarded / code.inst_executed, 0.0, 0.9);
  const auto if_off = [&](double share) { return std::clamp(lanes / (1 - share * part), 1.0, kWarp); };
  const double error = std::hypot((if_off(1) - if_off(0)) * kOfRange, kLanes * lanes);
  return SampledCounter{"threads_per_inst", if_off(0.5), std::hypot(error, on->error / code.inst_executed)};
}

void AddCountersOfTotals(const ExecutedCode& code, std::span<const Reading> totals,
                         std::vector<SampledCounter>& counters) {
  Derivation derivation(code, totals, counters);
  derivation.AddWidths();
  derivation.AddShared();
  derivation.AddGlobal();
  derivation.AddFmaPipe();
  derivation.AddConstants();
  derivation.AddLocalRequests();
}

}  // namespace culprit
