// SPDX-License-Identifier: Apache-2.0
// The report on a whole run (`culprit report`): every stage at every shape, with its main findings.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/show/render/report.h"
#include "db/database.h"

namespace culprit {

// The launches of one shape in recorded order. The report shows the reference first.
struct Ladder {
  std::string shape;
  std::vector<KernelRecord> kernels;
};

// The stage whose throughput counts as 100 % for an input type: "cublas_sgemm" for "fp32". Empty: none.
std::string_view ReferenceStage(std::string_view input);

// `builds`: for the static table if nothing was launched.
Report MakeLadderReport(const RunSummary& run, std::span<const Ladder> ladders, std::span<const BuildRecord> builds,
                        const std::vector<Warning>& warnings);

}  // namespace culprit
