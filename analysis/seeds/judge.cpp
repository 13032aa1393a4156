// SPDX-License-Identifier: Apache-2.0
#include "analysis/seeds/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "analysis/render/format.h"

namespace culprit::claims {
namespace {

Standing StandingOf(const Threshold& threshold, const Measured& value) {
  if (!value) return Standing::kNotMeasured;
  if (threshold.holds.Contains(*value)) return Standing::kHolds;
  return threshold.in_part.Contains(*value) ? Standing::kInPart : Standing::kFails;
}

Verdict VerdictOf(const std::vector<JudgedCriterion>& criteria) {
  bool all_hold = true, some_claim_holds = false;
  for (const JudgedCriterion& c : criteria) {
    if (c.criterion->role == Role::kShown) continue;
    if (c.standing == Standing::kNotMeasured) return Verdict::kNotMeasured;
    all_hold = all_hold && c.standing == Standing::kHolds;
    some_claim_holds = some_claim_holds || (c.criterion->role == Role::kClaim && c.standing != Standing::kFails);
  }
  if (all_hold) return Verdict::kHolds;
  return some_claim_holds ? Verdict::kHoldsInPart : Verdict::kDoesNotHold;
}

Judged JudgeAt(const Claim& claim, const Recording* recording, const std::string& shape) {
  Evidence evidence(recording, shape);
  Judged judged{&claim, {}, shape, {}, {}, {}, {}, {}, {}};
  // What is only shown comes last: it neither decides nor counts as missing.
  for (const bool shown : {false, true}) {
    for (const Criterion& criterion : claim.criteria) {
      if ((criterion.role == Role::kShown) != shown) continue;
      const Measured value = criterion.value(evidence);
      judged.criteria.push_back({&criterion, value, StandingOf(criterion.threshold, value)});
    }
    if (!shown) judged.missing = evidence.missing();
  }
  judged.verdict = VerdictOf(judged.criteria);
  judged.evidence = evidence.facts();
  judged.stages = evidence.stages();
  const auto name = [](const std::string& stage, const std::string& at) { return stage + " at " + at; };
  for (const std::string& stage : judged.stages) judged.launches.insert(name(stage, shape));
  for (const auto& [stage, size] : evidence.sized_stages()) {
    judged.launches.insert(name(stage, SquareShape(size)));
    if (std::find(judged.stages.begin(), judged.stages.end(), stage) == judged.stages.end())
      judged.stages.push_back(stage);
    if (std::find(judged.sizes.begin(), judged.sizes.end(), size) == judged.sizes.end()) judged.sizes.push_back(size);
  }
  return judged;
}

// Where the claim can be judged, the best one first. When its stages share no shape, one at which some of them ran, so
// that only what is really missing is named.
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

std::string Describe(const JudgedCriterion& c) {
  const Threshold& threshold = c.criterion->threshold;
  std::string text = fmt::format("{} is {}", c.criterion->what, FormatPart(c.value, threshold.unit));
  if (c.criterion->role == Role::kShown || !c.value) return text;
  const char* word = c.standing == Standing::kHolds ? "holds" : c.standing == Standing::kInPart ? "in part" : "fails";
  return text + fmt::format(" ({}: asked {})", word, Describe(threshold.holds, threshold.unit));
}

}  // namespace

Judged Judge(const Claim& claim, const Recording& recording) {
  Judged first;
  for (const std::string& shape : ShapesFor(claim, recording)) {
    Judged judged = JudgeAt(claim, &recording, shape);
    if (judged.verdict != Verdict::kNotMeasured) return judged;
    if (!first.claim) first = std::move(judged);
  }
  // Nothing that it needs ran at all.
  return first.claim ? first : JudgeAt(claim, &recording, "");
}

std::vector<Judged> JudgeAll(const Recording& recording) {
  std::vector<Judged> all;
  for (const Claim& claim : AllClaims()) all.push_back(Judge(claim, recording));
  return all;
}

std::string_view ToText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNotMeasured:
      return "not measured";
    case Verdict::kDoesNotHold:
      return "does not hold here";
    case Verdict::kHoldsInPart:
      return "holds in part";
    case Verdict::kHolds:
      return "holds";
  }
  return "";
}

std::string Figure(const Judged& judged) {
  std::string figure;
  for (const JudgedCriterion& c : judged.criteria)
    if (c.criterion->role == Role::kClaim && c.value)
      figure += (figure.empty() ? "" : "; ") + FormatPart(c.value, c.criterion->threshold.unit);
  return figure.empty() ? "-" : figure;
}

const JudgedCriterion* Worst(const Judged& judged) {
  const JudgedCriterion* worst = nullptr;
  for (const JudgedCriterion& c : judged.criteria)
    if (c.criterion->role == Role::kClaim && c.value && (!worst || c.standing < worst->standing)) worst = &c;
  return worst;
}

namespace {

// A metric keeps its spelling.
std::string Sentence(std::string text) {
  if (text.substr(0, text.find(' ')).find('_') == text.npos)
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ".";
}

std::string Grounds(const Judged& judged) {
  if (judged.verdict == Verdict::kNotMeasured) {
    // A stage that did not run lacks every value: its name says it once.
    std::vector<std::string> names;
    const auto add = [&](std::string name) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    };
    for (const Evidence::Missing& m : judged.missing)
      if (m.no_launch)
        add(m.name.substr(0, m.name.find('.')));
      else
        add(fmt::format("{} ({})", m.name, ToText(m.why)));
    if (names.empty()) return "A ratio over nothing: a value that it divides by is 0.";
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    text = fmt::format("Missing{}: {}.", judged.shape.empty() ? "" : " at " + judged.shape, text);
    for (const JudgedCriterion& c : judged.criteria)
      if (c.criterion->role == Role::kShown && c.value) text += " " + Sentence(Describe(c));
    return text;
  }
  std::string text;
  for (const JudgedCriterion& c : judged.criteria) text += (text.empty() ? "" : "; ") + Describe(c);
  return Sentence(std::move(text));
}

}  // namespace

std::string Reason(const Judged& judged) {
  const std::string& note = judged.claim->note;
  return Grounds(judged) + (note.empty() ? "" : " " + note);
}

}  // namespace culprit::claims
