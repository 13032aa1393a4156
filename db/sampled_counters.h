// SPDX-License-Identifier: Apache-2.0
// The counters that a GPU can sample while a program runs, without replaying kernels. One configuration of the hardware
// counts one list of them at a time, so the lists take turns.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

struct TurnCounter {
  std::string_view id;    // of the metric catalogue
  std::string_view name;  // CUPTI's
  double scale = 1;       // of the metric by the counter
};

// A list that one configuration counts in one pass.
struct CounterTurn {
  std::string_view what;  // it counts, in a sentence
  std::vector<TurnCounter> counters;
};

// What CUPTI's PM sampling counts on `chip`, in the order in which causes need it. Each list fits one pass by CUPTI's
// host library (metric_host_test.cpp). Empty: the chip has no such sampling, or none that we know.
std::span<const CounterTurn> CounterTurnsOn(std::string_view chip);

// Whether the lists of `chip` were ever compared with replayed counters on such a card (docs/evidence/cupti.md). Others
// follow from CUPTI's names alone: not measured on such a card.
bool WereSampledCountersCompared(std::string_view chip);

// The counter by which every list also gives the SM clock.
inline constexpr std::string_view kClockCounter = "sm_cycles_elapsed_max";

// A counter of each chip's first list. It is 0 if no kernel runs on the GPU, of any process (seen on H200).
inline constexpr std::string_view kWarpsCounter = "warps_active";

// The source of readings that were sampled.
inline constexpr std::string_view kSampledSource = "sampled";

// What the catalogue lacks, because replay does not count it. Of instructions that were counted one by one, facts with
// the names "barrier_inst" and "..._access_bytes" are derived.
std::span<const MetricDefinition> OnlySampled();

// Whether readings of this id may come from samples on `chip`: it is of the catalogue and the chip has it, or it is of
// OnlySampled().
bool IsSampledOn(std::string_view id, std::string_view chip);

// The metric as the database stores it. Empty `cupti_name`: its value is computed from other samples. Throws
// std::logic_error for an id that neither the catalogue nor OnlySampled() has.
MetricDefinition SampledMetric(std::string_view id, std::string_view cupti_name = {});

}  // namespace culprit
