// SPDX-License-Identifier: Apache-2.0
// The times of a run in formats of other tools. All times are those of KernelTimesOf.
#pragma once
#include <span>
#include <string>

#include "analysis/show/report/kernel_times.h"
#include "db/database.h"

namespace culprit {

// Folded stacks, as flamegraph.pl and speedscope read them: "range;kernel;file:line NANOSECONDS", outermost first.
std::string FoldedText(std::span<const KernelTime> kernels);

// A gzip of pprof's profile.proto (github.com/google/pprof, proto/profile.proto): a sample for each kernel and line, in
// nanoseconds, with the NVTX range and the launch as labels.
std::string PprofBytes(const RunSummary& run, std::span<const KernelTime> kernels);

// Bencher Metric Format (bencher.dev/docs/reference/bencher-metric-format): the median of each launch as its latency in
// nanoseconds, between its quartiles.
std::string BmfText(std::span<const KernelTime> kernels);

// The list of results that PyTorch's HUD takes into its table oss_ci_benchmark_v3 (github.com/pytorch/test-infra,
// clickhouse_db_schema): the samples of each launch in microseconds.
std::string HudText(const RunSummary& run, std::span<const KernelTime> kernels);

// OpenMetrics 1.0 (openmetrics.io): gauges in seconds, of kernels, copies and idle time.
std::string OpenMetricsText(const RunSummary& run, std::span<const KernelTime> kernels);

}  // namespace culprit
