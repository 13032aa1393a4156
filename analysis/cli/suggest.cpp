// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/suggest.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "db/edit_distance.h"

namespace culprit {
namespace {

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
    const std::size_t distance = EditDistance(word, candidate);
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
  return message + fmt::format(" There are: {}.", fmt::join(candidates, ", "));
}

std::string Listed(std::span<const std::string> names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? fmt::format(" {} ", last) : ", ") + names[i];
  return text;
}

}  // namespace culprit
