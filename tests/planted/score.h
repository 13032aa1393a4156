// SPDX-License-Identifier: Apache-2.0
// How right a method of attribution is on kernels with known answers. All figures are of recordings; nothing is fitted
// to the figures that judge it.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/replicate.h"
#include "db/database.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/mixtures.h"

namespace culprit::testing {

// An answer for a pair: parts in microseconds by cause, and the unexplained rest.
struct Parts {
  double base_us = 0, candidate_us = 0;
  std::map<std::string, double, std::less<>> us;
  std::map<std::string, Scatter, std::less<>> scatter = {};  // of those that `why` prints

  double DeltaUs() const { return candidate_us - base_us; }
  double Of(std::string_view cause) const;
  double UnexplainedUs() const;
  // The largest in the direction of the change; empty: none.
  std::string First() const;
};

Parts PartsOf(const Explanation& why);

// "shared_traffic 59 %, unexplained 41 %"
std::string SaidOf(const Parts& parts);

// How far A -> C differs from A -> B -> C: half of the sum of absolute differences over causes and the unexplained
// part, as a share of the largest of the three changes.
double InconsistencyOf(const Parts& ab, const Parts& bc, const Parts& ac);

// A part that `why` prints, beside the true part.
struct Residual {
  std::string pair, cause;     // the planted pair or mixture, without its size
  double said = 0, truth = 0;  // shares of the change
  PartSize size;
  bool of_mixture = false;  // two causes were planted
  double scatter = 0;       // 90 % scatter of the recording on the side of the truth, a share of the change
};
// The part of `cause` in `parts`, which must be there.
Residual ResidualOf(const std::string& pair, const std::string& cause, const Parts& parts, double true_us);

struct Score {
  struct Case {
    std::string name, expected, said;
    double error = 0;  // in shares of the change
    bool right = true, held_out = false;
  };
  std::vector<Case> singles, on_top, mixtures, harmless;
  int asked = 0, asked_with_samples = 0;  // pairs judged; those with samples of both kernels
  std::vector<Residual> residuals;
  std::vector<double> inconsistency;               // of each triple of stages
  std::size_t pairs = 0, largely_unexplained = 0;  // of stages further apart than 1.1x; by more than 30 %
  std::size_t parts = 0, beyond_limit = 0;         // of occupancy, beyond what the busiest unit leaves
};

// What a method may use: counters alone, or also samples of instructions, if there are any. Counters and samples of
// planted kernels stand in different recordings: samples are those of another run of the same stage at the same size,
// if its machine code is the same, and say shares alone: microseconds are those of the run that was counted.
// kSampledCounters: neither counters of replayed launches nor exact counts, but what `record --profile sampled` would have
// stored (as_sampled.h). Kernels without samples are left out. Recordings of planted_loop have what was recorded.
// kBoth: both (AsBoth), of the same kernels.
enum class Evidence { kCounters, kSamples, kSampledCounters, kBoth };

// `planted` holds planted kernels, `ladder` the stages, which are judged by counters alone.
Score ScoreOf(const Database& planted, const Database& ladder, const std::filesystem::path& answers,
              Evidence evidence = Evidence::kCounters);

// The figures in a table of methods, by name, in order.
std::vector<std::pair<std::string, std::string>> FiguresOf(const Score& score);

// A table in Markdown, then the wrong cases.
std::string ScoreReport(const Score& score);

// The same method on the same pairs, without samples and with them: its figures side by side, and the cases that they
// changed. Empty if no pair was sampled.
std::string SamplesReport(const Score& counters, const Score& sampled);

// The cases of `counters` that `cheap` has, too: single causes, on top of another, mixtures and harmless changes.
Score AmongThoseOf(const Score& counters, const Score& cheap);

// The three ways to measure on the pairs that `cheap` has: by replayed counters, by sampled ones with samples of
// instructions (Evidence::kSampledCounters), and by both (Evidence::kBoth).
std::string CheapReport(const Score& counters, const Score& cheap, const Score& both);

// The same for a recording of planted_loop, whose counters were really sampled.
std::string LoopReport(const Score& counters, const Score& loop);

double MedianError(const std::vector<Score::Case>& cases);
double MeanError(const std::vector<Score::Case>& cases);
int Right(const std::vector<Score::Case>& cases);

}  // namespace culprit::testing
