// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/line_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "analysis/judge/advice/advice.h"
#include "analysis/judge/why/causes_on_lines.h"
#include "analysis/judge/why/sampled_pair.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/mixtures.h"
#include "tests/planted/planted_lines.h"
#include "tests/planted/sampled_launches.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kNone = "none";
// A share of the time. A planted cause that another one hides costs nothing (as in the score of causes).
constexpr double kLeastStep = 0.03;

std::string AnswerOf(std::span<const PlantedPlace> places, const std::string& cause) {
  std::string text;
  for (const PlantedPlace& place : places)
    if (place.cause == cause && place.OnLine())
      text += fmt::format(
          "{}{}{}", text.empty() ? "" : " and ",
          place.source == PlantedSource(place.planted) ? "" : fs::path(place.source).filename().string() + ":",
          place.first == place.last ? std::to_string(place.first) : fmt::format("{} to {}", place.first, place.last));
  return text.empty() ? std::string(kNone) : text;
}

std::string Said(std::span<const GrownLine> grown, const std::string& planted) {
  std::string text;
  for (const GrownLine& line : grown.first(std::min<std::size_t>(grown.size(), kLinesShown)))
    text += fmt::format("{}{}{} {:+.1f} us", text.empty() ? "" : ", ",
                        line.file == PlantedSource(planted) ? "" : fs::path(line.file).filename().string() + ":",
                        line.line, line.us);
  return text.empty() ? "no line grew" : text;
}

// Kernels of one run and shape that were sampled.
using Sampled = std::map<std::string, SampledLaunch>;

// By run and shape, for people: "2048".
std::vector<std::pair<std::string, Sampled>> ByRunAndShape(const Database& database) {
  std::vector<std::pair<std::string, Sampled>> found;
  std::pair<std::int64_t, std::string> last;
  for (SampledLaunch& launch : SampledLaunches(database)) {
    const std::pair where(launch.record.run.id, launch.record.launch.shape);
    if (found.empty() || where != last) found.emplace_back(where.second, Sampled{});
    last = where;
    std::string stage = launch.record.stage.id;
    found.back().second.emplace(std::move(stage), std::move(launch));
  }
  return found;
}

// The causes in `why --lines`, if both launches were counted. The counted runs may differ from the sampled ones, so
// parts are used as shares.
CauseMicroseconds CausesOf(const SampledLaunch& base, const SampledLaunch& candidate, const SampledPair& sampled) {
  CauseMicroseconds causes;
  if (!base.counters || !candidate.counters) return causes;
  const KernelView from(*base.counters), to(*candidate.counters);
  const double counted_us = *to.Get("time_us") - *from.Get("time_us");
  for (const auto& [cause, us] : PartsBeyondFloor(from, to, &sampled))
    causes[cause] = us / counted_us * sampled.lines.DeltaUs();
  return causes;
}

// The rank among the causes that counters put on no line, largest first; 0: it is not among them.
int RankOnNone(const LineDifferences& differences, const std::string& cause) {
  const auto found = differences.on_no_line.find(cause);
  if (found == differences.on_no_line.end()) return 0;
  return 1 + static_cast<int>(std::ranges::count_if(differences.on_no_line, [&](const auto& other) {
           return std::abs(other.second) > std::abs(found->second);
         }));
}

// The rank of the planted line among the lines that the code shows for the cause, by waiting; none if it shows nothing
// for such causes.
std::optional<int> RankOfShown(const SampledLaunch& slower, std::span<const PlantedPlace> planted,
                               const std::string& cause) {
  constexpr std::string_view kShown[] = {"exposed_latency", "barrier", "divergence", "fp64_pipe"};
  if (std::ranges::find(kShown, cause) == std::end(kShown)) return std::nullopt;
  std::vector<GrownLine> lines;
  for (const ShownCode& shown : Examine(QuestionOf(slower.record, slower.costs, slower.counted)).shown)
    if (shown.cause == cause) lines.push_back({shown.at.file, shown.at.line, shown.us});
  return RankOf(lines, planted, cause);
}

struct Count {
  int all = 0, alone = 0, first = 0, shown = 0;

  void Add(int rank_alone, int rank) {
    ++all;
    alone += rank_alone == 1;
    first += rank == 1;
    shown += rank >= 1 && rank <= kLinesShown;
  }
  std::string Cells() const {
    const auto of = [&](int n) { return all == 0 ? "-" : fmt::format("{} ({:.0f} %)", n, 100.0 * n / all); };
    return fmt::format("{} | {} | {} | {} | {} |\n", all, of(alone), of(first), of(shown), all - shown);
  }
};

// A mixture has the worse rank of its two causes.
struct MixtureRank {
  int rank_alone = 0, rank = 0, on_lines = 0;  // causes
};
std::map<std::string, MixtureRank> LaterOfMixtures(std::span<const LineCase> cases) {
  std::map<std::string, MixtureRank> ranks;
  for (const LineCase& c : cases) {
    if (!c.mixture || !c.on_line) continue;
    MixtureRank& later = ranks[c.planted + " " + c.shape];
    later.rank_alone = std::max(later.rank_alone, c.rank_alone == 0 ? kLinesShown + 1 : c.rank_alone);
    later.rank = std::max(later.rank, c.rank == 0 ? kLinesShown + 1 : c.rank);
    ++later.on_lines;
  }
  return ranks;
}

}  // namespace

std::vector<LineCase> JudgeLines(const Database& database, const fs::path& tests, const fs::path& root) {
  std::map<std::string, std::vector<PlantedPlace>> places;
  for (const PlantedPlace& place : ReadPlantedPlaces(tests / "lines.csv", root)) places[place.planted].push_back(place);
  struct Change {
    std::string planted, base, candidate;
    std::vector<std::string> causes;
    bool step = false;
  };
  std::vector<Change> changes;
  for (const PlantedAnswer& a : ReadAnswers(tests / "answers.csv"))
    changes.push_back({a.pair, a.base, a.candidate, {a.cause}});
  for (const MixtureAnswer& m : ReadMixtures(tests / "mixtures.csv"))
    for (const Change& change :
         {Change{m.mixture, m.base, m.both, {m.cause_a, m.cause_b}}, Change{m.mixture, m.base, m.a, {m.cause_a}, true},
          Change{m.mixture, m.base, m.b, {m.cause_b}, true}, Change{m.mixture, m.b, m.both, {m.cause_a}, true},
          Change{m.mixture, m.a, m.both, {m.cause_b}, true}})
      changes.push_back(change);

  const auto launches = ByRunAndShape(database);
  std::vector<LineCase> cases;
  for (const Change& change : changes)
    for (const auto& [shape, sampled] : launches) {
      const auto base = sampled.find(change.base), candidate = sampled.find(change.candidate);
      if (base == sampled.end() || candidate == sampled.end()) continue;
      const double base_us = base->second.costs.time_us, delta_us = candidate->second.costs.time_us - base_us;
      if (change.step && delta_us < kLeastStep * base_us) continue;
      SampledPair sampled_pair = CompareSamples(base->second.costs, candidate->second.costs, true);
      const std::vector<GrownLine> alone = GrownLines(sampled_pair.lines);
      PutCausesOnLines(CausesOf(base->second, candidate->second, sampled_pair), sampled_pair.lines);
      const std::vector<GrownLine> grown = GrownLines(sampled_pair.lines);
      const std::vector<PlantedPlace>& planted = places.at(change.planted);
      for (const std::string& cause : change.causes) {
        const std::string answer = AnswerOf(planted, cause);
        cases.push_back({change.planted + (change.step ? ": " + change.base + " -> " + change.candidate : ""), shape,
                         cause, change.causes.size() > 1, answer != kNone, IsHeldOut(change.planted), change.step,
                         answer != kNone ? RankOf(grown, planted, cause) : RankOnNone(sampled_pair.lines, cause),
                         RankOf(alone, planted, cause),
                         answer == kNone ? std::nullopt : RankOfShown(candidate->second, planted, cause), answer,
                         Said(grown, change.planted)});
      }
    }
  return cases;
}

std::string LineReport(std::span<const LineCase> cases) {
  Count singles, held_out, mixtures, halves, steps, steps_held_out;
  std::map<std::string, Count> by_cause;
  int nowhere = 0, first_nowhere = 0, shown = 0, shown_first = 0;
  for (const LineCase& c : cases) {
    if (!c.on_line) {
      ++nowhere;
      first_nowhere += c.rank == 1;
      continue;
    }
    shown += c.rank_shown.has_value();
    shown_first += c.rank_shown == 1;
    by_cause[c.cause].Add(c.rank_alone, c.rank);
    if (c.step) (c.held_out ? steps_held_out : steps).Add(c.rank_alone, c.rank);
    if (!c.mixture && !c.step) (c.held_out ? held_out : singles).Add(c.rank_alone, c.rank);
  }
  for (const auto& [name, later] : LaterOfMixtures(cases))
    (later.on_lines > 1 ? mixtures : halves).Add(later.rank_alone, later.rank);
  std::string text = fmt::format(
      "| | all | first by samples alone | first | among the first {} | not |\n|---|---:|---:|---:|---:|---:|\n",
      kLinesShown);
  text += "| pairs of one cause | " + singles.Cells();
  text += "| of those held out | " + held_out.Cells();
  text += "| mixtures of two causes with lines, both | " + mixtures.Cells();
  text += "| mixtures of a cause with a line and one without | " + halves.Cells();
  text += "| one cause of a mixture alone, or on top of the other | " + steps.Cells();
  text += "| of those held out | " + steps_held_out.Cells();
  text += fmt::format(
      "\n{} more cause{} no line: how many warps fit an SM, how work is dealt out, launches. Counters put {} of "
      "these "
      "first among causes without a line; samples alone cannot.\n",
      nowhere, nowhere == 1 ? " has" : "s have", first_nowhere);
  text += fmt::format(
      "\n`why` shows the slower kernel's code for exposed_latency, barrier, divergence and fp64_pipe. It shows the "
      "planted "
      "line first in {} of {}.\n",
      shown_first, shown);
  text += fmt::format(
      "\n| cause | all | first by samples alone | first | among the first {} | not |\n|---|---:|---:|---:|---:|---:|\n",
      kLinesShown);
  for (const auto& [cause, count] : by_cause) text += "| " + cause + " | " + count.Cells();
  text += "\n## Not first\n\n| planted | size | cause | stands on | grew most |\n|---|---:|---|---|---|\n";
  for (const LineCase& c : cases)
    if (c.on_line && c.rank != 1)
      text += fmt::format("| {} | {} | {} | {} | {} |\n", c.planted, c.shape, c.cause, c.answer, c.said);
  return text;
}

std::string LineDocument(std::span<const LineCase> cases) {
  return "<!-- written by planted_test with CULPRIT_UPDATE_GOLDEN=1 -->\n\n"
         "# Whether the blamed line is the planted line\n\n"
         "The figures are for the recordings that ship, of an H200. The line of each planted cause was written down "
         "from "
         "the sources alone (`tests/planted/lines.csv`), before `culprit` blamed any line. It is the statement whose "
         "cost the planted change raises in the slower kernel. If the compiler inlines a helper, both the line in the "
         "helper and the line that calls it are right.\n\n"
         "Lines are ordered by the growth of the microseconds blamed on them. The first line is right if it is a line "
         "of the cause. We judge each pair, each mixture of two causes from its base to both, and its steps: to one "
         "cause alone, and from the other cause to both (steps that cost 3 % or more). In a mixture both causes must "
         "be "
         "right; a line of the other cause does not count against a cause. A cause without a line also changes lines "
         "(with fewer warps, loads take longer); this does count against the other cause.\n\n"
         "The kernels were sampled with `planted_bench --profile=lines`. The other recording of the same code has "
         "the exact counts: how long each access keeps its queue busy, and the causes by counters, as shares of "
         "the change. Samples say who waited, counters say for what. `why --lines` uses both if both were recorded "
         "(`--profile=full`), else samples alone.\n\n"
         "The steps that led here, in order. Misses were studied, so pairs and mixtures do not test unseen "
         "kernels:\n\n"
         "1. The first version was right in 81 of 122 pairs.\n"
         "2. It was right in 116 after four changes: all users of a queue or of issue slots share the blame; a wait in "
         "DEPBAR is looked for at the next instruction; added barriers are blamed for the waiting that they add; "
         "subroutines count at their calls.\n"
         "3. Then mixtures were sampled and judged for the first time: both causes were first in 18 of 30, and among "
         "the first three in 28. This is the figure for kernels that no rule had seen.\n"
         "4. Loads that move as much as before are no longer blamed if they wait behind loads that move more (found on "
         "the pairs; it mended four mixtures and two pairs). Each of several subroutines counts at its own calls (two "
         "mixtures). Lines of one file keep their order, and lines that spend their kernels' time on the same work "
         "are paired whatever else they do (two pairs). That made 120 of 122 and 24 of 30.\n"
         "5. A spill counts where its value is used (two mixtures). Lines are compared with counters, which show "
         "atomics at one address, fewer resident warps and queues of shared memory (four mixtures and two pairs). For "
         "constant_cache, indexed constants had to be recognised as loads of their own.\n"
         "6. Then steps of mixtures were judged for the first time: the right line was first in 81 of 83, by samples "
         "alone in 79. Nothing was changed because of them.\n\n"
         "[score](score.md) says which of these kernels attribution by counters had seen. Where a line is still "
         "wrong, counters do not find the cause either: for narrower accesses to L2 `why` leaves the whole change "
         "unexplained, or explains a third of it.\n\n"
         "To judge other recordings: `build/cpu/bin/planted_lines PLANTED.db`.\n\n" +
         LineReport(cases);
}

}  // namespace culprit::testing
