// SPDX-License-Identifier: Apache-2.0
// The planted pairs of a database that were recorded with counters.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "db/database.h"
#include "tests/planted/accuracy.h"

namespace culprit::testing {

// The launches whose numbers are in a column of the rows, in their order. Much faster than reading one after the other.
std::vector<KernelRecord> LoadKernels(const Database& database, const Table& rows, std::size_t column = 0);

struct RecordedPair {
  PlantedAnswer answer;
  std::string run, shape;
  const KernelRecord* base;
  const KernelRecord* candidate;
};

// The launches of a database that were counted, by kernel.
std::map<std::string, KernelRecord> LaunchesByKernel(const Database& database);

class PlantedPairs {
 public:
  // Every pair of answers.csv in the folder, at every size.
  PlantedPairs(const Database& planted, const std::filesystem::path& answers);
  PlantedPairs(const PlantedPairs&) = delete;
  PlantedPairs& operator=(const PlantedPairs&) = delete;

  // In the order of answers.csv.
  const std::vector<RecordedPair>& pairs() const { return pairs_; }

 private:
  std::map<std::pair<std::string, std::string>, std::map<std::string, KernelRecord>> kernels_;  // run, shape; stage
  std::vector<RecordedPair> pairs_;
};

}  // namespace culprit::testing
