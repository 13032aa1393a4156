// SPDX-License-Identifier: Apache-2.0
// Finds the run or launch that a selector means.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "db/candidates.h"
#include "db/database_impl.h"
#include "db/failure.h"
#include "db/nvtx_range.h"
#include "db/read.h"
#include "db/shape_text.h"

namespace culprit {
namespace {

// An id or UUID identifies a run even if other runs are damaged.
bool IsSure(std::string_view run, const std::vector<Candidate>& named) {
  return !run.empty() && named.size() == 1 && named.front().label != run;
}

struct Choice {
  LaunchId id = 0;
  bool ok = false;
  SizedShape size;
  std::optional<double> share_us;  // share of a program's timeline
  int number = 1;                  // number among the launches of its stage at its shape
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
    if (const std::string range = fmt::format("'{}'", launch.nvtx);
        !launch.nvtx.empty() && std::ranges::find(ranges, range) == ranges.end())
      ranges.push_back(range);
  if (ranges.empty()) return fmt::format("'{}' has no launch in an NVTX range in that run", stage);
  return fmt::format("'{}' has no launch{} in NVTX range '{}'{} in that run: it has some in {}", stage,
                     selector.launch > 0 ? fmt::format(" {}", selector.launch) : "", selector.nvtx,
                     selector.shape.empty() ? "" : " at " + selector.shape, Join(std::move(ranges)));
}

// Order: measured launches before failed and refused ones; in a program, the most time; squares first; then the
// largest.
bool IsBetter(const Choice& a, const Choice& b) {
  if (a.ok != b.ok) return a.ok;
  if (a.share_us && b.share_us && *a.share_us != *b.share_us) return *a.share_us > *b.share_us;
  if (IsSquare(a.size.shape) != IsSquare(b.size.shape)) return IsSquare(a.size.shape);
  return IsLarger(a.size, b.size);
}

}  // namespace

// AllRuns sorts by preference, so the first match is the answer.
RunId Database::Impl::Find(const Selector& selector, std::string_view stage) {
  const std::vector<Candidate> all = AllRuns(connection, stage, selector.shape);
  const std::vector<Candidate> named = Named(all, selector.run);
  const bool is_sure = IsSure(selector.run, named);
  if (!is_sure) RequireRunsThemselvesIntact();
  if (named.empty()) throw Error(NoSuchRun(connection, selector.run, all));
  const std::vector<Candidate> on_gpu = OnGpu(named, selector.gpu);
  if (on_gpu.empty()) throw Error(NoSuchGpu(connection, selector.gpu, named));
  // Runs that are skipped must really lack such a launch.
  for (const Candidate& run : on_gpu) {
    if (is_sure || run.has_launch) break;
    RequireLaunchesIntact(run.id);
  }
  std::vector<Candidate> fitting = on_gpu;
  std::erase_if(fitting, [](const Candidate& c) { return !c.has_launch; });
  // When only a run is requested, it need not have launches.
  if (fitting.empty() && stage.empty() && selector.shape.empty()) fitting = on_gpu;
  if (fitting.empty()) throw Error(NoSuchLaunch(connection, stage, selector.shape, on_gpu));
  if (!selector.run.empty() && fitting.size() > 1) throw Error(AmbiguousRun(selector.run, fitting));
  RequireIntact(fitting.front().id);
  return fitting.front().id;
}

RunSummary Database::FindRun(const Selector& selector, std::string_view stage) const {
  Connection& connection = impl_->connection;
  return Saying(connection.file(), "look for a run", [&] { return LoadRun(connection, impl_->Find(selector, stage)); });
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
    if (stage.empty()) throw Error("which kernel is meant: name one, 'culprit list' lists them");
    const RunId run = impl_->Find(selector, stage);
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
      // The index of a damaged file may have entries that its table lacks.
      if (!best) throw SQLite::Exception("a launch that its index names is not there", SQLITE_CORRUPT);
      return best->id;
    });
  });
  return LoadKernel(launch);
}

}  // namespace culprit
