// SPDX-License-Identifier: Apache-2.0
// The facts of a launch that are computed from other facts. One table says how.
#pragma once
#include <span>
#include <string_view>

#include "analysis/number/measured.h"

namespace culprit {

class KernelView;

struct DerivedFact {
  std::string_view id, unit;  // the unit as the catalogue of metrics writes it
  std::string_view how;
  Measured (*of)(const KernelView& kernel);
};
std::span<const DerivedFact> DerivedFacts();

// Null if no derived fact has this id.
const DerivedFact* FindDerivedFact(std::string_view id);

// 1 for an access of at most 32 bits per thread, else 0.
double NarrowAccess(int bytes);
// Of such an access: 1 less its part of an access of 128 bits. Other accesses: 0.
double SparedAccess(int bytes);

}  // namespace culprit
