// SPDX-License-Identifier: Apache-2.0
// The answers for kernels with more than one planted cause, or with a harmless change.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace culprit::testing {

// A line of mixtures.csv.
struct MixtureAnswer {
  std::string mixture, base, a, b, both;  // ids of the mixture and of its kernels
  std::string cause_a, cause_b;           // ids of Causes()
  std::string planted_a, planted_b;       // what was done to a, to b, and both to both
};

// A line of harmless.csv: a pair whose difference costs no time.
struct HarmlessPair {
  std::string pair, base, candidate;  // ids of the pair and of its kernels
  std::string kind;                   // why it costs none: saturated, ...
  std::string planted;                // what was done to the candidate
};

// Throw std::runtime_error if a line is malformed, or if there are no lines.
std::vector<MixtureAnswer> ReadMixtures(const std::filesystem::path& csv);
std::vector<HarmlessPair> ReadHarmless(const std::filesystem::path& csv);

// The share of `both` - `base` that is due to A: A's effect alone, and half of the interaction. The shares of A and B
// sum to 1.
double ShareOfA(double base_us, double a_us, double b_us, double both_us);

}  // namespace culprit::testing
