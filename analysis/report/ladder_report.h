// SPDX-License-Identifier: Apache-2.0
// A whole run (`culprit report`): every stage at every shape, and what stands out in each.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/render/report.h"
#include "db/database.h"

namespace culprit {

// The launches of one shape, in the order in which they were recorded. The report shows the reference first.
struct Ladder {
  std::string shape;
  std::vector<KernelRecord> kernels;
};

// The stage whose throughput the stages of an input are measured against: "cublas_sgemm" for "fp32". Empty where there
// is none.
std::string_view ReferenceStage(std::string_view input);

// `builds` fills the static table when nothing was launched.
Report MakeLadderReport(const RunSummary& run, std::span<const Ladder> ladders, std::span<const BuildRecord> builds,
                        const std::vector<Warning>& warnings);

}  // namespace culprit
