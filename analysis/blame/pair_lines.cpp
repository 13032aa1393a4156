// SPDX-License-Identifier: Apache-2.0
#include "analysis/blame/pair_lines.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace culprit {
namespace {

// Lines that are less alike than this have nothing to do with each other. Half of what they do: a line of address
// arithmetic and one of a load share a few moves.
constexpr double kAlike = 0.5;
// What speaks for a pair besides: less than half of a likeness can.
constexpr double kSameDepth = 0.1, kSameFile = 0.1, kSamePlace = 0.2, kCost = 0.01;

template <typename Map>
double Total(const Map& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const auto& entry) { return sum + entry.second; });
}

// By how much two are divided alike, 0..1. Neither is empty.
template <typename Map>
double Common(const Map& a, double of_a, const Map& b, double of_b) {
  double common = 0;
  for (const auto& [part, size] : a)
    if (const auto found = b.find(part); found != b.end()) common += std::min(size / of_a, found->second / of_b);
  return common;
}

// A twentieth of a kernel's time is much, and four fifths of the same kind is the same work.
constexpr double kMuch = 0.05, kSameWork = 0.8;

double Score(const CodeLine& a, const CodeLine& b) {
  const double likeness = SameRole(a, b) ? std::max(kAlike, Likeness(a, b)) : Likeness(a, b);
  if (likeness < kAlike) return 0;
  return likeness + (a.depth == b.depth ? kSameDepth : 0) + (a.place.file == b.place.file ? kSameFile : 0) +
         (a.place == b.place ? kSamePlace : 0);
}

bool Before(const CodeLine& a, const CodeLine& b) {
  return std::tie(a.place.file, a.place.line) < std::tie(b.place.file, b.place.line);
}

// Indices of lines without a partner by file and line: instructions are scheduled in another order than lines are
// written.
std::vector<int> Open(std::span<const CodeLine> lines, std::span<const int> partners) {
  std::vector<int> order;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (partners[i] < 0) order.push_back(static_cast<int>(i));
  std::ranges::stable_sort(order, [&](int a, int b) {
    return Before(lines[static_cast<std::size_t>(a)], lines[static_cast<std::size_t>(b)]);
  });
  return order;
}

double MostOf(std::span<const CodeLine> lines) {
  double most = 0;
  for (const CodeLine& line : lines) most = std::max(most, line.cost_us);
  return most;
}

class Pairing {
 public:
  Pairing(std::span<const CodeLine> base, std::span<const CodeLine> candidate) : base_(base), candidate_(candidate) {
    of_base_.assign(base.size(), -1);
    of_candidate_.assign(candidate.size(), -1);
  }

  void SamePlaces() {
    std::map<std::pair<std::string, int>, int> places;
    for (std::size_t c = 0; c < candidate_.size(); ++c)
      places.emplace(std::pair(candidate_[c].place.file, candidate_[c].place.line), static_cast<int>(c));
    for (std::size_t b = 0; b < base_.size(); ++b)
      if (const auto found = places.find({base_[b].place.file, base_[b].place.line}); found != places.end())
        Join(static_cast<int>(b), found->second);
  }

  // The best of all pairings that keep the order (Needleman and Wunsch, 1970; a gap costs nothing).
  void Align() {
    const std::vector<int> rows = Open(base_, of_base_), columns = Open(candidate_, of_candidate_);
    const std::size_t width = columns.size() + 1;
    std::vector<double> best((rows.size() + 1) * width, 0);
    // Of pairs that are as likely, those that cost most.
    const double most = std::max({MostOf(base_), MostOf(candidate_), 1e-300});
    const auto score = [&](std::size_t r, std::size_t c) {
      const CodeLine& a = base_[static_cast<std::size_t>(rows[r])];
      const CodeLine& b = candidate_[static_cast<std::size_t>(columns[c])];
      const double likely = Score(a, b);
      return likely > 0 ? likely + kCost * std::min(a.cost_us, b.cost_us) / most : 0;
    };
    for (std::size_t r = rows.size(); r-- > 0;)
      for (std::size_t c = columns.size(); c-- > 0;)
        best[r * width + c] =
            std::max({best[(r + 1) * width + c], best[r * width + c + 1], best[(r + 1) * width + c + 1] + score(r, c)});
    for (std::size_t r = 0, c = 0; r < rows.size() && c < columns.size();) {
      const double here = best[r * width + c], matched = score(r, c);
      if (matched > 0 && here == best[(r + 1) * width + c + 1] + matched)
        Join(rows[r++], columns[c++]);
      else if (here == best[(r + 1) * width + c])
        ++r;
      else
        ++c;
    }
  }

  // What the order kept apart, and what stands in other files: those that cost most first.
  void Likeliest() {
    std::vector<std::tuple<double, int, int>> likely;
    for (std::size_t b = 0; b < base_.size(); ++b)
      for (std::size_t c = 0; c < candidate_.size(); ++c)
        if (of_base_[b] < 0 && of_candidate_[c] < 0)
          if (const double score = Score(base_[b], candidate_[c]); score > 0)
            likely.emplace_back(-score * std::min(base_[b].cost_us, candidate_[c].cost_us), static_cast<int>(b),
                                static_cast<int>(c));
    std::ranges::sort(likely);
    for (const auto& [worth, b, c] : likely)
      if (of_base_[static_cast<std::size_t>(b)] < 0 && of_candidate_[static_cast<std::size_t>(c)] < 0) Join(b, c);
  }

  std::vector<LinePair> Pairs() const {
    std::vector<LinePair> pairs;
    for (std::size_t b = 0; b < base_.size(); ++b) pairs.push_back({static_cast<int>(b), of_base_[b]});
    for (std::size_t c = 0; c < candidate_.size(); ++c)
      if (of_candidate_[c] < 0) pairs.push_back({-1, static_cast<int>(c)});
    return pairs;
  }

 private:
  void Join(int b, int c) {
    of_base_[static_cast<std::size_t>(b)] = c;
    of_candidate_[static_cast<std::size_t>(c)] = b;
  }

  std::span<const CodeLine> base_, candidate_;
  std::vector<int> of_base_, of_candidate_;
};

}  // namespace

double Likeness(const CodeLine& a, const CodeLine& b) {
  const double of_a = Total(a.content), of_b = Total(b.content);
  if (of_a == 0 || of_b == 0) return of_a == of_b ? 1 : 0;
  return Common(a.content, of_a, b.content, of_b);
}

bool SameRole(const CodeLine& a, const CodeLine& b) {
  const double of_a = Total(a.shares), of_b = Total(b.shares);
  return of_a >= kMuch && of_b >= kMuch && Common(a.shares, of_a, b.shares, of_b) >= kSameWork;
}

std::vector<LinePair> PairLines(std::span<const CodeLine> base, std::span<const CodeLine> candidate, bool same_source) {
  Pairing pairing(base, candidate);
  if (same_source) pairing.SamePlaces();
  pairing.Align();
  pairing.Likeliest();
  return pairing.Pairs();
}

}  // namespace culprit
