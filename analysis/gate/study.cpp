// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/study.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/findings.h"
#include "analysis/judge/causes/gain.h"
#include "analysis/launch/roofline.h"

namespace culprit {
namespace {

// Empty: it has a time.
std::string WithoutTime(const KernelRecord* kernel) {
  if (kernel == nullptr) return "never launched at this shape";
  if (kernel->launch.state != LaunchState::kOk)
    return fmt::format("{}: {}", ToText(kernel->launch.state), kernel->launch.message);
  return KernelView(*kernel).Get("time_us") ? "" : "launched and not timed";
}

const KernelRecord* Find(const StudyInput& input, const std::string& stage) {
  const auto found = input.kernels.find(stage);
  return found == input.kernels.end() ? nullptr : &found->second;
}

// A stage may name a parent that the run does not list.
std::vector<FactorChange> Changes(const StudyInput& input, const std::string& base, const std::string& candidate) {
  const auto b = std::ranges::find(input.stages, base, &StageRecord::id);
  const auto c = std::ranges::find(input.stages, candidate, &StageRecord::id);
  if (b == input.stages.end() || c == input.stages.end()) return {};
  return FactorChanges(*b, *c);
}

// `explanation` of a step from `base`.
std::optional<Prediction> Predict(const KernelView& base, const Explanation& explanation) {
  if (explanation.verdict.speed != Speed::kFaster) return std::nullopt;
  std::vector<std::string> went;  // the largest first, those within noise last
  for (const CausePart& part : explanation.causes)
    if (part.delta_us < 0) went.push_back(part.cause);
  for (const auto& [cause, us] : explanation.within_noise)
    if (us < 0) went.push_back(cause);
  for (const std::string& id : went) {
    const Cause* cause = FindCause(id);
    if (cause == nullptr || cause->gain.removal == nullptr || JudgeKernel(base, *cause).findings.empty()) continue;
    if (const auto gain = EstimateGain(base, cause->gain)) return Prediction{id, gain->gain_us, cause->gain.is_bound};
  }
  return std::nullopt;
}

StudyEdge MakeEdge(const StudyInput& input, const Member& member, const Explainer& explain) {
  StudyEdge edge{member.base, member.stage, Changes(input, member.base, member.stage), {}, {}, {}, {}, {}};
  for (const std::string& id : {member.base, member.stage}) {
    const std::string why = WithoutTime(Find(input, id));
    if (!why.empty()) edge.not_measured += fmt::format("{}{} {}", edge.not_measured.empty() ? "" : "; ", id, why);
  }
  if (!edge.not_measured.empty()) return edge;
  const KernelView base(*Find(input, member.base)), candidate(*Find(input, member.stage));
  edge.base_us = base.Get("time_us");
  edge.candidate_us = candidate.Get("time_us");
  edge.explanation = explain(base, candidate);
  edge.predicted = Predict(base, *edge.explanation);
  return edge;
}

StudyStage MakeStage(const StudyInput& input, const Member& member, const Explainer& explain) {
  StudyStage stage;
  stage.id = member.stage;
  stage.depth = member.depth;
  if (const KernelRecord* kernel = Find(input, member.stage); WithoutTime(kernel).empty()) {
    const KernelView view(*kernel);
    stage.time_us = view.Get("time_us");
    stage.gflops = MakeRoofline(view).achieved_gflops;
  }
  if (!member.base.empty()) stage.edge = MakeEdge(input, member, explain);
  return stage;
}

// Which step put most into each part, known only when the sums and so their directions are.
void FindMost(std::vector<ChainPart>& parts, const std::vector<const StudyEdge*>& edges) {
  for (ChainPart& part : parts) {
    const double sign = part.delta_us < 0 ? -1 : 1;
    for (const StudyEdge* edge : edges) {
      for (const CausePart& cause : edge->explanation->causes) {
        if (cause.cause != part.cause) continue;
        if (!part.most_base.empty() && sign * cause.delta_us <= sign * part.most_us) continue;
        part.most_base = edge->base;
        part.most_candidate = edge->candidate;
        part.most_us = cause.delta_us;
      }
    }
  }
}

std::optional<ChainTotal> Sum(const std::vector<const StudyEdge*>& edges) {
  ChainTotal total;
  for (const StudyEdge* edge : edges) {
    if (!edge->explanation) return std::nullopt;
    const Explanation& explanation = *edge->explanation;
    if (!edge->IsDifferent()) {
      total.no_difference_us += *edge->DeltaUs();
    } else if (!explanation.decomposition) {
      total.without_counters_us += *edge->DeltaUs();
    } else {
      total.unexplained_us += explanation.unexplained_us;
      for (const CausePart& cause : explanation.causes) {
        auto part = std::ranges::find(total.parts, cause.cause, &ChainPart::cause);
        if (part == total.parts.end()) part = total.parts.insert(part, {cause.cause, 0, "", "", 0});
        part->delta_us += cause.delta_us;
      }
    }
  }
  total.base_us = *edges.front()->base_us;
  total.candidate_us = *edges.back()->candidate_us;
  FindMost(total.parts, edges);
  const double sign = total.DeltaUs() < 0 ? -1 : 1;
  std::ranges::stable_sort(total.parts, std::greater<>(), [&](const ChainPart& p) { return sign * p.delta_us; });
  return total;
}

}  // namespace

bool StudyEdge::IsDifferent() const { return explanation && IsDifference(explanation->verdict.speed); }

Study MakeStudy(const StudyInput& input, const Lineage& lineage, const Explainer& explain) {
  Study study{"", lineage.is_tree, {}, {}};
  for (const std::span<const Member> tree : Trees(lineage)) {
    const auto shape = input.shapes.find(tree.front().stage);
    for (const Member& member : tree) {
      study.stages.push_back(MakeStage(input, member, explain));
      if (shape != input.shapes.end()) study.stages.back().shape = shape->second;
    }
  }
  const std::string& first = study.stages.front().shape;
  if (std::ranges::all_of(study.stages, [&](const StudyStage& s) { return s.shape == first; })) study.shape = first;
  if (study.is_tree) return study;
  std::vector<const StudyEdge*> edges;
  for (const StudyStage& stage : study.stages)
    if (stage.edge) edges.push_back(&*stage.edge);
  study.total = Sum(edges);
  return study;
}

}  // namespace culprit
