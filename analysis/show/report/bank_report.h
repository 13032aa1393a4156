// SPDX-License-Identifier: Apache-2.0
// Draws and judges accesses to shared memory and proposes better layouts.
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "analysis/show/render/report.h"
#include "db/shared_access.h"

namespace culprit {

// Adds a section per access, then one per array. `only`: if not empty, adds only the access of that name and its array;
// the array's layout is still judged by all accesses to it. `executed`: the executions of each access. If it is empty,
// or is 0 for an access of an array, each access to that array counts once. Throws culprit::Error as Model and
// ProposeLayouts do.
void AddBankSections(std::span<const SharedAccess> accesses, std::string_view only, std::span<const double> executed,
                     Report& report);

// The name of an operation in reports and in --op.
struct OpWord {
  SharedOp op;
  std::string_view word;
};
inline constexpr std::array kOpNames = {OpWord{SharedOp::kLoad, "ld"}, OpWord{SharedOp::kStore, "st"},
                                        OpWord{SharedOp::kLoadMatrix, "ldmatrix"},
                                        OpWord{SharedOp::kStoreMatrix, "stmatrix"}};
std::string_view OpName(SharedOp op);

}  // namespace culprit
