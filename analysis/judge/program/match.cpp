// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/program/match.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/launch/name.h"
#include "analysis/launch/name_words.h"
#include "analysis/number/name_in.h"

namespace culprit {
namespace {

// With more possible pairs under one name, launches are matched by their order alone. A program that launches a kernel
// in a thousand ways in each run stays below this.
constexpr std::size_t kMostPairs = 1'000'000;
// The nearest launch is searched among at most this many launches with the same number of missing calls.
constexpr std::size_t kMostAsked = 1'000;

using Geometry = std::array<std::int64_t, 7>;  // grid, block, dynamic shared memory

// The features of a launch for the rules.
struct Class {
  std::size_t place = 0;  // index in the argument
  std::string name, normal, nvtx, digest;
  Geometry geometry{};
  std::int64_t first = 0;
  double calls = 0;
  std::optional<std::size_t> group;

  auto Identity() const { return std::tie(first, name, nvtx, geometry, calls, digest); }
  double Blocks() const { return 1.0 * geometry[0] * geometry[1] * geometry[2]; }
  double Threads() const { return 1.0 * geometry[3] * geometry[4] * geometry[5]; }
};

// Sorted by first call, independent of the order of the argument.
std::vector<Class> ClassesOf(std::span<const KernelRecord> kernels) {
  std::vector<Class> classes(kernels.size());
  std::map<std::string, std::string> normal;  // a cache, because a program has few names and many launches
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelRecord& k = kernels[i];
    const LaunchRecord& l = k.launch;
    Class& c = classes[i];
    c.place = i;
    c.name = k.program ? k.program->name : k.stage.id;
    auto known = normal.find(c.name);
    if (known == normal.end()) known = normal.emplace(c.name, NormalName(c.name)).first;
    c.normal = known->second;
    c.nvtx = k.program ? k.program->nvtx : "";
    c.digest = k.cubin_digest;
    c.geometry = {l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, l.dynamic_shared_bytes};
    c.first = k.program ? k.program->first : 0;
    c.calls = k.program ? static_cast<double>(k.program->calls) : static_cast<double>(k.samples.size());
  }
  std::ranges::sort(classes, [](const Class& a, const Class& b) { return a.Identity() < b.Identity(); });
  return classes;
}

// The distance of two numbers. It is exactly symmetric.
double Apart(double a, double b) { return std::abs(std::log1p(std::max(a, 0.0)) - std::log1p(std::max(b, 0.0))); }

// Smaller is nearer.
using Distance = std::tuple<bool, bool, double, double>;
Distance DistanceBetween(const Class& a, const Class& b) {
  return {a.nvtx != b.nvtx, a.Threads() != b.Threads() || a.geometry[6] != b.geometry[6], Apart(a.calls, b.calls),
          Apart(a.Blocks(), b.Blocks())};
}

class Matcher {
 public:
  Matcher(std::span<const KernelRecord> base, std::span<const KernelRecord> candidate)
      : base_(ClassesOf(base)), candidate_(ClassesOf(candidate)) {}

  std::vector<MatchedLaunches> Match() {
    const auto exact = [](const auto& name) {
      return [name](const Class& c) { return std::tuple(name(c), c.geometry, c.nvtx); };
    };
    const auto full = [](const Class& c) { return c.name; };
    const auto normal = [](const Class& c) { return c.normal; };
    PairWithin(MatchRule::kSame, exact(full));
    PairWithin(MatchRule::kSame, exact(normal));
    PairWithin(MatchRule::kOtherRange, [](const Class& c) { return std::tuple(c.name, c.geometry); });
    PairWithin(MatchRule::kOtherRange, [](const Class& c) { return std::tuple(c.normal, c.geometry); });
    PairWithin(MatchRule::kOtherLaunch, full);
    PairWithin(MatchRule::kOtherLaunch, normal);
    // Now at most one of the runs has unmatched launches of a name.
    Spread(MatchRule::kSplit, base_, candidate_, &MatchedLaunches::base, &MatchedLaunches::candidate);
    Spread(MatchRule::kFused, candidate_, base_, &MatchedLaunches::candidate, &MatchedLaunches::base);
    const auto has_code = [](const Class& c) { return !c.digest.empty(); };
    PairWithin(
        MatchRule::kSameCode, [](const Class& c) { return std::tuple(c.digest, c.geometry, c.nvtx); }, has_code);
    PairWithin(
        MatchRule::kSameCode, [](const Class& c) { return c.digest; }, has_code);
    PairAlike();
    for (Class& c : base_)
      if (!c.group) Add(MatchRule::kGone, &c, nullptr);
    for (Class& c : candidate_)
      if (!c.group) Add(MatchRule::kNew, nullptr, &c);
    return InOrder();
  }

 private:
  void Add(MatchRule rule, Class* base, Class* candidate) {
    MatchedLaunches& group = groups_.emplace_back();
    group.rule = rule;
    for (const auto& [c, side] : {std::pair(base, &group.base), std::pair(candidate, &group.candidate)}) {
      if (c == nullptr) continue;
      c->group = groups_.size() - 1;
      side->push_back(c->place);
    }
  }

  // The nearest pairs are matched first. Equally near ones are sorted by their places in the program, in a way that
  // does not depend on which run is the base. Two pairs that tie in all of this have no common launch.
  template <class Fits>
  void PairNearest(MatchRule rule, const std::vector<Class*>& from, const std::vector<Class*>& to, const Fits& fits) {
    if (from.size() * to.size() > kMostPairs) {
      for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
        if (fits(*from[i], *to[i])) Add(rule, from[i], to[i]);
      return;
    }
    std::vector<std::tuple<Distance, std::size_t, std::size_t, std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < from.size(); ++i)
      for (std::size_t j = 0; j < to.size(); ++j)
        if (fits(*from[i], *to[j]))
          pairs.emplace_back(DistanceBetween(*from[i], *to[j]), i > j ? i - j : j - i, i + j, i, j);
    std::ranges::sort(pairs);
    for (const auto& [distance, off, sum, i, j] : pairs)
      if (!from[i]->group && !to[j]->group) Add(rule, from[i], to[j]);
  }

  // Pairs launches with equal `key`.
  template <class Key, class Takes = bool (*)(const Class&)>
  void PairWithin(
      MatchRule rule, const Key& key, const Takes& takes = [](const Class&) { return true; }) {
    using Value = std::decay_t<decltype(key(std::declval<const Class&>()))>;
    std::map<Value, std::pair<std::vector<Class*>, std::vector<Class*>>> buckets;
    for (Class& c : base_)
      if (!c.group && takes(c)) buckets[key(c)].first.push_back(&c);
    for (Class& c : candidate_)
      if (const auto bucket = c.group || !takes(c) ? buckets.end() : buckets.find(key(c)); bucket != buckets.end())
        bucket->second.second.push_back(&c);
    for (const auto& [value, sides] : buckets)
      PairNearest(rule, sides.first, sides.second, [](const Class&, const Class&) { return true; });
  }

  // Adds an unmatched launch of `many` to the pair of its name that lacks as many calls. This distinguishes a program
  // that divides its work differently from one that calls a kernel more often, which has new launches.
  void Spread(MatchRule rule, const std::vector<Class>& one, std::vector<Class>& many,
              std::vector<std::size_t> MatchedLaunches::*of_one, std::vector<std::size_t> MatchedLaunches::*of_many) {
    // For one name: the groups that lack calls, by the number of missing calls, in the order of `many`.
    struct Open {
      std::size_t group;
      const Class* paired;
    };
    using Lacking = std::map<double, std::map<std::size_t, Open>>;
    std::map<std::string, Lacking> open;
    std::map<std::size_t, const Class*> by_place;
    for (const Class& c : one) by_place[c.place] = &c;
    for (std::size_t order = 0; order < many.size(); ++order) {
      const Class& c = many[order];
      if (!c.group) continue;
      const MatchedLaunches& group = groups_[*c.group];
      const Class& other = *by_place.at((group.*of_one).front());
      if (other.normal == c.normal && (group.*of_one).size() == 1 && other.calls > c.calls)
        open[c.normal][other.calls - c.calls][order] = {*c.group, &c};
    }
    std::vector<Class*> left;
    for (Class& c : many)
      if (!c.group) left.push_back(&c);
    std::ranges::stable_sort(left, [](const Class* a, const Class* b) { return a->calls > b->calls; });
    for (Class* c : left) {
      const auto of_name = open.find(c->normal);
      if (of_name == open.end()) continue;
      Lacking& lacking = of_name->second;
      // The group with the nearest number of missing calls, below or above.
      std::optional<std::tuple<double, Distance, std::size_t>> best;
      Lacking::iterator best_lacks;
      const auto ask = [&](Lacking::iterator lacks) {
        if (c->calls >= 2 * lacks->first) return;
        std::size_t asked = 0;
        for (const auto& [order, group] : lacks->second) {
          if (++asked > kMostAsked) break;
          const std::tuple worth(std::abs(lacks->first - c->calls), DistanceBetween(*group.paired, *c), order);
          if (best && !(worth < *best)) continue;
          best = worth;
          best_lacks = lacks;
        }
      };
      const auto more = lacking.upper_bound(c->calls);
      if (more != lacking.begin()) ask(std::prev(more));
      if (more != lacking.end()) ask(more);
      if (!best) continue;
      const std::size_t order = std::get<2>(*best);
      const Open taken = best_lacks->second.at(order);
      const double lacks = best_lacks->first - c->calls;
      best_lacks->second.erase(order);
      if (best_lacks->second.empty()) lacking.erase(best_lacks);
      if (lacks > 0) lacking[lacks][order] = taken;
      c->group = taken.group;
      groups_[taken.group].rule = rule;
      (groups_[taken.group].*of_many).push_back(c->place);
    }
  }

  // For each launch, the matched launches before and after it.
  using Between = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;
  static std::vector<Between> Neighbours(const std::vector<Class>& classes) {
    std::vector<Between> between(classes.size());
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      between[i].first = last;
      if (classes[i].group) last = classes[i].group;
    }
    last.reset();
    for (std::size_t i = classes.size(); i-- > 0;) {
      between[i].second = last;
      if (classes[i].group) last = classes[i].group;
    }
    return between;
  }

  void PairAlike() {
    std::map<Between, std::pair<std::vector<Class*>, std::vector<Class*>>> places;
    const std::vector<Between> in_base = Neighbours(base_), in_candidate = Neighbours(candidate_);
    std::map<const Class*, std::set<std::string>> words;
    for (std::size_t i = 0; i < base_.size(); ++i)
      if (!base_[i].group) places[in_base[i]].first.push_back(&base_[i]);
    for (std::size_t i = 0; i < candidate_.size(); ++i)
      if (!candidate_[i].group) places[in_candidate[i]].second.push_back(&candidate_[i]);
    for (const auto& [between, sides] : places) {
      if (sides.first.empty() || sides.second.empty()) continue;
      for (const auto* side : {&sides.first, &sides.second})
        for (const Class* c : *side) words[c] = WordsOf(c->normal);
      PairNearest(MatchRule::kAlike, sides.first, sides.second, [&](const Class& a, const Class& b) {
        return a.calls == b.calls && Likeness(words.at(&a), words.at(&b)) >= kWordsInCommon;
      });
    }
  }

  std::vector<MatchedLaunches> InOrder() {
    std::map<std::size_t, std::int64_t> base_first, candidate_first;
    for (const Class& c : base_) base_first[c.place] = c.first;
    for (const Class& c : candidate_) candidate_first[c.place] = c.first;
    for (MatchedLaunches& group : groups_) {
      std::ranges::sort(group.base, {}, [&](std::size_t i) { return base_first.at(i); });
      std::ranges::sort(group.candidate, {}, [&](std::size_t i) { return candidate_first.at(i); });
    }
    const auto order = [&](const MatchedLaunches& g) {
      const std::int64_t first =
          g.candidate.empty() ? base_first.at(g.base.front()) : candidate_first.at(g.candidate.front());
      return std::tuple(first, g.candidate.empty());
    };
    std::ranges::stable_sort(groups_, {}, order);
    return std::move(groups_);
  }

  std::vector<Class> base_, candidate_;
  std::vector<MatchedLaunches> groups_;
};

}  // namespace

std::string_view ToText(MatchRule rule) {
  using enum MatchRule;
  return NameIn<MatchRule>({{kSame, "same name, grid and range"},
                            {kOtherRange, "same name, renamed range"},
                            {kOtherLaunch, "same name, other launch"},
                            {kSameCode, "renamed: same code"},
                            {kAlike, "renamed: alike"},
                            {kSplit, "split"},
                            {kFused, "fused"},
                            {kNew, "new"},
                            {kGone, "gone"}},
                           rule);
}

std::vector<MatchedLaunches> MatchLaunches(std::span<const KernelRecord> base,
                                           std::span<const KernelRecord> candidate) {
  return Matcher(base, candidate).Match();
}

}  // namespace culprit
