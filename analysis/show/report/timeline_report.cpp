// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/timeline_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "analysis/judge/program/work_verdict.h"
#include "analysis/number/format.h"
#include "analysis/number/plural.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/strip.h"
#include "analysis/show/report/unit_formulas.h"
#include "analysis/timeline/bin_rates.h"
#include "analysis/timeline/idle_gaps.h"

namespace culprit {
namespace {

constexpr double kNsPerUs = 1000;
constexpr char kIdle = '.', kCopy = '=', kOther = '+', kUnlisted = '~';
constexpr std::size_t kLetters = 12, kGapsShown = 5, kTotalsShown = 5, kLabel = 16;

double Us(std::int64_t ns) { return static_cast<double>(ns) / kNsPerUs; }

// Kernels with a letter: those with most time in the part, of all GPUs.
struct Legend {
  std::vector<std::string> stages;        // by letter
  std::map<std::string, double> time_us;  // by stage, of listed calls in the part
  char LetterOf(const std::string& stage) const {
    const auto at = std::ranges::find(stages, stage) - stages.begin();
    return at == std::ssize(stages) ? kOther : static_cast<char>('A' + at);
  }
};

class Maker {
 public:
  Maker(const RunSummary& run, const TimelineRecord& timeline, std::span<const KernelRecord> kernels,
        const TimelinePart& part)
      : run_(run),
        timeline_(timeline),
        from_ns_(std::clamp<std::int64_t>(part.from_ns.value_or(0), 0, timeline.span_ns)),
        to_ns_(std::clamp<std::int64_t>(part.to_ns.value_or(timeline.span_ns), 0, timeline.span_ns)) {
    if (to_ns_ <= from_ns_)
      throw Error(fmt::format("there is no time between --from and --to: the timeline goes from 0 to {}.",
                              Format(Us(timeline.span_ns), Unit::kTimeUs)));
    for (const KernelRecord& kernel : kernels) stages_[kernel.id] = kernel.stage.id;
    MakeLegend();
  }

  void Fill(Report& report) {
    const std::set<int> gpus = GpusOf(timeline_);
    for (const int gpu : gpus) report.sections.push_back(SectionOf(gpu, gpus.size() > 1));
    report.sections.push_back(LegendSection());
  }

 private:
  const std::string& StageOf(std::size_t launch) const {
    static const std::string none;
    const auto found = stages_.find(timeline_.launches[launch].launch);
    return found == stages_.end() ? none : found->second;
  }

  void MakeLegend() {
    for (std::size_t i = 0; i < timeline_.launches.size(); ++i) {
      const TimelineLaunch& l = timeline_.launches[i];
      const std::int64_t within = std::min(l.start_ns + l.duration_ns, to_ns_) - std::max(l.start_ns, from_ns_);
      if (within > 0) legend_.time_us[StageOf(i)] += Us(within);
    }
    for (const auto& [stage, us] : legend_.time_us) legend_.stages.push_back(stage);
    std::ranges::stable_sort(legend_.stages, std::greater<>(), [&](const auto& s) { return legend_.time_us.at(s); });
    if (legend_.stages.size() > kLetters) legend_.stages.resize(kLetters);
  }

  std::int64_t EdgeOf(std::size_t column) const {
    return from_ns_ + static_cast<std::int64_t>(static_cast<__int128>(to_ns_ - from_ns_) *
                                                static_cast<std::int64_t>(column) / std::ssize(columns_));
  }

  // In each column what ran longest, or that nothing did for most of it.
  std::string KernelStrip(int gpu) const {
    std::array<std::map<char, std::int64_t>, kStripColumns> ran;
    const auto add = [&](std::int64_t start, std::int64_t end, char what) {
      for (std::size_t c = 0; c < kStripColumns; ++c) {
        const std::int64_t within = std::min(end, EdgeOf(c + 1)) - std::max(start, EdgeOf(c));
        if (within > 0) ran[c][what] += within;
      }
    };
    for (std::size_t i = 0; i < timeline_.launches.size(); ++i) {
      const TimelineLaunch& l = timeline_.launches[i];
      if (l.gpu == gpu) add(l.start_ns, l.start_ns + l.duration_ns, legend_.LetterOf(StageOf(i)));
    }
    for (const TimelineCopy& c : timeline_.copies)
      if (c.gpu == gpu) add(c.start_ns, c.start_ns + c.duration_ns, kCopy);
    for (const IdleGap& gap : IdleGaps(timeline_, gpu)) add(gap.start_ns, gap.end_ns, kIdle);
    std::int64_t listed = 0;
    for (const TimelineWindow& window : timeline_.windows) {
      add(listed, window.start_ns, kUnlisted);
      listed = window.end_ns;
    }
    add(listed, timeline_.span_ns, kUnlisted);
    std::string strip;
    for (const auto& column : ran) {
      const auto most = std::ranges::max_element(column, {}, [](const auto& of) { return of.second; });
      strip += most == column.end() ? kIdle : most->first;
    }
    return strip;
  }

  std::string RateStrip(const RateSeries& series, double peak, const Device& device) const {
    std::string strip;
    for (std::size_t c = 0; c < kStripColumns; ++c)
      strip += StripDigit(RateOver(series, FirstBin(c), EndBin(c), device), peak);
    return strip;
  }
  // Bins that a column shares with its neighbour belong to both.
  std::size_t FirstBin(std::size_t column) const { return static_cast<std::size_t>(EdgeOf(column) / timeline_.bin_ns); }
  std::size_t EndBin(std::size_t column) const {
    return static_cast<std::size_t>((EdgeOf(column + 1) + timeline_.bin_ns - 1) / timeline_.bin_ns);
  }

  Section SectionOf(int gpu, bool is_one_of_several) const {
    Section section{.key = "gpus", .title = is_one_of_several ? fmt::format("GPU {}", gpu) : "Over the program"};
    section.repeated = true;
    section.facts.push_back({"gpu", "", Cell(Measured(gpu), Unit::kInteger)});
    Drawing drawing;
    const auto line = [&](std::string name, std::string strip, const std::string& value) {
      name.resize(std::max(kLabel, name.size()), ' ');
      drawing.lines.push_back({{std::move(name)}, {std::move(strip)}, {"  " + value}});
    };
    const std::string begin = Format(Us(from_ns_), Unit::kTimeUs), end = Format(Us(to_ns_), Unit::kTimeUs);
    std::string axis = begin;
    axis.resize(std::max(begin.size() + 1, kStripColumns - std::min(end.size(), kStripColumns)), ' ');
    line("", axis + end, "mean");
    line("Kernels", KernelStrip(gpu), "");
    ReportTable units = UnitsTable(gpu, line);
    section.drawings.push_back(std::move(drawing));
    section.tables.push_back(std::move(units));
    section.tables.push_back(GapTable(gpu, section.notes));
    section.tables.push_back(TotalsTable(gpu, section.notes));
    if (timeline_.bin_ns > 0) section.notes.push_back(kStripLegend);
    return section;
  }

  template <class Line>
  ReportTable UnitsTable(int gpu, Line line) const {
    ReportTable table{
        "units", "", {{"unit", "", true}, {"from_us", "", true}, {"to_us", "", true}, {"value", "", true}}};
    table.shown = 0;
    if (!run_.run.device || timeline_.bin_ns <= 0) return table;
    const Device& device = *run_.run.device;
    for (const RateSeries& series : RatesOf(timeline_, gpu, device)) {
      const UnitRate& rate = *series.rate;
      std::optional<double> peak = PeakOf(rate, run_.run);
      if (!peak) {
        double most = 0;
        for (const auto& value : series.bins) most = std::max(most, value.value_or(0));
        peak = most;
      }
      const std::optional<double> mean = RateOver(series, FirstBin(0), EndBin(kStripColumns - 1), device);
      line(std::string(rate.title), RateStrip(series, *peak, device), mean ? Format(*mean, rate.unit) : "not measured");
      const std::size_t last = std::min(series.bins.size(), EndBin(kStripColumns - 1));
      for (std::size_t b = FirstBin(0); b < last; ++b) {
        const auto at = [&](std::size_t bin) {
          return Cell(Measured(Us(static_cast<std::int64_t>(bin) * timeline_.bin_ns)), Unit::kTimeUs);
        };
        table.rows.push_back({std::string(rate.id), at(b), at(b + 1), Cell(Measured(series.bins[b]), rate.unit)});
      }
    }
    return table;
  }

  std::string NameOf(std::int64_t launch) const { return launch < 0 ? "" : StageOf(static_cast<std::size_t>(launch)); }

  ReportTable GapTable(int gpu, std::vector<std::string>& notes) const {
    std::vector<IdleGap> gaps;
    double idle_us = 0;
    for (const IdleGap& gap : IdleGaps(timeline_, gpu)) {
      const std::int64_t start = std::max(gap.start_ns, from_ns_), end = std::min(gap.end_ns, to_ns_);
      if (end <= start) continue;
      gaps.push_back({start, end, gap.before, gap.after});
      idle_us += Us(end - start);
    }
    std::ranges::stable_sort(gaps, std::greater<>(), [](const IdleGap& g) { return g.end_ns - g.start_ns; });
    ReportTable table = Tabulate<IdleGap>(
        "idle_gaps", "Longest idle gaps", gaps,
        {{"start_us", "At", Unit::kTimeUs, [](const IdleGap& g) { return Us(g.start_ns); }},
         {"idle_us", "Idle", Unit::kTimeUs, [](const IdleGap& g) { return Us(g.end_ns - g.start_ns); }},
         {"after", "After", [this](const IdleGap& g) { return NameOf(g.before); }},
         {"before", "Before", [this](const IdleGap& g) { return NameOf(g.after); }}});
    table.shown = kGapsShown;
    if (gaps.empty()) table.shown = 0;
    if (gaps.size() > kGapsShown)
      notes.push_back(fmt::format("{} idle gaps in all, together {}.",
                                  Format(static_cast<double>(gaps.size()), Unit::kCount),
                                  Format(idle_us, Unit::kTimeUs)));
    return table;
  }

  // Whose the sampled counts are: first those of which kernels have least.
  ReportTable TotalsTable(int gpu, std::vector<std::string>& notes) const {
    std::vector<const TimelineTotal*> totals;
    for (const TimelineTotal& total : timeline_.totals)
      if (total.gpu == gpu) totals.push_back(&total);
    const auto of_kernels = [](const TimelineTotal* t) { return t->counted > 0 ? t->kernels / t->counted : 1; };
    std::ranges::stable_sort(totals, {}, of_kernels);
    const auto percent = [](const TimelineTotal& t, double part) {
      return t.counted > 0 ? Measured(100 * std::clamp(part / t.counted, 0.0, 1.0))
                           : Measured::Missing(Absence::kUndefined);
    };
    ReportTable table = Tabulate<TimelineTotal>(
        "totals", "Whose the sampled counts are", totals,
        {{"metric", "Counter", [](const TimelineTotal& t) { return t.metric.id; }},
         {"counted", "Counted",
          [](const TimelineTotal& t) { return Cell(Measured(t.counted), UnitFromCatalogue(t.metric.unit)); }},
         {"kernels_pct", "Kernels", Unit::kPercent, [=](const TimelineTotal& t) { return percent(t, t.kernels); }},
         {"copies_pct", "Copies", Unit::kPercent, [=](const TimelineTotal& t) { return percent(t, t.copies); }},
         {"unassigned_pct", "Unassigned", Unit::kPercent,
          [=](const TimelineTotal& t) { return percent(t, t.counted - t.kernels - t.copies); }}});
    table.shown = kTotalsShown;
    if (!totals.empty())
      notes.emplace_back(
          "The three parts add up to what was counted over the whole program, while the counter had its turns. "
          "Unassigned is what was counted while nothing of the program ran: by other processes, or by an idle GPU. "
          "What other processes count beside a kernel counts as the kernel's.");
    if (totals.size() > kTotalsShown)
      notes.push_back(fmt::format("{} counters in all; kernels have a larger part of those that are not shown.",
                                  Format(static_cast<double>(totals.size()), Unit::kCount)));
    return table;
  }

  Section LegendSection() const {
    Section section{.key = "kernels", .title = "What ran"};
    struct Row {
      std::string letter, stage;
      double us;
    };
    std::vector<Row> rows;
    double others_us = 0;
    for (const auto& [stage, us] : legend_.time_us)
      if (const char letter = legend_.LetterOf(stage); letter == kOther)
        others_us += us;
      else
        rows.push_back({std::string(1, letter), stage, us});
    std::ranges::sort(rows, {}, &Row::letter);
    if (others_us > 0) rows.push_back({std::string(1, kOther), "all other kernels", others_us});
    section.tables.push_back(Tabulate<Row>("kernels", "", rows,
                                           {{"letter", "Sign", &Row::letter},
                                            {"kernel", "Kernel", &Row::stage},
                                            {"time_us", "Time", Unit::kTimeUs, &Row::us}}));
    section.notes.push_back(
        fmt::format("In each column, what ran longest. {}: nothing ran. {}: a copy or memset.", kIdle, kCopy));
    section.tables.push_back(FormulaTable());
    if (timeline_.left_out > 0)
      section.notes.push_back(
          fmt::format("{}: {} launches and copies are not listed, because a timeline lists {}. Idle gaps are those "
                      "between listed ones.",
                      kUnlisted, Format(static_cast<double>(timeline_.left_out), Unit::kCount),
                      Format(static_cast<double>(kMostTimelineEvents), Unit::kCount)));
    if (timeline_.bin_ns == 0)
      section.notes.push_back(
          "No counters were sampled over the program: record it with 'culprit record --profile sampled'.");
    return section;
  }

  const RunSummary& run_;
  const TimelineRecord& timeline_;
  std::int64_t from_ns_, to_ns_;
  std::map<LaunchId, std::string> stages_;
  Legend legend_;
  std::array<char, kStripColumns> columns_{};
};

}  // namespace

Report MakeTimelineReport(const RunSummary& run, const TimelineRecord& timeline, std::span<const KernelRecord> kernels,
                          const std::vector<Warning>& warnings, const TimelinePart& part) {
  Report report{"timeline", "Timeline"};
  AddRunHeader(run, OfTheRun(warnings), report);
  Maker(run, timeline, kernels, part).Fill(report);
  return report;
}

void AddTimelineSections(const RunSummary& run, const TimelineRecord& timeline, std::span<const KernelRecord> kernels,
                         Report& report) {
  if (timeline.span_ns > 0) Maker(run, timeline, kernels, {}).Fill(report);
}

}  // namespace culprit
