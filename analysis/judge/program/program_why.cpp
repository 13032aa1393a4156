// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/program/program_why.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/judge/program/executions.h"
#include "analysis/judge/program/work_verdict.h"
#include "analysis/judge/why/why.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/launch/name.h"
#include "analysis/launch/recording.h"
#include "analysis/launch/timing_caveats.h"
#include "analysis/number/format.h"
#include "analysis/number/name_in.h"

namespace culprit {
namespace {

// A report gives causes for at most this many kernels, because nobody reads a longer list. `culprit why KERNEL`
// explains any other kernel.
constexpr std::size_t kMostExplained = 6;
// Parts below this share of the largest part are not explained, because they would not change what a reader does. Idle
// time does not count as a part here.
constexpr double kWorthExplaining = 0.05;
// The median call is explained, but the mean adds up. A note says so if their changes differ by more than this share.
constexpr double kSameMove = 0.25;
// The SM clock differs by about this much between two unchanged launches (docs/evidence/noise.md).
constexpr double kSameClock = 0.02;
// A kernel that is counted alone runs at another clock than among other kernels. If its time differs by more than a
// tenth, its counts describe another state, such as a colder cache or other inputs.
constexpr double kCountedAlike = 0.10;
// Two PyTorch trainings on an H200 had 17 unchanged kernels. Their clock while counted differed by 0.2 to 1 % in 7 of
// them, and by up to 7 % in the others, which take 10 to 60 us. So beyond 1 % it says nothing about the clock while
// timed.
constexpr double kOneClock = 0.01;
// A span and what it is made of are sums of the same times.
constexpr double kRounding = 1e-6;

// MHz, while its counters were read; none where they were not. Single calls of a program have no clock, but the launches
// that were counted have cycles and a time.
std::optional<double> CountedClock(const KernelRecord& kernel) {
  const KernelView view(kernel);
  const Measured mhz = Measured(1e3) * view.Get("sm_cycles_elapsed_max") / view.Get("counted_time_ns");
  return mhz.value();
}

double RequiredUs(const KernelRecord& kernel, bool of_timeline) {
  if (const auto us = UsOf(kernel, of_timeline)) return *us;
  throw Error(fmt::format(
      "'{}' in run {} has no time of all its calls, so the run's parts do not add up: compare the two by 'culprit "
      "check', or one kernel by 'culprit why KERNEL --base RUN --cand RUN'.",
      kernel.stage.id, ShortUuid(kernel.run.run)));
}

double CallsOf(const KernelRecord& kernel) { return kernel.program ? static_cast<double>(kernel.program->calls) : 0; }

void SplitByCalls(ProgramPart& part) {
  const double from = part.base_calls, to = part.candidate_calls;
  if (from > 0 && to > 0) part.time_us = (part.candidate_us / to - part.base_us / from) * (from + to) / 2;
  part.calls_us = part.DeltaUs() - part.time_us;
}

ProgramPart PartOfLaunches(const ProgramExplanation& e, MatchedLaunches match) {
  ProgramPart part;
  const auto add = [&](std::span<const KernelRecord> launches, const std::vector<std::size_t>& places, double& calls,
                       double& us) {
    for (const std::size_t place : places) {
      calls += CallsOf(launches[place]);
      us += RequiredUs(launches[place], e.of_timeline);
    }
  };
  add(e.base_launches, match.base, part.base_calls, part.base_us);
  add(e.candidate_launches, match.candidate, part.candidate_calls, part.candidate_us);
  const KernelRecord& named =
      match.candidate.empty() ? e.base_launches[match.base.front()] : e.candidate_launches[match.candidate.front()];
  part.name = ShortName(named.program ? named.program->name : named.stage.id);
  if (match.base.size() == 1 && match.candidate.size() == 1) {
    const KernelRecord &from = e.base_launches[match.base.front()], &to = e.candidate_launches[match.candidate.front()];
    part.code = CompareCode(from, to);
    part.changed = LaunchChanges(from, to);
    part.left = WhatIsLeft(from, to);
  }
  part.match = std::move(match);
  SplitByCalls(part);
  return part;
}

void AddCopies(ProgramExplanation& e) {
  for (const auto& [kind, name] : kCopyWords) {
    ProgramPart part;
    part.of = PartOf::kCopies;
    part.name = name;
    const auto add = [&, wanted = kind](const RunSummary& run, double& calls, double& us) {
      if (!run.run.program) return;
      for (const ProgramCopy& copy : run.run.program->copies) {
        if (copy.kind != wanted) continue;
        calls += static_cast<double>(copy.calls);
        us += e.of_timeline ? copy.share_us : copy.time_us;
      }
    };
    add(e.base.run, part.base_calls, part.base_us);
    add(e.candidate.run, part.candidate_calls, part.candidate_us);
    SplitByCalls(part);
    if (part.base_calls > 0 || part.candidate_calls > 0) e.parts.push_back(std::move(part));
  }
}

void AddIdle(ProgramExplanation& e) {
  if (!e.of_timeline) return;
  ProgramPart part;
  part.of = PartOf::kIdle;
  part.name = "idle";
  part.base_us = *e.base.run.run.program->idle_us;
  part.candidate_us = *e.candidate.run.run.program->idle_us;
  part.time_us = part.DeltaUs();
  e.parts.push_back(std::move(part));
}

void AddRunCaveats(ProgramExplanation& e) {
  const auto one = [&](const RunSummary& run, const char* side, double sum) {
    const ProgramRecord& program = *run.run.program;
    if (run.state != "complete")
      e.caveats.push_back(fmt::format("The {} run is {}: what it had not stored is missing here.", side, run.state));
    if (program.lost_launches > 0)
      e.caveats.push_back(fmt::format("{} launches of the {} run have no time: they are in no part.",
                                      Format(static_cast<double>(program.lost_launches), Unit::kCount), side));
    if (program.exit_status.value_or(0) != 0)
      e.caveats.push_back(fmt::format("The program of the {} run ended with status {}.", side, *program.exit_status));
    if (program.gpus > 1)
      e.caveats.push_back(fmt::format("The {} run used {} GPUs: times are summed over them.", side, program.gpus));
    if (e.of_timeline && std::abs(*program.span_us - sum) > kRounding * std::max(*program.span_us, sum))
      e.caveats.push_back(
          fmt::format("The {} run states a span of {}; what is recorded of it adds up to {}, which is "
                      "what counts here.",
                      side, Format(*program.span_us, Unit::kTimeUs), Format(sum, Unit::kTimeUs)));
  };
  one(e.base.run, "base", e.base_us);
  one(e.candidate.run, "candidate", e.candidate_us);
  const RunRecord &from = e.base.run.run, &to = e.candidate.run.run;
  const auto differ = [&](const char* what, const std::string& was, const std::string& is) {
    if (was != is)
      e.caveats.push_back(fmt::format("{}: {} in the base run, {} in the candidate run.", what,
                                      was.empty() ? "unknown" : was, is.empty() ? "unknown" : is));
  };
  differ("GPU", from.device ? from.device->name : "", to.device ? to.device->name : "");
  differ("driver", from.toolchain.driver, to.toolchain.driver);
  differ("CUDA runtime", from.toolchain.cuda_runtime, to.toolchain.cuda_runtime);
  if (!e.of_timeline)
    e.caveats.push_back(
        "Not both runs have a timeline: the times of kernels and copies are added up, overlapping or not, and idling "
        "is in no part.");
}

// If a launch cannot be explained, a sentence that says why. Empty: it can.
std::string WhyNoCauses(const KernelRecord& kernel, const char* side) {
  if (kernel.launch.state != LaunchState::kOk || kernel.samples.empty())
    return fmt::format("It has no times of single calls in the {} run.", side);
  if (kernel.program && !kernel.program->not_counted.empty())
    return fmt::format("Its counters were not read in the {} run: {}", side, kernel.program->not_counted);
  return {};
}

// A note if a launch's counts come from executions unlike its calls. Empty: they are alike, or this is not known.
std::string CountedUnlike(const KernelRecord& kernel, const char* side) {
  const KernelView view(kernel);
  if (std::string differ = LaunchesDiffer(view, fmt::format("{} in the {} run", kernel.stage.id, side));
      !differ.empty())
    return differ;
  const Measured counted = view.Get("counted_time_ns") / Measured(1e3), timed = view.Get("time_us");
  if (!counted || !timed || !(*counted > 0) || !(*timed > 0)) return {};
  if (std::abs(std::log(*counted / *timed)) <= std::log1p(kCountedAlike)) return {};
  return fmt::format("In the {} run its counters are of launches of {}, and its median call takes {}.", side,
                     Format(*counted, Unit::kTimeUs), Format(*timed, Unit::kTimeUs));
}

// The other executions of each side, if both sides have enough.
struct Others {
  std::optional<Executions> base, candidate;
};

constexpr const char* kSeveral = "Several launches stand against one: 'culprit why' of two of them says more.";

bool IsOneAgainstOne(const ProgramPart& part) {
  return part.match.base.size() == 1 && part.match.candidate.size() == 1;
}

void AddCauses(const Database& database, const ProgramExplanation& e, const Others& others, ProgramPart& part) {
  if (!IsOneAgainstOne(part)) {
    part.no_causes = kSeveral;
    return;
  }
  // Loads the kernel with its repetitions, because these give the scatter.
  KernelRecord from = database.LoadKernel(e.base_launches[part.match.base.front()].id);
  KernelRecord to = database.LoadKernel(e.candidate_launches[part.match.candidate.front()].id);
  if (others.base) others.base->AddTo(from);
  if (others.candidate) others.candidate->AddTo(to);
  part.no_causes = WhyNoCauses(from, "base");
  if (part.no_causes.empty()) part.no_causes = WhyNoCauses(to, "candidate");
  if (!part.no_causes.empty()) return;
  PartCauses causes{Why(Neighbours(database), from, to), 1, 0, {}};
  const Explanation& x = causes.explanation;
  const ProgramLaunch &a = *from.program, &b = *to.program;
  // Launches that overlap with others have only a share of the timeline.
  double of_timeline = 1;
  if (const double times = a.time_us.value_or(0) + b.time_us.value_or(0);
      e.of_timeline && a.time_us && b.time_us && times > 0)
    of_timeline = (*a.share_us + *b.share_us) / times;
  causes.scale = (part.base_calls + part.candidate_calls) / 2 * of_timeline;
  causes.unexplained_us = part.time_us;
  for (const CausePart& cause : x.causes) causes.unexplained_us -= causes.scale * cause.delta_us;
  if (const double median_us = causes.scale * x.DeltaUs();
      IsDifference(x.verdict.speed) && std::abs(median_us - part.time_us) > kSameMove * std::abs(part.time_us))
    causes.notes.push_back(
        fmt::format("Its median call moved by {}, which would be {} of the program: its calls do not all move alike.",
                    Format(x.DeltaUs(), Unit::kTimeDeltaUs), Format(median_us, Unit::kTimeDeltaUs)));
  for (const auto& [kernel, side] : {std::pair(&from, "base"), std::pair(&to, "candidate")})
    if (std::string note = CountedUnlike(*kernel, side); !note.empty()) causes.notes.push_back(std::move(note));
  part.causes = std::move(causes);
}

double Size(const ProgramPart& part) { return std::abs(part.DeltaUs()); }

// Places of those that are explained. `parts`: largest first.
std::vector<std::size_t> Leading(std::span<const ProgramPart> parts) {
  const auto first = std::ranges::find_if(parts, [](const ProgramPart& part) { return part.of != PartOf::kIdle; });
  if (first == parts.end()) return {};
  const double largest = Size(*first);
  const auto time_us = [&](std::size_t i) { return std::abs(parts[i].time_us); };
  std::vector<std::size_t> leading;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].of == PartOf::kLaunches && time_us(i) > 0 && time_us(i) >= kWorthExplaining * largest)
      leading.push_back(i);
  std::ranges::stable_sort(leading, std::greater(), time_us);
  leading.resize(std::min(leading.size(), kMostExplained));
  return leading;
}

// Options of `culprit why KERNEL` that tell these two launches from others of that kernel. Empty: there are none.
std::string OptionsFor(const ProgramExplanation& e, const KernelRecord& base, const KernelRecord& candidate) {
  const auto several = [&](const auto& is_one) {
    return std::ranges::count_if(e.base_launches, [&](const KernelRecord& k) { return is_one(k, base); }) > 1 ||
           std::ranges::count_if(e.candidate_launches, [&](const KernelRecord& k) { return is_one(k, candidate); }) > 1;
  };
  const auto is_named_so = [](const KernelRecord& k, const KernelRecord& it) { return k.stage.id == it.stage.id; };
  const auto is_shaped_so = [&](const KernelRecord& k, const KernelRecord& it) {
    return is_named_so(k, it) && k.launch.shape == it.launch.shape;
  };
  if (!several(is_named_so)) return {};
  std::string options = " --shape " + base.launch.shape;
  if (base.launch.shape != candidate.launch.shape) options += "," + candidate.launch.shape;
  if (several(is_shaped_so)) options += fmt::format(" --launch {}", base.launch.ordinal + 1);
  return options;
}

// Of launches that are not leading: a sentence with the command that says more.
std::string WhyNotLeading(const ProgramExplanation& e, const ProgramPart& part) {
  const auto alone = [](const char* side, const KernelRecord& kernel) {
    return fmt::format("Only the {} run launched it: 'culprit show {} --run {}' says what limits it.", side,
                       kernel.stage.id, WordFor(kernel.run.run));
  };
  if (part.match.base.empty()) return alone("candidate", e.candidate_launches[part.match.candidate.front()]);
  if (part.match.candidate.empty()) return alone("base", e.base_launches[part.match.base.front()]);
  if (!IsOneAgainstOne(part)) return kSeveral;
  const KernelRecord &from = e.base_launches[part.match.base.front()],
                     &to = e.candidate_launches[part.match.candidate.front()];
  return fmt::format(
      "It is not among the {} kernels whose calls changed most: 'culprit why {} --base {} --cand {}{}' explains it.",
      kMostExplained, from.stage.id, WordFor(e.base.run.run), WordFor(e.candidate.run.run), OptionsFor(e, from, to));
}

}  // namespace

std::string_view ToText(CodeChange code) {
  using enum CodeChange;
  return NameIn<CodeChange>({{kSame, "same"}, {kOther, "changed"}, {kUnknown, "unknown"}}, code);
}

CodeChange CompareCode(const KernelRecord& base, const KernelRecord& candidate) {
  if (base.cubin_digest.empty() || candidate.cubin_digest.empty() || base.launch.arch != candidate.launch.arch)
    return CodeChange::kUnknown;
  return base.cubin_digest == candidate.cubin_digest ? CodeChange::kSame : CodeChange::kOther;
}

std::vector<std::string> GeometryChanges(const KernelRecord& base, const KernelRecord& candidate) {
  std::vector<std::string> changes;
  const auto say = [&](const char* what, const std::string& was, const std::string& is) {
    if (was != is) changes.push_back(fmt::format("{} {} -> {}", what, was, is));
  };
  const LaunchRecord &a = base.launch, &b = candidate.launch;
  say("grid", fmt::format("{}x{}x{}", a.grid_x, a.grid_y, a.grid_z),
      fmt::format("{}x{}x{}", b.grid_x, b.grid_y, b.grid_z));
  say("block", fmt::format("{}x{}x{}", a.block_x, a.block_y, a.block_z),
      fmt::format("{}x{}x{}", b.block_x, b.block_y, b.block_z));
  say("dynamic shared memory", Format(static_cast<double>(a.dynamic_shared_bytes), Unit::kCapacity),
      Format(static_cast<double>(b.dynamic_shared_bytes), Unit::kCapacity));
  return changes;
}

std::vector<std::string> LaunchChanges(const KernelRecord& base, const KernelRecord& candidate) {
  std::vector<std::string> changes = GeometryChanges(base, candidate);
  const auto from = CountedClock(base), to = CountedClock(candidate);
  if (from && to && std::abs(std::log(*to / *from)) > kSameClock)
    changes.push_back(
        fmt::format("SM clock while counted {} -> {}", Format(*from, Unit::kMhz), Format(*to, Unit::kMhz)));
  return changes;
}

std::string WhatIsLeft(const KernelRecord& base, const KernelRecord& candidate) {
  const auto from = CountedClock(base), to = CountedClock(candidate);
  const char* with_clock = "its inputs, the clock or what ran beside it differ";
  if (!from || !to) return fmt::format("{}; its clock was not measured, so its time alone decides", with_clock);
  if (std::abs(std::log(*to / *from)) <= std::log1p(kOneClock))
    return "its inputs or what ran beside it differ; both were counted at one clock";
  return fmt::format("{}; they were counted at {} and {}, so its time alone decides", with_clock,
                     Format(*from, Unit::kMhz), Format(*to, Unit::kMhz));
}

ProgramExplanation SplitProgram(ProgramSide base, std::vector<KernelRecord> base_launches, ProgramSide candidate,
                                std::vector<KernelRecord> candidate_launches) {
  ProgramExplanation e;
  e.base = std::move(base);
  e.candidate = std::move(candidate);
  e.base_launches = std::move(base_launches);
  e.candidate_launches = std::move(candidate_launches);
  e.of_timeline = HasTimeline(e.base.run, e.base_launches) && HasTimeline(e.candidate.run, e.candidate_launches);
  for (MatchedLaunches& match : MatchLaunches(e.base_launches, e.candidate_launches))
    e.parts.push_back(PartOfLaunches(e, std::move(match)));
  AddCopies(e);
  AddIdle(e);
  std::ranges::stable_sort(e.parts, std::greater(), Size);
  for (const ProgramPart& part : e.parts) {
    e.base_us += part.base_us;
    e.candidate_us += part.candidate_us;
  }
  e.verdict = JudgeWork(e.base, e.base_launches, e.candidate, e.candidate_launches);
  AddRunCaveats(e);
  return e;
}

ProgramExplanation ExplainProgram(const Database& database, std::span<const RunSummary> base,
                                  std::span<const RunSummary> candidate) {
  const ProgramSide from = MakeSide(base), to = MakeSide(candidate);
  ProgramExplanation e = SplitProgram(from, database.LoadKernels(from.run.id, Ordinals::kAll), to,
                                      database.LoadKernels(to.run.id, Ordinals::kAll));
  const std::vector<std::size_t> leading = Leading(e.parts);
  Others others;
  if (CanPool(base, candidate) && !leading.empty())
    others = {Executions(database, from.run, base), Executions(database, to.run, candidate)};
  for (const std::size_t part : leading) AddCauses(database, e, others, e.parts[part]);
  for (ProgramPart& part : e.parts)
    if (part.of == PartOf::kLaunches && !part.causes && part.no_causes.empty()) part.no_causes = WhyNotLeading(e, part);
  return e;
}

std::vector<const ProgramPart*> LeadingParts(const ProgramExplanation& e) {
  std::vector<const ProgramPart*> parts;
  for (const std::size_t part : Leading(e.parts)) parts.push_back(&e.parts[part]);
  return parts;
}

}  // namespace culprit
