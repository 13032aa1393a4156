// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/advice/advice.h"
#include "analysis/advice/kinds.h"
#include "analysis/blame/lines.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/machine/machine.h"

namespace culprit {
namespace {

// A load from device memory that waits for the one before it: 691 to 711 cycles below half of its bandwidth on an H200
// (`dram_latency` of db/recorded).
constexpr double kDramCycles = 700;

// Of a block, along any axis.
constexpr unsigned kMostThreads = 1024;

constexpr AdviceKind kKinds[] = {
    {"local_array", "array in local memory"},
    {"spill", "spilled registers"},
    {"bank_conflicts", "bank conflicts"},
    {"uncoalesced", "scattered global accesses"},
    {"narrow", "narrow accesses"},
    {"double", "double precision between floats"},
    {"load_early", "loads used at once"},
    {"load_chain", "loads that wait for one another"},
    {"barrier_in_loop", "barriers in a loop"},
    {"atomics", "atomics that could be combined"},
};

constexpr std::vector<Advice> (*kGivers[])(const AdviceCode&) = {
    advice::LocalArrays,      advice::Spills,         advice::BankConflicts, advice::Uncoalesced,
    advice::NarrowNeighbours, advice::NarrowElements, advice::Doubles,       advice::EarlyLoads,
    advice::LoadChains,       advice::Barriers,       advice::Atomics};

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

std::span<const AdviceKind> AdviceKinds() { return kKinds; }

std::string_view AdviceTitle(std::string_view id) {
  const auto found = std::ranges::find(kKinds, id, &AdviceKind::id);
  return found == std::end(kKinds) ? id : found->title;
}

Examined Examine(const AdviceQuestion& question) {
  Examined all;
  for (int f = 0; f < static_cast<int>(question.costs.functions.size()); ++f) {
    const AdviceCode code(question, f);
    for (const auto give : kGivers)
      for (Advice& advice : give(code))
        if (advice.waited_us >= kWorthAdvice * question.costs.time_us) all.advice.push_back(std::move(advice));
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
  const auto fits = [](unsigned extent) { return extent > 0 && extent <= kMostThreads; };
  if (fits(launch.block_x) && fits(launch.block_y) && fits(launch.block_z))
    question.block = {static_cast<int>(launch.block_x), static_cast<int>(launch.block_y),
                      static_cast<int>(launch.block_z)};
  const KernelView view(kernel);
  if (const Measured warps = view.Get("theoretical_warps_per_sm")) question.warps_per_sm = *warps;
  if (const Measured registers = view.Get("registers")) question.registers = *registers;
  if (const Machine machine = MachineOf(kernel.run.run); machine.dram_bytes > 0)
    question.bytes_under_way = machine.dram_bytes * kDramCycles;
  return question;
}

}  // namespace culprit
