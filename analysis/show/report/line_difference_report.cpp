// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/line_difference_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/why/headline.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/number/line_ranges.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/advice_section.h"
#include "analysis/show/report/line_cells.h"
#include "analysis/show/report/source_chart.h"
#include "analysis/show/report/why_header.h"
#include "analysis/show/report/why_report.h"

namespace culprit {
namespace {

using enum Unit;

// Of the difference: a line below it is in the sum, and not worth one here.
constexpr double kWorthALine = 0.01;
constexpr std::size_t kMostLines = 12;

std::string NameOf(const std::optional<CodePlace>& place) {
  if (!place) return "-";
  return place->frame.line == 0 ? place->part : fmt::format("{}:{}", place->frame.file, place->frame.line);
}

std::string NameOf(const DifferentLine& line) {
  if (!line.base) return "new: " + NameOf(line.candidate);
  if (!line.candidate) return "gone: " + NameOf(line.base);
  if (*line.base == *line.candidate) return NameOf(line.base);
  const SourceFrame &base = line.base->frame, &candidate = line.candidate->frame;
  if (base.line > 0 && candidate.line > 0 && base.file == candidate.file)
    return fmt::format("{}:{} -> {}", base.file, base.line, candidate.line);
  return fmt::format("{} -> {}", NameOf(line.base), NameOf(line.candidate));
}

// Those that changed most, the way the whole did: "local load, FP32".
template <class Key, class Title>
std::string Leading(const std::map<Key, double>& parts, double whole, Title title) {
  std::vector<LinePart> along;
  for (const auto& [key, us] : parts)
    if (us * whole > 0) along.push_back({us / whole, title(key)});
  return Joined(LeadingParts(std::move(along)), &LinePart::name);
}

std::string Operations(const DifferentLine& line) {
  std::map<Operation, double> parts;
  for (const auto& [kind, us] : line.blamed_for) parts[kind.first] += us;
  return Leading(parts, line.DeltaUs(), [](Operation operation) { return std::string(TitleOf(operation)); });
}

std::string Reasons(const DifferentLine& line) {
  std::map<std::string, double> parts;
  for (const auto& [kind, us] : line.blamed_for) parts[kind.second] += us;
  return Leading(parts, line.DeltaUs(), [](const std::string& reason) { return reason; });
}

// A line of the table for people.
struct Shown {
  std::string name = {}, operations = {}, reasons = {}, text = {};
  double base_us = 0, candidate_us = 0, delta_us = 0;
  double base_sampled_us = 0, candidate_sampled_us = 0;
};

// Those that say most come first: a narrow terminal shows the others below them. Both times are one column, as in the
// verdict, so that neither is torn from the other.
std::vector<ColumnOf<Shown>> ShownColumns(double delta_us, bool is_same, bool is_moved) {
  const auto times = [](double base, double candidate) {
    return fmt::format("{} -> {}", Format(base, kTimeUs), Format(candidate, kTimeUs));
  };
  std::vector<ColumnOf<Shown>> columns = {
      {"line", "Line", &Shown::name},
      {"delta_us", "Difference", kTimeDeltaUs, &Shown::delta_us},
      {"share_pct", "Share", kPercent,
       [delta_us](const Shown& s) { return Measured(100 * s.delta_us) / Measured(delta_us); }},
      {"operations", "Waited for", &Shown::operations},
      {"reasons", "Because of", &Shown::reasons},
      {"times", "Base -> candidate", [times](const Shown& s) { return times(s.base_us, s.candidate_us); }},
      {"sampled", "By samples alone",
       [times](const Shown& s) { return times(s.base_sampled_us, s.candidate_sampled_us); }},
      {"text", "Source", &Shown::text}};
  // A share of noise says nothing: of 0.16 us a line that is sampled twice had 13,159 %.
  if (!is_moved) std::erase_if(columns, [](const ColumnOf<Shown>& c) { return c.column.key == "sampled"; });
  if (is_same) std::erase_if(columns, [](const ColumnOf<Shown>& c) { return c.column.key == "share_pct"; });
  return columns;
}

bool IsWorthALine(const DifferentLine& line, double delta_us) {
  return std::abs(line.DeltaUs()) >= kWorthALine * std::abs(delta_us);
}

// Whether a line has another time than samples alone give it.
bool IsMoved(const LineDifferences& d) {
  const double least_us = 1e-3 * std::abs(d.DeltaUs());
  return std::ranges::any_of(d.lines, [least_us](const DifferentLine& l) {
    return std::abs(l.base_us - l.base_sampled_us) > least_us ||
           std::abs(l.candidate_us - l.candidate_sampled_us) > least_us;
  });
}

std::vector<std::pair<std::string, double>> MostFirst(const std::map<std::string, double, std::less<>>& causes) {
  std::vector<std::pair<std::string, double>> sorted(causes.begin(), causes.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& entry) { return std::abs(entry.second); });
  return sorted;
}

std::string TitleOfCause(const std::string& id, double us) {
  const Cause* cause = FindCause(id);
  return cause == nullptr ? id : std::string(us < 0 ? cause->saves : cause->title);
}

ReportTable ForPeople(const LineDifferences& d, double base_us, double candidate_us, bool is_same,
                      const PairSource& source, FilesWithoutText& no_text) {
  const double delta_us = candidate_us - base_us;
  std::vector<Shown> rows;
  Shown others{.name = "other lines"}, unknown{.name = "no known line"};
  unknown.base_us = unknown.base_sampled_us = d.base_unknown_us;
  unknown.candidate_us = unknown.candidate_sampled_us = d.candidate_unknown_us;
  for (const DifferentLine& line : d.lines) {
    if (rows.size() == kMostLines || !IsWorthALine(line, delta_us)) {
      others.base_us += line.base_us;
      others.candidate_us += line.candidate_us;
      others.base_sampled_us += line.base_sampled_us;
      others.candidate_sampled_us += line.candidate_sampled_us;
      continue;
    }
    const auto& place = line.candidate ? line.candidate : line.base;
    SourceText found = place->frame.line == 0 ? SourceText() : source.Of(!line.candidate)(place->frame);
    if (!found.why_not.empty()) no_text.emplace(place->frame.file, std::move(found.why_not));
    rows.push_back({NameOf(line), Operations(line), Reasons(line), SourceCell(found.text), line.base_us,
                    line.candidate_us, line.DeltaUs(), line.base_sampled_us, line.candidate_sampled_us});
  }
  for (const auto& [cause, us] : MostFirst(d.on_no_line)) {
    Shown& row = rows.emplace_back(Shown{.name = "no line: " + TitleOfCause(cause, us)});
    (delta_us > 0 ? row.candidate_us : row.base_us) = std::abs(us);
    row.delta_us = us;
  }
  for (Shown* sum : {&others, &unknown}) {
    sum->delta_us = sum->candidate_us - sum->base_us;
    if (sum->base_us != 0 || sum->candidate_us != 0) rows.push_back(*sum);
  }
  rows.push_back(
      {"difference", "", "", "the sum of these lines", base_us, candidate_us, delta_us, base_us, candidate_us});
  return Tabulate<Shown>("", "", rows, ShownColumns(delta_us, is_same, IsMoved(d)));
}

// Visible lines whose number of active lanes differs between the kernels.
std::vector<std::string> LaneNotes(const LineDifferences& d, double delta_us) {
  constexpr double kOtherLanes = 1;  // less than a lane more or less is no finding
  std::vector<LineNote> notes;
  std::size_t seen = 0;
  for (const DifferentLine& line : d.lines) {
    if (!IsWorthALine(line, delta_us)) continue;
    if (seen++ == kMostLines) break;
    const LaneCounts &base = line.base_lanes, &candidate = line.candidate_lanes;
    if (!base.Known() || !candidate.Known() || std::abs(candidate.On() - base.On()) < kOtherLanes) continue;
    const bool one_place = line.base && line.candidate && *line.base == *line.candidate && line.base->frame.line > 0;
    notes.push_back({one_place ? line.base->frame.file : "", NameOf(line),
                     one_place ? fmt::format("{}", line.base->frame.line) : "",
                     fmt::format("base {}; candidate {}", LanesText(base), LanesText(candidate))});
  }
  return Sentences(notes);
}

std::optional<Chart> SourceOf(const LineDifferences& d, double delta_us, const PairSource& source,
                              std::string section) {
  std::vector<TimedLine> timed;
  for (const DifferentLine& line : d.lines) {
    const auto& place = line.candidate ? line.candidate : line.base;
    timed.push_back({place->frame, NameOf(line), line.base_us, line.candidate_us, Operations(line),
                     timed.size() < kMostLines && IsWorthALine(line, delta_us), !line.candidate});
  }
  return SourceChart(timed, true, source, std::move(section));
}

std::string FileOf(const std::optional<CodePlace>& place) { return place ? place->frame.file : ""; }
Measured LineOf(const std::optional<CodePlace>& place) {
  return place && place->frame.line > 0 ? Measured(place->frame.line) : Measured();
}
std::string PartOf(const std::optional<CodePlace>& place) { return place ? place->part : ""; }

ReportTable LineTable(const LineDifferences& d, const PairSource& source) {
  using Line = DifferentLine;
  const auto text_of = [&source](const Line& line) {
    const auto& place = line.candidate ? line.candidate : line.base;
    return place->frame.line == 0 ? "" : source.Of(!line.candidate)(place->frame).text;
  };
  return ForPrograms<Line>(
      "lines", d.lines,
      {{"base_file", [](const Line& l) { return FileOf(l.base); }},
       {"base_line", kInteger, [](const Line& l) { return LineOf(l.base); }},
       {"base_part", [](const Line& l) { return PartOf(l.base); }},
       {"candidate_file", [](const Line& l) { return FileOf(l.candidate); }},
       {"candidate_line", kInteger, [](const Line& l) { return LineOf(l.candidate); }},
       {"candidate_part", [](const Line& l) { return PartOf(l.candidate); }},
       {"source", text_of},
       {"base_us", kTimeUs, &Line::base_us},
       {"candidate_us", kTimeUs, &Line::candidate_us},
       {"delta_us", kTimeDeltaUs, &Line::DeltaUs},
       {"error_us", kTimeUs, &Line::error_us},
       {"base_sampled_us", kTimeUs, &Line::base_sampled_us},
       {"candidate_sampled_us", kTimeUs, &Line::candidate_sampled_us},
       {"moved_us", kTimeDeltaUs, &Line::moved_us},
       {"base_waiting_us", kTimeUs, &Line::base_waiting_us},
       {"candidate_waiting_us", kTimeUs, &Line::candidate_waiting_us},
       {"base_instructions", kInteger, &Line::base_instructions},
       {"candidate_instructions", kInteger, &Line::candidate_instructions},
       {"base_loops", kInteger, &Line::base_depth},
       {"candidate_loops", kInteger, &Line::candidate_depth},
       {"base_lanes_there", kCount, [](const Line& l) { return LanesThere(l.base_lanes); }},
       {"base_lanes_on", kCount, [](const Line& l) { return LanesOn(l.base_lanes); }},
       {"candidate_lanes_there", kCount, [](const Line& l) { return LanesThere(l.candidate_lanes); }},
       {"candidate_lanes_on", kCount, [](const Line& l) { return LanesOn(l.candidate_lanes); }}});
}

ReportTable OnNoLine(const LineDifferences& d) {
  using Entry = std::pair<std::string, double>;
  return ForPrograms<Entry>("on_no_line", MostFirst(d.on_no_line),
                            {{"cause", &Entry::first}, {"delta_us", kTimeDeltaUs, &Entry::second}});
}

// By line, in the order of the table of lines, counted from 0.
ReportTable Kinds(const LineDifferences& d) {
  struct Kind {
    int line = 0;
    std::string operation, reason;
    double waited_for_us = 0, waiting_us = 0;
  };
  std::vector<Kind> kinds;
  for (std::size_t i = 0; i < d.lines.size(); ++i) {
    std::map<CostByKind::key_type, Kind> of_line;
    for (const auto& [kind, us] : d.lines[i].blamed_for) of_line[kind].waited_for_us = us;
    for (const auto& [kind, us] : d.lines[i].waiting_at) of_line[kind].waiting_us = us;
    for (const auto& [kind, of] : of_line)
      kinds.push_back({static_cast<int>(i), KeyOf(kind.first), kind.second, of.waited_for_us, of.waiting_us});
  }
  return ForPrograms<Kind>("kinds", kinds,
                           {{"line", kInteger, &Kind::line},
                            {"class", &Kind::operation},
                            {"reason", &Kind::reason},
                            {"waited_for_delta_us", kTimeDeltaUs, &Kind::waited_for_us},
                            {"waiting_delta_us", kTimeDeltaUs, &Kind::waiting_us}});
}

// The line, and those that samples do not tell from it: places in the slower kernel, and from what to what they grew.
struct TiedLines {
  std::vector<SourceFrame> places;
  double least_us = 0, most_us = 0;
};
TiedLines TiedWith(const LineDifferences& d, const DifferentLine& first) {
  TiedLines tied{{}, first.DeltaUs(), first.DeltaUs()};
  for (const DifferentLine& line : d.lines) {
    const auto& place = d.DeltaUs() > 0 ? line.candidate : line.base;
    if (!place || place->frame.line == 0 || !AreTied(first.DeltaUs(), first.error_us, line.DeltaUs(), line.error_us))
      continue;
    tied.places.push_back(place->frame);
    if (std::abs(line.DeltaUs()) < std::abs(tied.least_us)) tied.least_us = line.DeltaUs();
  }
  return tied;
}

// "+11.6 us to +14.1 us"; one number where they read the same.
std::string FromTo(const std::string& least, const std::string& most) {
  return least == most ? most : fmt::format("{} to {}", least, most);
}

// As of causes (analysis/judge/why/headline.h): a line beyond the change, whose time others took back, is no answer
// alone.
std::string Answer(const LineDifferences& d, double delta_us) {
  const auto along = std::ranges::find_if(d.lines, [&](const DifferentLine& l) { return l.DeltaUs() * delta_us > 0; });
  const auto nowhere = MostFirst(d.on_no_line);
  const std::string most =
      along == d.lines.end()
          ? ""
          : fmt::format("{}: {} ({})", NameOf(*along), Format(along->DeltaUs(), kTimeDeltaUs), Operations(*along));
  if (!nowhere.empty() && (along == d.lines.end() || nowhere[0].second / delta_us > along->DeltaUs() / delta_us))
    return fmt::format("none has most of it: {} {}, {} of the difference{}", TitleOfCause(nowhere[0].first, delta_us),
                       Format(nowhere[0].second, kTimeDeltaUs), Format(100 * nowhere[0].second / delta_us, kPercent),
                       most.empty() ? "" : "; of lines most " + most);
  if (along == d.lines.end()) return "no line changed the way the time did";
  const auto against =
      std::ranges::find_if(d.lines, [&](const DifferentLine& l) { return l.DeltaUs() * delta_us < 0; });
  if (along->DeltaUs() / delta_us > kMostOfAChange && against != d.lines.end())
    return fmt::format("none alone, because large parts cancel: {} {} ({}) against {} {} ({})", NameOf(*along),
                       Format(along->DeltaUs(), kTimeDeltaUs), Operations(*along), NameOf(*against),
                       Format(against->DeltaUs(), kTimeDeltaUs), Operations(*against));
  const TiedLines tied = TiedWith(d, *along);
  const bool several = tied.places.size() > 1;
  const auto both = [&](Unit unit, double times) {
    return FromTo(Format(times * tied.least_us, unit), Format(times * tied.most_us, unit));
  };
  return fmt::format("{}: {} of warps' time waited for {}, {} of the difference ({})",
                     several ? ToText(RangesOf(tied.places)) : NameOf(*along), both(kTimeDeltaUs, 1),
                     several ? "each of them" : "it", both(kPercent, 100 / delta_us), Operations(*along));
}

// What the code asks for against the first cause; else what helps against it in general; else what the code asks for.
std::string ToDo(const Explanation& e, std::span<const DifferenceAdvice> advice) {
  const Cause* first =
      FirstCauseStands(e) && e.causes.front().delta_us > 0 ? FindCause(e.causes.front().cause) : nullptr;
  const bool has = !advice.empty() && !advice.front().of_base;
  if (first != nullptr && !first->remedy.empty() && !(has && IsAdviceOn(first->id, advice.front().advice.id)))
    return fmt::format("against {}: {}", first->id, first->remedy);
  return has ? AdviceLine(advice.front().advice) : "";
}

// Why a cause has one time as the culprit and another on lines.
std::string TwoAnswers(const Explanation& e, const LineDifferences& d) {
  std::string text =
      "The culprit's time is by counters, before other causes take some of it back; the time of a line is what is left "
      "after that.";
  for (const auto& [cause, us] : MostFirst(d.on_no_line)) {
    const std::string here = Format(us, kTimeDeltaUs), there = Format(PartOfCause(e, cause), kTimeDeltaUs);
    if (here != there) text += fmt::format(" So {} has {} in culprit why, and {} here.", cause, there, here);
  }
  return text;
}

}  // namespace

Report MakeLineDifferenceReport(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation,
                                const LineDifferences& differences, std::span<const DifferenceAdvice> advice,
                                const PairSource& source, bool even_without_difference) {
  const double base_us = explanation.base_us.value_or(0), candidate_us = explanation.candidate_us.value_or(0);
  Report report{.kind = "why_lines", .title = VerdictLine(base, candidate, explanation)};
  report.banner = BannerOf(explanation.verdict.speed);
  report.identity = PairIdentity(base, candidate);
  report.identity.push_back({"verdict", "", ToText(explanation.verdict.speed)});
  report.warnings = WarningsOf(base, candidate);
  report.warnings.insert(report.warnings.end(), explanation.caveats.begin(), explanation.caveats.end());
  const bool is_difference = IsDifference(explanation.verdict.speed);
  const bool is_same = explanation.verdict.speed == Speed::kSame;
  if (is_difference) {
    report.context.push_back({"line", "Line", Answer(differences, candidate_us - base_us)});
    report.context.push_back({"culprit", "Culprit", Headline(explanation)});
    if (std::string line = ToDo(explanation, advice); !line.empty())
      report.context.push_back({"", "To do", std::move(line)});
  } else if (is_same && !even_without_difference) {
    report.notes.emplace_back(kNothingToExplain);
  } else {
    report.notes.emplace_back("Without a difference that stands out of the noise, these parts are noise as well.");
  }
  FilesWithoutText no_text;
  Section section{"lines", "Lines"};
  section.facts = {{"base_us", "", Cell(explanation.base_us, kTimeUs)},
                   {"candidate_us", "", Cell(explanation.candidate_us, kTimeUs)},
                   {"base_unknown_us", "", Cell(Measured(differences.base_unknown_us), kTimeUs)},
                   {"candidate_unknown_us", "", Cell(Measured(differences.candidate_unknown_us), kTimeUs)},
                   {"same_code", "", differences.same_code ? "yes" : "no"}};
  section.tables = {LineTable(differences, source), OnNoLine(differences), Kinds(differences), AdviceTable(advice)};
  if (is_same && !even_without_difference) {
    report.sections.push_back(std::move(section));
    report.sections.push_back(RecordedSection(base, candidate));
    return report;
  }
  section.tables.insert(section.tables.begin(),
                        ForPeople(differences, base_us, candidate_us, is_same, source, no_text));
  section.notes.push_back(
      "A line's time is what warps waited because of its instructions, here or elsewhere; see docs/lines.md.");
  if (FirstCauseStands(explanation)) section.notes.push_back(TwoAnswers(explanation, differences));
  for (std::string& note : LaneNotes(differences, candidate_us - base_us)) section.notes.push_back(std::move(note));
  if (IsMoved(differences))
    section.notes.push_back(
        "By samples alone: the line's time as culprit show --lines has it. The columns before it hold it against the "
        "other kernel and its counters: what a line is waited for longer because of other lines' traffic or of a cause "
        "elsewhere counts there.");
  if (differences.same_code)
    section.notes.push_back("The machine code of both is the same: what differs is the input, the launch or the card.");
  for (std::string& why : WhyNoText(no_text)) section.notes.push_back(std::move(why));
  report.sections.push_back(std::move(section));
  if (!advice.empty()) report.sections.push_back(AdviceSection(advice, source));
  report.sections.push_back(RecordedSection(base, candidate));
  if (std::optional<Chart> chart = SourceOf(differences, candidate_us - base_us, source, "Lines"))
    report.charts.push_back(*std::move(chart));
  return report;
}

void AddDifferentLines(const KernelRecord& base, const KernelRecord& candidate, const LineDifferences& differences,
                       const PairSource& source, Report& page) {
  Section section{.title = "Source lines"};
  std::optional<Chart> chart = SourceOf(differences, differences.DeltaUs(), source, section.title);
  if (!chart) return;
  section.notes = {
      fmt::format("By samples of instructions, held against the counters of the causes. 'culprit why {} {} --lines' "
                  "has them as a table.",
                  InItsRun(base), InItsRun(candidate))};
  const auto causes = std::ranges::find(page.sections, "causes", &Section::key);
  page.sections.insert(causes == page.sections.end() ? page.sections.begin() : std::next(causes), std::move(section));
  page.charts.push_back(*std::move(chart));
}

}  // namespace culprit
