// SPDX-License-Identifier: Apache-2.0
// Accesses to shared memory, drawn and judged, and the layouts that would be better.
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "analysis/render/report.h"
#include "db/shared_access.h"

namespace culprit {

// Adds a section for each access, then one for each array; with `only` for the access of that name and its array, whose
// layout is judged by all its accesses nevertheless. `executed` says how often each access was; an array is judged with
// each access counted once when it is empty or 0 for one of them. Throws culprit::Error as Model and ProposeLayouts do.
void AddBankSections(std::span<const SharedAccess> accesses, std::string_view only, std::span<const double> executed,
                     Report& report);

// As people and --op write it.
struct OpWord {
  SharedOp op;
  std::string_view word;
};
inline constexpr std::array kOpNames = {OpWord{SharedOp::kLoad, "ld"}, OpWord{SharedOp::kStore, "st"},
                                        OpWord{SharedOp::kLoadMatrix, "ldmatrix"},
                                        OpWord{SharedOp::kStoreMatrix, "stmatrix"}};
std::string_view OpName(SharedOp op);

}  // namespace culprit
