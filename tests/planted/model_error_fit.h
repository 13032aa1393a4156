// SPDX-License-Identifier: Apache-2.0
// The error of attribution by the size of a share, from parts whose truth is known.
#pragma once
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "analysis/judge/why/replicate.h"
#include "tests/planted/score.h"

namespace culprit::testing {

std::vector<ModelError> FitModelErrors(std::span<const Score::Residual> residuals);

// analysis/judge/why/model_error.inc.
std::string ModelErrorText(const std::vector<ModelError>& errors);

inline bool Leads(const Score::Residual& r) { return std::abs(r.said) >= 0.4; }
inline bool IsMinor(const Score::Residual& r) { return !Leads(r); }
inline bool IsShared(const Score::Residual& r) { return r.truth > 0 && r.truth < 1; }
inline bool IsFalse(const Score::Residual& r) { return r.truth == 0; }

struct Coverage {
  std::size_t parts = 0, held = 0;
  double Share() const { return static_cast<double>(held) / static_cast<double>(parts); }
};

// How many truths lie within the error computed from all other pairs, for the parts that `of` chooses.
Coverage LeavingPairOut(const std::vector<Score::Residual>& residuals, bool (*of)(const Score::Residual&));

}  // namespace culprit::testing
