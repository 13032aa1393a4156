// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/cli/locate.h"
#include "tests/evidence/calibrate_report.h"
#include "tests/evidence/tool.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  Selector selector;
};

// The chosen run, or every complete one that was timed, oldest first: edges of all of them are evidence.
std::vector<RunSummary> RunsFor(const Database& database, const Selector& selector) {
  const RunSummary picked = PickRun(database, selector);
  if (!selector.run.empty()) return {picked};
  std::vector<RunSummary> runs = database.RunsToChooseFrom();
  std::erase_if(runs, [&](const RunSummary& r) {
    return r.state != "complete" || r.launches == 0 || !r.run.device || !picked.run.device ||
           r.run.device->name != picked.run.device->name;
  });
  std::reverse(runs.begin(), runs.end());
  if (runs.empty()) runs.push_back(picked);
  return runs;
}

// "4096" stands for every shape whose extents are all 4096.
bool IsAt(const std::string& shape, const std::string& wanted) {
  if (wanted.empty() || shape == wanted) return true;
  const std::vector<double> extents = Extents(shape), one = Extents(wanted);
  return one.size() == 1 && !extents.empty() &&
         std::all_of(extents.begin(), extents.end(), [&](double e) { return e == one.front(); });
}

struct ReadRun {
  Recording recording;
  std::vector<StageRecord> stages;
};

// Reading a run takes about as long as judging it. So another thread reads the next run meanwhile, and only that thread
// uses the database.
std::vector<Trial> TrialsOfAll(const Database& database, const std::vector<RunSummary>& runs) {
  const auto reading = [&](const RunSummary& run) {
    return std::async(std::launch::async, [&database, &run] {
      return ReadRun{Recording::LoadBriefly(database, run), database.Stages(run.id)};
    });
  };
  std::vector<Trial> trials;
  std::future<ReadRun> next = reading(runs.front());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ReadRun run = next.get();
    if (i + 1 < runs.size()) next = reading(runs[i + 1]);
    std::vector<Trial> more = TrialsOf(run.recording, run.stages);
    std::move(more.begin(), more.end(), std::back_inserter(trials));
  }
  return trials;
}

}  // namespace

Action AddCalibrate(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddReportOptions(syntax, *args);
  AddSelector(syntax, args->selector, "every shape", "every complete run on the newest one's GPU");
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db);
    const std::vector<RunSummary> runs = RunsFor(database, args->selector);
    std::vector<Trial> trials = TrialsOfAll(database, runs);
    std::erase_if(trials, [&](const Trial& t) { return !IsAt(t.shape, args->selector.shape); });
    const bool wide = !args->output.IsText();
    Render(MakeCalibrationReport(Calibrate(std::move(trials)), runs, wide), args->output, streams);
  };
}

}  // namespace culprit
