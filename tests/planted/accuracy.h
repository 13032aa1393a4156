// SPDX-License-Identifier: Apache-2.0
// How often the planted cause is found: by culprit, and by the rules of Nsight Compute on the same kernels.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/judge/difference/verdict.h"
#include "db/database.h"

namespace culprit::testing {

// A third of the pairs is kept out of the tuning of rules. Which, nobody chose: FNV-1a (32 bit) of the pair's id is
// divisible by 3.
bool IsHeldOut(std::string_view pair);

// A line of answers.csv.
struct PlantedAnswer {
  std::string pair, base, candidate;  // ids of the pair and of its kernels
  std::string cause;                  // an id of Causes()
  std::string planted;                // what was done to the candidate

  bool IsHeldOut() const { return testing::IsHeldOut(pair); }
};

// Throws std::runtime_error if a line is malformed.
std::vector<PlantedAnswer> ReadAnswers(const std::filesystem::path& csv);

// One pair at one size.
struct JudgedPair {
  PlantedAnswer answer;
  std::string shape;
  double base_us = 0, candidate_us = 0;
  Speed speed = Speed::kAmbiguous;
  std::vector<std::string> causes;  // in the direction of the change, largest first
  std::map<std::string, double> shares;
  double unexplained = 0;  // share of the change
  double open_us = 0;  // how far the sums of causes and rest, of stalls, or of factors are from the difference, at most

  // 1: the planted cause is first; 0: it is not among the causes.
  int Rank() const;
  // Whether it is first and explains more of the change than is unexplained or explained twice.
  bool IsMostOfIt() const;
};

// Every size at which both kernels of the pair were recorded with right results; may be empty.
std::vector<JudgedPair> Judge(const Database& database, const PlantedAnswer& answer);

}  // namespace culprit::testing
