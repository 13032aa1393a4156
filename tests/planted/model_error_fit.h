// SPDX-License-Identifier: Apache-2.0
// The error of attribution by the size of a share, from parts whose truth is known.
#pragma once
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/judge/why/replicate.h"
#include "tests/planted/score.h"

namespace culprit::testing {

// Classes of parts: by share, and by the size of the change. Most pairs with one cause have a part of nearly the whole
// change.
inline constexpr double kSharesFrom[] = {0, 0.2, 0.6, 0.95};
inline constexpr double kChangesFrom[] = {0, 0.03, 0.07, 0.15, 0.5};

std::vector<ModelError> FitModelErrors(std::span<const Residual> residuals);

// analysis/judge/why/model_error.inc.
std::string ModelErrorText(const std::vector<ModelError>& errors);

inline bool Leads(const Residual& r) { return std::abs(r.said) >= 0.4; }
inline bool IsMinor(const Residual& r) { return !Leads(r); }
inline bool IsShared(const Residual& r) { return r.of_mixture && r.truth > 0; }
inline bool IsFalse(const Residual& r) { return r.truth == 0; }
inline bool IsLargelyUnexplained(const Residual& r) { return r.size.unexplained > 0.3; }

struct Coverage {
  std::size_t parts = 0, held = 0;
  double Share() const { return static_cast<double>(held) / static_cast<double>(parts); }
};

// How many truths lie within the interval, by widths from all other families of kernels, for the parts that `of` chooses.
// The first word of a pair's name is its family.
Coverage LeavingFamilyOut(const std::vector<Residual>& residuals, const std::function<bool(const Residual&)>& of);

}  // namespace culprit::testing
