// SPDX-License-Identifier: Apache-2.0
// How right a method of attribution is on kernels whose answer is known. All figures are of recordings; nothing is
// fitted to what it judges.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/mixtures.h"

namespace culprit::testing {

// What a method says of a pair: parts in microseconds by cause, and what it leaves unexplained.
struct Parts {
  double base_us = 0, candidate_us = 0;
  std::map<std::string, double, std::less<>> us;

  double DeltaUs() const { return candidate_us - base_us; }
  double Of(std::string_view cause) const;
  double UnexplainedUs() const;
  // The largest in the direction of the change; empty: none.
  std::string First() const;
};

// By how much A -> C differs from A -> B -> C: half of the sum over causes, and over what is unexplained, of the
// absolute differences, as a share of the largest of the three changes.
double InconsistencyOf(const Parts& ab, const Parts& bc, const Parts& ac);

struct Score {
  struct Case {
    std::string name, expected, said;
    double error = 0;  // in shares of the change
    bool right = true, held_out = false;
  };
  std::vector<Case> singles, on_top, mixtures, harmless;
  int asked = 0, asked_with_samples = 0;  // how often a pair was asked about, and both of its kernels were sampled
  // Each part that was said of a pair whose answer is known, beside what it should have been: shares of the change.
  struct Residual {
    std::string pair, cause;  // the planted pair or mixture, without its size
    double said = 0, truth = 0;
  };
  std::vector<Residual> residuals;
  std::vector<double> inconsistency;               // of each triple of stages
  std::size_t pairs = 0, largely_unexplained = 0;  // of stages further apart than 1.1x; by more than 30 %
  std::size_t parts = 0, beyond_limit = 0;         // of occupancy, beyond what the busiest unit leaves
};

// What a method may see of a kernel: its counters alone; or also samples of its instructions, as far as there are any.
// Counters and samples of planted kernels stand in different recordings: samples are those of another run of the same
// stage at the same size, if its machine code is the same, and say shares alone: microseconds are those of the run that
// was counted.
enum class Evidence { kCounters, kSamples };

// `planted` holds planted kernels, `ladder` the stages.
Score ScoreOf(const Database& planted, const Database& ladder, const std::filesystem::path& answers,
              Evidence evidence = Evidence::kCounters);

// The figures that a table of methods has, by name, in its order.
std::vector<std::pair<std::string, std::string>> FiguresOf(const Score& score);

// A table in Markdown, then the cases that are wrong.
std::string ScoreReport(const Score& score);

// The same method on the same pairs, without samples and with them: its figures side by side, and the cases that they
// changed. Nothing where no pair was sampled.
std::string SamplesReport(const Score& counters, const Score& sampled);

double MedianError(const std::vector<Score::Case>& cases);
double MeanError(const std::vector<Score::Case>& cases);
int Right(const std::vector<Score::Case>& cases);

}  // namespace culprit::testing
