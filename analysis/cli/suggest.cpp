// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/suggest.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace culprit {
namespace {

// Levenshtein (1966).
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string Closest(std::string_view word, std::span<const std::string> candidates) {
  // One slip in three letters is a typing error; more is another word.
  std::size_t best = word.size() / 3 + 1;
  std::string closest;
  for (const std::string& candidate : candidates) {
    // The distance is never less than this, and a name of 2 MB would take its time.
    if (std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size()) > best) continue;
    const std::size_t distance = Distance(word, candidate);
    if (distance < best || (distance == best && closest.empty())) {
      best = distance;
      closest = candidate;
    }
  }
  return closest;
}

std::string UnknownMessage(std::string_view what, std::string_view word, std::span<const std::string> candidates) {
  std::string message = fmt::format("unknown {} '{}'", what, word);
  if (const std::string closest = Closest(word, candidates); !closest.empty())
    message += fmt::format("; did you mean '{}'?", closest);
  else
    message += ".";
  std::string all;
  for (const std::string& candidate : candidates) all += (all.empty() ? "" : ", ") + candidate;
  return message + (all.empty() ? std::string(" There are none.") : fmt::format(" There are: {}.", all));
}

}  // namespace culprit
