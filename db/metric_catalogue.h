// SPDX-License-Identifier: Apache-2.0
// The one table of metrics: our stable id, set, unit, CUPTI's exact name per chip, and Nsight Compute's name if it
// differs. It includes no CUPTI header. tests/unit/profiler/metric_host_test.cpp checks the table against CUPTI's host
// API.
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

// Whether repeating a count gives new information.
enum class Counting {
  kVaries,  // depends on schedule, arbitration or caches: counted in every repetition, in the state that was timed
  kEqual,   // depends on the code alone and is equal in each launch: counted once, in any state
};

// The different name of a metric on some chips. Empty: those chips lack the metric. The first entry that covers the
// chip is used.
struct ChipSpelling {
  std::string_view chips;  // space-separated prefixes: "GB20" covers GB202 to GB207 and GB20B
  std::string_view name;
};

struct CatalogueMetric {
  std::string id;
  MetricSource source;
  MetricSet set;
  Counting counting;
  std::string name;  // CUPTI's, unless `other` says otherwise
  std::string unit;
  std::string meaning;
  std::vector<ChipSpelling> other = {};
  std::string ncu = {};  // Nsight Compute's name of an exact count; empty: it has none
};

std::span<const CatalogueMetric> MetricCatalogue();

// Null if the catalogue has no such id.
const CatalogueMetric* FindMetric(std::string_view id);

// CUPTI's name of `metric` on `chip`; nullopt when the chip lacks it.
std::optional<std::string_view> NameOn(const CatalogueMetric& metric, std::string_view chip);

// A chip of that compute capability. All chips of the capability have the same metric names. Empty: none is known.
std::string_view ChipWith(int cc_major, int cc_minor);

// Nsight Compute's name of `metric` on `chip`. nullopt: none. Nsight Compute sums only some exact counts over a kernel,
// under its own names. It shows the others per instruction.
std::optional<std::string_view> NcuNameOn(const CatalogueMetric& metric, std::string_view chip);

// The metrics of a set (core is part of full) from one source, counted in one way or in any, in the table's order. A
// metric that `chip` lacks has an empty cupti_name, so that it is reported as unsupported.
std::vector<MetricDefinition> MetricsOf(MetricSource source, MetricSet set, std::string_view chip,
                                        std::optional<Counting> counting = {});

// The metric as the database stores it, with the given `cupti_name`.
MetricDefinition DefinitionOf(const CatalogueMetric& metric, std::string_view cupti_name);

}  // namespace culprit
