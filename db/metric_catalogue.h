// SPDX-License-Identifier: Apache-2.0
// THE table of metrics: our stable ids, the set they belong to, their unit, CUPTI's exact name per chip, and Nsight
// Compute's where it has another. No CUPTI header here: the table is data, tested against CUPTI's host API by
// tests/unit/profiler/metric_host_test.cpp.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

enum class MetricSource {
  kRange,  // CUPTI Range Profiler: hardware counters
  kSass,   // CUPTI SASS metrics: exact counts by patching the code, summed over the kernel
};

enum class MetricSet {
  kCore,  // hardware counters that explain a kernel: few passes, one process
  kFull,  // all of kCore, percentages of peak (several passes each) and exact counts (a process per kernel)
};

// What repeating a count tells.
enum class Counting {
  kVaries,  // follows schedule, arbitration or caches: counted in every repetition, in the state that was timed
  kEqual,   // what the code asks for, equal in each launch by nature: counted once, in any state
};

// Another spelling of a metric on some chips; an empty name says that the chip has none. The first that covers the
// chip counts.
struct ChipSpelling {
  std::string_view chips;  // space-separated prefixes: "GB20" covers GB202 to GB207 and GB20B
  std::string_view name;
};

struct CatalogueMetric {
  std::string_view id;
  MetricSource source;
  MetricSet set;
  Counting counting;
  std::string_view name;  // CUPTI's, unless `other` says otherwise
  std::string_view unit;
  std::string_view meaning;
  std::vector<ChipSpelling> other = {};
  std::string_view ncu = {};  // Nsight Compute's name; empty: it says CUPTI's
};

std::span<const CatalogueMetric> MetricCatalogue();

// CUPTI's name of `metric` on `chip`; nullopt when the table says that the chip has none.
std::optional<std::string_view> NameOn(const CatalogueMetric& metric, std::string_view chip);

// A chip of that compute capability, whose names stand for those of all of them; empty where none is known.
std::string_view ChipWith(int cc_major, int cc_minor);

// Nsight Compute's name of `metric` on `chip`; nullopt when it has none: of the exact counts it sums some over a
// kernel, under names of its own, and shows the others by instruction alone.
std::optional<std::string_view> NcuNameOn(const CatalogueMetric& metric, std::string_view chip);

// The metrics of a set (core is part of full) from one source, in the table's order. Metrics that `chip` lacks are
// there too, with an empty cupti_name: they were asked for and will be reported as unsupported.
std::vector<MetricDefinition> MetricsOf(MetricSource source, MetricSet set, std::string_view chip);

// Of those, the ones that are counted in this way.
std::vector<MetricDefinition> MetricsOf(MetricSource source, MetricSet set, std::string_view chip, Counting counting);

// As the database knows it, with `cupti_name` as it is given.
MetricDefinition DefinitionOf(const CatalogueMetric& metric, std::string_view cupti_name);

// Every stall reason, as the suffix of smsp__warps_issue_stalled_; our id is "stall_" + suffix.
std::span<const std::string_view> StallReasons();

}  // namespace culprit
