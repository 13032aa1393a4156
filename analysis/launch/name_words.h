// SPDX-License-Identifier: Apache-2.0
// The words of normal names of kernels (name.h), and how alike two names are.
#pragma once
#include <set>
#include <string>

namespace culprit {

// Names are alike if they have at least half of their words in common. ampere_sgemm_128x64_nn and
// ampere_sgemm_128x128_nn share three of four words. An addition and a reduction of one library share about a third.
inline constexpr double kWordsInCommon = 0.5;

// Runs of letters and digits.
std::set<std::string> WordsOf(const std::string& normal_name);

// The share of common words in all words of both: 0 to 1.
double Likeness(const std::set<std::string>& a, const std::set<std::string>& b);

}  // namespace culprit
