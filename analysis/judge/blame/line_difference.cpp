// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/blame/line_difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/judge/blame/pair_lines.h"
#include "db/source_place.h"
#include "profiler/code/asynchronous.h"

namespace culprit {
namespace {

// Two numbers of samples differ if they are more than this many standard deviations apart.
constexpr double kSigmas = 3;

struct Line {
  CodePlace place;
  double blamed_us = 0, waiting_us = 0;
  double sampled_us = 0, variance = 0;  // by samples alone, before time is moved to other lines
  CostByKind blamed_for, waiting_at;
  std::map<std::string, int> content;
  std::map<int, int> depths;  // loop depth -> number of instructions
  int instructions = 0;
  LaneCounts lanes = {};
  double sectors = 0;                            // of global and local memory, moved by its instructions
  std::map<Operation, double> sectors_for = {};  // the same by operation
  bool all_counted = true;                       // sectors of all its memory instructions are known

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

// How often warps visited barriers of one kind, in any unit that both kernels of a pair have. If it was not counted, by
// samples in which a barrier issued.
struct BarrierVisits {
  double exact = 0, sampled_us = 0, samples = 0;
  bool all_exact = true;
};

// By mnemonic, because barriers of a block and of a cluster are of different kinds.
using VisitsByKind = std::map<std::string, BarrierVisits>;

VisitsByKind VisitsOf(const KernelCosts& kernel) {
  VisitsByKind kinds;
  for (const FunctionCosts& function : kernel.functions)
    for (std::size_t i = 0; i < function.decoded.size(); ++i) {
      if (!IsBarrier(function.decoded[i])) continue;
      BarrierVisits& visits = kinds[function.decoded[i].mnemonic];
      const std::optional<double> exact = function.Executions(static_cast<int>(i));
      visits.exact += exact.value_or(0);
      visits.all_exact = visits.all_exact && exact.has_value();
      if (const auto issued = function.costs[i].waiting_us.find("selected");
          issued != function.costs[i].waiting_us.end())
        visits.sampled_us += issued->second;
    }
  for (auto& [kind, visits] : kinds)
    if (kernel.time_us > 0) visits.samples = visits.sampled_us / kernel.time_us * static_cast<double>(kernel.samples);
  return kinds;
}

// The share of the second kernel's visits to barriers that the first does not have. 0 if samples cannot distinguish
// their numbers.
double MoreVisits(const BarrierVisits& few, const BarrierVisits& many) {
  if (few.all_exact && many.all_exact) return many.exact > few.exact ? 1 - few.exact / many.exact : 0;
  if (!(many.sampled_us > few.sampled_us)) return 0;
  const auto variance = [](const BarrierVisits& v) {
    return v.samples > 0 ? v.sampled_us * v.sampled_us / v.samples : 0;
  };
  const double more = many.sampled_us - few.sampled_us;
  return more > kSigmas * std::sqrt(variance(few) + variance(many)) ? more / many.sampled_us : 0;
}

using ShareByKind = std::map<std::string, double>;

ShareByKind MoreVisits(const VisitsByKind& few, const VisitsByKind& many) {
  ShareByKind shares;
  for (const auto& [kind, visits] : many) {
    const auto found = few.find(kind);
    if (const double share = MoreVisits(found == few.end() ? BarrierVisits() : found->second, visits); share > 0)
      shares[kind] = share;
  }
  return shares;
}

// Waiting at a barrier is blamed on the instructions that made warps late. If one kernel of a pair has more barriers,
// that is only half of the truth, because without the barrier no warp would have waited. So waiting at additional
// visits is blamed on the barriers themselves.
KernelCosts WithBarriersBlamed(KernelCosts kernel, const ShareByKind& shares) {
  struct Kind {
    double met = 0, trips = 0;
    std::map<std::size_t, double> bars;  // barrier -> trips
  };
  for (FunctionCosts& function : kernel.functions) {
    // Warps that wait for matrix products have the same reason, but do not wait for other warps.
    double met = 0, met_at_bars = 0, blamed = 0;
    std::map<std::string, Kind> kinds;
    for (std::size_t i = 0; i < function.costs.size(); ++i) {
      const InstructionCost& cost = function.costs[i];
      met += cost.met_us;
      if (const auto late = cost.blamed_us.find("barrier"); late != cost.blamed_us.end()) blamed += late->second;
      if (!IsBarrier(function.decoded[i])) continue;
      met_at_bars += cost.met_us;
      Kind& kind = kinds[function.decoded[i].mnemonic];
      kind.met += cost.met_us;
      kind.trips += kind.bars[i] = function.trips[static_cast<std::size_t>(function.graph.block_of[i])].trips;
    }
    if (!(blamed > 0) || !(met_at_bars > 0)) continue;
    std::map<std::size_t, double> own;
    double moved = 0;
    for (const auto& [name, share] : shares) {
      const Kind& kind = kinds[name];
      const double of_kind = share * std::min(met, blamed) * (kind.met / met_at_bars);
      moved += of_kind;
      for (const auto& [bar, trips] : kind.bars)
        own[bar] = of_kind * (kind.trips > 0 ? trips / kind.trips : 1.0 / static_cast<double>(kind.bars.size()));
    }
    for (InstructionCost& cost : function.costs)
      if (const auto late = cost.blamed_us.find("barrier"); late != cost.blamed_us.end())
        late->second *= 1 - moved / blamed;
    for (const auto& [bar, us] : own) function.costs[bar].blamed_us["barrier"] += us;
  }
  return kernel;
}

// The lines of `kernel`, after shares of the waiting at its barriers were blamed on the barriers.
std::vector<Line> LinesOfSide(const KernelCosts& kernel, const ShareByKind& shares) {
  std::vector<Line> lines = SideOf(kernel);
  const double us_per_sample = kernel.samples > 0 ? kernel.time_us / static_cast<double>(kernel.samples) : 0;
  std::vector<Line> moved = shares.empty() ? lines : SideOf(WithBarriersBlamed(kernel, shares));
  for (std::size_t n = 0; n < lines.size(); ++n) {
    moved[n].sampled_us = lines[n].blamed_us;
    moved[n].variance = lines[n].blamed_us * us_per_sample;
  }
  return moved;
}

// --- traffic of other lines ---

constexpr const char* kLoaded = "long_scoreboard";
// A line's sectors are unchanged if they changed by at most kAsMany. Other lines can hold up its loads if the kernel as
// a whole moves more sectors by over kMoreTraffic.
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

// Divides `us` among the line's memory accesses, in proportion to the waiting blamed on them or, if that is 0, to their
// sectors.
void BlameFor(Line& line, double us) {
  std::map<Operation, double> own;
  double all = 0;
  for (const auto& [kind, of] : line.blamed_for)
    if (IsMemory(kind.first)) own[kind.first] += of, all += of;
  if (!(all > 0)) own = line.sectors_for, all = line.sectors;
  for (const auto& [operation, of] : own) line.blamed_for[{operation, kLoaded}] += us * of / all;
  line.blamed_us += us;
}

// Warps can wait longer for loads with equal sectors, because other lines move more. This growth is blamed on the other
// lines, in proportion to their additional sectors. A pair has a line of `few`, or -1, and a line of `many`, the kernel
// that moves more.
void BlameMoreTraffic(const std::vector<std::pair<int, int>>& pairs, const std::vector<Line>& few,
                      std::vector<Line>& many) {
  double of_few = 0, of_many = 0;
  for (const Line& line : few) of_few += line.sectors;
  for (const Line& line : many) of_many += line.sectors;
  const auto all_counted = [](const std::vector<Line>& lines) {
    return std::ranges::all_of(lines, &Line::all_counted);
  };
  if (!all_counted(few) || !all_counted(many) || of_many - of_few <= kMoreTraffic * of_few) return;
  std::vector<std::pair<int, double>> longer, more;  // lines of `many` with microseconds, and with sectors
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
  return std::abs(a_us - b_us) <= kSigmas * std::hypot(a_error_us, b_error_us);
}

LineDifferences CompareLines(const KernelCosts& base, const KernelCosts& candidate, bool same_source) {
  const VisitsByKind base_visits = VisitsOf(base), candidate_visits = VisitsOf(candidate);
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
