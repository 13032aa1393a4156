// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/why_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/kernel/how_to_measure.h"
#include "analysis/render/json_cell.h"
#include "analysis/report/run_header.h"
#include "analysis/report/why_header.h"
#include "analysis/why/cause_place.h"
#include "analysis/why/headline.h"

namespace culprit {
namespace {

using Json = OrderedJson;

Json From(const std::optional<Scatter>& scatter) {
  return scatter ? Json{{"low", scatter->low}, {"high", scatter->high}} : Json(nullptr);
}

template <class Map, class Key>
Json At(const Map& scatters, const Key& key) {
  const auto found = scatters.find(key);
  return From(found == scatters.end() ? std::nullopt : std::optional(found->second));
}

Json From(const std::optional<Shift>& shift) {
  return shift ? Json{{"change", shift->change}, {"low", shift->low}, {"high", shift->high}} : Json(nullptr);
}

Json From(const KernelRecord& kernel) {
  return {{"stage", kernel.stage.id},
          {"run_uuid", kernel.run.run.uuid},
          {"run_label", kernel.run.run.label},
          {"recorded_utc", kernel.run.run.started_utc},
          {"gpu", GpuOf(kernel)},
          {"shape", kernel.launch.shape},
          {"kernel", kernel.launch.kernel},
          {"factors", kernel.stage.factors}};
}

Json Factors(const Explanation& e) {
  Json list = Json::array();
  if (!e.decomposition) return list;
  for (const Factor factor : kFactors) {
    const auto part = e.decomposition->factors.find(factor);
    if (part == e.decomposition->factors.end()) continue;
    Json one = {{"factor", ToText(factor)}};
    Put(one, "delta_us", Measured(part->second));
    one["scatter_us"] = At(e.factor_scatter, factor);
    list.push_back(std::move(one));
  }
  return list;
}

Json Stalls(const Explanation& e) {
  Json list = Json::array();
  if (!e.decomposition) return list;
  for (const StallDifference& stall : LargestFirst(e.decomposition->stalls)) {
    Json one = {{"reason", stall.reason}};
    Put(one, "base_us", Measured(stall.base_us));
    Put(one, "candidate_us", Measured(stall.candidate_us));
    Put(one, "delta_us", Measured(stall.DeltaUs()));
    one["scatter_us"] = At(e.stall_scatter, stall.reason);
    Json by_factor = Json::object();
    for (const auto& [factor, us] : stall.by_factor) Put(by_factor, std::string(ToText(factor)), Measured(us));
    one["by_factor_us"] = std::move(by_factor);
    list.push_back(std::move(one));
  }
  return list;
}

Json From(const std::vector<Counterfactual>& counterfactuals) {
  Json list = Json::array();
  for (const Counterfactual& c : counterfactuals) {
    Json one = {{"stage", c.stage}};
    Put(one, "recovers", Measured(c.recovers));
    one["differs_from"] = c.differs_from;
    one["change"] = c.change;
    Put(one, "time_us", Measured(c.time_us));
    one["symptom_moved"] = c.symptom_moved ? Json(*c.symptom_moved) : Json(nullptr);
    one["note"] = c.note;
    one["proof"] = ToText(c.proof);
    Put(one, "recovered_us", Measured(c.recovered_us));
    Put(one, "part_us", c.part_us ? Measured(*c.part_us) : Measured());
    one["of_several"] = c.of_several;
    list.push_back(std::move(one));
  }
  return list;
}

Json From(const CausePart& cause) {
  Json one = {{"cause", cause.cause}};
  Put(one, "delta_us", Measured(cause.delta_us));
  Put(one, "share", Measured(cause.share));
  one["scatter_us"] = From(cause.scatter);
  one["interval90_us"] = From(cause.interval);
  one["text"] = cause.text;
  one["basis"] = cause.measured.empty() ? "modelled" : "measured";
  one["measured"] = cause.measured;
  one["evidence"] = Json::array();
  for (const CauseEvidence& e : cause.evidence) {
    // What has a name of CUPTI's goes by that name, as people know it from the profilers; `id` is ours for both.
    Json evidence = {{"metric", e.name.empty() ? e.metric : e.name}};
    Put(evidence, "base", e.base);
    Put(evidence, "candidate", e.candidate);
    evidence["id"] = e.metric;
    evidence["unit"] = e.unit;
    one["evidence"].push_back(std::move(evidence));
  }
  one["place"] = ToText(PlaceOf(cause));
  one["source"] = Json::array();
  for (const CauseSource& s : cause.source) {
    Json instructions = Json::array();
    for (const CauseInstruction& i : s.instructions)
      instructions.push_back({{"function", i.function},
                              {"pc_offset", fmt::format("0x{:04x}", i.pc_offset)},
                              {"instruction", i.text},
                              {"samples", i.samples}});
    one["source"].push_back({{"file", s.file},
                             {"line", s.line},
                             {"what", s.what},
                             {"tied", s.tied},
                             {"kernel", s.kernel},
                             {"waited_us", s.waited_us ? Json(*s.waited_us) : Json(nullptr)},
                             {"samples", s.instructions.empty() ? Json(nullptr) : Json(s.samples)},
                             {"instructions", std::move(instructions)}});
  }
  one["code"] = Json::array();
  for (const CauseCode& c : cause.code)
    one["code"].push_back({{"kernel", c.of_base ? "base" : "candidate"},
                           {"file", c.file},
                           {"line", c.line},
                           {"shows", c.text},
                           {"waited_us", c.waited_us}});
  one["to_do"] = Json::array();
  for (const CauseAdvice& a : cause.to_do)
    one["to_do"].push_back(
        {{"file", a.file}, {"line", a.line}, {"advice", a.advice}, {"finding", a.finding}, {"action", a.action}});
  one["confirmed_by"] = From(cause.confirmed_by);
  one["refuted_by"] = From(cause.refuted_by);
  return one;
}

}  // namespace

void RenderWhyJson(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation,
                   std::ostream& out) {
  const Explanation& e = explanation;
  const Measured delta = e.candidate_us - e.base_us;
  Json json = {{"schema", 2},
               {"kind", "why"},
               {"base", base.stage.id},
               {"candidate", candidate.stage.id},
               {"shape", base.launch.shape},
               {"gpu", GpuOf(base)},
               {"verdict", ToText(e.verdict.speed)}};
  Put(json, "base_us", e.base_us);
  Put(json, "candidate_us", e.candidate_us);
  Put(json, "delta_us", delta);
  json["factors"] = Factors(e);
  json["stalls"] = Stalls(e);
  json["causes"] = Json::array();
  for (const CausePart& cause : e.causes) json["causes"].push_back(From(cause));
  Put(json, "unexplained_us", delta ? Measured(e.unexplained_us) : delta);
  json["within_noise"] = Json::array();
  for (const auto& [cause, us] : e.within_noise) json["within_noise"].push_back({{"cause", cause}, {"delta_us", us}});
  json["unexplained_in"] = Json::array();
  for (const UnexplainedRest& rest : e.rest) {
    Json operations = Json::array();
    for (const auto& [operation, us] : rest.operations)
      operations.push_back({{"operation", operation}, {"delta_us", us}});
    json["unexplained_in"].push_back(
        {{"in", rest.in}, {"delta_us", rest.us}, {"sampled_operations", std::move(operations)}});
  }

  json["headline"] = Headline(e);
  json["verdict_reason"] = e.verdict.reason;
  json["time_change"] = From(e.verdict.time);
  json["cycles_change"] = From(e.verdict.cycles);
  json["noise_floor"] = {{"change", e.verdict.floor.change}, {"source", e.verdict.floor.source}};
  json["no_decomposition"] = e.decomposition ? Json(nullptr) : Json(e.no_decomposition);
  json["not_judged"] = Json::array();
  for (const CauseNotJudged& n : e.not_judged)
    json["not_judged"].push_back({{"cause", n.cause}, {"missing", n.missing}});
  const std::array<const KernelRecord*, 2> kernels{&base, &candidate};
  if (std::string command = NcuCommand(kernels); !command.empty()) json["ncu_command"] = std::move(command);
  json["caveats"] = e.caveats;
  json["warnings"] = WarningsOf(base, candidate);
  Report header;
  AddRunHeader(base.run, {}, header);
  json["context"] = Json::object();
  for (const Fact& fact : header.identity) Put(json["context"], fact.key, fact.value);
  json["kernels"] = {{"base", From(base)}, {"candidate", From(candidate)}};
  Write(std::move(json), out);
}

}  // namespace culprit
