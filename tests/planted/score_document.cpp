// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/score_document.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
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
    "The figures are for the recordings that ship, of an H200. The truth comes from times alone, in four ways. Pairs "
    "of kernels compute the same and have one planted cause (`tests/planted/answers.csv`). Mixtures have two causes, "
    "whose shares follow from the times of neither, one, the other and both; each gets half of their interaction "
    "(`mixtures.csv`). Some changes do not matter (`harmless.csv`). Over all pairs of the ladder's stages, two steps "
    "should sum to the whole. What was fitted on what: [below](#what-was-fitted-on-what). [published](published.md) "
    "compares speed-ups that others published with ours.\n\n"
    "To score a method, or other recordings: `build/cpu/bin/planted_score PLANTED.db LADDER.db`.\n\n"
    "| figure | before roofs | now |\n"
    "|---|---|---|\n";

constexpr std::string_view kLost =
    "\n"
    "## Methods that lost\n\n"
    "| instead of | what was tried | why not |\n"
    "|---|---|---|\n"
    "| the way through the best of both | the straight way in all needs at once | parts larger than the faster "
    "kernel: 345 pairs of stages were more than 30 % unexplained, instead of 97 |\n"
    "| Shapley values of needs | the integral along the straight way (Aumann and Shapley) | if two units hide each "
    "other, the larger takes all: 30 points off in energy_type_records, instead of 17 |\n"
    "| roofs as sharp as the units' overlap asks for | one sharpness, units scaled down to fit | work that did not "
    "change got parts |\n"
    "| the best of both unit by unit | cause by cause | dropping a metric made parts of other causes grow in 118 "
    "tries, instead of 19 |\n"
    "| waiting that grows with demand up to its third power | the first power; any power; also a full queue (M/M/1) "
    "| half of the planted memory causes stays unexplained; exposed latency goes to traffic; no difference |\n";

constexpr std::string_view kFitted =
    "\n"
    "## What was fitted on what\n\n"
    "Most of the numbers on this page are no test of what they judge. The rules were written with these recordings at "
    "hand, and every constant that was chosen on pairs is scored on the same pairs. `docs/thresholds.md` lists all "
    "constants with their basis; these were found on recordings that are scored here:\n\n"
    "| constant | decides | found on |\n|---|---|---|\n"
    "| `kLeastSharpness` | how sharp roofs are | planted pairs and mixtures, six values |\n"
    "| `kMaxExponent` | how fast waiting may grow with demand | two edges of the ladder |\n"
    "| `kAnewCycles`, `kLiteralsPerFp64`, `kMinIdleShare`, `kMostLatency` | single causes | the planted pairs of those "
    "causes |\n"
    "| `model_error.inc` | widths of intervals | all pairs of this page; their coverage is of families left out |\n"
    "| `kLeastOfAChange` | the smallest part that is listed | a choice, with small changes in sight |\n\n"
    "*Held out* pairs were left out of the tuning of rules by a hash of their name. But `tile_way`, `tile_ring` and "
    "`products_columns`, which it holds out, were in sight when rules for them were made. Programs of others are in "
    "[strangers](strangers.md).\n";

constexpr std::string_view kSmall =
    "\n"
    "## By the size of the change\n\n"
    "Single causes again, but only a part of the kernel's work is done as the candidate does it: counts and times are "
    "sums of those of base and candidate (`tests/planted/diluted.h`). Both are recorded again, so to speak: base and "
    "candidate share no measured value, counters scatter as they did in the "
    "recording, and each execution is slower or faster by chance, so that 99 of 100 pairs differ by less than 1 %, as "
    "runs of an H100 that are recorded apart. *Silent* is a kernel "
    "that is called the same, or whose headline names no cause. *Before* is the judge of commit 756a94ff, which "
    "compared "
    "each metric and each part with fixed limits of 1 %; noise was 1.3 times as large there.\n\n";

constexpr std::string_view kTwoPhases =
    "\n"
    "### Two causes in two phases of a kernel\n\n"
    "Both bases of two pairs one after the other, and both candidates (`tests/planted/two_phases.h`), each pair with "
    "0.2 "
    "to 0.8 of the slow-down. Totals of counters do not say what runs when, so the shares are far off. Where both "
    "causes are mixed in one loop, they are not (see above).\n\n";

constexpr std::string_view kIntervals =
    "\n"
    "## Intervals\n\n"
    "The interval of a part adds three errors in quadrature: the scatter of the recording, the unexplained part, which "
    "may belong to any cause, and the model's error. The model's error depends on the part's share of the change and "
    "on "
    "the size of the change. It is chosen so that nine in ten parts of all pairs on this page lie within "
    "(`analysis/judge/why/model_error.inc`, split conformal prediction). It is only known for such pairs: one or two "
    "causes planted in small kernels. There are too few parts of each cause for errors by cause.\n\n";

constexpr std::string_view kSampled =
    "\n"
    "Counters and samples of a planted kernel are in different recordings. The samples come from another run of the "
    "same stage at the same size, if its machine code is the same byte for byte, and only give shares: the "
    "microseconds are those of the counted run. Users do not need this: `--profile=full` records both.\n\n"
    "* *Used*: after every cause has its part, counters leave some waiting in a warp state. It goes to causes that "
    "have a part in the change anyway, by how much samples blame their instructions in that state, and never more "
    "than is unexplained of the whole. The rule was found on the pairs; the mixtures, their steps and the harmless "
    "changes were sampled afterwards.\n"
    "* *Used*: what local memory holds. Without the compiler's report (for a program compiled elsewhere), counters "
    "say `local_memory_unknown` for every planted pair with this cause, alone or in a mixture. Addresses tell arrays "
    "from spills in all of them (`tests/planted/sampled_local_test.cpp`).\n"
    "* *Not used*: a part no larger than the time that warps waited for its instructions by samples. Loads that wait "
    "behind contended atomics are blamed themselves: `inside_totals` would lose 88 of 96 %.\n"
    "* *Not used*: no part for instructions that warps waited for less than before by samples. It would take 10 to "
    "13 % from `fma_pipe` in `gaussian_grid` and `attraction_rsqrt`, and no other cause would get it.\n";

std::string Intervals(const std::vector<Residual>& residuals) {
  std::string text(kIntervals);
  text += "| part, of the change |";
  for (const double change : kChangesFrom) text += fmt::format(" change from {:.0f} % |", 100 * change);
  text += "\n|---|";
  for (std::size_t i = 0; i < std::size(kChangesFrom); ++i) text += "---:|";
  const std::vector<ModelError> errors = FitModelErrors(residuals);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const ModelError& e = errors[i];
    if (i % std::size(kChangesFrom) == 0) text += fmt::format("\n| from {:.0f} % |", 100 * e.from_share);
    text += fmt::format(" {:.0f} points ({}) |", 100 * e.half_width, e.parts);
  }
  text +=
      "\n\nIn brackets: the number of parts.\n\n| within the interval, by errors from all other families of kernels | "
      "parts | share |\n|---|---:|---:|\n";
  using Chosen = bool (*)(const Residual&);
  for (const auto& [what, of] : {std::pair<std::string_view, Chosen>("parts of 40 % of the change or more", Leads),
                                 {"smaller parts", IsMinor},
                                 {"parts of one of two planted causes", IsShared},
                                 {"parts of causes that were not planted", IsFalse},
                                 {"parts where more than 30 % of the change are unexplained", IsLargelyUnexplained}}) {
    const Coverage held = LeavingFamilyOut(residuals, of);
    text += fmt::format("| {} | {} | {:.0f} % |\n", what, held.parts, 100 * held.Share());
  }
  return text;
}

}  // namespace

std::vector<Residual> AllResiduals(const Score& score, std::span<const SmallChange> small) {
  std::vector<Residual> all = ResidualsOf(small);
  all.insert(all.end(), score.residuals.begin(), score.residuals.end());
  return all;
}

std::string ScoreDocument(const Score& score, const Score& sampled, const Score& cheap, const Score& both,
                          const Score& loop, std::span<const SmallChange> small, const std::vector<TwoPhases>& phases) {
  std::string text(kHead);
  std::size_t i = 0;
  for (const auto& [figure, value] : FiguresOf(score))
    text += fmt::format("| {} | {} | {} |\n", figure, kBefore.at(i++), value);
  text += kSmall;
  text += SmallChangesReport(small);
  text += kTwoPhases;
  text += TwoPhasesReport(phases);
  text += Intervals(AllResiduals(score, small));
  text += kFitted;
  text += kLost;
  text += SamplesReport(score, sampled);
  text += kSampled;
  text += CheapReport(score, cheap, both);
  text += LoopReport(sampled, loop);
  const std::string report = ScoreReport(score);
  text += report.substr(report.find("\n## "));
  return text + "\n## Small changes with another cause first, or none\n\n" + WrongSmallChanges(small);
}

}  // namespace culprit::testing
