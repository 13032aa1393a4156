// SPDX-License-Identifier: Apache-2.0
// Tests whether a claim holds in a recording.
//
//   not measured         a value that a criterion needs is missing
//   holds                every criterion holds
//   does not hold here   none of the criteria of the claim itself holds, not even in part
//   holds in part        anything between: only some of the claim holds, or holds in part, or its reason does not
#pragma once
#include <set>
#include <string>
#include <vector>

#include "tests/evidence/seeds/claim.h"

namespace culprit::claims {

// Of a criterion, and of a claim.
enum class Holds { kNotMeasured, kNo, kInPart, kYes };

struct RetestedCriterion {
  const Criterion* criterion = nullptr;
  Measured value;
  Holds holds = Holds::kNotMeasured;
};

struct RetestedClaim {
  const Claim* claim = nullptr;
  Holds holds = Holds::kNotMeasured;
  std::string shape;  // of the values that name no size; empty: none was needed, or no shape has all the stages
  std::vector<RetestedCriterion> criteria;
  std::vector<Fact> evidence;  // the values, "v1_9.time_us"
  std::vector<Evidence::Missing> missing;
  std::vector<std::string> stages;  // that it needs
  std::vector<int> sizes;           // that it needs, besides kClaimedSize
  std::set<std::string> launches;   // the launches that were read, named as in Warning::launch
};

// If a document states a size for all its stages, it is this one. Without it the largest shape that all stages of the
// claim share.
inline constexpr int kClaimedSize = 4096;

// A claim is retested at the first of these shapes at which nothing is missing.
RetestedClaim Retest(const Claim& claim, const Recording& recording);
std::vector<RetestedClaim> RetestAll(const Recording& recording);

std::string_view ToText(Holds holds);  // "holds", "holds in part", "does not hold here", "not measured"

// What was measured, in the claim's own criteria: "-12.4 %".
std::string Figure(const RetestedClaim& retested);
// The claim's own criterion with the worst result; null if none of them has a value.
const RetestedCriterion* Worst(const RetestedClaim& retested);
// Each criterion's value and the threshold it met or missed, or what is missing; then the claim's note.
std::string Reason(const RetestedClaim& retested);

}  // namespace culprit::claims
