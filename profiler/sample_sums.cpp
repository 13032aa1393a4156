// SPDX-License-Identifier: Apache-2.0
#include "profiler/sample_sums.h"

#include <algorithm>
#include <cstdlib>

namespace culprit {
namespace {

constexpr std::string_view kPrefix = "smsp__pcsamp_warps_issue_stalled_", kNotIssued = "_not_issued";
// Relative tolerance for sums that should be equal.
constexpr double kClose = 0.01;
// Each state has one name: that of its counter.
constexpr std::string_view kNoInstructions = "no_instructions", kNoInstruction = "no_instruction";

}  // namespace

std::optional<StallReason> StallReasonOf(std::string_view cupti_name) {
  if (!cupti_name.starts_with(kPrefix)) return std::nullopt;
  std::string_view reason = cupti_name.substr(kPrefix.size());
  const bool not_issued = reason.ends_with(kNotIssued);
  if (not_issued) reason.remove_suffix(kNotIssued.size());
  if (reason.empty()) return std::nullopt;
  if (reason == kNoInstructions) reason = kNoInstruction;
  return StallReason{std::string(reason), not_issued};
}

void SampleSums::Add(const std::string& function, std::int64_t pc_offset, const StallReason& reason,
                     std::int64_t samples) {
  if (samples <= 0) return;
  Counts& counts = rows_[{function, pc_offset, reason.reason}];
  (reason.not_issued ? counts.not_issued : counts.samples) += samples;
}

void SampleSums::Add(const SampleTotals& totals) {
  totals_.total += totals.total;
  totals_.dropped += totals.dropped;
  totals_.other += totals.other;
}

// CUPTI counts a sample under its reason and, in a cycle without issue, also under the reason's "_not_issued". The
// manual says so for older records (latencySamples is part of samples), and NVIDIA's tutorial prints 42 and, of them,
// 39. If it were otherwise, some instruction would have more of the second than of the first.
bool SampleSums::IsBeside() const {
  return std::ranges::any_of(rows_, [](const auto& row) { return row.second.not_issued > row.second.samples; });
}

SampleSums::Counts SampleSums::Sum() const {
  Counts sum;
  for (const auto& [key, counts] : rows_) sum.samples += counts.samples, sum.not_issued += counts.not_issued;
  if (IsBeside()) sum.samples += sum.not_issued;
  return sum;
}

std::int64_t SampleSums::samples() const { return Sum().samples; }
std::int64_t SampleSums::not_issued() const { return Sum().not_issued; }

SamplingRecord SampleSums::Record() const {
  SamplingRecord record;
  const bool beside = IsBeside();
  for (const auto& [key, counts] : rows_) {
    const auto& [function, pc_offset, reason] = key;
    record.rows.push_back(
        {function, pc_offset, reason, counts.samples + (beside ? counts.not_issued : 0), counts.not_issued});
  }
  const Counts sum = Sum();
  const std::int64_t told = totals_.total - totals_.dropped - totals_.other;
  // A total over all counts includes samples without issue twice.
  const std::int64_t twice = sum.samples + (beside ? 0 : sum.not_issued);
  const bool is_twice =
      twice > sum.samples && std::abs(static_cast<double>(told - twice)) <= kClose * static_cast<double>(twice);
  record.samples = is_twice ? sum.samples : std::max(sum.samples, told);
  record.dropped = totals_.dropped;
  return record;
}

std::map<std::string, SamplingRecord> SampleSums::RecordsByFunction() const {
  std::map<std::string, SamplingRecord> records;
  for (PcSample& row : Record().rows) {
    SamplingRecord& record = records[row.function];
    record.samples += row.samples;
    record.rows.push_back(std::move(row));
  }
  return records;
}

}  // namespace culprit
