// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/why_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/why/attribute.h"
#include "analysis/judge/why/headline.h"
#include "analysis/launch/compare.h"
#include "analysis/launch/how_to_measure.h"
#include "analysis/launch/python_place.h"
#include "analysis/launch/recording.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/charts.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/why_header.h"

namespace culprit {
namespace {

using enum Unit;

// Of a cause's evidence people see the first that moved; JSON has all.
constexpr std::size_t kShownEvidence = 4;
constexpr double kWorthARow = 0.02;
// A part below a hundredth of the change is in the sum, and not worth a line.
constexpr double kWorthALine = 0.01;
// What works against the change did not make it: below a tenth its line in the table is enough.
constexpr double kWorthAParagraph = 0.10;

std::string Us(double us) { return Format(us, kTimeUs); }
std::string DeltaUs(double us) { return Format(us, kTimeDeltaUs); }
std::string Percent(double share) { return Format(100 * share, kPercent); }

bool HasDifference(const Explanation& e) { return IsDifference(e.verdict.speed); }

template <class Map, class Key>
std::optional<Scatter> Find(const Map& scatters, const Key& key) {
  const auto found = scatters.find(key);
  return found == scatters.end() ? std::nullopt : std::optional(found->second);
}

// Before the column at `at`. People read "low .. high" in one column, programs two numbers.
template <class Row>
std::vector<ColumnOf<Row>> WithRange(std::vector<ColumnOf<Row>> columns, std::size_t at, const std::string& key,
                                     const char* title, std::optional<Scatter> Row::*range, bool shown) {
  const auto text = [range](const Row& r) {
    const std::optional<Scatter>& s = r.*range;
    return s ? fmt::format("{} .. {}", DeltaUs(s->low), DeltaUs(s->high)) : "-";
  };
  const auto bound = [range](double Scatter::*side) {
    return [range, side](const Row& r) { return r.*range ? Measured((*(r.*range)).*side) : Measured(); };
  };
  columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(at),
                 {{key, title, text, !shown},
                  {key + "_low_us", "", kTimeDeltaUs, bound(&Scatter::low), true},
                  {key + "_high_us", "", kTimeDeltaUs, bound(&Scatter::high), true}});
  return columns;
}

constexpr const char* kScatterTitle = "Scatter of this recording";

// What stood still tells a reader nothing, what is missing on one side does.
bool Moved(const CauseEvidence& e) {
  return !e.base || !e.candidate || std::abs(*e.candidate - *e.base) >= kWorthARow * std::max(*e.base, *e.candidate);
}

// A cause that only a refutation speaks of has no part that was told from noise: no 0 either.
bool IsMeasured(const CausePart& part) { return part.delta_us != 0; }

bool HasInterval(const CausePart& part) { return part.interval.has_value(); }

// "accounts for 349.2 us of this cause, less than its interval allows"
std::string AccountsFor(const Counterfactual& c, const CausePart& cause) {
  const double part_us = std::abs(c.part_us.value_or(0));
  std::string text = fmt::format("accounts for {} of this cause", Us(part_us));
  if (c.proof == Proof::kConfirmed) return text + ", inside its interval";
  if (cause.interval)
    text += fmt::format(", {} than its interval allows", part_us < std::abs(cause.delta_us) ? "less" : "more");
  return text;
}

// "its time differs by 354.4 us (57.4 % of the difference), of several causes together"
std::string TimeOf(const Counterfactual& c) {
  return fmt::format("its time differs by {} ({} of the difference){}", Us(std::abs(c.recovered_us)),
                     Percent(c.recovers), c.of_several ? ", of several causes together" : "");
}

std::string LineOf(const CauseSource& s) { return fmt::format("{}:{}", s.file, s.line); }

// What stands at a place: of what samples are shared out, which instructions; else what was counted.
std::string At(const std::string& place, const CauseSource& first, bool several) {
  if (!first.operations.empty()) return fmt::format("{} ({})", place, first.operations);
  if (first.what.empty()) return place;
  return fmt::format("{} ({}{})", place, first.what, several ? " each" : "");
}

// "at a.cu:26-28 (global atomic); a.cu:51 (global load)"
std::string PlacesOf(const CausePart& part) {
  const CausePlace first = PlaceOf(part);
  std::string text = first.kernel.empty() ? "at " : "in ";
  text += At(ToText(first), part.source.front(), part.source.front().tied);
  for (std::size_t n = 1; n < part.source.size(); ++n)
    if (!part.source[n].tied) text += "; " + At(LineOf(part.source[n]), part.source[n], false);
  return text;
}

// Whether no line of a kernel can have the cause, because it is in the launch or outside of the code.
bool HasNoLines(const CausePart& part) {
  const Cause* cause = FindCause(part.cause);
  return cause != nullptr && cause->source.of == nullptr && !cause->sampled;
}

std::string InstructionOf(const CauseInstruction& i) {
  return fmt::format("{} ({})", i.text, Format(std::round(i.samples), Unit::kCount));
}

std::vector<Fact> MovedEvidence(const CausePart& part) {
  std::vector<Fact> moved;
  for (const CauseEvidence& e : part.evidence) {
    if (!Moved(e)) continue;
    const Unit unit = UnitFromCatalogue(e.unit);
    moved.push_back(
        {e.metric, e.metric, fmt::format("{} -> {}", Format(Number{e.base, unit}), Format(Number{e.candidate, unit}))});
  }
  return moved;
}

// Line by line what warps waited, and for which instructions.
std::vector<std::string> SampledAtLines(const CausePart& part) {
  std::vector<std::string> lines;
  for (const CauseSource& s : part.source) {
    if (!s.waited_us) continue;
    std::string line = fmt::format("by samples alone, {}, {}", LineOf(s), s.what);
    if (!s.instructions.empty())
      line += fmt::format("; {} of the {}'s samples, the most of {}", Format(std::round(s.samples), Unit::kCount),
                          part.delta_us > 0 ? "candidate" : "base", Joined(s.instructions, InstructionOf, ", "));
    lines.push_back(std::move(line));
  }
  return lines;
}

// What people can do next, each the end of a sentence; empty where it is not possible for these two kernels.
struct NextSteps {
  std::string launch;       // the line to change if the cause is in how the kernel is launched
  std::string bank_map;     // the map of lanes and banks, for the kernel with conflicts
  std::string fewer_warps;  // a recording that times a kernel with fewer warps
};

NextSteps NextStepsOf(const KernelRecord& base, const KernelRecord& candidate) {
  NextSteps steps;
  if (const std::string place = LaunchedAtInBoth(&base, &candidate); !place.empty())
    steps.launch = ", first launched at " + place;
  // Where a stage states no addresses nothing is known of its lanes.
  if (!candidate.stage.shared_accesses.empty())
    steps.bank_map = fmt::format("; which lane meets which bank: culprit banks {} --run {}", candidate.stage.id,
                                 ShortUuid(candidate.run.run));
  // Only a benchmark of ours launches a kernel with other shared memory than it asks for.
  const auto can = [](const KernelRecord& kernel) {
    return !kernel.run.run.program && kernel.run.run.profile != "full";
  };
  if (can(base) || can(candidate)) steps.fewer_warps = " (--profile=full does)";
  return steps;
}

Item ItemOf(const CausePart& part, const NextSteps& steps) {
  Item item{part.cause, {IsMeasured(part) ? Measured(part.delta_us) : Measured(), kTimeDeltaUs}, part.text};
  item.evidence = MovedEvidence(part);
  item.evidence.resize(std::min(item.evidence.size(), kShownEvidence));
  if (!part.measured.empty())
    item.details.push_back(part.measured);
  else if (const Cause* cause = FindCause(part.cause); cause != nullptr && !cause->warp_limits.empty())
    item.details.push_back(
        fmt::format("modelled: the one with more warps was not timed with as few{}", steps.fewer_warps));
  if (!part.source.empty()) item.details.push_back(PlacesOf(part) + (HasNoLines(part) ? steps.launch : ""));
  for (std::string& line : SampledAtLines(part)) item.more.push_back(std::move(line));
  for (const CauseCode& c : part.code)
    item.details.push_back(fmt::format("the {}'s code at {}:{} [{}]: {}", c.of_base ? "base" : "candidate", c.file,
                                       c.line, Format(c.waited_us, Unit::kTimeUs), c.text));
  for (const auto* experiments : {&part.confirmed_by, &part.refuted_by})
    for (const Counterfactual& c : *experiments) item.details.push_back(Describe(c, part));
  if (const Cause* cause = FindCause(part.cause); cause != nullptr && part.delta_us > 0 && !cause->remedy.empty())
    item.details.push_back(
        fmt::format("what helps: {}{}", cause->remedy, part.cause == "shared_bank_conflicts" ? steps.bank_map : ""));
  for (const CauseAdvice& a : part.to_do)
    item.details.push_back(fmt::format("the code at {}:{}: {}; to do: {}", a.file, a.line, a.finding, a.action));
  return item;
}

// Two causes at one line have the same samples: a reader needs them once.
void SayOnce(std::vector<Item>& items) {
  std::map<std::vector<std::string>, std::string> said;
  for (Item& item : items) {
    if (item.more.empty()) continue;
    const auto [first, is_new] = said.emplace(item.more, item.key);
    if (!is_new) item.more = {"samples as under " + first->second};
  }
}

// From this share of the difference on, what no cause claims gets a paragraph.
constexpr double kWorthALook = 0.30;
constexpr std::size_t kMostPlaces = 3, kMostOperations = 2;

// Keys of Attribution::rest that are no warp states.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kPlacesOfRest = {
    {{"hidden", "waiting that vanished, hidden behind what is waited for now"},
     {"parallelism", "warps beside each other"},
     {"imbalance_tail", "SMs short of work"},
     {"launch", "time beyond the cycles counted"},
     {"clock", "counted cycles that timed ones do not confirm"},
     {"units", "units that were counted to work more than they can"},
     {kNotMeasured, "what was not measured"},
     {"no_evidence", "causes of which nothing shows that they changed"},
     {"beyond_limit", "parts larger than what taking their cause away could give"}}};

std::string PlaceOfRest(const std::string& in) {
  const auto known = std::ranges::find(kPlacesOfRest, in, &std::pair<std::string_view, std::string_view>::first);
  return known == kPlacesOfRest.end() ? in : std::string(known->second);
}

// Where to look when no cause says why.
Item ItemOfRest(const Explanation& e) {
  Item item{.key = "unexplained", .weight = {e.unexplained_us, kTimeDeltaUs}};
  item.text = fmt::format("Not attributed, {} of the change. It is in:", Percent(e.unexplained_us / e.DeltaUs()));
  double others_us = e.unexplained_us;
  std::size_t places = 0;
  if (!e.within_noise.empty()) {
    const double noise_us = WithinNoiseUs(e);
    item.details.push_back("causes that noise alone could make: " + DeltaUs(noise_us));
    others_us -= noise_us;
  }
  for (const UnexplainedRest& rest : e.rest) {
    if (places++ == kMostPlaces || std::abs(rest.us) < kWorthAParagraph * std::abs(e.unexplained_us)) break;
    std::string line = fmt::format("{}: {}", PlaceOfRest(rest.in), DeltaUs(rest.us));
    const std::span most(rest.operations.data(), std::min(rest.operations.size(), kMostOperations));
    if (!most.empty())
      line += ", by samples because of " + Joined(
                                               most, [](const auto& operation) { return operation.first; }, " and ");
    item.details.push_back(std::move(line));
    others_us -= rest.us;
  }
  if (const std::string others = DeltaUs(others_us); !item.details.empty() && others != DeltaUs(0))
    item.details.push_back("others: " + others);
  return item;
}

// A line of a table of parts.
struct Part {
  std::string_view name;
  double us;
  std::optional<Scatter> interval, scatter;
  std::string_view what;
};

Section CauseSection(const Explanation& e, const NextSteps& steps) {
  Section section{"causes", "Causes"};
  section.intro =
      "What made the difference, by the hardware counters of both kernels. The parts add up to it: one that works the "
      "other way is made up for by the others, which can then be more than the whole.";
  std::vector<Part> parts;
  for (const CausePart& part : e.causes) {
    if (IsMeasured(part))
      parts.push_back({part.cause, part.delta_us, part.interval, part.scatter, WordsFor(part.cause, part.delta_us)});
    const bool speaks = part.share >= kWorthALine || part.share <= -kWorthAParagraph;
    if (speaks || !part.confirmed_by.empty() || !part.refuted_by.empty()) section.items.push_back(ItemOf(part, steps));
  }
  SayOnce(section.items);
  if (e.decomposition && std::abs(e.unexplained_us) >= kWorthALook * std::abs(e.DeltaUs()))
    section.items.push_back(ItemOfRest(e));
  parts.push_back(
      {"unexplained", e.unexplained_us, {}, {}, e.decomposition ? "not attributed" : "nothing was decomposed"});
  parts.push_back({"difference", e.DeltaUs(), {}, {}, "the sum of these lines"});
  const auto share = [&](const Part& p) { return Measured(100 * p.us) / Measured(e.DeltaUs()); };
  std::vector<ColumnOf<Part>> columns = {{"cause", "Cause", &Part::name},
                                         {"delta_us", "Difference", kTimeDeltaUs, &Part::us},
                                         {"share_pct", "Share", kPercent, share},
                                         {"what", "What it is", &Part::what}};
  columns = WithRange(std::move(columns), 3, "scatter", "", &Part::scatter, false);
  columns = WithRange(std::move(columns), 3, "interval90", "90 % interval", &Part::interval,
                      std::ranges::any_of(e.causes, HasInterval));
  section.tables = {Tabulate<Part>("parts", "", parts, columns)};
  if (std::string noise = WithinNoiseText(e); !noise.empty()) {
    noise.front() = 'I';
    section.notes.push_back(noise + ".");
  }
  if (!e.decomposition) section.notes.push_back("No cause could be judged: " + e.no_decomposition);
  return section;
}

std::string LinesOf(const KnownDifference& known) {
  std::vector<std::string> lines;
  std::string_view last;  // is not named again
  for (const auto& [file, line, instructions] : known.at) {
    lines.push_back(fmt::format("{}:{} ({:.0f})", file == last ? "" : file, line, instructions));
    last = file;
  }
  return fmt::format("{}", fmt::join(lines, ", "));
}

Section KnownSection(const Explanation& e) {
  Section section{"known", "What differs, without counters"};
  const auto side = [](Measured KnownDifference::*value) {
    return [value](const KnownDifference& k) { return Cell(k.*value, UnitFromCatalogue(k.unit)); };
  };
  section.tables = {Tabulate<KnownDifference>("known", "", e.known,
                                              {{"what", "What", &KnownDifference::what},
                                               {"base", "Base", side(&KnownDifference::base)},
                                               {"candidate", "Candidate", side(&KnownDifference::candidate)},
                                               {"at", "Where it has more of them", LinesOf}})};
  section.notes.push_back("Counters would say how much of the difference each of these makes.");
  return section;
}

// In the order of kFactors.
constexpr std::array<std::string_view, kFactors.size()> kMeanings = {
    "how many instructions were issued",
    "warp-cycles per instruction: work and waiting",
    "how many warps were there to hide it",
    "SM sub-partitions without a warp",
    "SM clock",
    "time beyond the cycles counted: start, end, gaps"};

Section FactorSection(const Explanation& e) {
  Section section{"factors", "Which factor changed"};
  section.intro =
      "A kernel's time is the instructions that it issues, times the cycles that a warp spends on each, over the warps "
      "that do so at once, stretched by SMs that stand idle, over the clock. Which of these moved:";
  std::vector<Part> parts;
  for (std::size_t f = 0; f < kFactors.size(); ++f)
    if (const auto us = e.decomposition->factors.find(kFactors[f]); us != e.decomposition->factors.end())
      parts.push_back({ToText(us->first), us->second, {}, Find(e.factor_scatter, us->first), kMeanings[f]});
  section.tables = {
      Tabulate<Part>("parts", "", parts,
                     WithRange<Part>({{"factor", "Factor", &Part::name},
                                      {"delta_us", "Difference", kTimeDeltaUs, &Part::us},
                                      {"meaning", "What it counts", &Part::what}},
                                     2, "scatter", kScatterTitle, &Part::scatter, !e.factor_scatter.empty()))};
  if (HasDifference(e))
    section.notes.push_back(
        "The same difference, cut another way: the factors are what moved, the causes above are why, and each table "
        "adds up to the whole by itself.");
  return section;
}

Section StallSection(const Explanation& e) {
  struct Stall : StallDifference {
    std::optional<Scatter> scatter;
  };
  std::vector<Stall> stalls;
  std::size_t shown = 0;
  double rest = 0;
  const double delta = e.decomposition->DeltaUs();
  for (const StallDifference& stall : LargestFirst(e.decomposition->stalls)) {
    if (std::abs(stall.DeltaUs()) >= kWorthALine * std::abs(delta))
      ++shown;
    else
      rest += stall.DeltaUs();
    stalls.push_back({stall, Find(e.stall_scatter, stall.reason)});
  }
  ReportTable table =
      Tabulate<Stall>("parts", "", stalls,
                      WithRange<Stall>({{"reason", "Warp state", &Stall::reason},
                                        {"base_us", "Base", kTimeUs, &Stall::base_us},
                                        {"candidate_us", "Candidate", kTimeUs, &Stall::candidate_us},
                                        {"delta_us", "Difference", kTimeDeltaUs, &Stall::DeltaUs}},
                                       4, "scatter", kScatterTitle, &Stall::scatter, !e.stall_scatter.empty()));
  table.shown = shown;
  if (const std::size_t hidden = stalls.size() - shown; hidden > 0)
    table.notes.push_back(
        fmt::format("{} others, each below {:g} %: total {}.", hidden, 100 * kWorthALine, DeltaUs(rest)));
  table.notes.push_back(fmt::format("All states together: {} -> {}, {}.", Us(e.decomposition->base_us),
                                    Us(e.decomposition->candidate_us), DeltaUs(delta)));
  return {.key = "stalls", .title = "Where the time went", .tables = {std::move(table)}, .intro = kWhatStatesAre};
}

Section NotJudgedSection(const KernelRecord& base, const KernelRecord& candidate, const Explanation& e) {
  const auto missing = [](const CauseNotJudged& n) { return JoinedFirst(n.missing, kMostMissingNamed); };
  const bool is_of_rest = e.not_judged.empty() && e.to_measure;
  Section section{
      .key = "not_judged",
      .title = fmt::format("Not {}, because something was not measured", is_of_rest ? "given to a cause" : "judged")};
  if (!e.not_judged.empty())
    section.tables = {Tabulate<CauseNotJudged>(
        "causes", "", e.not_judged, {{"cause", "Cause", &CauseNotJudged::cause}, {"missing", "Missing", missing}})};
  const std::array<const KernelRecord*, 2> kernels{&base, &candidate};
  if (std::string command = NcuCommand(kernels); !command.empty())
    section.facts.push_back({"ncu_command", "Profile both with", std::move(command)});
  else if (e.to_measure)
    section.facts.push_back({"to_measure", "To measure it", e.to_measure->how});
  if (e.to_measure && !e.to_measure->for_rest.empty())
    section.facts.push_back(
        {"for_rest", "Missing for the rest", JoinedFirst(e.to_measure->for_rest, kMostMissingNamed)});
  return section;
}

// Where to look, and what speaks for it.
std::string Pointers(const CausePart& part) {
  std::string text;
  if (const CausePlace place = PlaceOf(part); !place.lines.empty())
    text += fmt::format(" Look {} {}.", place.kernel.empty() ? "at" : "into", ToText(place));
  if (!part.confirmed_by.empty()) {
    const Counterfactual& best = part.confirmed_by.front();
    text += fmt::format(" {} by a third kernel, {}: it {}.",
                        best.proof == Proof::kConfirmed ? "Confirmed" : "Partly confirmed", best.stage,
                        AccountsFor(best, part));
  }
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

PairNames NamesOf(const KernelRecord& base, const KernelRecord& candidate) {
  PairNames names{base.stage.id, candidate.stage.id};
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

std::string EvidenceText(const CausePart& part) {
  return Joined(
      MovedEvidence(part), [](const Fact& fact) { return fact.key + " = " + Format(fact.value); }, "; ");
}

std::string VerdictLine(const KernelRecord& base, const KernelRecord& candidate, const Explanation& e) {
  const PairNames names = NamesOf(base, candidate);
  if (!e.base_us || !e.candidate_us)
    return fmt::format("{} cannot be compared with {}: {}", names.candidate, names.base, e.verdict.reason);
  const std::string times = fmt::format("{} -> {}, {} ({})", Us(*e.base_us), Us(*e.candidate_us), DeltaUs(e.DeltaUs()),
                                        Format(100 * (*e.candidate_us / *e.base_us - 1), kChangePercent));
  switch (e.verdict.speed) {
    case Speed::kSlower:
    case Speed::kFaster:
      return fmt::format("{} is {} than {}{}: {}", names.candidate, ToText(e.verdict.speed), names.base,
                         e.verdict.by_clock         ? ", by the clock alone"
                         : TimeContains0(e.verdict) ? " by its cycles, and the interval of its time contains 0"
                                                    : "",
                         times);
    case Speed::kSame:
      return fmt::format("{} is as fast as {}: {}", names.candidate, names.base, times);
    case Speed::kAmbiguous:
      return fmt::format("{} may or may not be as fast as {}: {}", names.candidate, names.base, times);
  }
  return {};
}

std::string Describe(const Counterfactual& c, const CausePart& cause) {
  const std::string kernel = fmt::format("the kernel {} ({})", c.stage, Us(c.time_us));
  const std::string change = fmt::format("{} but for {}", c.differs_from, c.change);
  const std::string note = c.note.empty() ? "" : "; " + c.note;
  if (c.proof == Proof::kConfirmed || c.proof == Proof::kPartly)
    return fmt::format("{} by {}, which is {}: it {}; {}{}",
                       c.proof == Proof::kConfirmed ? "confirmed" : "partly confirmed", kernel, change,
                       AccountsFor(c, cause), TimeOf(c), note);
  const bool refuted = c.proof == Proof::kRefuted;
  return fmt::format("{} {}{} is {}: it accounts for {} of the difference{}",
                     refuted ? "refuted by" : "inconclusive:", kernel, refuted ? ", which" : "", change,
                     Percent(c.recovers), note);
}

namespace {

// For those who were sent a page and know neither kernel.
std::string IntroOf(const KernelRecord& base, const KernelRecord& candidate) {
  const PairNames names = NamesOf(base, candidate);
  const std::string gpu = GpuOf(candidate), where = gpu.empty() ? "" : fmt::format(", measured on an {}", gpu);
  std::string intro =
      base.launch.shape == candidate.launch.shape
          ? fmt::format("{} against {}, both at {}{}.", names.candidate, names.base, candidate.launch.shape, where)
          : fmt::format("{} against {}{}.", names.candidate, names.base, where);
  const auto add = [&](const std::string& name, const std::string& idea) {
    if (!idea.empty()) intro += fmt::format(" {}: {}.", name, idea);
  };
  add(names.base, base.stage.idea);
  if (candidate.stage.idea != base.stage.idea) add(names.candidate, candidate.stage.idea);
  // More than two say no longer what was tried.
  if (const std::vector<FactorChange> changes = FactorChanges(base.stage, candidate.stage);
      !changes.empty() && changes.size() <= 2)
    for (const FactorChange& c : changes)
      intro += fmt::format(" They differ in {}: {} in {}, {} in {}.", c.factor, c.base, names.base, c.candidate,
                           names.candidate);
  return intro;
}

}  // namespace

Report MakeWhyReport(const KernelRecord& base, const KernelRecord& candidate, const Explanation& e,
                     bool even_without_difference) {
  Report report{.kind = "why", .title = VerdictLine(base, candidate, e)};
  report.fields = WhyFields(base, candidate, e);
  report.banner = BannerOf(e.verdict.speed);
  report.intro = IntroOf(base, candidate);
  const bool explains = HasDifference(e);
  if (explains) AddAnswer(e, report);
  if (e.phases && !e.phases->text.empty()) report.context.push_back({"phases", "Phases", e.phases->text});
  report.context.push_back({"verdict", "Verdict", fmt::format("{}: {}", ToText(e.verdict.speed), e.verdict.reason)});
  if (const std::string place = LaunchedAtInBoth(&base, &candidate); !place.empty())
    report.context.push_back({"launched_at", "Launched", "first at " + place});
  report.warnings = WarningsOf(base, candidate);
  report.warnings.insert(report.warnings.end(), e.caveats.begin(), e.caveats.end());
  if (explains) report.sections.push_back(CauseSection(e, NextStepsOf(base, candidate)));
  if (!e.known.empty()) report.sections.push_back(KnownSection(e));
  if (e.decomposition && (explains || even_without_difference)) {
    report.sections.push_back(FactorSection(e));
    report.sections.push_back(StallSection(e));
  }
  // Causes are the answer; the rest is there to check it.
  if (explains)
    for (std::size_t n = 1; n < report.sections.size(); ++n) report.sections[n].detail = e.decomposition.has_value();
  if (explains && (!e.not_judged.empty() || !e.decomposition || e.to_measure))
    if (Section section = NotJudgedSection(base, candidate, e); !section.facts.empty() || !e.not_judged.empty())
      report.sections.push_back(std::move(section));
  report.sections.push_back(RecordedSection(base, candidate));
  report.charts = WhyCharts(base, candidate, e);
  if (!explains && even_without_difference)
    report.notes.push_back("Without a difference that stands out of the noise, these parts are noise as well.");
  else if (!explains)
    report.notes.push_back(e.verdict.speed == Speed::kSame
                               ? kNothingToExplain
                               : "No cause is named while it is open whether there is a difference; --all shows where "
                                 "the time went nevertheless.");
  return report;
}

}  // namespace culprit
