// SPDX-License-Identifier: Apache-2.0
#include "analysis/fleet/moved.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <set>

#include "analysis/launch/name_words.h"

namespace culprit {
namespace {

// Shorter words, as "nn" and "f32", name no purpose.
constexpr std::size_t kShortestWord = 4;

// The sum must be known to this share of the rise, else it cannot tell a cost that moved from one that came.
constexpr double kMostDoubt = 0.5;

// A kernel that was there before took over others that went: they must have had this share of its rise.
constexpr double kLeastGone = 0.5;

struct Change {
  double before = 0, after = 0, noise = 0;

  double Delta() const { return after - before; }
  double Allowance() const { return noise * std::max(before, after); }
  bool CameOrWent() const { return before <= 0 || after <= 0; }
  bool IsChanged() const { return CameOrWent() || std::abs(Delta()) > Allowance(); }
};

using Place = std::map<std::string, Change>;  // by name

Place PlaceOf(std::span<const KernelCost> before, std::span<const KernelCost> after, const std::string& range) {
  Place place;
  const auto add = [&](std::span<const KernelCost> costs, double Change::*side) {
    for (const KernelCost& cost : costs) {
      if (!range.empty() && cost.range != range) continue;
      Change& change = place[cost.name];
      change.*side += cost.us;
      change.noise = std::max(change.noise, cost.noise);
    }
  };
  add(before, &Change::before);
  add(after, &Change::after);
  return place;
}

bool IsWord(const std::string& word) {
  return word.size() >= kShortestWord &&
         std::ranges::all_of(word, [](unsigned char c) { return std::isalpha(c) != 0; });
}

// Whether a name says that one kernel does the work of another: it is alike, or both share a word that no unchanged
// kernel has.
bool NamesBelong(const std::string& one, const std::string& other, const std::set<std::string>& unchanged) {
  const std::set<std::string> words = WordsOf(one), others = WordsOf(other);
  return Likeness(words, others) >= kWordsInCommon || std::ranges::any_of(words, [&](const std::string& word) {
           return IsWord(word) && others.contains(word) && !unchanged.contains(word);
         });
}

}  // namespace

CostOrigin OriginOf(const std::string& name, const std::string& range, std::span<const KernelCost> before,
                    std::span<const KernelCost> after) {
  const Place place = PlaceOf(before, after, range);
  CostOrigin origin;
  origin.is_in_range = !range.empty();
  const auto own = place.find(name);
  if (own == place.end()) return origin;
  origin.rise_us = own->second.Delta();
  std::set<std::string> unchanged;
  std::multimap<double, std::string, std::greater<>> cheaper, dearer;
  double allowance = 0;
  double gone = 0;
  for (const auto& [kernel, change] : place) {
    if (kernel != name && !change.IsChanged()) {
      unchanged.merge(WordsOf(kernel));
      continue;
    }
    origin.net_us += change.Delta();
    allowance = std::hypot(allowance, change.Allowance());
    if (change.after <= 0) gone += change.before;
    if (kernel != name) (change.Delta() < 0 ? cheaper : dearer).emplace(std::abs(change.Delta()), kernel);
  }
  for (const auto& [us, kernel] : cheaper) origin.cheaper.push_back(kernel);
  for (const auto& [us, kernel] : dearer) origin.dearer.push_back(kernel);
  const bool by_name = std::ranges::any_of(
      origin.cheaper, [&](const std::string& kernel) { return NamesBelong(name, kernel, unchanged); });
  const bool by_range = origin.is_in_range && std::abs(origin.net_us) <= allowance;
  const bool came_or_went = own->second.before <= 0 || gone >= kLeastGone * origin.rise_us;
  origin.is_moved = origin.rise_us > 0 && came_or_went && !origin.cheaper.empty() && origin.net_us <= allowance &&
                    allowance <= kMostDoubt * origin.rise_us && (by_name || by_range);
  return origin;
}

}  // namespace culprit
