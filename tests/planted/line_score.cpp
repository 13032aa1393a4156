// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/line_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "analysis/advice/advice.h"
#include "analysis/why/causes_on_lines.h"
#include "analysis/why/sampled_pair.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/mixtures.h"
#include "tests/planted/planted_lines.h"
#include "tests/planted/sampled_launches.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kNone = "none";
// Of the time: where another cause hides it a planted one costs nothing (as in the score of causes).
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

// What `why --lines` says of causes, where both launches were counted: theirs may be other runs than the sampled ones,
// so that the parts are taken as shares.
CauseMicroseconds CausesOf(const SampledLaunch& base, const SampledLaunch& candidate, const SampledPair& sampled) {
  CauseMicroseconds causes;
  if (!base.counters || !candidate.counters) return causes;
  const KernelView from(*base.counters), to(*candidate.counters);
  const double counted_us = *to.Get("time_us") - *from.Get("time_us");
  for (const auto& [cause, us] : PartsBeyondFloor(from, to, &sampled))
    causes[cause] = us / counted_us * sampled.lines.DeltaUs();
  return causes;
}

// Among the causes of which counters say that they are on no line, the largest first; 0: it is not among them.
int RankOnNone(const LineDifferences& differences, const std::string& cause) {
  const auto found = differences.on_no_line.find(cause);
  if (found == differences.on_no_line.end()) return 0;
  return 1 + static_cast<int>(std::ranges::count_if(differences.on_no_line, [&](const auto& other) {
           return std::abs(other.second) > std::abs(found->second);
         }));
}

// Where what the code shows of the cause stands, by what warps waited; none: of such a cause it shows nothing.
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

// A mixture is as right as the cause that comes later.
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
  text += "| mixtures of two causes on lines, both | " + mixtures.Cells();
  text += "| mixtures of one on a line and one on none | " + halves.Cells();
  text += "| one cause of a mixture alone, or on top of the other | " + steps.Cells();
  text += "| of those held out | " + steps_held_out.Cells();
  text += fmt::format(
      "\n{} more cause{} on no line: how many warps fit an SM, how work is dealt out, launches. Counters put {} of "
      "these "
      "first among what is on none; samples alone cannot.\n",
      nowhere, nowhere == 1 ? " stands" : "s stand", first_nowhere);
  text += fmt::format(
      "\nWhat the slower kernel's code shows of exposed_latency, barrier, divergence and fp64_pipe stands first on the "
      "planted line in {} of {}.\n",
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
  return "<!-- written by planted_test with CULPRIT_UPDATE_GOLDEN=1 -->\n\n# Whether the blamed line is the planted "
         "line\n\n"
         "On the recordings that ship, of an H200. Where each planted cause stands was written down from the sources "
         "alone (`tests/planted/lines.csv`), before anything was blamed: the statement whose cost the planted change "
         "raises in the slower kernel, with the helper that does it and the line that calls it where the compiler "
         "inlines one. Of each pair, of each mixture from its base to both, and of its steps to one cause alone or "
         "to both where the other is already (those that cost 3 % or more), lines are ordered by how many "
         "microseconds more are blamed on them; the first is right when the cause stands there. In mixtures a line "
         "that the other cause stands on does not count against a cause, and both must be right; what a cause on no "
         "line does to lines (fewer warps wait longer at loads) does count against the other.\n\n"
         "The kernels were sampled with `planted_bench --profile=lines`; how long each access keeps its queue is known "
         "from the exact counts of the other recording of the same code, and so are the causes that counters give, as "
         "shares of the change. Samples alone say who waited, and counters for what: `why --lines` has both where "
         "both were recorded (`--profile=full`), and samples alone else.\n\n"
         "What was wrong at first sight was looked into, so pairs and mixtures are no test on unseen kernels. Of the "
         "pairs the first version was right first in 81 of 122, "
         "before queues and issue slots were shared by all who use them, before a wait in DEPBAR was looked for behind "
         "it, before added barriers were blamed for what they add and before subroutines stood at their calls: then "
         "in 116. Mixtures were sampled when that stood, and first asked both causes were first in 18 of 30, and "
         "among the first three in 28: so much for kernels that no rule has seen. Since then loads that move as much "
         "as before are not blamed for waiting behind what moves more (found on the pairs; it mends four mixtures "
         "and two pairs, and harms none), and of several subroutines each stands at its calls, not the first alone "
         "(two mixtures). Lines of one file keep their order, and lines that take their kernels' time by the same work "
         "are paired whatever else they do (two pairs): 120 of 122 and 24 of 30. What was left needed two things more, "
         "found on these misses. A spill stands where its value is used, not on the line of whatever stands before it "
         "(two mixtures). And lines are held against counters, which know of atomics that meet at one address, of "
         "fewer resident warps and of queues of shared memory what samples do not (four mixtures and two pairs; "
         "constant_cache first had to be told that indexed constants are fetched by loads of their own). What the "
         "attribution by counters "
         "has seen of these kernels [score](score.md) says. The "
         "steps were judged for the first time when that stood, and nothing was changed on their account: 81 of 83 "
         "were right "
         "first, 79 by samples alone.\n\n"
         "Where it is still wrong, counters do not know the cause either: of narrower accesses to L2 `why` "
         "leaves the whole unexplained, or gives them a third.\n\n"
         "To judge other recordings: `build/cpu/bin/planted_lines PLANTED.db`.\n\n" +
         LineReport(cases);
}

}  // namespace culprit::testing
