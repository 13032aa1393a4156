// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/source_chart.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/number/printable.h"

namespace culprit {
namespace {

using enum Unit;

// Lines of a listing: what is left out then is what is around, never a line with a time.
constexpr std::size_t kMostRows = 90;
constexpr std::size_t kTabStop = 4;
constexpr std::size_t kColumns = 160;

// Of the heaviest: a line near it with less is read as one without a time.
constexpr double kWorthABar = 0.005;

double Weight(const TimedLine& line) {
  return line.base_us ? std::abs(line.candidate_us.value_or(0) - *line.base_us) : line.candidate_us.value_or(0);
}

double Largest(const TimedLine& line) { return std::max(line.base_us.value_or(0), line.candidate_us.value_or(0)); }

// As an editor shows it.
std::string WithoutTabs(std::string_view text) {
  std::string spaced;
  for (const char c : text) {
    if (c == '\r') continue;
    if (c == '\t')
      spaced.append(kTabStop - spaced.size() % kTabStop, ' ');
    else
      spaced += c;
  }
  return spaced;
}

class Listing {
 public:
  // `least_us`: of a bar that nobody asked for.
  Listing(bool compares, double least_us, const PairSource& source)
      : compares_(compares), least_us_(least_us), source_(source) {
    table_.columns = {{"name", "Line"},
                      {"role", "", true},
                      {"line", "", true},
                      {"text", "Source"},
                      {"base_us", compares ? "Base" : "", !compares},
                      {"candidate_us", compares ? "Candidate" : "Waited for"},
                      {"delta_us", compares ? "Difference" : "", !compares},
                      {"what", compares ? "For" : "Class"}};
  }

  // Lines of one file, all of one side.
  void AddFile(const std::string& title, std::span<const TimedLine* const> lines) {
    std::map<int, const TimedLine*> timed;
    std::set<int> listed;
    for (const TimedLine* line : lines) {
      if (line->is_listed || Largest(*line) >= least_us_) timed[line->at.line] = line;
      if (line->is_listed) listed.insert(line->at.line);
    }
    if (listed.empty()) return;
    const std::string& file = lines.front()->at.file;
    const FindSourceText& source = source_.Of(lines.front()->only_in_base);
    std::map<int, std::string> texts;
    const auto read = [&](int line) {
      if (line < 1 || texts.contains(line)) return;
      if (const SourceText found = source({file, line}); found.why_not.empty() || listed.contains(line))
        texts[line] = WithoutTabs(found.text);
    };
    for (const int line : listed) read(line);
    for (const int line : listed)
      for (int near = line - SourceQuote::kAround;
           near <= line + SourceQuote::kAround && rows() + texts.size() < kMostRows; ++near)
        read(near);
    TrimBlankEnds(listed, texts);
    Dedent(texts);
    Add(title, "file", 0, "", nullptr);
    int last = 0;
    for (const auto& [number, text] : texts) {
      if (last > 0 && number > last + 1) Add("", "gap", 0, "", nullptr);
      const auto at = timed.find(number);
      const TimedLine* line = at == timed.end() ? nullptr : at->second;
      Add(line != nullptr ? line->name : "", line != nullptr ? "line" : "text", number, text, line);
      last = number;
    }
  }

  void AddPlaces(const std::vector<const TimedLine*>& places) {
    if (places.empty()) return;
    Add("no source line is known", "file", 0, "", nullptr);
    for (const TimedLine* place : places) Add(place->name, "place", 0, "", place);
  }

  std::size_t rows() const { return table_.rows.size(); }
  ReportTable Take() { return std::move(table_); }

 private:
  void Add(const std::string& name, const char* role, int number, const std::string& text, const TimedLine* line) {
    const Measured none = Measured::Missing(Absence::kUndefined);
    const Measured base = line != nullptr ? line->base_us : none,
                   candidate = line != nullptr ? line->candidate_us : none;
    table_.rows.push_back({name, role, Cell(number > 0 ? Measured(number) : none, kInteger), Printable(text, kColumns),
                           Cell(compares_ ? base : none, kTimeUs), Cell(candidate, kTimeUs),
                           Cell(compares_ && line != nullptr ? candidate - base : none, kTimeDeltaUs),
                           line != nullptr ? line->what : std::string()});
  }

  // Blank lines at the ends of a piece of source say nothing.
  static void TrimBlankEnds(const std::set<int>& listed, std::map<int, std::string>& texts) {
    const auto is_blank = [&](int number) {
      const auto at = texts.find(number);
      return at != texts.end() && !listed.contains(number) && at->second.find_first_not_of(' ') == std::string::npos;
    };
    std::vector<int> numbers;
    for (const auto& [number, text] : texts) numbers.push_back(number);
    for (const int number : numbers)
      if (is_blank(number) && !texts.contains(number - 1)) texts.erase(number);
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number)
      if (is_blank(*number) && !texts.contains(*number + 1)) texts.erase(*number);
  }

  static void Dedent(std::map<int, std::string>& texts) {
    std::size_t least = std::string::npos;
    for (const auto& [number, text] : texts) least = std::min(least, text.find_first_not_of(' '));
    if (least == std::string::npos) return;
    for (auto& [number, text] : texts) text.erase(0, std::min(least, text.size()));
  }

  bool compares_;
  double least_us_;
  const PairSource& source_;
  ReportTable table_;
};

}  // namespace

std::optional<Chart> SourceChart(const std::vector<TimedLine>& lines, bool compares, const PairSource& source,
                                 std::string section) {
  using File = std::pair<bool, std::string>;  // those of the base alone stand last
  std::map<File, std::vector<const TimedLine*>> files;
  std::map<File, double> weights;
  std::vector<const TimedLine*> places;
  bool any = false;
  double most_us = 0;
  for (const TimedLine& line : lines) {
    any = any || line.is_listed;
    most_us = std::max(most_us, Largest(line));
    if (line.at.file.empty() || line.at.line < 1) {
      if (line.is_listed) places.push_back(&line);
      continue;
    }
    const File file{line.only_in_base, line.at.file};
    files[file].push_back(&line);
    if (line.is_listed) weights[file] += Weight(line);
  }
  if (!any) return std::nullopt;
  std::vector<std::pair<File, double>> order(weights.begin(), weights.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return std::pair(a.first.first, -a.second) < std::pair(b.first.first, -b.second);
  });
  Listing listing(compares, kWorthABar * most_us, source);
  for (const auto& [file, weight] : order)
    listing.AddFile(file.second + (file.first ? " (only in the base)" : ""), files[file]);
  listing.AddPlaces(places);
  return Chart{
      .kind = ChartKind::kLines,
      .title = compares ? "The source, with what its lines cost in both" : "The source, with what its lines cost",
      .text =
          compares
              ? "A bar is the time that warps waited because of this line, in the base (above) and in the candidate "
                "(below); the number is what the candidate takes more or less. The text is the candidate's."
              : "A bar is the time that warps waited because of this line, here or further down where its result was "
                "needed. All lines together are the kernel's time.",
      .section = std::move(section),
      .data = listing.Take()};
}

}  // namespace culprit
