// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/rooms.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/launch/instruction_counts.h"
#include "analysis/number/format.h"

namespace culprit {

double ConversionCost(Wait wait, const Asker& a) {
  constexpr double kWarp = 32;
  if (wait == Wait::kResult || wait == Wait::kQueue) return a.of_unit ? 0 : kWarp / a.machine.xu;
  if (IsPerInstruction(wait)) return 1;
  return wait == Wait::kPipe && a.IsOf(Pipe::kXu) ? Machine::CyclesOf(a.machine.xu) : 0;
}

Range AsInstructions(Wait wait, const Asker& a, const Range& instructions) {
  return IsPerInstruction(wait) || (wait == Wait::kPipe && a.pipe == Pipe::kAll) ? instructions : 0.0;
}

GlobalAccesses GlobalAccessesOf(Wait wait, const Askers& pair) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (wait == Wait::kMemory) return {pair.base.global_request, from.global_requests, to.global_requests};
  return AsInstructions(wait, pair.base, 1.0).high > 0 ? GlobalAccesses{1.0, from.global, to.global} : GlobalAccesses{};
}

double Within(double change, double wanted) {
  return change * wanted <= 0 ? 0 : std::abs(wanted) < std::abs(change) ? wanted : change;
}

double GrowthByWidth(double a, double b, double width_from, double width_to) {
  const bool known = a > 0 && b > 0 && width_from > 0 && width_to > 0;
  return known ? Within(std::log(b / a), std::log(width_from / width_to)) : 0;
}

double MoreByWidth(double a, double b, double width_from, double width_to) {
  return a > 0 && b > 0 ? LogarithmicMean(b, a) * GrowthByWidth(a, b, width_from, width_to) : 0;
}

double MoreByRate(double a, double b, double bytes_from, double bytes_to) {
  if (!(a > 0) || !(b > 0) || !(bytes_from > 0) || !(bytes_to > 0)) return 0;
  return LogarithmicMean(b, a) * (std::log(b / bytes_to) - std::log(a / bytes_from));
}

Range Same(const Range& from, const Range& to) {
  const double most = std::exp(kAlikeLog);
  const bool must = to.high < from.low * most && from.high < to.low * most;
  const bool may = to.high * most > from.low && to.low < from.high * most;
  return {must ? 1.0 : 0.0, may ? 1.0 : 0.0};
}

double Difference(const InstructionRecord& i, const std::string& all, const std::string& ideal) {
  return i.counts.contains(all) && i.counts.contains(ideal) ? CountOf(i, all) - CountOf(i, ideal) : 0;
}

bool IsNarrow(const InstructionRecord& i) {
  return CountOf(i, "sass_memory_8b_inst") + CountOf(i, "sass_memory_16b_inst") + CountOf(i, "sass_memory_32b_inst") +
             CountOf(i, "sass_memory_64b_inst") >
         0;
}

namespace topic {
bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
bool IsNone(std::string_view v) { return v == "none" || v == "no" || v == "false" || v == "-" || v == "0"; }
bool IsSet(std::string_view v) { return !IsNone(v); }
}  // namespace topic

std::optional<Opinion> WaitsFor(double wait_us, double share, double least, std::string_view text,
                                std::string_view brief) {
  if (!(share >= least)) return std::nullopt;
  const std::string percent = Format(100 * share, Unit::kPercent);
  return Opinion{fmt::format("{} ({}) {}.", Format(wait_us, Unit::kTimeUs), percent, text), wait_us,
                 fmt::format("{} {}", percent, brief)};
}

std::optional<Opinion> WaitsIn(std::string_view state, const Sharing& k, double least, std::string_view text,
                               std::string_view brief) {
  return WaitsFor(*k.StallUs(state), *k.StallShare(state), least, text, brief);
}

// One in ten instructions: a kernel with fewer is about something else.
constexpr double kCountPerFfmaFrom = 0.10;

std::optional<double> PerFfma(const KernelView& k, double count) {
  const Measured ffma = k.Get("ffma_thread_inst") / Measured(32), share = ffma / k.Get("inst_executed");
  if (!share || *share < kCountPerFfmaFrom) return std::nullopt;
  return (Measured(count) / ffma).value();
}

std::string PerFfmaClause(const KernelView& k, double count) {
  const auto ratio = PerFfma(k, count);
  if (!ratio) return "";
  std::string clause = fmt::format(", {} for every FFMA instruction", Format(*ratio, Unit::kRatio));
  if (const Measured pace = Measured(32) / k.Get("fp32_lanes_per_sm"); pace && *ratio > *pace)
    clause += fmt::format(" where {} would keep pace with the FFMA lanes", Format(*pace, Unit::kRatio));
  return clause;
}

double PartOf(double one, double all) { return all > 0 ? one / all : 0; }

double ShareOfPipe(const Sharing& k, const Measured& instructions, std::string_view pipe) {
  return std::min(1.0, (instructions / k.Get(pipe)).value_or(0));
}

Removal WithoutWaiting(const char* reason, double share) {
  Removal r;
  r.waiting = {{reason, share}};
  return r;
}

Removal WithoutMemory(const Sharing& k, CauseIds causes) {
  const double memory = k.Of(Wait::kMemory, causes);
  Removal r;
  for (const std::string_view state : kMemoryStates) r.waiting.emplace(state, memory);
  r.waiting["mio_throttle"] = k.Of(Wait::kQueue, causes);
  r.waiting["short_scoreboard"] = k.Of(Wait::kResult, causes);
  return r;
}

std::optional<Removal> WithoutGlobal(const Sharing& k, CauseIds causes) {
  if (!k.Get("global_sectors") || !k.Get("local_sectors")) return std::nullopt;
  return WithoutMemory(k, causes);
}

std::optional<Width> WidthOf(const Sharing& k, const std::string& memory) {
  const Measured all = k.Get("sass_" + memory + "_width_inst");
  const Measured narrow = k.Get("sass_" + memory + "_narrow_inst"), spared = k.Get("sass_" + memory + "_spared_inst");
  if (!all || !narrow || !spared) return std::nullopt;
  return Width{PartOf(*narrow, *all), PartOf(*spared, *all), *spared};
}

}  // namespace culprit
