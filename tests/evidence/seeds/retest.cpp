// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/retest.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "analysis/number/format.h"

namespace culprit::claims {
namespace {

Holds HoldsOf(const Threshold& threshold, const Measured& value) {
  if (!value) return Holds::kNotMeasured;
  if (threshold.holds.Contains(*value)) return Holds::kYes;
  return threshold.in_part.Contains(*value) ? Holds::kInPart : Holds::kNo;
}

Holds HoldsOf(const std::vector<RetestedCriterion>& criteria) {
  bool all_hold = true, some_claim_holds = false;
  for (const RetestedCriterion& c : criteria) {
    if (c.criterion->role == Role::kShown) continue;
    if (c.holds == Holds::kNotMeasured) return Holds::kNotMeasured;
    all_hold = all_hold && c.holds == Holds::kYes;
    some_claim_holds = some_claim_holds || (c.criterion->role == Role::kClaim && c.holds != Holds::kNo);
  }
  if (all_hold) return Holds::kYes;
  return some_claim_holds ? Holds::kInPart : Holds::kNo;
}

RetestedClaim RetestAt(const Claim& claim, const Recording* recording, const std::string& shape) {
  Evidence evidence(recording, shape);
  RetestedClaim retested{&claim, {}, shape, {}, {}, {}, {}, {}, {}};
  // Values that are only shown come last: they neither decide nor count as missing.
  for (const bool shown : {false, true}) {
    for (const Criterion& criterion : claim.criteria) {
      if ((criterion.role == Role::kShown) != shown) continue;
      const Measured value = criterion.value(evidence);
      retested.criteria.push_back({&criterion, value, HoldsOf(criterion.threshold, value)});
    }
    if (!shown) retested.missing = evidence.missing();
  }
  retested.holds = HoldsOf(retested.criteria);
  retested.evidence = evidence.facts();
  retested.stages = evidence.stages();
  const auto name = [](const std::string& stage, const std::string& at) { return stage + " at " + at; };
  for (const std::string& stage : retested.stages) retested.launches.insert(name(stage, shape));
  for (const auto& [stage, size] : evidence.sized_stages()) {
    retested.launches.insert(name(stage, SquareShape(size)));
    if (std::find(retested.stages.begin(), retested.stages.end(), stage) == retested.stages.end())
      retested.stages.push_back(stage);
    if (std::find(retested.sizes.begin(), retested.sizes.end(), size) == retested.sizes.end())
      retested.sizes.push_back(size);
  }
  return retested;
}

// The shapes at which the claim can be retested, the best one first. If its stages share no shape, takes one at which
// some of them ran, so that only really missing values are named.
std::vector<std::string> ShapesFor(const Claim& claim, const Recording& recording) {
  Evidence needs(nullptr, "");
  for (const Criterion& criterion : claim.criteria)
    if (criterion.role != Role::kShown) criterion.value(needs);
  std::vector<std::string> shapes = recording.SharedShapes(needs.stages());
  for (auto stage = needs.stages().begin(); shapes.empty() && stage != needs.stages().end(); ++stage)
    shapes = recording.SharedShapes({&*stage, 1});
  std::stable_partition(shapes.begin(), shapes.end(),
                        [](const std::string& shape) { return shape == SquareShape(kClaimedSize); });
  return shapes;
}

std::string Describe(const RetestedCriterion& c) {
  const Threshold& threshold = c.criterion->threshold;
  std::string text = fmt::format("{} is {}", c.criterion->what, FormatPart(c.value, threshold.unit));
  if (c.criterion->role == Role::kShown || !c.value) return text;
  const char* word = c.holds == Holds::kYes ? "holds" : c.holds == Holds::kInPart ? "in part" : "fails";
  return text + fmt::format(" ({}: asked {})", word, Describe(threshold.holds, threshold.unit));
}

}  // namespace

RetestedClaim Retest(const Claim& claim, const Recording& recording) {
  RetestedClaim first;
  for (const std::string& shape : ShapesFor(claim, recording)) {
    RetestedClaim retested = RetestAt(claim, &recording, shape);
    if (retested.holds != Holds::kNotMeasured) return retested;
    if (!first.claim) first = std::move(retested);
  }
  // Nothing that it needs ran at all.
  return first.claim ? first : RetestAt(claim, &recording, "");
}

std::vector<RetestedClaim> RetestAll(const Recording& recording) {
  std::vector<RetestedClaim> all;
  for (const Claim& claim : AllClaims()) all.push_back(Retest(claim, recording));
  return all;
}

std::string_view ToText(Holds holds) {
  switch (holds) {
    case Holds::kNotMeasured:
      return "not measured";
    case Holds::kNo:
      return "does not hold here";
    case Holds::kInPart:
      return "holds in part";
    case Holds::kYes:
      return "holds";
  }
  return "";
}

std::string Figure(const RetestedClaim& retested) {
  std::string figure;
  for (const RetestedCriterion& c : retested.criteria)
    if (c.criterion->role == Role::kClaim && c.value)
      figure += (figure.empty() ? "" : "; ") + FormatPart(c.value, c.criterion->threshold.unit);
  return figure.empty() ? "-" : figure;
}

const RetestedCriterion* Worst(const RetestedClaim& retested) {
  const RetestedCriterion* worst = nullptr;
  for (const RetestedCriterion& c : retested.criteria)
    if (c.criterion->role == Role::kClaim && c.value && (!worst || c.holds < worst->holds)) worst = &c;
  return worst;
}

namespace {

// A metric keeps its spelling.
std::string Sentence(std::string text) {
  if (text.substr(0, text.find(' ')).find('_') == text.npos)
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ".";
}

std::string Figures(const RetestedClaim& retested) {
  if (retested.holds == Holds::kNotMeasured) {
    // A stage that did not run lacks every value, so its name is listed once.
    std::vector<std::string> names;
    const auto add = [&](std::string name) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    };
    for (const Evidence::Missing& m : retested.missing)
      if (m.no_launch)
        add(m.name.substr(0, m.name.find('.')));
      else
        add(fmt::format("{} ({})", m.name, ToText(m.why)));
    if (names.empty()) return "A ratio over nothing: a value that it divides by is 0.";
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    text = fmt::format("Missing{}: {}.", retested.shape.empty() ? "" : " at " + retested.shape, text);
    for (const RetestedCriterion& c : retested.criteria)
      if (c.criterion->role == Role::kShown && c.value) text += " " + Sentence(Describe(c));
    return text;
  }
  std::string text;
  for (const RetestedCriterion& c : retested.criteria) text += (text.empty() ? "" : "; ") + Describe(c);
  return Sentence(std::move(text));
}

}  // namespace

std::string Reason(const RetestedClaim& retested) {
  const std::string& note = retested.claim->note;
  return Figures(retested) + (note.empty() ? "" : " " + note);
}

}  // namespace culprit::claims
