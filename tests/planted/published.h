// SPDX-License-Identifier: Apache-2.0
// Speed-ups that others published, and those of the same changes in our kernels.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/planted/accuracy.h"

namespace culprit::testing {

// A line of published.csv.
struct PublishedEffect {
  std::string pair;                // of answers.csv
  std::string source, url;         // who published it, and where
  std::optional<double> speed_up;  // slower time divided by faster time; none if no such figure was published
  std::string what;                // what was changed, and on which card where that is known
};

// Throws std::runtime_error if a line is malformed.
std::vector<PublishedEffect> ReadPublished(const std::filesystem::path& csv);

// docs/evidence/published.md: each published effect beside the recording of its pair, `judged` at any number of sizes.
std::string PublishedDocument(std::span<const PublishedEffect> published, std::span<const JudgedPair> judged);

}  // namespace culprit::testing
