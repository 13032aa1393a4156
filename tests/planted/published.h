// SPDX-License-Identifier: Apache-2.0
// Speed-ups that others published, beside those of the same changes in kernels of ours.
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
  std::optional<double> speed_up;  // slower by faster time; none where no such figure was published
  std::string what;                // what was changed, and on which card where that is known
};

// Throws std::runtime_error when a line is none.
std::vector<PublishedEffect> ReadPublished(const std::filesystem::path& csv);

// docs/published.md: each effect beside what was recorded of its pair, `judged` at any number of sizes.
std::string PublishedDocument(std::span<const PublishedEffect> published, std::span<const JudgedPair> judged);

}  // namespace culprit::testing
