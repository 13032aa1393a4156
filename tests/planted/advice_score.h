// SPDX-License-Identifier: Apache-2.0
// How often the advice on a planted kernel is right, and how often it is wrong.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// A line of advice.csv: advice that is right for a kernel. A kernel with a planted cause of this advice must get it, at
// a line of the cause (lines.csv); other kernels may get it.
struct RightAdvice {
  std::string planted, kernel, advice;
  bool must = false;
};
// Throws std::runtime_error for an unknown word.
std::vector<RightAdvice> ReadRightAdvice(const std::filesystem::path& csv);

// Whether advice of that kind is right for that planted cause.
bool IsAdviceAbout(std::string_view advice, std::string_view cause);

// Where a kernel comes from: a pair with one planted cause, a pair that makes no difference, or a mixture of two
// causes.
enum class AdviceSource { kPair, kHarmless, kMixture };

struct WantedAdvice {
  std::string advice;
  bool given = false;  // at one of the planted lines
};

// The advice on a kernel at one size.
struct AdviceCase {
  std::string planted, kernel, shape;
  AdviceSource source = AdviceSource::kPair;
  std::vector<WantedAdvice> wanted = {};  // advice that must be given; may be empty
  std::string said = {};                  // "spill at 37, narrow at 31"
  std::string wrong = {};                 // the part of it that is wrong for the kernel
};

// For all planted kernels that were sampled; `tests` is the folder of the tables of answers, `root` holds kernels/.
std::vector<AdviceCase> JudgeAdvice(const Database& database, const std::filesystem::path& tests,
                                    const std::filesystem::path& root);

struct AdviceShares {
  int wanted = 0, right = 0;             // advice that must be given
  int all = 0, wrong = 0;                // the number of kernels, and of those that got wrong advice
  int harmless = 0, wrong_harmless = 0;  // those among them without a planted cause of advice
  double Right() const { return wanted == 0 ? 0 : static_cast<double>(right) / wanted; }
  double Wrong() const { return all == 0 ? 0 : static_cast<double>(wrong) / all; }
};
AdviceShares SharesOf(std::span<const AdviceCase> cases);

// docs/evidence/planted_advice.md.
std::string AdviceDocument(std::span<const AdviceCase> cases);
// Its tables alone.
std::string AdviceTables(std::span<const AdviceCase> cases);

}  // namespace culprit::testing
