// SPDX-License-Identifier: Apache-2.0
// What is known of kernels in which more than one thing was planted, or something that harms nothing.
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

// A line of harmless.csv: a pair whose candidate differs in something that costs no time.
struct HarmlessPair {
  std::string pair, base, candidate;  // ids of the pair and of its kernels
  std::string kind;                   // why it costs none: saturated, ...
  std::string planted;                // what was done to the candidate
};

// Throw std::runtime_error when a line is none, or when there is no line.
std::vector<MixtureAnswer> ReadMixtures(const std::filesystem::path& csv);
std::vector<HarmlessPair> ReadHarmless(const std::filesystem::path& csv);

// The part of `both` - `base` that is due to A: what A does alone, and half of what neither does alone. With B's it
// is 1.
double ShareOfA(double base_us, double a_us, double b_us, double both_us);

}  // namespace culprit::testing
