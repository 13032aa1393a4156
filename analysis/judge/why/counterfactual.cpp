// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/counterfactual.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "analysis/judge/causes/cause.h"
#include "analysis/number/name_in.h"

namespace culprit {
namespace {

// A stage confirms a cause if its step is at least kSomething of the difference, and refutes it below kNothing. In
// between, the stage may concern a part of the cause.
constexpr double kSomething = 0.10;
constexpr double kNothing = 0.05;
// A stage removed a cause if its step removed a quarter of the cause's part and of its symptom, and if the removed part
// is at least a quarter of the step.
constexpr double kGaveWay = 0.25;
// A step concerns more than the difference if it is larger than kTooFar times the whole difference, or if it changes a
// cause by more than kTooMuch times its part.
constexpr double kTooFar = 1.5;
constexpr double kTooMuch = 2;
// A symptom went back if at least half of its change is gone. It moved if it changed by at least a tenth.
constexpr double kWentBack = 0.5;
constexpr double kMetricMoved = 0.10;

// One of the two kernels (`near`), and the stages around it as steps from it in the direction of the other (`far`).
struct Side {
  const KernelView& near;
  const KernelView& far;
  double near_us, far_us;
  double sign;  // converts the explanation's parts to parts of the path from near to far

  double WayUs() const { return far_us - near_us; }
};

struct Step {
  const KernelView& to;
  FactorChange change;
  double to_us = 0;
  double share = 0;  // the step's share of the path from near to far
  bool noticeable = false;
  // The parts of the step beyond the noise floor, by cause. Empty without counters.
  std::map<std::string, double, std::less<>> parts = {};
};

// The part of the difference that the step accounts for, with the sign of the explanation's parts.
double RecoveredUs(const Side& side, const Step& step) { return step.share * side.sign * side.WayUs(); }

// Null for causes without a symptom.
const Symptom* SymptomOf(std::string_view id) {
  const Cause* cause = FindCause(id);
  return cause == nullptr || cause->symptom.name.empty() ? nullptr : &cause->symptom;
}

// How much of the way from near to far a fact goes with the step; none when it was not measured or had not moved.
std::optional<double> ShareOfWay(const Side& side, const Step& step, std::string_view fact) {
  const Measured near = side.near.Get(fact), far = side.far.Get(fact), to = step.to.Get(fact);
  if (!near || !far || !to || std::abs(*far - *near) < kMetricMoved * std::max(std::abs(*far), std::abs(*near)))
    return std::nullopt;
  return (*to - *near) / (*far - *near);
}

std::optional<double> SymptomShare(const Side& side, const Step& step, std::string_view cause) {
  const Symptom* symptom = SymptomOf(cause);
  return symptom == nullptr ? std::nullopt : ShareOfWay(side, step, symptom->fact);
}

// Whether the cause's symptom went back or, for a cause without symptom, any count of its evidence.
bool EvidenceWent(const Side& side, const Step& step, std::string_view id) {
  const Cause* cause = FindCause(id);
  if (cause == nullptr) return false;
  const auto went = [&](std::string_view fact) { return ShareOfWay(side, step, fact).value_or(0) >= kGaveWay; };
  return SymptomOf(id) != nullptr ? went(cause->symptom.fact) : std::ranges::any_of(cause->evidence, went);
}

bool Confirms(const Side& side, const Step& step, const CausePart& cause) {
  // Such a stage does not test a cause that works against the difference.
  const double part = side.sign * cause.delta_us;
  if (part * side.WayUs() <= 0 || step.share < kSomething || step.share > kTooFar || !step.noticeable) return false;
  const auto given = step.parts.find(cause.cause);
  if (given == step.parts.end() || given->second / part < kGaveWay || given->second / part > kTooMuch) return false;
  // If the cause is only a small part of the step, the time did not come back because of it.
  if (given->second / (step.to_us - side.near_us) < kGaveWay) return false;
  return EvidenceWent(side, step, cause.cause);
}

// A large count with enough digits for a comparison: "268 M".
std::string Rounded(double count) {
  for (const auto& [size, suffix] : {std::pair{1e9, " G"}, {1e6, " M"}, {1e3, " k"}})
    if (std::abs(count) >= size) return fmt::format("{:.3g}{}", count / size, suffix);
  return fmt::format("{:.3g}", count);
}

struct Evidence {
  std::optional<bool> symptom_moved;
  std::string note;  // why it is weak
};

// Whether a step that was made against `cause` changed its symptom.
Evidence EvidenceOf(const Side& side, const Step& step, std::string_view cause) {
  const Symptom* symptom = SymptomOf(cause);
  if (symptom == nullptr) return {std::nullopt, "no metric shows whether it did what it was made for"};
  const Measured near = side.near.Get(symptom->fact), to = step.to.Get(symptom->fact);
  if (!near || !to) return {std::nullopt, fmt::format("whether it changed the {} was not measured", symptom->name)};
  const bool worse_before = side.WayUs() < 0;
  const double moved = worse_before ? *near - *to : *to - *near;
  if (moved > 0 && moved >= kMetricMoved * std::max(std::abs(*near), std::abs(*to))) return {true, {}};
  const std::string from = Rounded(*near), now = Rounded(*to);
  return {false, fmt::format("its {} {} {} of the {} ({})", step.change.factor, worse_before ? "removed" : "added",
                             moved > 0 ? "less than a tenth" : "none", symptom->name,
                             from == now ? now + " in both" : from + " -> " + now)};
}

Counterfactual MakeCounterfactual(const Side& side, const Step& step, Evidence evidence, Proof proof) {
  return {step.to.record().stage.id, side.near.record().stage.id, ToText(step.change),     step.to_us, step.share,
          evidence.symptom_moved,    std::move(evidence.note),    RecoveredUs(side, step), proof};
}

// For a step that confirms the cause: whether it confirms it fully or partly.
Proof ProofOf(double part_us, const CausePart& cause) {
  const bool inside = cause.interval && cause.interval->low <= part_us && part_us <= cause.interval->high;
  return inside ? Proof::kConfirmed : Proof::kPartly;
}

bool Judged(const Explanation& e, std::string_view cause) {
  return std::none_of(e.not_judged.begin(), e.not_judged.end(), [&](const auto& n) { return n.cause == cause; });
}

// Adds a part of 0 for a cause that has none.
CausePart& PartOf(std::string_view cause, std::vector<CausePart>& causes) {
  const auto found = std::ranges::find(causes, cause, &CausePart::cause);
  if (found != causes.end()) return *found;
  CausePart& part = causes.emplace_back();
  part.cause = cause;
  part.text = "No part above the noise.";
  return part;
}

void Refute(const Side& side, const Step& step, const Explanation& e, std::vector<CausePart>& causes) {
  std::map<std::string, Evidence, std::less<>> refuted;
  for (const CausePart& cause : causes)
    // A smaller part may have vanished unnoticed.
    if (cause.share >= kSomething && SymptomShare(side, step, cause.cause).value_or(0) >= kWentBack)
      refuted[cause.cause] = {true, {}};
  const FactorChange& change = step.change;
  for (const FactorTopic& topic :
       CausesRemovedBy(side.WayUs() < 0 ? change : FactorChange{change.factor, change.candidate, change.base})) {
    if (refuted.contains(topic.cause) || !Judged(e, topic.cause)) continue;
    Evidence evidence = EvidenceOf(side, step, topic.cause);
    // A failed attempt against the cause is worth listing. A change with another purpose is not.
    if (evidence.symptom_moved.value_or(false) || topic.made_for_it) refuted.emplace(topic.cause, std::move(evidence));
  }
  for (auto& [cause, evidence] : refuted) {
    const Proof proof = evidence.symptom_moved.value_or(false) ? Proof::kRefuted : Proof::kInconclusive;
    PartOf(cause, causes).refuted_by.push_back(MakeCounterfactual(side, step, std::move(evidence), proof));
  }
}

void Confirm(const Side& side, const Step& step, std::vector<CausePart>& causes) {
  std::vector<CausePart*> confirmed;
  for (CausePart& cause : causes)
    if (Confirms(side, step, cause)) confirmed.push_back(&cause);
  for (CausePart* cause : confirmed) {
    Evidence evidence = EvidenceOf(side, step, cause->cause);
    // If the cause went away, its symptom moved, even if by a small part of the whole count.
    if (SymptomShare(side, step, cause->cause)) evidence.symptom_moved = true;
    const double part_us = side.sign * step.parts.at(cause->cause);
    Counterfactual by = MakeCounterfactual(side, step, {evidence.symptom_moved, {}}, ProofOf(part_us, *cause));
    by.part_us = part_us;
    by.of_several = confirmed.size() > 1;
    cause->confirmed_by.push_back(std::move(by));
  }
}

void AddStep(const Side& side, const KernelRecord& neighbour, const Explanation& e, std::vector<CausePart>& causes) {
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
    Confirm(side, step, causes);
  }
  // "No effect" is visible only if the interval, which includes scatter and floor, is narrow enough.
  const bool visible =
      moved.time && (moved.time->high - moved.time->low) / 2 * side.near_us < kNothing * std::abs(side.WayUs());
  if (std::abs(step.share) <= kNothing && visible) Refute(side, step, e, causes);
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Ends at a parent that is not in `stages`, and at a stage that was visited before.
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
  using enum Proof;
  return NameIn<Proof>(
      {{kConfirmed, "confirmed"}, {kPartly, "partly"}, {kRefuted, "refuted"}, {kInconclusive, "inconclusive"}}, proof);
}

std::vector<FactorTopic> CausesRemovedBy(const FactorChange& change) {
  const std::string factor = Lower(change.factor), from = Lower(change.base), to = Lower(change.candidate);
  std::vector<FactorTopic> topics;
  for (const Cause& cause : Causes())
    for (const Topic& topic : cause.topics)
      if (topic.factor == factor && topic.suspect(from) && !topic.suspect(to))
        topics.push_back({cause.id, topic.made_for_it});
  return topics;
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

std::vector<CausePart> CausesWithProofs(const Explanation& explanation, const KernelView& base,
                                        const KernelView& candidate, std::span<const KernelRecord> near_base,
                                        std::span<const KernelRecord> near_candidate) {
  std::vector<CausePart> causes = explanation.causes;
  if (!IsDifference(explanation.verdict.speed)) return causes;
  if (!explanation.base_us || !explanation.candidate_us || explanation.DeltaUs() == 0) return causes;
  const double base_us = *explanation.base_us, candidate_us = *explanation.candidate_us;
  const Side to_base{candidate, base, candidate_us, base_us, -1};
  const Side to_candidate{base, candidate, base_us, candidate_us, 1};
  for (const KernelRecord& neighbour : near_candidate) AddStep(to_base, neighbour, explanation, causes);
  for (const KernelRecord& neighbour : near_base) AddStep(to_candidate, neighbour, explanation, causes);
  for (CausePart& cause : causes)
    for (auto* list : {&cause.confirmed_by, &cause.refuted_by})
      std::stable_sort(list->begin(), list->end(), [](const auto& a, const auto& b) {
        return a.proof != b.proof ? a.proof < b.proof : a.recovers > b.recovers;
      });
  return causes;
}

}  // namespace culprit
