// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/why_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/causes/cause.h"
#include "analysis/kernel/recording.h"
#include "analysis/render/format.h"
#include "analysis/render/tabulate.h"
#include "analysis/report/run_header.h"
#include "analysis/report/why_header.h"
#include "analysis/why/headline.h"

namespace culprit {
namespace {

// Of a cause's evidence people see the first that moved; JSON has all.
constexpr std::size_t kShownEvidence = 4;
constexpr double kMoved = 0.02;
// A part below a hundredth of the change is in the sum, and not worth a line.
constexpr double kWorthALine = 0.01;
// What works against the change did not make it: below a tenth its line in the table is enough.
constexpr double kWorthAParagraph = 0.10;

std::string Us(double us) { return Format(us, Unit::kTimeUs); }
std::string DeltaUs(double us) { return Format(us, Unit::kTimeDeltaUs); }
std::string Percent(double share) { return Format(100 * share, Unit::kPercent); }

bool HasDifference(const Explanation& e) { return IsDifference(e.verdict.speed); }

std::string Range(const std::optional<Scatter>& scatter) {
  return scatter ? fmt::format("{} .. {}", DeltaUs(scatter->low), DeltaUs(scatter->high)) : "-";
}

template <class Map, class Key>
std::optional<Scatter> Find(const Map& scatters, const Key& key) {
  const auto found = scatters.find(key);
  return found == scatters.end() ? std::nullopt : std::optional(found->second);
}

constexpr const char* kScatterTitle = "Scatter of this recording";

// People read "low .. high" in one column, programs two numbers; none when nothing was drawn again.
void AddRange(std::vector<Cell>& row, const std::optional<Scatter>& scatter) {
  const auto bound = [&](double Scatter::*side) {
    return Number{scatter ? Measured((*scatter).*side) : Measured(), Unit::kTimeDeltaUs};
  };
  row.push_back(Range(scatter));
  row.push_back(bound(&Scatter::low));
  row.push_back(bound(&Scatter::high));
}
void AddRangeColumns(ReportTable& table, const std::string& key, const char* title, bool any) {
  table.columns.push_back({key, title, !any});
  table.columns.push_back({key + "_low_us", "", true});
  table.columns.push_back({key + "_high_us", "", true});
}

// What distinguishes the two in a sentence.
struct Names {
  std::string base, candidate;
};
Names NamesOf(const KernelRecord& base, const KernelRecord& candidate) {
  Names names{base.stage.id, candidate.stage.id};
  if (base.stage.id == candidate.stage.id) {
    names.base += " in run " + ShortUuid(base.run.run);
    names.candidate += " in run " + ShortUuid(candidate.run.run);
  }
  if (base.launch.shape != candidate.launch.shape) {
    names.base += " at " + base.launch.shape;
    names.candidate += " at " + candidate.launch.shape;
  }
  return names;
}

// What stood still tells a reader nothing, what is missing on one side does.
bool Moved(const CauseEvidence& e) {
  return !e.base || !e.candidate || std::abs(*e.candidate - *e.base) >= kMoved * std::max(*e.base, *e.candidate);
}

// A cause that only a refutation speaks of has no part that was told from noise: no 0 either.
bool IsMeasured(const CausePart& part) { return part.delta_us != 0; }

// "a.cu:12", or "kernel v1_6 (a.cu:3)" where no line is known: its first line is not the guilty one.
std::string PlaceOf(const CauseSource& s) {
  const std::string line = fmt::format("{}:{}", s.file, s.line);
  return s.kernel.empty() ? line : fmt::format("kernel {} ({})", s.kernel, line);
}

std::string LineOf(const CauseSource& s) {
  return fmt::format("{}{}{}", s.kernel.empty() ? "" : "in ", PlaceOf(s), s.what.empty() ? "" : ", " + s.what);
}

Item ItemOf(const CausePart& part) {
  const Measured delta_us = IsMeasured(part) ? Measured(part.delta_us) : Measured();
  Item item{part.cause, {delta_us, Unit::kTimeDeltaUs}, part.text, {}};
  for (const CauseEvidence& e : part.evidence) {
    if (item.evidence.size() == kShownEvidence) break;
    if (!Moved(e)) continue;
    const Unit unit = UnitFromCatalogue(e.unit);
    item.evidence.push_back(
        {e.metric, e.metric, fmt::format("{} -> {}", Format(Number{e.base, unit}), Format(Number{e.candidate, unit}))});
  }
  if (!part.measured.empty())
    item.details.push_back(part.measured);
  else if (const Cause* cause = FindCause(part.cause); cause != nullptr && !cause->warp_limits.empty())
    item.details.push_back("modelled: the one with more warps was not timed with as few (--profile=full does)");
  std::string where;
  for (const CauseSource& s : part.source) where += (!where.empty() ? "; " : s.kernel.empty() ? "at " : "") + LineOf(s);
  if (!where.empty()) item.details.push_back(std::move(where));
  for (const Counterfactual& c : part.confirmed_by) item.details.push_back(Describe(c, true));
  for (const Counterfactual& c : part.refuted_by) item.details.push_back(Describe(c, false));
  if (const Cause* cause = FindCause(part.cause); cause != nullptr && part.delta_us > 0 && !cause->remedy.empty())
    item.details.push_back(fmt::format("what helps: {}", cause->remedy));
  return item;
}

Section CauseSection(const Explanation& e) {
  Section section{"causes", "Causes"};
  ReportTable table{"parts", "", {{"cause", "Cause"}, {"delta_us", "Difference"}, {"share_pct", "Share"}}};
  const bool any = std::any_of(e.causes.begin(), e.causes.end(), [](const auto& c) { return c.interval; });
  AddRangeColumns(table, "interval90", "90 % interval", any);
  AddRangeColumns(table, "scatter", "", false);
  table.columns.push_back({"what", "What it is"});
  const auto add = [&](std::string name, double us, const std::optional<Scatter>& interval,
                       const std::optional<Scatter>& scatter, std::string_view what) {
    table.rows.push_back({std::move(name), Number{us, Unit::kTimeDeltaUs},
                          Number{Measured(100 * us) / Measured(e.DeltaUs()), Unit::kPercent}});
    AddRange(table.rows.back(), interval);
    AddRange(table.rows.back(), scatter);
    table.rows.back().push_back(std::string(what));
  };
  for (const CausePart& part : e.causes) {
    if (IsMeasured(part))
      add(part.cause, part.delta_us, part.interval, part.scatter, WordsFor(part.cause, part.delta_us));
    const bool speaks = part.share >= kWorthALine || part.share <= -kWorthAParagraph;
    if (speaks || !part.confirmed_by.empty() || !part.refuted_by.empty()) section.items.push_back(ItemOf(part));
  }
  add("unexplained", e.unexplained_us, {}, {}, e.decomposition ? "what no cause claims" : "nothing was decomposed");
  add("difference", e.DeltaUs(), {}, {}, "the sum of these lines");
  section.tables.push_back(std::move(table));
  if (!e.decomposition) section.notes.push_back("No cause could be judged: " + e.no_decomposition);
  return section;
}

std::string_view MeaningOf(Factor factor) {
  switch (factor) {
    case Factor::kInstructions:
      return "how many instructions were issued";
    case Factor::kLatency:
      return "warp-cycles per instruction: work and waiting";
    case Factor::kParallelism:
      return "how many warps were there to hide it";
    case Factor::kImbalance:
      return "SM sub-partitions without a warp";
    case Factor::kClock:
      return "SM clock";
    case Factor::kLaunch:
      return "time beyond the cycles counted: start, end, gaps";
  }
  return {};
}

Section FactorSection(const Explanation& e) {
  Section section{"factors", "Which factor changed"};
  ReportTable table{"parts", "", {{"factor", "Factor"}, {"delta_us", "Difference"}}};
  AddRangeColumns(table, "scatter", kScatterTitle, !e.factor_scatter.empty());
  table.columns.push_back({"meaning", "What it counts"});
  for (const Factor factor : kFactors) {
    const auto part = e.decomposition->factors.find(factor);
    if (part == e.decomposition->factors.end()) continue;
    table.rows.push_back({std::string(ToText(factor)), Number{part->second, Unit::kTimeDeltaUs}});
    AddRange(table.rows.back(), Find(e.factor_scatter, factor));
    table.rows.back().push_back(std::string(MeaningOf(factor)));
  }
  section.tables.push_back(std::move(table));
  if (HasDifference(e))
    section.notes.push_back(
        "The same difference, cut another way: the factors are what moved, the causes above are why, and each table "
        "adds "
        "up to the whole by itself.");
  return section;
}

Section StallSection(const Explanation& e) {
  Section section{"stalls", "Where the time went"};
  ReportTable table{
      "parts",
      "",
      {{"reason", "Warp state"}, {"base_us", "Base"}, {"candidate_us", "Candidate"}, {"delta_us", "Difference"}},
      {},
      {}};
  AddRangeColumns(table, "scatter", kScatterTitle, !e.stall_scatter.empty());
  std::size_t shown = 0;
  double rest = 0;
  const double delta = e.decomposition->DeltaUs();
  for (const StallDifference& stall : LargestFirst(e.decomposition->stalls)) {
    table.rows.push_back({stall.reason, Number{stall.base_us, Unit::kTimeUs}, Number{stall.candidate_us, Unit::kTimeUs},
                          Number{stall.DeltaUs(), Unit::kTimeDeltaUs}});
    AddRange(table.rows.back(), Find(e.stall_scatter, stall.reason));
    if (std::abs(stall.DeltaUs()) >= kWorthALine * std::abs(delta))
      ++shown;
    else
      rest += stall.DeltaUs();
  }
  const std::size_t hidden = table.rows.size() - shown;
  if (hidden > 0)
    table.notes.push_back(
        fmt::format("{} more, none of them a hundredth of the difference: {} together.", hidden, DeltaUs(rest)));
  table.notes.push_back(fmt::format("All states together: {} -> {}, {}.", Us(e.decomposition->base_us),
                                    Us(e.decomposition->candidate_us), DeltaUs(delta)));
  table.shown = shown;
  section.tables.push_back(std::move(table));
  return section;
}

// A line of a terminal holds three; JSON has all.
constexpr std::size_t kMostMissingNamed = 3;

Section NotJudgedSection(const Explanation& e) {
  Section section{"not_judged", "Not judged, because something was not measured"};
  const auto missing = [](const CauseNotJudged& n) {
    const std::size_t named = std::min(n.missing.size(), kMostMissingNamed), more = n.missing.size() - named;
    return fmt::format("{}{}", fmt::join(std::span(n.missing).first(named), ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
  };
  ReportTable table = Tabulate<CauseNotJudged>(
      "causes", "", e.not_judged, {{"cause", "Cause", &CauseNotJudged::cause}, {"missing", "Missing", missing}});
  section.tables.push_back(std::move(table));
  return section;
}

// Where to look, and what speaks for it.
std::string Pointers(const CausePart& part) {
  std::string text;
  if (!part.source.empty()) {
    const CauseSource& first = part.source.front();
    text += fmt::format(" Look {} {}.", first.kernel.empty() ? "at" : "into", PlaceOf(first));
  }
  if (!part.confirmed_by.empty())
    text += fmt::format(" Confirmed by {}, which accounts for {} of the difference.", part.confirmed_by.front().stage,
                        Percent(part.confirmed_by.front().recovers));
  return text;
}

// What a reader should take away, in two lines at most.
void AddAnswer(const Explanation& e, Report& report) {
  std::string answer = Headline(e);
  const bool stands = FirstCauseStands(e);
  if (stands) answer += Pointers(e.causes[0]);
  report.context.push_back({"culprit", "Culprit", std::move(answer)});
  // What made less is in the table.
  if (stands && e.causes.size() > 1 && e.causes[1].share >= kWorthAParagraph)
    report.context.push_back({"then", "Then", e.causes[1].cause + ": " + e.causes[1].text + Pointers(e.causes[1])});
}

}  // namespace

std::string VerdictLine(const KernelRecord& base, const KernelRecord& candidate, const Explanation& e) {
  const Names names = NamesOf(base, candidate);
  if (!e.base_us || !e.candidate_us)
    return fmt::format("{} cannot be compared with {}: {}", names.candidate, names.base, e.verdict.reason);
  const std::string times = fmt::format("{} -> {}, {} ({})", Us(*e.base_us), Us(*e.candidate_us), DeltaUs(e.DeltaUs()),
                                        Format(100 * (*e.candidate_us / *e.base_us - 1), Unit::kChangePercent));
  switch (e.verdict.speed) {
    case Speed::kSlower:
    case Speed::kFaster:
      return fmt::format("{} is {} than {}{}: {}", names.candidate, ToText(e.verdict.speed), names.base,
                         TimeContains0(e.verdict) ? " by its cycles, and the interval of its time contains 0" : "",
                         times);
    case Speed::kSame:
      return fmt::format("{} is as fast as {}: {}", names.candidate, names.base, times);
    case Speed::kAmbiguous:
      return fmt::format("{} may or may not be as fast as {}: {}", names.candidate, names.base, times);
  }
  return {};
}

std::string Describe(const Counterfactual& c, bool confirms) {
  std::string line = fmt::format("{} by {} ({}), {} but for {}: it accounts for {} of the difference",
                                 confirms ? "confirmed" : "refuted", c.stage, Us(c.time_us), c.differs_from, c.change,
                                 Percent(c.recovers));
  return line + (c.note.empty() ? "" : "; " + c.note);
}

Report MakeWhyReport(const KernelRecord& base, const KernelRecord& candidate, const Explanation& e,
                     bool even_without_difference) {
  Report report;
  report.kind = "why";
  report.title = VerdictLine(base, candidate, e);
  const bool explains = HasDifference(e);
  if (explains) AddAnswer(e, report);
  report.context.push_back({"verdict", "Verdict", fmt::format("{}: {}", ToText(e.verdict.speed), e.verdict.reason)});
  report.warnings = WarningsOf(base, candidate);
  report.warnings.insert(report.warnings.end(), e.caveats.begin(), e.caveats.end());
  if (explains) report.sections.push_back(CauseSection(e));
  if (e.decomposition && (explains || even_without_difference)) {
    report.sections.push_back(FactorSection(e));
    report.sections.push_back(StallSection(e));
  }
  if (explains && !e.not_judged.empty()) report.sections.push_back(NotJudgedSection(e));
  report.sections.push_back(RecordedSection(base, candidate));
  if (!explains && even_without_difference)
    report.notes.push_back("Without a difference that stands out of the noise, these parts are noise as well.");
  else if (!explains)
    report.notes.push_back(e.verdict.speed == Speed::kSame
                               ? "There is nothing to explain; --all shows where the time went nevertheless."
                               : "No cause is named while it is open whether there is a difference; --all shows where "
                                 "the time went nevertheless.");
  return report;
}

}  // namespace culprit
