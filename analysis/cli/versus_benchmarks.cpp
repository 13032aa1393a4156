// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "analysis/cli/culprit.h"
#include "analysis/cli/versus.h"
#include "analysis/gate/check.h"
#include "analysis/judge/why/why.h"
#include "analysis/launch/recording.h"
#include "analysis/show/report/check_report.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/why_report.h"
#include "bench/program/child.h"
#include "bench/program/run_benchmark.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// A name that no file can have, too long for one, is none that exists.
bool Exists(const std::string& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

std::set<std::string> RunsIn(const std::string& file) {
  std::set<std::string> uuids;
  if (!Exists(file)) return uuids;
  for (const RunSummary& run : Database::OpenForReading(file).Runs()) uuids.insert(run.run.uuid);
  return uuids;
}

// "bench" in the working directory is meant as ./bench; else it is looked for on the PATH.
std::string PathOf(const std::string& program) {
  return program.find('/') == program.npos && Exists(program) ? "./" + program : program;
}

// A program that records, and what it calls its run.
struct Side {
  std::string program;
  std::vector<std::string> words;
  int status = 0;
};

Side MakeSide(const Versus& args, const std::vector<std::string>& program, const std::string& label, int processes) {
  Side side{program.front(),
            {PathOf(program.front()), "--db", args.db, "--profile=" + (args.profile.empty() ? "full" : args.profile),
             "--label", label}};
  if (processes > 1) side.words.push_back(fmt::format("--processes={}", processes));
  side.words.insert(side.words.end(), program.begin() + 1, program.end());
  return side;
}

// The UUID of the run that `side` recorded: it is in `after` and not in `before`.
std::string RunOf(const Side& side, const std::set<std::string>& before, const std::set<std::string>& after,
                  const Versus& args, Streams& streams) {
  const std::string file = args.db;
  std::vector<std::string> added;
  std::ranges::set_difference(after, before, std::back_inserter(added));
  if (added.size() > 1)
    throw Error(
        fmt::format("{} runs were added to {} while {} ran; give versus a file that no other program writes to.",
                    added.size(), file, side.program));
  if (!added.empty() && side.status != 0)
    Complain(
        fmt::format("{} ended with status {}; the lines above say which kernel failed.", side.program, side.status),
        streams.err);
  if (!added.empty()) return added.front();
  throw Error(fmt::format(
      "{} ended with status {} and recorded no run in {}; link it to culprit::workload (docs/your-kernel.md).",
      side.program, side.status, file));
}

// The UUIDs of the old and the new run.
std::array<std::string, 2> Record(const Versus& args, const VersusPrograms& programs, Streams& streams) {
  const std::string file = args.db;
  const int processes = ParseProcesses(args.processes).first;
  const auto labels = LabelsOf(args, {"old: " + programs[0].front(), "new: " + programs[1].front()});
  Side was = MakeSide(args, programs[0], labels[0], processes);
  Side is = MakeSide(args, programs[1], labels[1], processes);
  const std::set<std::string> before = RunsIn(file);
  std::set<std::string> with_old;
  const SignalsPassedOn signals;
  if (processes > 1) {
    const auto statuses = RunInTurns({was.words, is.words}, processes, [&] { with_old = RunsIn(file); });
    was.status = statuses[0], is.status = statuses[1];
    return {RunOf(was, before, with_old, args, streams), RunOf(is, with_old, RunsIn(file), args, streams)};
  }
  was.status = RunProgram(was.words);
  with_old = RunsIn(file);
  std::string first = RunOf(was, before, with_old, args, streams);
  is.status = RunProgram(is.words);
  return {std::move(first), RunOf(is, with_old, RunsIn(file), args, streams)};
}

// A single launch that both timed, of code that changed: there is a why to ask for.
bool IsOne(const Check& check) {
  return check.launches.size() == 1 && check.launches.front().explanation && !check.launches.front().same_program;
}

}  // namespace

bool IsBenchmark(const std::string& program) {
  // The beginning of options that benchmarks have for their recorder.
  constexpr std::string_view kMark = "--culprit-";
  std::error_code ignored;
  const fs::path path = PathOf(program);
  if (!fs::is_regular_file(path, ignored)) return false;
  std::ifstream in(path, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(in), {});
  return content.find(kMark) != content.npos;
}

void RunBenchmarks(const Versus& args, const VersusPrograms& programs, Streams& streams) {
  std::error_code ignored;
  if (fs::equivalent(PathOf(programs[0].front()), PathOf(programs[1].front()), ignored))
    throw Error(fmt::format("OLD and NEW are both {}; keep a copy of the old program.", programs[0].front()));
  if (args.budget_s > 0)
    throw Error(
        "--budget is only for programs, because benchmarks end by themselves; leave it out, or lower --processes.");
  const double limit = args.max_slowdown.empty() ? kUsualLimit : ParsePercent("--max-slowdown", args.max_slowdown);
  const auto [was, is] = Record(args, programs, streams);
  const Database database = Database::OpenForReading(args.db);
  const RunSummary base = database.FindRun({.run = was}), candidate = database.FindRun({.run = is});
  const std::vector<KernelRecord> from = database.LoadKernels(base.id), to = database.LoadKernels(candidate.id);
  const Neighbours neighbours(database);
  const Check check = MakeCheck(base, from, candidate, to, limit,
                                [&](const auto& a, const auto& b) { return Why(neighbours, a.record(), b.record()); });
  streams.exit_status = static_cast<int>(check.Status());
  if (IsOne(check)) {
    const Explanation why = Why(neighbours, from.front(), to.front());
    Report report = MakeWhyReport(from.front(), to.front(), why, true);
    for (const auto* remarks : {&check.launches.front().remarks, &check.caveats})
      report.notes.insert(report.notes.end(), remarks->begin(), remarks->end());
    if (const CheckedLaunch& launch = check.launches.front(); launch.judgement == Judgement::kSuspect)
      report.notes.push_back("Suspect: " + launch.why);
    return Render(report, args.output, streams);
  }
  Report report = MakeCheckReport(check, database.Warnings(base.id), database.Warnings(candidate.id));
  report.notes.push_back(
      fmt::format("One launch in full: culprit why --db {} --base-run {} --cand-run {} ID ID --shape SHAPE.", args.db,
                  ShortUuid(base.run), ShortUuid(candidate.run)));
  Render(report, args.output, streams);
}

}  // namespace culprit
