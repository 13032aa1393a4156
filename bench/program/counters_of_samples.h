// SPDX-License-Identifier: Apache-2.0
// Counters that nobody counted, from samples of instructions and from sampled totals: the states of warps, how many
// instructions of each kind were executed, and what follows from both. docs/evidence/samples_as_counters.md compares
// them with counters.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/code.h"
#include "db/records.h"

namespace culprit {

// `error` is one standard deviation; value +- 1.645 x error holds the counter nine times out of ten. 0: exact.
struct SampledCounter {
  std::string id;  // of db/metric_catalogue.h, or of kOnlySampled (db/sampled_counters.h)
  double value = 0;
  double error = 0;
};

// `totals`: what was sampled of the launches that the result is about; without `warps_active` and `inst_executed` there
// is no result. The samples may come from other launches of the same kernels. `warps`: the number of warps of these
// launches, if it is known. It makes code exact that each warp runs once.
//
// States are given as soon as there are some hundred samples. A kind of instruction is given if its error is below its
// value or below a tenth of all instructions. Left out are kinds that the code does not tell apart. A kind
// that the code does not contain is an exact 0, unless the code calls functions that are not there. Values that are
// computed from totals (counters_of_totals.h) are there if the totals are.
std::vector<SampledCounter> CountersOfSamples(const SamplingRecord& sampling, std::span<const Reading> totals,
                                              std::optional<double> warps = {});

// The same as readings of a chip, without those that the chip cannot sample or that have a value among the totals.
std::vector<Reading> ReadingsOfSamples(const SamplingRecord& sampling, std::span<const Reading> totals,
                                       std::optional<double> warps, std::string_view chip);

// How unevenly warps were resident: |ln| of the ratio of `selected` among samples to issues among warp-cycles. The
// sampler prefers warps that have few others beside them, and so its shares are off by about as much.
double Unevenness(const SamplingRecord& sampling, double warps_active, double inst_executed);

}  // namespace culprit
