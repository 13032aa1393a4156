// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/program_why_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/gate/change_text.h"
#include "analysis/gate/check.h"
#include "analysis/judge/why/headline.h"
#include "analysis/launch/command.h"
#include "analysis/launch/python_place.h"
#include "analysis/launch/recording.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/number/plural.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/charts.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/why_header.h"

namespace culprit {
namespace {

using enum Unit;

// A table that fits a screen; the parts left out stand in it as one row.
constexpr std::size_t kShownParts = 10;
// New and vanished kernels that do less to the change than this are not worth a word in the first line.
constexpr double kWorthAWord = 0.05;

std::string Us(double us) { return Format(us, kTimeUs); }
std::string DeltaUs(double us) { return Format(us, kTimeDeltaUs); }
std::string Calls(double calls) { return Format(calls, kCount); }

const KernelRecord& Shown(const ProgramExplanation& e, const ProgramPart& part) {
  return part.match.candidate.empty() ? e.base_launches[part.match.base.front()]
                                      : e.candidate_launches[part.match.candidate.front()];
}

// Ranges of PyTorch nest deeply and have long names: the inner ones that fit a column, as ".../aten::linear/aten::addmm".
std::string InnerOf(const std::string& range) {
  constexpr std::size_t kMost = 60;
  if (range.size() <= kMost) return range;
  std::size_t from = range.find('/', range.size() - kMost);
  if (from == std::string::npos)
    for (from = range.size() - kMost; (static_cast<unsigned char>(range[from]) & 0xc0) == 0x80;) ++from;
  return "..." + range.substr(from);
}

// A kernel that a program launches in several ways has a part for each: the grid tells them apart, else the block, else
// the range.
std::vector<std::string> NamesOf(const ProgramExplanation& e) {
  std::vector<std::string> names;
  for (const ProgramPart& part : e.parts) names.push_back(part.name);
  const auto add = [&](auto what) {
    std::map<std::string, int> often;
    for (const std::string& name : names) ++often[name];
    for (std::size_t i = 0; i < names.size(); ++i)
      if (e.parts[i].of == PartOf::kLaunches && often[names[i]] > 1) names[i] += what(Shown(e, e.parts[i]));
  };
  add([](const KernelRecord& k) {
    return fmt::format(" {}x{}x{}", k.launch.grid_x, k.launch.grid_y, k.launch.grid_z);
  });
  add([](const KernelRecord& k) {
    return fmt::format(" of {}x{}x{}", k.launch.block_x, k.launch.block_y, k.launch.block_z);
  });
  add([](const KernelRecord& k) {
    return k.program->nvtx.empty() ? "" : fmt::format(" in {}", InnerOf(k.program->nvtx));
  });
  return names;
}

// Null: it is none of kernels, or not in this run.
const KernelRecord* BaseOf(const ProgramExplanation& e, const ProgramPart& part) {
  return part.match.base.empty() ? nullptr : &e.base_launches[part.match.base.front()];
}
const KernelRecord* CandidateOf(const ProgramExplanation& e, const ProgramPart& part) {
  return part.match.candidate.empty() ? nullptr : &e.candidate_launches[part.match.candidate.front()];
}

bool IsNew(const ProgramPart& part) { return part.of == PartOf::kLaunches && part.match.base.empty(); }
bool IsGone(const ProgramPart& part) { return part.of == PartOf::kLaunches && part.match.candidate.empty(); }

// "softmax_kernel takes 31.0 us longer in each of 40 calls (shared-memory bank conflicts)"
//
// `largest_us`: of the times that stand in one sentence with it. What a call takes has a unit of its own.
std::string Sentence(const ProgramPart& part, double largest_us) {
  const std::string size = Format(std::abs(part.DeltaUs()), kTimeUs, largest_us);
  const std::string delta = Format(part.DeltaUs(), kTimeDeltaUs, largest_us);
  const char* more = part.DeltaUs() > 0 ? "longer" : "less";
  if (part.of == PartOf::kIdle) return fmt::format("idle time {} by {}", part.DeltaUs() > 0 ? "rose" : "fell", size);
  if (part.of == PartOf::kCopies && (part.base_calls == 0 || part.candidate_calls == 0))
    return fmt::format("{} {} ({})", part.name, part.base_calls == 0 ? "came" : "went", delta);
  if (part.of == PartOf::kCopies) return fmt::format("{} take {} {}", part.name, size, more);
  if (IsNew(part)) return fmt::format("{} is new ({} in {})", part.name, delta, Plural(part.candidate_calls, "call"));
  if (IsGone(part)) return fmt::format("{} is gone ({} in {})", part.name, delta, Plural(part.base_calls, "call"));
  if (std::abs(part.calls_us) > std::abs(part.time_us))
    return fmt::format("{} is called {} times instead of {} ({})", part.name, Calls(part.candidate_calls),
                       Calls(part.base_calls), delta);
  const double calls = (part.base_calls + part.candidate_calls) / 2, each = std::abs(part.time_us) / calls;
  const char* than = part.time_us > 0 ? "longer" : "less";
  std::string text = part.base_calls == part.candidate_calls
                         ? part.base_calls == 1 ? fmt::format("{} takes {} {}", part.name, Us(each), than)
                                                : fmt::format("{} takes on average {} {} in each of {} calls",
                                                              part.name, Us(each), than, Calls(part.base_calls))
                         : fmt::format("{} takes on average {} {} a call", part.name, Us(each), than);
  if (part.causes && FirstCauseStands(part.causes->explanation)) {
    const CausePart& first = part.causes->explanation.causes.front();
    text += fmt::format(" ({})", WordsFor(first.cause, first.delta_us));
  }
  return text;
}

// "; 3 kernels are new (+120.0 us) and 1 is gone (-20.0 us)", besides `leading`, the part that the first line names.
std::string NewAndGone(const ProgramExplanation& e, const ProgramPart& leading) {
  std::vector<std::string> counts;
  for (const auto& [is, what] : {std::pair(&IsNew, "new"), std::pair(&IsGone, "gone")}) {
    int n = 0;
    double us = 0;
    for (const ProgramPart& part : e.parts)
      if (is(part) && &part != &leading) {
        ++n;
        us += part.DeltaUs();
      }
    if (n == 0 || std::abs(us) < kWorthAWord * std::abs(e.verdict.JudgedDeltaUs())) continue;
    const char* kernel = is(leading) ? "more kernel" : "kernel";
    counts.push_back(fmt::format("{} {} {} ({})", counts.empty() ? Plural(n, kernel) : Calls(n), n == 1 ? "is" : "are",
                                 what, Format(us, kTimeDeltaUs, LargestUs(e.verdict))));
  }
  return counts.empty() ? "" : "; " + Joined(counts, {}, " and ");
}

std::string Title(const ProgramExplanation& e) {
  const std::string base = ProgramName(e.base.run.run), candidate = ProgramName(e.candidate.run.run);
  if (e.parts.empty()) return fmt::format("Neither run of {} has any work on a GPU", candidate);
  const std::string than = base == candidate               ? ""
                           : IsDifference(e.verdict.speed) ? " than those of " + base
                                                           : ", held against those of " + base;
  const std::string span = e.of_timeline ? SpanText(e.verdict) : "";
  // What its author can change is the work; idling while it starts up can be most of the whole.
  const std::string copies = CopiesText(e.verdict);
  const std::string work =
      fmt::format("{} of {} {}{}{}{}", e.verdict.kernels_alone ? "Kernels" : "Kernels and copies", candidate,
                  WorkText(e.verdict), than, copies.empty() ? "" : ", " + copies, span.empty() ? "" : "; " + span);
  const double us = e.verdict.JudgedDeltaUs();
  const auto leading = std::ranges::find_if(e.parts, [&](const ProgramPart& part) {
    const bool is_judged = part.of == PartOf::kLaunches || (part.of == PartOf::kCopies && !e.verdict.kernels_alone);
    return is_judged && part.DeltaUs() * us > 0;
  });
  if (leading == e.parts.end() || e.verdict.speed == Speed::kSame) return work;
  std::string place;
  if (IsNew(*leading) || IsGone(*leading)) place = LaunchedAtInBoth(BaseOf(e, *leading), CandidateOf(e, *leading));
  return fmt::format("{}: {}{}{}", work, Sentence(*leading, LargestUs(e.verdict)),
                     place.empty() ? "" : ", first launched at " + place, NewAndGone(e, *leading));
}

// Of what two sides take, which are read together.
double LargestUs(const ProgramExplanation& e) { return std::max(e.base_us, e.candidate_us); }

// "3 executions (100.0 us .. 120.0 us)"
std::string RangeText(const ProgramSide& side, bool kernels_alone) {
  const std::vector<double>& us = kernels_alone ? side.kernels_us : side.work_us;
  if (us.empty()) return Plural(side.runs, "execution");
  return fmt::format("{} ({} .. {})", Plural(side.runs, "execution"), Format(us.front(), kTimeUs, us.back()),
                     Us(us.back()));
}

std::string VerdictText(const ProgramExplanation& e) {
  const WorkVerdict& verdict = e.verdict;
  if (!verdict.change) return verdict.not_measured;
  std::string text = fmt::format("{} ({})", ToText(verdict.speed), IntervalText(*verdict.change));
  if (verdict.speed == Speed::kSlower)
    text += fmt::format(", and its estimate of {} is {} the limit of {:g} % that culprit check usually has",
                        Format(100 * verdict.change->change, kPercent),
                        verdict.change->change > kUsualLimit ? "above" : "not above", 100 * kUsualLimit);
  const bool copies_open = verdict.kernels_alone && verdict.base.CopiesUs() + verdict.candidate.CopiesUs() > 0;
  if (verdict.base_runs < 2 && verdict.candidate_runs < 2)
    text += ". One execution of each was timed: the interval is the noise between recordings";
  else
    text += fmt::format(". By the {} of {} of the base and {} of the candidate; those with the median are explained",
                        JudgedWords(verdict), RangeText(e.base, verdict.kernels_alone),
                        RangeText(e.candidate, verdict.kernels_alone));
  return text + (copies_open ? ". It is of kernels alone: record at least 5 of each with one label to judge copies too."
                             : ".");
}

std::string RunText(const ProgramExplanation& e, const ProgramSide& side, double us, const Work& work) {
  return fmt::format("{}, recorded {}: {} of kernels and copies{}", RunName(side.run.run), side.run.run.started_utc,
                     Format(work.Us(), kTimeUs, LargestUs(e)),
                     e.of_timeline ? fmt::format(" in {} on the GPU", Format(us, kTimeUs, LargestUs(e))) : "");
}

// For people: a line of the table of parts.
struct Line {
  std::string name, calls;
  double delta_us = 0;
  Measured calls_us, time_us;
};

std::string CallsText(const ProgramPart& part) {
  if (part.base_calls == part.candidate_calls) return Calls(part.base_calls);
  return Calls(part.base_calls) + " -> " + Calls(part.candidate_calls);
}

// Kernels and copies with their sum, then idling, then all.
ReportTable LinesOf(const ProgramExplanation& e) {
  std::vector<Line> lines;
  const std::vector<std::string> names = NamesOf(e);
  const auto add = [](Line& line, const ProgramPart& part) {
    line.delta_us += part.DeltaUs();
    line.calls_us = line.calls_us + Measured(part.calls_us);
    line.time_us = line.time_us + Measured(part.time_us);
  };
  Line rest{"", "", 0, 0.0, 0.0}, work{"kernels and copies", "", 0, 0.0, 0.0}, idle{"idle", "", 0, 0.0, 0.0}, sum;
  const auto is_idle = [](const ProgramPart& part) { return part.of == PartOf::kIdle; };
  const auto all = e.parts.size() - static_cast<std::size_t>(std::ranges::count_if(e.parts, is_idle));
  const std::size_t shown = all <= kShownParts + 1 ? all : kShownParts;
  for (std::size_t i = 0; i < e.parts.size(); ++i) {
    const ProgramPart& part = e.parts[i];
    add(is_idle(part) ? idle : work, part);
    if (is_idle(part)) continue;
    if (lines.size() < shown)
      lines.push_back({names[i], CallsText(part), part.DeltaUs(), part.calls_us, part.time_us});
    else
      add(rest, part);
  }
  if (shown < all) {
    rest.name = fmt::format("{} more", all - shown);
    lines.push_back(rest);
  }
  if (all < e.parts.size()) {
    lines.push_back(work);
    lines.push_back(idle);
  }
  sum = {"difference", "", work.delta_us + idle.delta_us, work.calls_us + idle.calls_us, work.time_us + idle.time_us};
  lines.push_back(sum);
  ReportTable table = Tabulate<Line>("", "", lines,
                                     {{"part", "Part", &Line::name},
                                      {"calls", "Calls", &Line::calls},
                                      {"delta_us", "Difference", kTimeDeltaUs, &Line::delta_us},
                                      {"calls_us", "By calls", kTimeDeltaUs, &Line::calls_us},
                                      {"time_us", "By time", kTimeDeltaUs, &Line::time_us}});
  table.notes.push_back(
      "By calls: more or fewer of them, each at the mean time of both runs; what is new or gone is that. By time: each "
      "call takes another time. Every line adds up, and so does the table; idle is the time between the first and the "
      "last thing on the GPU in which nothing ran.");
  return table;
}

const char* KindOf(const ProgramPart& part) {
  return part.of == PartOf::kLaunches ? "launches" : part.of == PartOf::kCopies ? "copies" : "idle";
}

// What the calls say where they do not say slower or faster.
std::string UndecidedText(const Verdict& verdict) {
  if (!verdict.time)
    return "it is called too seldom to tell its calls from their scatter; record at least 5 executions of each with "
           "one label";
  return fmt::format("its calls {} ({} to {})",
                     verdict.speed == Speed::kSame ? "are as long as before within their scatter"
                                                   : "leave open whether they take longer",
                     ChangeText(verdict.time->low), ChangeText(verdict.time->high));
}

// Empty: it is explained, or it is no launch.
std::string WhyNotExplained(const ProgramPart& part) {
  if (!part.causes) return part.no_causes;
  const Explanation& x = part.causes->explanation;
  if (IsExplained(x)) return {};
  if (!IsDifference(x.verdict.speed)) return UndecidedText(x.verdict);
  const std::string known = FirstOf(x.known);
  return known.empty() ? x.no_decomposition : fmt::format("these differ: {}; {}", known, x.no_decomposition);
}

ReportTable PartsForPrograms(const ProgramExplanation& e) {
  using Part = ProgramPart;
  const auto of_launches = [](const Part& p, std::string_view text) { return p.of == PartOf::kLaunches ? text : ""; };
  const auto place = [](const KernelRecord* kernel) { return kernel != nullptr ? LaunchedAt(*kernel) : ""; };
  const auto explained = [](const Part& p) { return p.causes && IsExplained(p.causes->explanation); };
  return ForPrograms<Part>(
      "parts", e.parts,
      {{"of", KindOf},
       {"name", &Part::name},
       {"stage", [&](const Part& p) { return p.of == PartOf::kLaunches ? Shown(e, p).stage.id : ""; }},
       {"shape", [&](const Part& p) { return p.of == PartOf::kLaunches ? Shown(e, p).launch.shape : ""; }},
       {"rule", [=](const Part& p) { return of_launches(p, ToText(p.match.rule)); }},
       {"base_launched_at", [&](const Part& p) { return place(BaseOf(e, p)); }},
       {"candidate_launched_at", [&](const Part& p) { return place(CandidateOf(e, p)); }},
       {"base_calls", kCount, &Part::base_calls},
       {"candidate_calls", kCount, &Part::candidate_calls},
       {"base_us", kTimeUs, &Part::base_us},
       {"candidate_us", kTimeUs, &Part::candidate_us},
       {"delta_us", kTimeDeltaUs, &Part::DeltaUs},
       {"share_pct", kPercent, [&](const Part& p) { return Measured(100 * p.DeltaUs()) / Measured(e.DeltaUs()); }},
       {"calls_us", kTimeDeltaUs, &Part::calls_us},
       {"time_us", kTimeDeltaUs, &Part::time_us},
       {"code", [=](const Part& p) { return of_launches(p, ToText(p.code)); }},
       {"changed", [](const Part& p) { return Joined(p.changed, {}, "; "); }},
       {"verdict", [](const Part& p) { return p.causes ? ToText(p.causes->explanation.verdict.speed) : ""; }},
       {"explained", [=](const Part& p) { return explained(p) ? "yes" : "no"; }},
       {"unexplained_us", kTimeDeltaUs,
        [=](const Part& p) { return explained(p) ? Measured(p.causes->unexplained_us) : Measured(); }},
       {"phases",
        [](const Part& p) {
          return p.causes && p.causes->explanation.phases ? p.causes->explanation.phases->text : "";
        }},
       {"why_not", WhyNotExplained}});
}

ReportTable CausesForPrograms(const ProgramExplanation& e) {
  struct Row {
    const ProgramPart* part;
    const CausePart* cause;
    double scale;
    double Us() const { return scale * cause->delta_us; }
  };
  std::vector<Row> rows;
  for (const ProgramPart& part : e.parts)
    if (part.causes)
      for (const CausePart& cause : part.causes->explanation.causes)
        rows.push_back({&part, &cause, part.causes->scale});
  const auto bound = [](std::optional<Scatter> CausePart::*range, double Scatter::*side) {
    return [range, side](const Row& r) {
      const std::optional<Scatter>& s = r.cause->*range;
      return s ? Measured(r.scale * (*s).*side) : Measured();
    };
  };
  return ForPrograms<Row>(
      "causes", rows,
      {{"name", [](const Row& r) { return r.part->name; }},
       {"stage", [&](const Row& r) { return Shown(e, *r.part).stage.id; }},
       {"shape", [&](const Row& r) { return Shown(e, *r.part).launch.shape; }},
       {"cause", [](const Row& r) { return r.cause->cause; }},
       {"delta_us", kTimeDeltaUs, &Row::Us},
       {"share_pct", kPercent, [](const Row& r) { return Measured(100 * r.Us()) / Measured(r.part->time_us); }},
       {"scatter_low_us", kTimeDeltaUs, bound(&CausePart::scatter, &Scatter::low)},
       {"scatter_high_us", kTimeDeltaUs, bound(&CausePart::scatter, &Scatter::high)},
       {"interval90_low_us", kTimeDeltaUs, bound(&CausePart::interval, &Scatter::low)},
       {"interval90_high_us", kTimeDeltaUs, bound(&CausePart::interval, &Scatter::high)},
       {"launch_delta_us", kTimeDeltaUs, [](const Row& r) { return r.cause->delta_us; }},
       {"text", [](const Row& r) { return WordsFor(r.cause->cause, r.cause->delta_us); }}});
}

// A launch of either run, and where it went.
struct Place {
  const ProgramPart* part;
  const char* side;
  const KernelRecord* kernel;
};

std::vector<Place> PlacesOf(const ProgramExplanation& e) {
  std::vector<Place> places;
  for (const ProgramPart& part : e.parts) {
    for (const std::size_t i : part.match.base) places.push_back({&part, "base", &e.base_launches[i]});
    for (const std::size_t i : part.match.candidate) places.push_back({&part, "candidate", &e.candidate_launches[i]});
  }
  return places;
}

ReportTable LaunchesForPrograms(const ProgramExplanation& e) {
  const auto us = [&](const Place& p) {
    return e.of_timeline ? p.kernel->program->share_us : p.kernel->program->time_us;
  };
  return ForPrograms<Place>("launches", PlacesOf(e),
                            {{"part", kInteger, [&](const Place& p) { return p.part - e.parts.data(); }},
                             {"side", &Place::side},
                             {"stage", [](const Place& p) { return p.kernel->stage.id; }},
                             {"shape", [](const Place& p) { return p.kernel->launch.shape; }},
                             {"ordinal", kInteger, [](const Place& p) { return p.kernel->launch.ordinal; }},
                             {"nvtx", [](const Place& p) { return p.kernel->program->nvtx; }},
                             {"kernel", [](const Place& p) { return p.kernel->program->name; }},
                             {"calls", kCount, [](const Place& p) { return p.kernel->program->calls; }},
                             {"us", kTimeUs, us}});
}

Section PartsSection(const ProgramExplanation& e) {
  Section section{.key = "program",
                  .title = "Where the difference is",
                  .facts = {{"of", "", e.of_timeline ? "timeline" : "times"},
                            {"base_us", "", {e.base_us, kTimeUs}},
                            {"candidate_us", "", {e.candidate_us, kTimeUs}},
                            {"base_work_us", "", {e.verdict.base.Us(), kTimeUs}},
                            {"candidate_work_us", "", {e.verdict.candidate.Us(), kTimeUs}},
                            {"delta_us", "", {e.DeltaUs(), kTimeDeltaUs}},
                            {"change_pct", "", {Measured(100 * e.DeltaUs()) / Measured(e.base_us), kChangePercent}},
                            {"noise_pct", "", {100 * e.verdict.noise, kPercent}},
                            {"verdict", "", ToText(e.verdict.speed)},
                            {"work_of", "", std::string(JudgedWords(e.verdict))},
                            {"work_change_pct", "", {PercentOf(e.verdict.change, &Shift::change), kChangePercent}},
                            {"work_change_low_pct", "", {PercentOf(e.verdict.change, &Shift::low), kChangePercent}},
                            {"work_change_high_pct", "", {PercentOf(e.verdict.change, &Shift::high), kChangePercent}},
                            {"base_runs", "", Cell(e.base.runs, kInteger)},
                            {"base_least_us", "", {e.base.least_us, kTimeUs}},
                            {"base_most_us", "", {e.base.most_us, kTimeUs}},
                            {"candidate_runs", "", Cell(e.candidate.runs, kInteger)},
                            {"candidate_least_us", "", {e.candidate.least_us, kTimeUs}},
                            {"candidate_most_us", "", {e.candidate.most_us, kTimeUs}}}};
  section.tables = {LinesOf(e), PartsForPrograms(e), CausesForPrograms(e), LaunchesForPrograms(e)};
  return section;
}

std::string CodeText(const ProgramPart& part) {
  const std::string changed = Joined(part.changed, {}, ", ");
  switch (part.code) {
    case CodeChange::kSame:
      return changed.empty() ? fmt::format("Its code and its launch are the same: {}.", part.left)
                             : fmt::format("Its code did not change; {}.", changed);
    case CodeChange::kOther:
      return changed.empty() ? "Its code changed." : fmt::format("Its code changed, and {}.", changed);
    case CodeChange::kUnknown:
      break;
  }
  return changed.empty() ? "Whether its code changed is not known."
                         : fmt::format("Whether its code changed is not known; {}.", changed);
}

// So much of a part must be unexplained for a word about what would explain it.
constexpr double kMuch = 0.2;

Item ItemOf(const ProgramExplanation& e, const ProgramPart& part) {
  Item item{part.name, {part.time_us, kTimeDeltaUs}, Sentence(part, part.DeltaUs()) + ". " + CodeText(part)};
  if (const std::string place = LaunchedAtInBoth(BaseOf(e, part), CandidateOf(e, part)); !place.empty())
    item.details.push_back("first launched at " + place);
  if (!part.causes) {
    item.details.push_back("not explained: " + WhyNotExplained(part));
    return item;
  }
  const Explanation& x = part.causes->explanation;
  for (const CausePart& cause : x.causes) {
    if (cause.delta_us == 0) continue;
    std::string line =
        fmt::format("{} {}: {}", cause.cause, PartText(part.causes->scale * cause.delta_us, part.time_us),
                    WordsFor(cause.cause, cause.delta_us));
    if (cause.interval)
      line += fmt::format(" (90 % interval {} .. {})", DeltaUs(part.causes->scale * cause.interval->low),
                          DeltaUs(part.causes->scale * cause.interval->high));
    item.details.push_back(std::move(line));
  }
  if (x.phases && !x.phases->text.empty()) item.details.push_back("by its phases: " + x.phases->text);
  if (IsExplained(x))
    item.details.push_back("unexplained " + PartText(part.causes->unexplained_us, part.time_us));
  else
    item.details.push_back("not explained: " + WhyNotExplained(part));
  if (IsExplained(x) && x.to_measure && std::abs(part.causes->unexplained_us) > kMuch * std::abs(part.time_us)) {
    const std::vector<std::string> causes = CausesToMeasure(x);
    item.details.push_back(fmt::format("{}, because counters are missing: {}; to measure them: {}",
                                       causes.empty() ? "much is given to no cause" : "not judged",
                                       JoinedFirst(causes.empty() ? x.to_measure->for_rest : causes, kMostMissingNamed),
                                       x.to_measure->how));
  }
  item.details.insert(item.details.end(), part.causes->notes.begin(), part.causes->notes.end());
  return item;
}

Section CauseSection(const ProgramExplanation& e) {
  Section section{.title = "Why calls take another time, in microseconds of the program"};
  const std::vector<const ProgramPart*> leading = LeadingParts(e);
  for (const ProgramPart* part : leading) section.items.push_back(ItemOf(e, *part));
  if (!leading.empty())
    section.notes.push_back(fmt::format("The whole of this or another kernel: culprit why {} --base {} --cand {}",
                                        Shown(e, *leading.front()).stage.id, WordFor(e.base.run.run),
                                        WordFor(e.candidate.run.run)));
  return section;
}

Section MatchSection(const ProgramExplanation& e) {
  const auto launch = [](const Place& p) {
    const LaunchRecord& l = p.kernel->launch;
    return fmt::format("{}x{}x{} of {}x{}x{}", l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z);
  };
  const std::vector<Place> places = PlacesOf(e);
  const bool no_places = std::ranges::all_of(places, [](const Place& p) { return LaunchedAt(*p.kernel).empty(); });
  Section section{.title = "Which launches belong together", .detail = true};
  section.tables = {Tabulate<Place>(
      "", "", places,
      {{"kernel", "Kernel", [](const Place& p) { return p.kernel->stage.id; }},
       {"run", "Run", &Place::side},
       {"launch", "Grid of blocks", launch},
       {"calls", "Calls", kCount, [](const Place& p) { return p.kernel->program->calls; }},
       {"nvtx", "Range", [](const Place& p) { return p.kernel->program->nvtx; }},
       {"launched_at", "First launched at", [](const Place& p) { return ShortLaunchedAt(*p.kernel); }, no_places},
       {"rule", "Why", [](const Place& p) { return ToText(p.part->match.rule); }}})};
  return section;
}

std::vector<Warning> Of(const char* side, std::span<const Warning> warnings) {
  std::vector<Warning> of_run = OfTheRun({warnings.begin(), warnings.end()});
  for (Warning& warning : of_run) warning.code = fmt::format("{} run: {}", side, warning.code);
  return of_run;
}

}  // namespace

Report MakeProgramWhyReport(const ProgramExplanation& e, std::span<const Warning> base_warnings,
                            std::span<const Warning> candidate_warnings) {
  Report report{.kind = "why_program", .title = Title(e)};
  report.banner = e.parts.empty() ? Banner{Tone::kNeutral, "No work"} : BannerOf(e.verdict.speed);
  AddRunHeader(e.candidate.run, Of("candidate", candidate_warnings), report);
  AddWarnings(Of("base", base_warnings), report);
  report.context = {{"base", "Base", RunText(e, e.base, e.base_us, e.verdict.base)},
                    {"candidate", "Candidate", RunText(e, e.candidate, e.candidate_us, e.verdict.candidate)},
                    {"gpu", "Recorded on", GpuName(e.candidate.run.run)},
                    {"verdict", "Verdict", VerdictText(e)}};
  report.identity.push_back({"base_run_uuid", "", e.base.run.run.uuid});
  report.identity.push_back({"base_run_label", "", e.base.run.run.label});
  report.warnings.insert(report.warnings.end(), e.caveats.begin(), e.caveats.end());
  report.sections.push_back(PartsSection(e));
  report.charts = ProgramWhyCharts(e, NamesOf(e));
  if (Section causes = CauseSection(e); !causes.items.empty()) report.sections.push_back(std::move(causes));
  if (!PlacesOf(e).empty()) report.sections.push_back(MatchSection(e));
  return report;
}

}  // namespace culprit
