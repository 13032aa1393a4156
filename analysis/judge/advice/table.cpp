// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/judge/advice/advice.h"
#include "analysis/judge/advice/kinds.h"
#include "analysis/judge/blame/lines.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/launch/machine.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

constexpr std::vector<ShownCode> (*kShowers[])(const AdviceCode&) = {
    advice::LoadsUnderWay, advice::SharedLoadsUnderWay, advice::MetBarriers,
    advice::LanesApart,    advice::WhereDoublesBegin,   advice::OfTheXuPipe};

void HoldAgainstLines(const KernelCosts& costs, std::vector<Advice>& advice) {
  const std::vector<CostLine> lines = LinesOf(costs);
  for (Advice& a : advice) {
    const std::vector<SourceFrame> named = a.Lines();
    double own_us = 0;
    for (const CostLine& line : lines) {
      if (line.at == a.at) a.line_us = line.cost.blamed_us;
      if (std::ranges::count(named, line.at) == 0) continue;
      for (const InstructionPlace& place : line.instructions)
        if (std::ranges::binary_search(a.about, place))
          own_us += costs.functions[place.function].costs[place.instruction].Blamed();
    }
    a.us = std::min(a.waited_us, own_us);
  }
}

}  // namespace

std::vector<SourceFrame> Advice::Lines() const {
  std::vector<SourceFrame> lines = {at};
  for (const int line : also_lines) lines.push_back({at.file, line});
  return lines;
}

bool Advice::IsAboutSame(const Advice& other) const {
  std::vector<InstructionPlace> both;
  std::ranges::set_intersection(about, other.about, std::back_inserter(both));
  return !both.empty();
}

std::span<const AdviceKind> AdviceKinds() {
  static const std::vector<AdviceKind> kinds = {
      {"local_array", {"local_memory_array"}, {advice::LocalArrays}},
      {"spill", {"local_memory_spill"}, {advice::Spills}},
      {"bank_conflicts", {"shared_bank_conflicts"}, {advice::BankConflicts}},
      {"uncoalesced", {"global_uncoalesced"}, {advice::Uncoalesced}},
      {"narrow", {"global_access_width", "shared_access_width"}, {advice::NarrowNeighbours, advice::NarrowElements}},
      {"double", {"fp64_pipe"}, {advice::Doubles}},
      {"load_early", {"exposed_latency"}, {advice::EarlyLoads}},
      {"load_chain", {"exposed_latency"}, {advice::LoadChains}},
      {"barrier_in_loop", {"barrier"}, {advice::Barriers}},
      {"atomics", {"atomics"}, {advice::Atomics}},
  };
  return kinds;
}

Examined Examine(const AdviceQuestion& question) {
  Examined all;
  for (int f = 0; f < static_cast<int>(question.costs.functions.size()); ++f) {
    const AdviceCode code(question, f);
    for (const AdviceKind& kind : AdviceKinds())
      for (const auto give : kind.givers)
        for (Advice& advice : give(code)) {
          if (!(advice.waited_us >= kWorthAdvice * question.costs.time_us)) continue;
          advice.id = kind.id;
          all.advice.push_back(std::move(advice));
        }
    for (const auto show : kShowers)
      for (ShownCode& shown : show(code))
        if (shown.us > 0) all.shown.push_back(std::move(shown));
  }
  HoldAgainstLines(question.costs, all.advice);
  std::ranges::stable_sort(all.advice, std::ranges::greater(),
                           [](const Advice& a) { return std::pair(a.line_us, a.us); });
  std::ranges::stable_sort(all.shown, std::ranges::greater(), &ShownCode::us);
  return all;
}

AdviceQuestion QuestionOf(const KernelRecord& kernel, const KernelCosts& costs,
                          std::span<const InstructionRecord> counted) {
  AdviceQuestion question{.costs = costs, .counted = counted, .stated = kernel.stage.shared_accesses};
  const LaunchRecord& launch = kernel.launch;
  const auto fits = [](unsigned extent) { return extent > 0 && extent <= unsigned{kMaxBlockThreads}; };
  if (fits(launch.block_x) && fits(launch.block_y) && fits(launch.block_z))
    question.block = {static_cast<int>(launch.block_x), static_cast<int>(launch.block_y),
                      static_cast<int>(launch.block_z)};
  const KernelView view(kernel);
  if (const Measured warps = view.Get("theoretical_warps_per_sm")) question.warps_per_sm = *warps;
  if (const Measured registers = view.Get("registers")) question.registers = *registers;
  if (const Machine machine = MachineOf(kernel.run.run); machine.dram_bytes > 0)
    question.bytes_under_way = machine.dram_bytes * h200::kDramCycles;
  return question;
}

}  // namespace culprit
