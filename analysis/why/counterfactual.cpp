// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/counterfactual.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/causes/cause.h"
#include "analysis/why/factor_topics.h"

namespace culprit {
namespace {

// Below a tenth of the difference a stage neither confirms nor, beyond kNothing, refutes: it may be about a part of the
// cause.
constexpr double kSomething = 0.10;
constexpr double kNothing = 0.05;
// A cause gave way when the step to the stage took back a quarter of its part and of its symptom, and that was a
// quarter of the step.
constexpr double kGaveWay = 0.25;
// A step that goes half as far again as the whole difference, or moves a cause by twice its part, is about something
// larger than what is to be explained.
constexpr double kTooFar = 1.5;
constexpr double kTooMuch = 2;
// A symptom went back when half of what it had moved is gone; it moved at all when it changed by a tenth.
constexpr double kWentBack = 0.5;
constexpr double kMoved = 0.10;

// One of the two kernels and stages around it, seen as steps from it (`near`) in the direction of the other (`far`).
struct Side {
  const KernelView& near;
  const KernelView& far;
  double near_us, far_us;
  double sign;  // of the explanation's parts as parts of the way from near to far

  double WayUs() const { return far_us - near_us; }
};

struct Step {
  const KernelView& to;
  FactorChange change;
  double to_us = 0;
  double share = 0;  // of the way from near to far that the step goes
  bool noticeable = false;
  // Of the step, by cause, those beyond the noise floor; empty without counters.
  std::map<std::string, double, std::less<>> parts = {};
};

// What the step says of the difference, with the sign of the explanation's parts.
double RecoveredUs(const Side& side, const Step& step) { return step.share * side.sign * side.WayUs(); }

// Null for causes without one.
const Symptom* SymptomOf(std::string_view id) {
  const Cause* cause = FindCause(id);
  return cause == nullptr || cause->symptom.name.empty() ? nullptr : &cause->symptom;
}

// How much of the way from near to far a count goes with the step; none when it was not measured or had not moved.
std::optional<double> ShareOfWay(const Measured& near, const Measured& far, const Measured& to) {
  if (!near || !far || !to || std::abs(*far - *near) < kMoved * std::max(std::abs(*far), std::abs(*near)))
    return std::nullopt;
  return (*to - *near) / (*far - *near);
}

std::optional<double> SymptomShare(const Side& side, const Step& step, std::string_view cause) {
  const Symptom* symptom = SymptomOf(cause);
  if (symptom == nullptr) return std::nullopt;
  return ShareOfWay(symptom->Of(side.near), symptom->Of(side.far), symptom->Of(step.to));
}

// Whether what shows the cause went along: its symptom, or, of a cause without one, any count of its evidence.
bool EvidenceWent(const Side& side, const Step& step, std::string_view id) {
  const Cause* cause = FindCause(id);
  if (cause == nullptr) return false;
  const auto went = [&](const Measured& near, const Measured& far, const Measured& to) {
    const std::optional<double> share = ShareOfWay(near, far, to);
    return share && *share >= kGaveWay;
  };
  if (const Symptom* symptom = SymptomOf(id))
    return went(symptom->Of(side.near), symptom->Of(side.far), symptom->Of(step.to));
  return std::ranges::any_of(cause->evidence, [&](std::string_view metric) {
    return went(side.near.Get(metric), side.far.Get(metric), step.to.Get(metric));
  });
}

bool Confirms(const Side& side, const Step& step, const CausePart& cause) {
  // A cause that works against the difference is not what such a stage is asked about.
  const double part = side.sign * cause.delta_us;
  if (part * side.WayUs() <= 0 || step.share < kSomething || step.share > kTooFar || !step.noticeable) return false;
  const auto given = step.parts.find(cause.cause);
  if (given == step.parts.end() || given->second / part < kGaveWay || given->second / part > kTooMuch) return false;
  // What gave way by the way is not what the time came back for.
  if (given->second / (step.to_us - side.near_us) < kGaveWay) return false;
  return EvidenceWent(side, step, cause.cause);
}

// A large count with the digits that a comparison needs: "268 M".
std::string Rounded(double count) {
  for (const auto& [size, suffix] : {std::pair{1e9, " G"}, {1e6, " M"}, {1e3, " k"}})
    if (std::abs(count) >= size) return fmt::format("{:.3g}{}", count / size, suffix);
  return fmt::format("{:.3g}", count);
}

struct Evidence {
  std::optional<bool> symptom_moved;
  std::string note;  // what weakens it
};

// Whether a step made against `cause` did to its symptom what it was made for.
Evidence EvidenceOf(const Side& side, const Step& step, std::string_view cause) {
  const Symptom* symptom = SymptomOf(cause);
  if (symptom == nullptr) return {std::nullopt, "no metric shows whether it did what it was made for"};
  const Measured near = symptom->Of(side.near), to = symptom->Of(step.to);
  if (!near || !to) return {std::nullopt, fmt::format("whether it changed the {} was not measured", symptom->name)};
  const bool worse_before = side.WayUs() < 0;
  const double moved = worse_before ? *near - *to : *to - *near;
  if (moved > 0 && moved >= kMoved * std::max(std::abs(*near), std::abs(*to))) return {true, {}};
  const std::string from = Rounded(*near), now = Rounded(*to);
  return {false, fmt::format("its {} {} {} of the {} ({})", step.change.factor, worse_before ? "removed" : "added",
                             moved > 0 ? "less than a tenth" : "none", symptom->name,
                             from == now ? now + " in both" : from + " -> " + now)};
}

Counterfactual MakeCounterfactual(const Side& side, const Step& step, Evidence evidence, Proof proof) {
  return {step.to.record().stage.id, side.near.record().stage.id, ToText(step.change),     step.to_us, step.share,
          evidence.symptom_moved,    std::move(evidence.note),    RecoveredUs(side, step), proof};
}

// Of a step that confirms the cause: whether it does so in full.
Proof ProofOf(double part_us, const CausePart& cause) {
  const bool inside = cause.interval && cause.interval->low <= part_us && part_us <= cause.interval->high;
  return inside ? Proof::kConfirmed : Proof::kPartly;
}

bool Judged(const Explanation& e, std::string_view cause) {
  return std::none_of(e.not_judged.begin(), e.not_judged.end(), [&](const auto& n) { return n.cause == cause; });
}

CausePart* FindPart(Explanation& e, std::string_view cause) {
  const auto found = std::find_if(e.causes.begin(), e.causes.end(), [&](const auto& c) { return c.cause == cause; });
  return found == e.causes.end() ? nullptr : &*found;
}

void Refute(const Side& side, const Step& step, Explanation& e) {
  std::map<std::string, Evidence, std::less<>> refuted;
  for (const CausePart& cause : e.causes)
    // A smaller part may have gone without being seen.
    if (cause.share >= kSomething && SymptomShare(side, step, cause.cause).value_or(0) >= kWentBack)
      refuted[cause.cause] = {true, {}};
  for (const FactorTopic& topic : side.WayUs() < 0 ? CausesRemovedBy(step.change) : CausesAddedBy(step.change)) {
    if (refuted.contains(topic.cause) || !Judged(e, topic.cause)) continue;
    Evidence evidence = EvidenceOf(side, step, topic.cause);
    // A failed attempt at the cause is worth knowing; a change that was made for something else is not.
    if (evidence.symptom_moved.value_or(false) || topic.made_for_it) refuted.emplace(topic.cause, std::move(evidence));
  }
  for (auto& [cause, evidence] : refuted) {
    CausePart* part = FindPart(e, cause);
    if (part == nullptr) {
      e.causes.push_back({});
      part = &e.causes.back();
      part->cause = cause;
      part->text = "No part above the noise.";
    }
    const Proof proof = evidence.symptom_moved.value_or(false) ? Proof::kRefuted : Proof::kInconclusive;
    part->refuted_by.push_back(MakeCounterfactual(side, step, std::move(evidence), proof));
  }
}

void Confirm(const Side& side, const Step& step, Explanation& e) {
  std::vector<CausePart*> confirmed;
  for (CausePart& cause : e.causes)
    if (Confirms(side, step, cause)) confirmed.push_back(&cause);
  for (CausePart* cause : confirmed) {
    Evidence evidence = EvidenceOf(side, step, cause->cause);
    // A cause that gave way took its symptom along, however little of all that is counted that may be.
    if (SymptomShare(side, step, cause->cause)) evidence.symptom_moved = true;
    const double part_us = side.sign * step.parts.at(cause->cause);
    Counterfactual by = MakeCounterfactual(side, step, {evidence.symptom_moved, {}}, ProofOf(part_us, *cause));
    by.part_us = part_us;
    by.of_several = confirmed.size() > 1;
    cause->confirmed_by.push_back(std::move(by));
  }
}

void AddStep(const Side& side, const KernelRecord& neighbour, Explanation& e) {
  const KernelView view(neighbour);
  const Measured time = view.Get("time_us");
  const auto changes = FactorChanges(side.near.record().stage, neighbour.stage);
  if (!time || changes.size() != 1) return;
  Step step{view, changes.front(), *time, (*time - side.near_us) / side.WayUs(), false};
  const double slower = std::max(side.near_us, side.far_us);
  const NoiseFloor& floor = e.verdict.floor;
  if (*time > slower + kSomething * std::abs(side.WayUs()) && *time > slower * (1 + floor.change)) return;
  const Verdict moved = VerdictOn(side.near.record().samples, neighbour.samples, floor);
  step.noticeable = moved.speed == (side.WayUs() < 0 ? Speed::kFaster : Speed::kSlower);
  if (step.share >= kSomething && step.noticeable) {
    step.parts = PartsBeyondFloor(side.near, view);
    Confirm(side, step, e);
  }
  // "Nothing" is seen where scatter and floor, which the interval holds both, leave room for nothing else.
  const bool visible =
      moved.time && (moved.time->high - moved.time->low) / 2 * side.near_us < kNothing * std::abs(side.WayUs());
  if (std::abs(step.share) <= kNothing && visible) Refute(side, step, e);
}

// A parent that is not among `stages` is as far as they go, and so is the stage where a circle closes.
std::string RootOf(const StageRecord& stage, const std::map<std::string, const StageRecord*>& stages) {
  const StageRecord* at = &stage;
  for (std::size_t steps = 0; steps < stages.size() && !at->parent.empty(); ++steps) {
    const auto parent = stages.find(at->parent);
    if (parent == stages.end()) return at->parent;
    at = parent->second;
  }
  return at->id;
}

}  // namespace

std::string_view ToText(Proof proof) {
  switch (proof) {
    case Proof::kConfirmed:
      return "confirmed";
    case Proof::kPartly:
      return "partly";
    case Proof::kRefuted:
      return "refuted";
    case Proof::kInconclusive:
      return "inconclusive";
  }
  return {};
}

const Neighbours::Relatives& Neighbours::RelativesIn(RunId run) const {
  const auto [known, is_new] = runs_.try_emplace(run);
  if (!is_new) return known->second;
  const std::vector<StageRecord> stages = database_.Stages(run);
  std::map<std::string, const StageRecord*> by_id;
  for (const StageRecord& stage : stages) by_id.emplace(stage.id, &stage);
  Relatives& relatives = known->second;
  for (const StageRecord& stage : stages) {
    const std::string& root = relatives.roots[stage.id] = RootOf(stage, by_id);
    relatives.stages[{stage.family, root}].push_back(stage);
  }
  return relatives;
}

std::vector<KernelRecord> Neighbours::Load(const KernelRecord& kernel, const KernelRecord& base,
                                           const KernelRecord& candidate) const {
  const Relatives& relatives = RelativesIn(kernel.run.id);
  const auto root = relatives.roots.find(kernel.stage.id);
  if (root == relatives.roots.end()) return {};
  const auto related = relatives.stages.find({kernel.stage.family, root->second});
  if (related == relatives.stages.end()) return {};
  std::set<std::string> wanted;
  for (const StageRecord& stage : related->second)
    if (stage.id != base.stage.id && stage.id != candidate.stage.id && FactorChanges(kernel.stage, stage).size() == 1)
      wanted.insert(stage.id);
  if (wanted.empty()) return {};
  const Table launches = database_.Query(
      "SELECT launch.id, stage.key FROM launch JOIN stage ON stage.id = launch.stage_id "
      "WHERE launch.run_id = :run AND launch.shape = :shape AND launch.ordinal = 0 AND launch.state = 'ok' "
      "ORDER BY launch.id",
      {{":run", kernel.run.id}, {":shape", kernel.launch.shape}});
  std::vector<LaunchId> near;
  for (const auto& row : launches.rows)
    if (wanted.contains(std::get<std::string>(row[1]))) near.push_back(std::get<std::int64_t>(row[0]));
  return database_.LoadKernels(near);
}

void AddCounterfactuals(const KernelView& base, const KernelView& candidate, std::span<const KernelRecord> near_base,
                        std::span<const KernelRecord> near_candidate, Explanation& explanation) {
  if (!IsDifference(explanation.verdict.speed)) return;
  if (!explanation.base_us || !explanation.candidate_us || explanation.DeltaUs() == 0) return;
  const double base_us = *explanation.base_us, candidate_us = *explanation.candidate_us;
  const Side to_base{candidate, base, candidate_us, base_us, -1};
  const Side to_candidate{base, candidate, base_us, candidate_us, 1};
  for (const KernelRecord& neighbour : near_candidate) AddStep(to_base, neighbour, explanation);
  for (const KernelRecord& neighbour : near_base) AddStep(to_candidate, neighbour, explanation);
  for (CausePart& cause : explanation.causes)
    for (auto* list : {&cause.confirmed_by, &cause.refuted_by})
      std::stable_sort(list->begin(), list->end(), [](const auto& a, const auto& b) {
        return a.proof != b.proof ? a.proof < b.proof : a.recovers > b.recovers;
      });
}

}  // namespace culprit
