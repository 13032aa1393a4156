// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/score_document.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/planted/model_error_fit.h"

namespace culprit::testing {
namespace {

// The method before roofs (LMDI by stall state; commit ca45b3c), scored by the same program on the same recordings.
constexpr std::array<std::string_view, 8> kBefore = {"96 of 98; held out 48 of 48",
                                                     "median 9.3, p90 45.3 points",
                                                     "60 of 64; held out 40 of 44",
                                                     "median 11.3, p90 31.1 points",
                                                     "54 of 58",
                                                     "median 0.335, p90 0.917 of the change",
                                                     "0 of 21205",
                                                     "673 of 2155 pairs"};

constexpr std::string_view kHead =
    "<!-- written by planted_test with CULPRIT_UPDATE_GOLDEN=1 -->\n\n"
    "# How right attribution is\n\n"
    "On the recordings that ship, of an H200. Truth comes from times alone: what was planted in pairs of kernels that "
    "compute the same (`tests/planted/answers.csv`); the shares of two causes in a third kernel, from the times of "
    "neither, one, the other and both, with half of their interaction each (`mixtures.csv`); changes that do not "
    "matter "
    "(`harmless.csv`). Over all pairs of the ladder's stages, two steps should sum to the whole. Nothing is fitted to "
    "what it judges; the sharpness of roofs (`analysis/split/roof_split.cpp`) was chosen among six values with all of "
    "these in sight, four of which score alike. Speed-ups that others published stand beside ours in "
    "[published](published.md).\n\n"
    "To score a method, or other recordings: `build/cpu/bin/planted_score PLANTED.db LADDER.db`.\n\n"
    "| figure | before roofs | now |\n|---|---|---|\n";

constexpr std::string_view kLost =
    "\n## What lost\n\n"
    "| instead of | what was tried | why not |\n|---|---|---|\n"
    "| the way through the best of both | the straight way in all needs at once | parts larger than the faster kernel: "
    "345 pairs of stages were more than 30 % unexplained, and 97 by this way |\n"
    "| Shapley values of needs | the integral along the straight way (Aumann and Shapley) | of two units that hide "
    "each "
    "other the larger takes all: 30 points off in energy_type_records, 17 by this |\n"
    "| roofs as sharp as the units' overlap asks for | one sharpness, units scaled down to fit | work that did not "
    "change got parts |\n"
    "| the best of both unit by unit | cause by cause | dropping a metric made parts of other causes grow in 118 "
    "tries, "
    "and in 19 by this |\n"
    "| waiting that grows with demand up to its third power | the first power; any power; a full queue besides (M/M/1) "
    "| half of what was planted in memory stays unexplained; exposed latency goes to traffic; no difference |\n";

constexpr std::string_view kIntervals =
    "\n## Intervals\n\n"
    "How far a part may lie from the truth depends on how large it is said to be, as a share of the change. Widths are "
    "those within which nine in ten parts of the pairs above were (`analysis/why/model_error.inc`, split conformal "
    "prediction); `why` adds the scatter of the recording, as squares, and prints the result. They know these pairs: "
    "one cause, or two, planted in small kernels. Too few parts are of one cause each for widths by cause.\n\n";

constexpr std::string_view kSampled =
    "\nCounters and samples of a planted kernel stand in different recordings. The samples are those of another run of "
    "the same stage at the same size, where its machine code is the same byte for byte, and say shares alone: the "
    "microseconds are those of the run that was counted. Users need no such thing: `--profile=full` records both.\n\n"
    "* *Used*: what counters leave of a state's waiting, after every cause has its part, goes to causes that had part "
    "in the change anyway, by what samples blame in that state on the instructions that are theirs, and no more than "
    "is unexplained of the whole. Found on the pairs; the mixtures, their steps and the harmless changes were sampled "
    "when the rule stood.\n"
    "* *Used*: what local memory holds. Without the compiler's report (a program that nobody compiled here) "
    "counters say `local_memory_unknown` of every planted pair of which it is the cause, alone or in a mixture; "
    "addresses tell arrays from spills in all of them (`tests/planted/sampled_local_test.cpp`).\n"
    "* *Not used*: a part no larger than what warps waited for its instructions by samples. Loads that wait behind "
    "contended atomics are blamed themselves: `inside_totals` would lose 88 of 96 %.\n"
    "* *Not used*: no part for what warps waited for less than before by samples. It takes 10 to 13 % from `fma_pipe` "
    "in `gaussian_grid` and `attraction_rsqrt`, which nothing else then has: as much stays unexplained.\n";

std::string Intervals(const Score& score) {
  std::string text(kIntervals);
  text += "| said, of the change | 90 % within | parts |\n|---|---:|---:|\n";
  const std::vector<ModelError> errors = FitModelErrors(score.residuals);
  for (std::size_t i = 0; i < errors.size(); ++i)
    text += fmt::format("| {} | {:.1f} points | {} |\n",
                        i + 1 < errors.size()
                            ? fmt::format("{:.0f} to {:.0f} %", 100 * errors[i].from, 100 * errors[i + 1].from)
                            : fmt::format("above {:.0f} %", 100 * errors[i].from),
                        100 * errors[i].half_width, errors[i].parts);
  text += "\n| held, by widths from all other pairs | parts | share |\n|---|---:|---:|\n";
  using Chosen = bool (*)(const Score::Residual&);
  for (const auto& [what, of] : {std::pair<std::string_view, Chosen>("said to be 40 % of the change or more", Leads),
                                 {"said to be less", IsMinor},
                                 {"one of two planted causes", IsShared},
                                 {"of causes that were not planted", IsFalse}}) {
    const Coverage held = LeavingPairOut(score.residuals, of);
    text += fmt::format("| {} | {} | {:.0f} % |\n", what, held.parts, 100 * held.Share());
  }
  return text;
}

}  // namespace

std::string ScoreDocument(const Score& score, const Score& sampled) {
  std::string text(kHead);
  std::size_t i = 0;
  for (const auto& [figure, value] : FiguresOf(score))
    text += fmt::format("| {} | {} | {} |\n", figure, kBefore.at(i++), value);
  text += Intervals(score);
  text += kLost;
  text += SamplesReport(score, sampled);
  text += kSampled;
  const std::string report = ScoreReport(score);
  return text + report.substr(report.find("\n## "));
}

}  // namespace culprit::testing
