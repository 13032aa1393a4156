// SPDX-License-Identifier: Apache-2.0
// From a selector to the run or launch that is meant.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <functional>

#include "db/candidates.h"
#include "db/database_impl.h"
#include "db/failure.h"
#include "db/nvtx_range.h"
#include "db/read.h"
#include "db/shape_text.h"

namespace culprit {
namespace {

// By its id or UUID a run is found whatever became of the others.
bool IsSure(std::string_view run, const std::vector<Candidate>& named) {
  return !run.empty() && named.size() == 1 && named.front().label != run;
}

// What a choice among runs rests on, which must be what was recorded.
struct Requirements {
  std::function<void()> runs_themselves;
  std::function<void(RunId)> launches;
};

// AllRuns has the preferred ones first, so the first that fits is the answer.
RunId Find(Connection& connection, const Requirements& require, const Selector& selector, std::string_view stage) {
  const std::vector<Candidate> all = AllRuns(connection, stage, selector.shape);
  const std::vector<Candidate> named = Named(all, selector.run);
  const bool is_sure = IsSure(selector.run, named);
  if (!is_sure) require.runs_themselves();
  if (named.empty()) throw Error(NoSuchRun(connection, selector.run, all));
  const std::vector<Candidate> on_gpu = OnGpu(named, selector.gpu);
  if (on_gpu.empty()) throw Error(NoSuchGpu(connection, selector.gpu, named));
  // What is passed over must have no such launch indeed.
  for (const Candidate& run : on_gpu) {
    if (is_sure || run.has_launch) break;
    require.launches(run.id);
  }
  std::vector<Candidate> fitting = on_gpu;
  std::erase_if(fitting, [](const Candidate& c) { return !c.has_launch; });
  // A run without launches is a fine answer when nothing but the run was asked for.
  if (fitting.empty() && stage.empty() && selector.shape.empty()) fitting = on_gpu;
  if (fitting.empty()) throw Error(NoSuchLaunch(connection, stage, selector.shape, on_gpu));
  if (!selector.run.empty() && fitting.size() > 1) throw Error(AmbiguousRun(selector.run, fitting));
  return fitting.front().id;
}

struct Choice {
  LaunchId id = 0;
  bool ok = false;
  SizedShape size;
  std::optional<double> share_us;  // of a program's timeline
  int number = 1;                  // of those of its stage at its shape
  std::string nvtx;
};

bool IsMeant(const Choice& launch, const Selector& selector) {
  if (selector.launch > 0 && launch.number != selector.launch) return false;
  if (selector.nvtx.empty()) return selector.launch > 0 || launch.number == 1;
  return IsInRange(launch.nvtx, NormalRange(selector.nvtx));
}

std::string NoSuchNumberOrRange(std::string_view stage, const Selector& selector, const std::vector<Choice>& all) {
  if (selector.nvtx.empty()) {
    const Choice& last = *std::ranges::max_element(all, {}, &Choice::number);
    return fmt::format("'{}' has no launch {}{} in that run: {} at {} is the last", stage, selector.launch,
                       selector.shape.empty() ? "" : " at " + selector.shape, last.number, last.size.shape);
  }
  std::vector<std::string> ranges;
  for (const Choice& launch : all)
    if (!launch.nvtx.empty() && std::ranges::find(ranges, launch.nvtx) == ranges.end()) ranges.push_back(launch.nvtx);
  if (ranges.empty()) return fmt::format("'{}' has no launch in an NVTX range in that run", stage);
  constexpr std::size_t kNamed = 8;
  const std::size_t named = std::min(kNamed, ranges.size());
  std::string list;
  for (std::size_t i = 0; i < named; ++i) list += fmt::format("{}'{}'", i > 0 ? ", " : "", ranges[i]);
  return fmt::format("'{}' has no launch{} in NVTX range '{}'{} in that run: it has some in {}{}", stage,
                     selector.launch > 0 ? fmt::format(" {}", selector.launch) : "", selector.nvtx,
                     selector.shape.empty() ? "" : " at " + selector.shape, list,
                     ranges.size() > named ? fmt::format(" and {} more", ranges.size() - named) : "");
}

// What was measured before what failed or was refused; of a program what takes most of its time; squares before others;
// the largest.
bool IsBetter(const Choice& a, const Choice& b) {
  if (a.ok != b.ok) return a.ok;
  if (a.share_us && b.share_us && *a.share_us != *b.share_us) return *a.share_us > *b.share_us;
  if (IsSquare(a.size.shape) != IsSquare(b.size.shape)) return IsSquare(a.size.shape);
  return IsLarger(a.size, b.size);
}

}  // namespace

RunSummary Database::FindRun(const Selector& selector, std::string_view stage) const {
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "look for a run", [&] {
    const RunId run = Find(
        connection,
        {[&] { impl_->RequireRunsThemselvesIntact(); }, [&](RunId passed) { impl_->RequireLaunchesIntact(passed); }},
        selector, stage);
    impl_->RequireIntact(run);
    return LoadRun(connection, run);
  });
}

std::vector<RunSummary> Database::RunsNamed(std::string_view run) const {
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "look for runs", [&] {
    const std::vector<Candidate> named = Named(AllRuns(connection, "", ""), run);
    if (!IsSure(run, named)) impl_->RequireRunsThemselvesIntact();
    std::vector<RunSummary> runs;
    for (const Candidate& each : named) runs.push_back(LoadRun(connection, each.id));
    return runs;
  });
}

KernelRecord Database::FindKernel(std::string_view stage, const Selector& selector) const {
  Connection& connection = impl_->connection;
  const LaunchId launch = Saying(connection.file(), "look for a launch", [&] {
    if (stage.empty()) throw Error("which stage is meant: name one, 'culprit stages' lists them");
    const RunId run = Find(
        connection,
        {[&] { impl_->RequireRunsThemselvesIntact(); }, [&](RunId passed) { impl_->RequireLaunchesIntact(passed); }},
        selector, stage);
    impl_->RequireIntact(run);
    return ReadingOf(connection, run, [&] {
      const std::vector<std::string> spellings = Spellings(selector.shape);
      Lease row = connection.Prepared(
          "SELECT launch.id, state = 'ok', shape, flop, share_us, ordinal, coalesce(nvtx, '') FROM launch JOIN stage "
          "ON stage.id = stage_id LEFT JOIN program_launch ON launch_id = launch.id WHERE run_id = ? AND key = ?");
      row.Bind(run, stage);
      std::vector<Choice> all;
      std::optional<Choice> best;
      while (row.Step()) {
        const Choice choice{row.Integer(0),
                            row.Int(1) != 0,
                            {row.Text(2), row.Real(3, RangeOf("launch", "flop"))},
                            row.MaybeReal(4, RangeOf("program_launch", "share_us")),
                            row.Int(5) + 1,
                            row.Text(6)};
        if (!selector.shape.empty() &&
            std::find(spellings.begin(), spellings.end(), choice.size.shape) == spellings.end())
          continue;
        all.push_back(choice);
        if (IsMeant(choice, selector) && (!best || IsBetter(choice, *best))) best = choice;
      }
      if (!best && !all.empty() && (selector.launch > 0 || !selector.nvtx.empty()))
        throw Error(NoSuchNumberOrRange(stage, selector, all));
      // An index of a damaged file may have what its table lacks.
      if (!best) throw SQLite::Exception("a launch that its index names is not there", SQLITE_CORRUPT);
      return best->id;
    });
  });
  return LoadKernel(launch);
}

}  // namespace culprit
