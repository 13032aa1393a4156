// SPDX-License-Identifier: Apache-2.0
// How right `why` is about tests/planted/parts: kernels whose planted cause is in a part of the work, and kernels with
// two causes in two phases. Real code, recorded by script/record-parts.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"
#include "tests/planted/score.h"
#include "tests/planted/two_phases.h"

namespace culprit::testing {

// The kernel with its cause in every Nth round, beside the one with the cause in none.
struct RealPart {
  std::string kind, planted;  // the latter an id of Causes()
  int every = 1;              // N
  bool told_apart = false;    // `why` says that there is a difference
  Parts said;
};

// Two phases, good and good beside bad and bad. The share is that of kernels with one of the two bad.
struct RealPhases : TwoPhases {
  double interaction = 0;  // of the change; both together cost more, or less, than each alone
};

struct RealParts {
  std::vector<RealPart> parts;
  std::vector<RealPhases> phases;
};

// `folder` has answers.csv: a line for each kind, with its cause there and in two phases, where the compiler may have
// chosen otherwise: a window that a variable indexes is in local memory there and in registers here.
RealParts JudgeRealParts(const Database& database, const std::filesystem::path& folder);

// docs/evidence/parts.md.
std::string RealPartsDocument(const RealParts& judged);

// In Markdown.
std::string RealPartsReport(const RealParts& judged);

}  // namespace culprit::testing
