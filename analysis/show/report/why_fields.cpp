// SPDX-License-Identifier: Apache-2.0
// `culprit why --json`, as docs/schema/why.schema.json has it.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "analysis/judge/why/headline.h"
#include "analysis/launch/fact_source.h"
#include "analysis/launch/how_to_measure.h"
#include "analysis/launch/python_place.h"
#include "analysis/show/report/line_cells.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/why_header.h"
#include "analysis/show/report/why_report.h"

namespace culprit {
namespace {

const Tree kNull = std::optional<double>();

Tree Bounds(const std::optional<Scatter>& scatter) {
  return scatter ? Fields{{"low", scatter->low}, {"high", scatter->high}} : kNull;
}

template <class Map, class Key>
Tree BoundsOf(const Map& scatters, const Key& key) {
  const auto found = scatters.find(key);
  return found == scatters.end() ? kNull : Bounds(found->second);
}

Tree Change(const std::optional<Shift>& shift) {
  return shift ? Fields{{"change", shift->change}, {"low", shift->low}, {"high", shift->high}} : kNull;
}

std::vector<Tree> Texts(const std::vector<std::string>& texts) {
  return Each(texts, [](const std::string& text) { return Cell(text); });
}

Fields Kernel(const KernelRecord& kernel) {
  return {{"stage", kernel.stage.id},
          {"run_uuid", kernel.run.run.uuid},
          {"run_label", kernel.run.run.label},
          {"recorded_utc", kernel.run.run.started_utc},
          {"gpu", GpuOf(kernel)},
          {"shape", kernel.launch.shape},
          {"kernel", kernel.launch.kernel},
          {"launched_at", LaunchedAt(kernel)},
          {"factors", Cell(kernel.stage.factors)}};
}

std::vector<Tree> Factors(const Explanation& e) {
  std::vector<Tree> list;
  for (const Factor factor : kFactors)
    if (const auto part = e.decomposition->factors.find(factor); part != e.decomposition->factors.end())
      list.push_back(Fields{{"factor", ToText(factor)},
                            {"delta_us", Measured(part->second)},
                            {"scatter_us", BoundsOf(e.factor_scatter, factor)}});
  return list;
}

std::vector<Tree> Stalls(const Explanation& e) {
  return Each(LargestFirst(e.decomposition->stalls), [&](const StallDifference& stall) {
    Fields by_factor;
    for (const auto& [factor, us] : stall.by_factor) by_factor.emplace_back(ToText(factor), Measured(us));
    return Fields{{"reason", stall.reason},
                  {"base_us", Measured(stall.base_us)},
                  {"candidate_us", Measured(stall.candidate_us)},
                  {"delta_us", Measured(stall.DeltaUs())},
                  {"scatter_us", BoundsOf(e.stall_scatter, stall.reason)},
                  {"by_factor_us", std::move(by_factor)}};
  });
}

Fields Proved(const Counterfactual& c) {
  return {{"stage", c.stage},
          {"recovers", Measured(c.recovers)},
          {"differs_from", c.differs_from},
          {"change", c.change},
          {"time_us", Measured(c.time_us)},
          {"symptom_moved", c.symptom_moved ? Tree(*c.symptom_moved) : kNull},
          {"note", c.note},
          {"proof", ToText(c.proof)},
          {"recovered_us", Measured(c.recovered_us)},
          {"part_us", c.part_us ? Measured(*c.part_us) : Measured()},
          {"of_several", c.of_several}};
}

// What has a name of CUPTI's goes by that name, as people know it from the profilers; `id` is ours for both.
Fields Counted(const CauseEvidence& e, const KernelView& base, const KernelView& candidate) {
  const std::string_view from = SourceOf(base, e.metric), to = SourceOf(candidate, e.metric);
  Fields fields = {{"metric", e.name.empty() ? e.metric : e.name},
                   {"base", e.base},
                   {"candidate", e.candidate},
                   {"id", e.metric},
                   {"unit", e.unit},
                   {"source", from == to ? std::string(to) : fmt::format("{}, {}", from, to)}};
  for (const auto& [key, kernel] : {std::pair("base_error", &base), std::pair("candidate_error", &candidate)})
    if (const std::optional<double> error = ErrorOf(*kernel, e.metric)) fields.emplace_back(key, *error);
  return fields;
}

Fields Instruction(const CauseInstruction& i) {
  return {{"function", i.function},
          {"pc_offset", fmt::format("0x{:04x}", i.pc_offset)},
          {"instruction", i.text},
          {"samples", i.samples}};
}

Fields Source(const CauseSource& s) {
  return {{"file", s.file},
          {"line", s.line},
          {"text", Trimmed(s.text)},
          {"what", s.what},
          {"tied", s.tied},
          {"kernel", s.kernel},
          {"waited_us", s.waited_us},
          {"samples", s.instructions.empty() ? kNull : Tree(s.samples)},
          {"instructions", Each(s.instructions, Instruction)}};
}

Fields Code(const CauseCode& c) {
  return {{"kernel", c.of_base ? "base" : "candidate"},
          {"file", c.file},
          {"line", c.line},
          {"shows", c.text},
          {"waited_us", c.waited_us}};
}

Fields ToDo(const CauseAdvice& a) {
  return {{"file", a.file}, {"line", a.line}, {"advice", a.advice}, {"finding", a.finding}, {"action", a.action}};
}

Fields Part(const CausePart& part, const KernelView& base, const KernelView& candidate) {
  const auto counted = [&](const CauseEvidence& e) { return Counted(e, base, candidate); };
  return {{"cause", part.cause},
          {"delta_us", Measured(part.delta_us)},
          {"share", Measured(part.share)},
          {"scatter_us", Bounds(part.scatter)},
          {"interval90_us", Bounds(part.interval)},
          {"text", part.text},
          {"only_waits", part.only_waits},
          {"basis", part.measured.empty() ? "modelled" : "measured"},
          {"measured", part.measured},
          {"evidence", Each(part.evidence, counted)},
          {"place", ToText(PlaceOf(part))},
          {"source", Each(part.source, Source)},
          {"code", Each(part.code, Code)},
          {"to_do", Each(part.to_do, ToDo)},
          {"confirmed_by", Each(part.confirmed_by, Proved)},
          {"refuted_by", Each(part.refuted_by, Proved)}};
}

Fields Known(const KnownDifference& known) {
  const auto line = [](const KnownDifference::Line& at) {
    return Fields{{"file", at.file}, {"line", at.line}, {"inst", at.instructions}};
  };
  return {{"what", known.what},
          {"unit", known.unit},
          {"base", known.base},
          {"candidate", known.candidate},
          {"at", Each(known.at, line)}};
}

Fields Rest(const UnexplainedRest& rest) {
  const auto operation = [](const auto& of) { return Fields{{"operation", of.first}, {"delta_us", of.second}}; };
  return {{"in", rest.in}, {"delta_us", rest.us}, {"sampled_operations", Each(rest.operations, operation)}};
}

Tree Phases(const std::optional<PhaseDifference>& phases) {
  if (!phases) return kNull;
  const auto side = [](const PhaseDifference::Side& s) {
    const bool has_tail = s.tail.share > 0;
    return Fields{{"tail_us", s.TailUs()},
                  {"tail_us_error", s.tail.share_error * s.time_us},
                  {"tail_sms", has_tail ? Tree(s.tail.sms) : kNull},
                  {"tail_sms_error", has_tail ? Tree(s.tail.sms_error) : kNull},
                  {"before_us", s.BeforeUs()},
                  {"before_sms", s.tail.sms_before}};
  };
  return Fields{{"text", phases->text},
                {"base", side(phases->base)},
                {"candidate", side(phases->candidate)},
                {"before", ToText(phases->before)},
                {"before_delta_us", phases->before_delta_us},
                {"before_delta_us_error", phases->before_error_us}};
}

}  // namespace

Fields WhyFields(const KernelRecord& base, const KernelRecord& candidate, const Explanation& e) {
  const KernelView from(base), to(candidate);
  const Measured delta = e.candidate_us - e.base_us;
  const auto noise = [](const auto& part) { return Fields{{"cause", part.first}, {"delta_us", part.second}}; };
  const auto missing = [](const CauseNotJudged& n) {
    return Fields{{"cause", n.cause}, {"missing", Texts(n.missing)}};
  };
  Fields fields = {{"base", base.stage.id},
                   {"candidate", candidate.stage.id},
                   {"shape", base.launch.shape},
                   {"gpu", GpuOf(base)},
                   {"verdict", ToText(e.verdict.speed)},
                   {"base_us", e.base_us},
                   {"candidate_us", e.candidate_us},
                   {"delta_us", delta},
                   {"factors", e.decomposition ? Factors(e) : std::vector<Tree>()},
                   {"stalls", e.decomposition ? Stalls(e) : std::vector<Tree>()},
                   {"causes", Each(e.causes, [&](const CausePart& part) { return Part(part, from, to); })},
                   {"unexplained_us", delta ? Measured(e.unexplained_us) : delta},
                   {"within_noise", Each(e.within_noise, noise)},
                   {"unexplained_in", Each(e.rest, Rest)},
                   {"headline", Headline(e)},
                   {"phases", Phases(e.phases)},
                   {"verdict_reason", e.verdict.reason},
                   {"time_change", Change(e.verdict.time)},
                   {"cycles_change", Change(e.verdict.cycles)},
                   {"noise_floor", Fields{{"change", e.verdict.floor.change}, {"source", e.verdict.floor.source}}},
                   {"no_decomposition", e.decomposition ? kNull : Tree(e.no_decomposition)},
                   {"known_without_counters", Each(e.known, Known)},
                   {"not_judged", Each(e.not_judged, missing)},
                   {"to_measure", e.to_measure ? Tree(Fields{{"causes", Texts(CausesToMeasure(e))},
                                                             {"metrics", Texts(MetricsToMeasure(e))},
                                                             {"how", e.to_measure->how}})
                                               : kNull}};
  const std::array<const KernelRecord*, 2> kernels{&base, &candidate};
  if (std::string command = NcuCommand(kernels); !command.empty()) fields.emplace_back("ncu_command", command);
  fields.emplace_back("caveats", Texts(e.caveats));
  fields.emplace_back("warnings", Texts(WarningsOf(base, candidate)));
  Report header;
  AddRunHeader(base.run, {}, header);
  Fields context;
  for (const Fact& fact : header.identity) context.emplace_back(fact.key, fact.value);
  fields.emplace_back("context", std::move(context));
  fields.emplace_back("kernels", Fields{{"base", Kernel(base)}, {"candidate", Kernel(candidate)}});
  return fields;
}

}  // namespace culprit
