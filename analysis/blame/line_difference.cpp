// SPDX-License-Identifier: Apache-2.0
#include "analysis/blame/line_difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/blame/pair_lines.h"
#include "db/source_place.h"

namespace culprit {
namespace {

struct Line {
  CodePlace place;
  double blamed_us = 0, waiting_us = 0;
  double sampled_us = 0, variance = 0;  // before anything is blamed on other lines than samples say
  CostByKind blamed_for, waiting_at;
  std::map<std::string, int> content;
  std::map<int, int> depths;  // how many instructions are in so many loops
  int instructions = 0;
  LaneCounts lanes = {};
  double sectors = 0;                            // of global and local memory, that its instructions moved
  std::map<Operation, double> sectors_for = {};  // the same by what these do
  bool all_counted = true;                       // of each that moves any

  int Depth() const {
    const auto most = std::ranges::max_element(depths, {}, [](const auto& entry) { return entry.second; });
    return most == depths.end() ? 0 : most->first;
  }
};

CodePlace PlaceOf(const FunctionCosts& function, std::size_t i, Operation operation) {
  const std::vector<SourceFrame>& frames = function.code.instructions[i].frames;
  if (const auto own = FindOwnLine(frames); own != frames.end()) return {*own, ""};
  const int loop = function.graph.LoopOf(static_cast<int>(i));
  return {{},
          fmt::format("{} {} of {}", TitleOf(operation),
                      loop < 0 ? "outside loops" : fmt::format("in loop {}", loop + 1), function.code.function)};
}

std::vector<Line> SideOf(const KernelCosts& kernel) {
  std::map<std::tuple<std::string, int, std::string>, Line> lines;
  for (const FunctionCosts& function : kernel.functions)
    for (std::size_t i = 0; i < function.code.instructions.size(); ++i) {
      const Operation operation = FindOperation(function.decoded[i].mnemonic).operation;
      CodePlace place = PlaceOf(function, i, operation);
      Line& line = lines[{place.frame.file, place.frame.line, place.part}];
      line.place = std::move(place);
      const InstructionCost& cost = function.costs[i];
      line.blamed_us += cost.Blamed();
      line.waiting_us += cost.Waiting();
      for (const auto& [reason, us] : cost.blamed_us) line.blamed_for[{operation, reason}] += us;
      for (const auto& [reason, us] : cost.waiting_us) line.waiting_at[{operation, reason}] += us;
      ++line.content[function.decoded[i].mnemonic];
      ++line.depths[function.graph.DepthOf(static_cast<int>(i))];
      ++line.instructions;
      if (i < function.lanes.size()) line.lanes += function.lanes[i];
      if (IsL1Tex(FindOperation(function.decoded[i].mnemonic).queue)) {
        const std::optional<double> sectors = i < function.sectors.size() ? function.sectors[i] : std::nullopt;
        line.all_counted = line.all_counted && sectors;
        line.sectors += sectors.value_or(0);
        if (sectors.value_or(0) > 0) line.sectors_for[operation] += *sectors;
      }
    }
  std::vector<Line> found;
  for (auto& [key, line] : lines) found.push_back(std::move(line));
  return found;
}

std::vector<CodeLine> ForPairing(const std::vector<Line>& lines) {
  const double kernel_us =
      std::accumulate(lines.begin(), lines.end(), 0.0, [](double us, const Line& line) { return us + line.blamed_us; });
  std::vector<CodeLine> all;
  for (const Line& line : lines) {
    SourceFrame place = line.place.frame;
    if (place.line == 0) place.file = line.place.part;
    CodeLine& code = all.emplace_back(CodeLine{std::move(place), line.content, line.Depth(), line.blamed_us});
    for (const auto& [kind, us] : line.blamed_for)
      if (kernel_us > 0) code.shares[KeyOf(kind.first)] += us / kernel_us;
  }
  return all;
}

std::set<std::pair<std::string, std::string>> CodesOf(const KernelCosts& kernel) {
  std::set<std::pair<std::string, std::string>> codes;
  for (const FunctionCosts& function : kernel.functions) codes.emplace(function.code.function, function.code.digest);
  return codes;
}

bool SameCode(const KernelCosts& base, const KernelCosts& candidate) {
  const auto of_base = CodesOf(base);
  return !of_base.empty() && of_base == CodesOf(candidate) &&
         std::ranges::none_of(of_base, [](const auto& code) { return code.second.empty(); });
}

// How often warps came to barriers, in any unit that both kernels of a pair have; by samples in which a barrier issued
// where it was not counted.
struct BarrierVisits {
  double exact = 0, sampled_us = 0, samples = 0;
  bool all_exact = true;
};

bool IsBarrier(const SassInstruction& i) { return i.mnemonic == "BAR"; }

BarrierVisits VisitsOf(const KernelCosts& kernel) {
  BarrierVisits visits;
  for (const FunctionCosts& function : kernel.functions)
    for (std::size_t i = 0; i < function.decoded.size(); ++i) {
      if (!IsBarrier(function.decoded[i])) continue;
      const std::optional<double> exact = function.Executions(static_cast<int>(i));
      visits.exact += exact.value_or(0);
      visits.all_exact = visits.all_exact && exact.has_value();
      if (const auto issued = function.costs[i].waiting_us.find("selected");
          issued != function.costs[i].waiting_us.end())
        visits.sampled_us += issued->second;
    }
  if (kernel.time_us > 0) visits.samples = visits.sampled_us / kernel.time_us * static_cast<double>(kernel.samples);
  return visits;
}

// Which part of the second one's visits to barriers the first has not; 0 where samples do not tell them apart.
double MoreVisits(const BarrierVisits& few, const BarrierVisits& many) {
  if (few.all_exact && many.all_exact) return many.exact > few.exact ? 1 - few.exact / many.exact : 0;
  if (!(many.sampled_us > few.sampled_us)) return 0;
  const auto variance = [](const BarrierVisits& v) {
    return v.samples > 0 ? v.sampled_us * v.sampled_us / v.samples : 0;
  };
  constexpr double kSigmas = 3;
  const double more = many.sampled_us - few.sampled_us;
  return more > kSigmas * std::sqrt(variance(few) + variance(many)) ? more / many.sampled_us : 0;
}

// Waiting at a barrier is blamed on what made warps late for it. Of a pair of which one has more of them that is half
// of the truth: without the barrier nobody would have waited. So what the additional visits waited is the barriers'
// own.
KernelCosts WithBarriersBlamed(KernelCosts kernel, double share) {
  for (FunctionCosts& function : kernel.functions) {
    // Warps that wait for matrix products have the same reason, and met no others.
    double met = 0, blamed = 0;
    for (const InstructionCost& cost : function.costs) {
      met += cost.met_us;
      if (const auto late = cost.blamed_us.find("barrier"); late != cost.blamed_us.end()) blamed += late->second;
    }
    if (!(blamed > 0)) continue;
    const double moved = share * std::min(met, blamed);
    std::map<std::size_t, double> visits;
    double all = 0;
    for (std::size_t i = 0; i < function.costs.size(); ++i) {
      if (const auto late = function.costs[i].blamed_us.find("barrier"); late != function.costs[i].blamed_us.end())
        late->second *= 1 - moved / blamed;
      if (!IsBarrier(function.decoded[i])) continue;
      const double trips = function.trips[static_cast<std::size_t>(function.graph.block_of[i])].trips;
      visits[i] = trips;
      all += trips;
    }
    for (const auto& [bar, trips] : visits)
      function.costs[bar].blamed_us["barrier"] +=
          moved * (all > 0 ? trips / all : 1.0 / static_cast<double>(visits.size()));
  }
  return kernel;
}

// Of `kernel` when a share of the waiting at its barriers is blamed on these.
std::vector<Line> LinesOfSide(const KernelCosts& kernel, double share) {
  std::vector<Line> lines = SideOf(kernel);
  const double us_per_sample = kernel.samples > 0 ? kernel.time_us / static_cast<double>(kernel.samples) : 0;
  std::vector<Line> moved = share == 0 ? lines : SideOf(WithBarriersBlamed(kernel, share));
  for (std::size_t n = 0; n < lines.size(); ++n) {
    moved[n].sampled_us = lines[n].blamed_us;
    moved[n].variance = lines[n].blamed_us * us_per_sample;
  }
  return moved;
}

// --- others' traffic ---

constexpr const char* kLoaded = "long_scoreboard";
// Sectors of a line: as many as before; so many more of the whole kernel's that they can hold up others.
constexpr double kAsMany = 0.05, kMoreTraffic = 0.10;

bool IsMemory(Operation operation) {
  return operation == Operation::kGlobalLoad || operation == Operation::kGlobalStore ||
         operation == Operation::kGlobalAtomic || operation == Operation::kGenericLoad ||
         operation == Operation::kGenericStore || operation == Operation::kAsyncCopy ||
         operation == Operation::kLocalLoad || operation == Operation::kLocalStore;
}

double LoadedUs(const Line& line) {
  double us = 0;
  for (const auto& [kind, of] : line.blamed_for)
    if (kind.second == kLoaded && IsMemory(kind.first)) us += of;
  return us;
}

// By what a line's memory accesses are blamed for, or, where that is nothing, by what they move.
void BlameFor(Line& line, double us) {
  std::map<Operation, double> own;
  double all = 0;
  for (const auto& [kind, of] : line.blamed_for)
    if (IsMemory(kind.first)) own[kind.first] += of, all += of;
  if (!(all > 0)) own = line.sectors_for, all = line.sectors;
  for (const auto& [operation, of] : own) line.blamed_for[{operation, kLoaded}] += us * of / all;
  line.blamed_us += us;
}

// Loads that move as many sectors as in the other kernel are waited for longer because others move more: by how many
// more, these are blamed for it. Pairs of a line of `few`, or -1, and one of `many`, whose kernel moves more.
void BlameMoreTraffic(const std::vector<std::pair<int, int>>& pairs, const std::vector<Line>& few,
                      std::vector<Line>& many) {
  double of_few = 0, of_many = 0;
  for (const Line& line : few) of_few += line.sectors;
  for (const Line& line : many) of_many += line.sectors;
  const auto all_counted = [](const std::vector<Line>& lines) {
    return std::ranges::all_of(lines, &Line::all_counted);
  };
  if (!all_counted(few) || !all_counted(many) || of_many - of_few <= kMoreTraffic * of_few) return;
  std::vector<std::pair<int, double>> longer, more;  // lines of `many`: microseconds, sectors
  double more_sectors = 0;
  for (const auto& [from, to] : pairs) {
    if (to < 0) continue;
    const Line* before = from < 0 ? nullptr : &few[static_cast<std::size_t>(from)];
    const Line& after = many[static_cast<std::size_t>(to)];
    const double was = before == nullptr ? 0 : before->sectors;
    if (before != nullptr && std::abs(after.sectors - was) <= kAsMany * std::max(after.sectors, was)) {
      if (const double us = LoadedUs(after) - LoadedUs(*before); us > 0) longer.emplace_back(to, us);
    } else if (after.sectors > was) {
      more.emplace_back(to, after.sectors - was);
      more_sectors += after.sectors - was;
    }
  }
  for (const auto& [held_up, us] : longer) {
    Line& line = many[static_cast<std::size_t>(held_up)];
    const double stays = 1 - us / LoadedUs(line);
    for (auto& [kind, of] : line.blamed_for)
      if (kind.second == kLoaded && IsMemory(kind.first)) of *= stays;
    line.blamed_us -= us;
    for (const auto& [other, sectors] : more)
      BlameFor(many[static_cast<std::size_t>(other)], us * sectors / more_sectors);
  }
}

void Add(DifferentLine& to, const Line& line, int sign) {
  to.error_us = std::hypot(to.error_us, std::sqrt(line.variance));
  for (const auto& [kind, us] : line.blamed_for) to.blamed_for[kind] += sign * us;
  for (const auto& [kind, us] : line.waiting_at) to.waiting_at[kind] += sign * us;
  if (sign < 0) {
    to.base = line.place;
    to.base_us = line.blamed_us;
    to.base_sampled_us = line.sampled_us;
    to.base_for = line.blamed_for;
    to.base_waiting_us = line.waiting_us;
    to.base_instructions = line.instructions;
    to.base_depth = line.Depth();
    to.base_lanes = line.lanes;
  } else {
    to.candidate = line.place;
    to.candidate_us = line.blamed_us;
    to.candidate_sampled_us = line.sampled_us;
    to.candidate_for = line.blamed_for;
    to.candidate_waiting_us = line.waiting_us;
    to.candidate_instructions = line.instructions;
    to.candidate_depth = line.Depth();
    to.candidate_lanes = line.lanes;
  }
}

}  // namespace

double LineDifferences::DeltaUs() const {
  double sum = candidate_unknown_us - base_unknown_us;
  for (const DifferentLine& line : lines) sum += line.DeltaUs();
  for (const auto& [cause, us] : on_no_line) sum += us;
  return sum;
}

bool AreTied(double a_us, double a_error_us, double b_us, double b_error_us) {
  constexpr double kSigmas = 3;
  return std::abs(a_us - b_us) <= kSigmas * std::hypot(a_error_us, b_error_us);
}

LineDifferences CompareLines(const KernelCosts& base, const KernelCosts& candidate, bool same_source) {
  const BarrierVisits base_visits = VisitsOf(base), candidate_visits = VisitsOf(candidate);
  std::vector<Line> of_base = LinesOfSide(base, MoreVisits(candidate_visits, base_visits));
  std::vector<Line> of_candidate = LinesOfSide(candidate, MoreVisits(base_visits, candidate_visits));
  LineDifferences differences;
  differences.base_unknown_us = base.unknown_us;
  differences.candidate_unknown_us = candidate.unknown_us;
  differences.same_code = SameCode(base, candidate);
  const std::vector<LinePair> pairs = PairLines(ForPairing(of_base), ForPairing(of_candidate), same_source);
  std::vector<std::pair<int, int>> forth, back;
  for (const LinePair& pair : pairs) {
    forth.emplace_back(pair.base, pair.candidate);
    back.emplace_back(pair.candidate, pair.base);
  }
  BlameMoreTraffic(forth, of_base, of_candidate);
  BlameMoreTraffic(back, of_candidate, of_base);
  for (const LinePair& pair : pairs) {
    DifferentLine& line = differences.lines.emplace_back();
    if (pair.base >= 0) Add(line, of_base[static_cast<std::size_t>(pair.base)], -1);
    if (pair.candidate >= 0) Add(line, of_candidate[static_cast<std::size_t>(pair.candidate)], 1);
  }
  std::ranges::stable_sort(differences.lines, std::ranges::greater{},
                           [](const DifferentLine& line) { return std::abs(line.DeltaUs()); });
  return differences;
}

}  // namespace culprit
