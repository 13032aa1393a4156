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

constexpr std::size_t kFew = 12;     // names that are read at a glance
constexpr std::size_t kOffered = 4;  // guesses that are still an answer
constexpr std::size_t kTelling = 3;  // letters: a shorter part is in every other name

// The closest one, then those that the word is a part of, or that are a part of it.
std::vector<std::string> Guesses(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string> guesses;
  if (std::string closest = Closest(word, candidates); !closest.empty()) guesses.push_back(std::move(closest));
  for (const std::string& candidate : candidates) {
    const bool part = candidate.find(word) != candidate.npos || word.find(candidate) != word.npos;
    const bool telling = std::min(word.size(), candidate.size()) >= kTelling;
    if (part && telling && std::ranges::find(guesses, candidate) == guesses.end()) guesses.push_back(candidate);
  }
  return guesses;
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

std::string UnknownMessage(std::string_view what, std::string_view word, std::span<const std::string> candidates,
                           std::string_view listed_by) {
  std::string message = fmt::format("unknown {} '{}'", what, word);
  std::vector<std::string> guesses = Guesses(word, candidates);
  const std::size_t more = guesses.size() - std::min(guesses.size(), kOffered);
  guesses.resize(guesses.size() - more);
  for (std::string& guess : guesses) guess = "'" + guess + "'";
  if (more > 0) guesses.push_back(fmt::format("{} more", more));
  message += guesses.empty() ? "." : fmt::format("; did you mean {}?", Listed(guesses));
  if (candidates.empty()) return message + " There are none.";
  if (candidates.size() > kFew && !listed_by.empty())
    return message + fmt::format(" {} lists all {}.", listed_by, candidates.size());
  std::string all;
  for (const std::string& candidate : candidates) all += (all.empty() ? "" : ", ") + candidate;
  return message + fmt::format(" There are: {}.", all);
}

std::string Listed(std::span<const std::string> names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? fmt::format(" {} ", last) : ", ") + names[i];
  return text;
}

}  // namespace culprit
