// SPDX-License-Identifier: Apache-2.0
// How often the advice on a planted kernel is the right one, and how often it is wrong.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// A line of advice.csv: advice that is right for a kernel. One with a planted cause that advice is about must be given
// it, at a line on which the cause stands (lines.csv); other kernels may be.
struct RightAdvice {
  std::string planted, kernel, advice;
  bool must = false;
};
// Throws std::runtime_error where a word is not known.
std::vector<RightAdvice> ReadRightAdvice(const std::filesystem::path& csv);

// Whether advice of that kind is the right one where that cause was planted.
bool IsAdviceAbout(std::string_view advice, std::string_view cause);

// Where a kernel comes from: a pair of one planted cause, one with nothing that matters, or a mixture of two causes.
enum class AdviceSource { kPair, kHarmless, kMixture };

struct WantedAdvice {
  std::string advice;
  bool given = false;  // at one of the planted lines
};

// What was said of a kernel at one size.
struct AdviceCase {
  std::string planted, kernel, shape;
  AdviceSource source = AdviceSource::kPair;
  std::vector<WantedAdvice> wanted = {};  // that must be given; empty: none must
  std::string said = {};                  // "spill at 37, narrow at 31"
  std::string wrong = {};                 // of it what is not right for the kernel
};

// Of whatever planted kernels were sampled; `tests` is the folder of the tables of answers, `root` holds kernels/.
std::vector<AdviceCase> JudgeAdvice(const Database& database, const std::filesystem::path& tests,
                                    const std::filesystem::path& root);

struct AdviceShares {
  int wanted = 0, right = 0;             // advice that must be given
  int all = 0, wrong = 0;                // kernels, and those that were given wrong advice
  int harmless = 0, wrong_harmless = 0;  // of them those on which none was planted
  double Right() const { return wanted == 0 ? 0 : static_cast<double>(right) / wanted; }
  double Wrong() const { return all == 0 ? 0 : static_cast<double>(wrong) / all; }
};
AdviceShares SharesOf(std::span<const AdviceCase> cases);

// docs/planted_advice.md.
std::string AdviceDocument(std::span<const AdviceCase> cases);
// Its tables alone.
std::string AdviceTables(std::span<const AdviceCase> cases);

}  // namespace culprit::testing
