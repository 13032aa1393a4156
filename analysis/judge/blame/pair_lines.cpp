// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/blame/pair_lines.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

namespace culprit {
namespace {

// Lines are paired from this similarity on. It is high because a line of address arithmetic and a line with a load have
// a few moves in common.
constexpr double kSameLine = 0.5;
// Bonuses for the same loop depth, file and line number, and for the time of both lines. Together they are smaller than
// kSameLine.
constexpr double kSameDepth = 0.1, kSameFile = 0.1, kSamePlace = 0.2, kCost = 0.01;

template <typename Map>
double Total(const Map& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const auto& entry) { return sum + entry.second; });
}

// Two lines have the same role if each takes at least kMuch of its kernel's time, and spends at least kSameWork of that
// time on the same kind of work.
constexpr double kMuch = 0.05, kSameWork = 0.8;

using Parts = std::vector<std::pair<int, double>>;

// The features of a line for scores. They are computed once per line, not per pair.
struct Features {
  int file = 0, number = 0;  // the same number for the same file
  int depth = 0;
  double cost_us = 0;
  // The share of each mnemonic, and of each kind of work, in the order of their names.
  Parts content, shares;
  bool has_content = false, takes_much = false;
};

// The score of one line with each of many lines; 0: they do not fit. Only lines with a common mnemonic are compared,
// which are far fewer than all pairs.
class Scores {
 public:
  explicit Scores(std::span<const Features> lines) : lines_(lines), scores_(lines.size(), 0) {
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      for (const auto& [mnemonic, part] : lines_[n].content) {
        if (with_.size() <= static_cast<std::size_t>(mnemonic)) with_.resize(static_cast<std::size_t>(mnemonic) + 1);
        with_[static_cast<std::size_t>(mnemonic)].emplace_back(n, part);
      }
      if (!lines_[n].has_content) empty_.push_back(n);
      if (lines_[n].takes_much) much_.push_back(n);
      places_.push_back({lines_[n].file, lines_[n].number, lines_[n].depth});
    }
  }

  // The result is valid until the next call.
  const std::vector<double>& Of(const Features& line) {
    std::ranges::fill(scores_, 0);
    for (const auto& [mnemonic, part] : line.content)
      if (static_cast<std::size_t>(mnemonic) < with_.size())
        for (const auto& [n, other] : with_[static_cast<std::size_t>(mnemonic)]) scores_[n] += std::min(part, other);
    if (!line.has_content)
      for (const std::size_t n : empty_) scores_[n] = 1;
    if (line.takes_much)
      for (const std::size_t n : much_)
        if (scores_[n] < kSameLine && Common(line.shares, lines_[n].shares) >= kSameWork) scores_[n] = kSameLine;
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      const Place& at = places_[n];
      const double with_place = scores_[n] + (line.depth == at.depth ? kSameDepth : 0) +
                                (line.file == at.file ? kSameFile : 0) +
                                (line.file == at.file && line.number == at.number ? kSamePlace : 0);
      scores_[n] = scores_[n] < kSameLine ? 0 : with_place;
    }
    return scores_;
  }

 private:
  struct Place {
    int file, number, depth;
  };

  static double Common(const Parts& a, const Parts& b) {
    double common = 0;
    for (auto of_a = a.begin(), of_b = b.begin(); of_a != a.end() && of_b != b.end();) {
      if (of_a->first == of_b->first)
        common += std::min(of_a++->second, of_b++->second);
      else
        of_a->first < of_b->first ? ++of_a : ++of_b;
    }
    return common;
  }

  std::span<const Features> lines_;
  std::vector<Place> places_;
  std::vector<std::vector<std::pair<std::size_t, double>>> with_;  // by mnemonic: the lines that have it, and its share
  std::vector<std::size_t> empty_, much_;
  std::vector<double> scores_;
};

// Numbers the names in alphabetical order.
class Names {
 public:
  void Add(const std::string& name) { numbers_.emplace(name, 0); }
  void Number() {
    int next = 0;
    for (auto& [name, number] : numbers_) number = next++;
  }
  int operator[](const std::string& name) const { return numbers_.find(name)->second; }

  template <typename Map>
  Parts PartsOf(const Map& parts, double whole) const {
    Parts all;
    if (whole != 0)
      for (const auto& [name, size] : parts) all.emplace_back((*this)[name], size / whole);
    return all;
  }

 private:
  std::map<std::string, int> numbers_;
};

bool Before(const CodeLine& a, const CodeLine& b) {
  return std::tie(a.place.file, a.place.line) < std::tie(b.place.file, b.place.line);
}

// The indices of lines without a partner, sorted by file and line, because the order of instructions differs from that
// of lines.
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

enum class Step : std::uint8_t { kJoin, kRow, kColumn };

// The columns that each row is compared with. These are all columns, unless all pairs would take more than a second.
// Then they are the columns at about the same distance from the beginning.
struct Band {
  static constexpr std::size_t kMostCompared = std::size_t{1} << 26;  // 8192 lines of each kernel.

  Band(std::size_t rows, std::size_t columns)
      : width(std::min(columns, std::max<std::size_t>(1, kMostCompared / rows))), rows_(rows), columns_(columns) {}

  std::size_t First(std::size_t row) const {
    return width == columns_ ? 0 : row * (columns_ - width) / std::max<std::size_t>(1, rows_ - 1);
  }

  std::size_t width;

 private:
  std::size_t rows_, columns_;
};

// The largest number of line pairs that are compared out of order. They take half a gigabyte.
constexpr std::size_t kMostLikely = std::size_t{1} << 25;

class Pairing {
 public:
  Pairing(std::span<const CodeLine> base, std::span<const CodeLine> candidate) : base_(base), candidate_(candidate) {
    of_base_.assign(base.size(), -1);
    of_candidate_.assign(candidate.size(), -1);
    Names names;
    for (const auto side : {base, candidate})
      for (const CodeLine& line : side) {
        names.Add(line.place.file);
        for (const auto& [mnemonic, n] : line.content) names.Add(mnemonic);
        for (const auto& [work, share] : line.shares) names.Add(work);
      }
    names.Number();
    const auto features = [&](const CodeLine& line) {
      const double content = Total(line.content), shares = Total(line.shares);
      return Features{names[line.place.file],
                      line.place.line,
                      line.depth,
                      line.cost_us,
                      names.PartsOf(line.content, content),
                      names.PartsOf(line.shares, shares),
                      content != 0,
                      shares >= kMuch};
    };
    for (const CodeLine& line : base) base_features_.push_back(features(line));
    for (const CodeLine& line : candidate) candidate_features_.push_back(features(line));
  }

  void SamePlaces() {
    std::map<std::pair<std::string, int>, int> places;
    for (std::size_t c = 0; c < candidate_.size(); ++c)
      places.emplace(std::pair(candidate_[c].place.file, candidate_[c].place.line), static_cast<int>(c));
    for (std::size_t b = 0; b < base_.size(); ++b)
      if (const auto found = places.find({base_[b].place.file, base_[b].place.line}); found != places.end())
        Join(static_cast<int>(b), found->second);
  }

  // Finds the best pairing that keeps the order (Needleman and Wunsch, 1970; a gap costs nothing).
  void Align() {
    const std::vector<int> rows = Open(base_, of_base_), columns = Open(candidate_, of_candidate_);
    if (rows.empty() || columns.empty()) return;
    const Band band(rows.size(), columns.size());
    // Among equally likely pairs, prefers the costliest.
    const double most = std::max({MostOf(base_), MostOf(candidate_), 1e-300});
    std::vector<Features> of_columns;
    for (const int c : columns) of_columns.push_back(candidate_features_[static_cast<std::size_t>(c)]);
    Scores scores(of_columns);
    std::vector<double> below(columns.size() + 1, 0), here(columns.size() + 1, 0);
    std::vector<Step> steps(rows.size() * band.width);
    for (std::size_t r = rows.size(); r-- > 0;) {
      const Features& a = base_features_[static_cast<std::size_t>(rows[r])];
      const std::size_t first = band.First(r), end = std::min(columns.size(), first + band.width);
      if (end < columns.size()) here[end] = 0;
      const std::vector<double>& likely = scores.Of(a);
      for (std::size_t c = end; c-- > first;) {
        const double matched =
            likely[c] > 0 ? likely[c] + kCost * std::min(a.cost_us, of_columns[c].cost_us) / most : 0;
        const double joined = below[c + 1] + matched;
        here[c] = std::max({below[c], here[c + 1], joined});
        steps[r * band.width + (c - first)] = matched > 0 && here[c] == joined ? Step::kJoin
                                              : here[c] == below[c]            ? Step::kRow
                                                                               : Step::kColumn;
      }
      std::swap(below, here);
    }
    for (std::size_t r = 0, c = 0; r < rows.size() && c < columns.size();) {
      if (c < band.First(r)) {
        ++c;
      } else if (c >= band.First(r) + band.width) {
        ++r;
      } else {
        const Step step = steps[r * band.width + (c - band.First(r))];
        if (step == Step::kJoin)
          Join(rows[r++], columns[c++]);
        else
          step == Step::kRow ? ++r : ++c;
      }
    }
  }

  // Pairs lines without regard to order and file, the costliest first.
  void Likeliest() {
    std::vector<int> open;
    std::vector<Features> features;
    for (std::size_t c = 0; c < candidate_.size(); ++c)
      if (of_candidate_[c] < 0) {
        open.push_back(static_cast<int>(c));
        features.push_back(candidate_features_[c]);
      }
    Scores scores(features);
    std::vector<std::tuple<double, int, int>> likely;
    for (std::size_t b = 0; b < base_.size() && likely.size() < kMostLikely; ++b) {
      if (of_base_[b] >= 0) continue;
      const std::vector<double>& score = scores.Of(base_features_[b]);
      for (std::size_t n = 0; n < open.size(); ++n)
        if (score[n] > 0)
          likely.emplace_back(-score[n] * std::min(base_[b].cost_us, features[n].cost_us), static_cast<int>(b),
                              open[n]);
    }
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
  std::vector<Features> base_features_, candidate_features_;
  std::vector<int> of_base_, of_candidate_;
};

}  // namespace

std::vector<LinePair> PairLines(std::span<const CodeLine> base, std::span<const CodeLine> candidate, bool same_source) {
  Pairing pairing(base, candidate);
  if (same_source) pairing.SamePlaces();
  pairing.Align();
  pairing.Likeliest();
  return pairing.Pairs();
}

}  // namespace culprit
