// SPDX-License-Identifier: Apache-2.0
#include "tests/support/invented_recording.h"

#include <algorithm>

#include "bench/program/plan.h"
#include "bench/program/stored_program.h"
#include "tests/support/invented_study.h"

namespace culprit::testing {
namespace {

const LaunchGeometry kWide{1024, 1, 1, 256, 1, 1, 0}, kFlat{64, 8, 1, 32, 8, 1, 16384};

class Program {
 public:
  explicit Program(const KernelRecord& gather) : gather_(gather) {
    trace_.pid = 4711;
    trace_.complete = true;
    trace_.toolchain = gather.run.run.toolchain;
    trace_.devices[0] = {"GPU-1", *gather.run.run.device};
    trace_.kernels = {"gather_rows", "_ZN2ns9normalizeILi4EfEEvPT0_i", "_ZN2ns4fillEPfi", "wait_for_peer"};
    trace_.ranges = {"step 1/forward", "step 2/forward"};
    trace_.builds = {{"", gather.launch.arch, "gather_rows", gather.cubin_digest, gather.attributes}};
    trace_.places["gather_rows"] = {"src/gather.cu", 12};
    trace_.stacks = {
        {"gather_rows",
         kWide,
         "step #/forward",
         {{"/home/me/models/rows.py", 77, "forward"}, {"train.py", 42, "step"}, {"train.py", 60, "<module>"}}},
        {"_ZN2ns4fillEPfi", kFlat, "", {{"train.py", 51, "<module>"}}}};
  }

  const ProcessTrace& Run(std::int64_t gather_us) {
    for (int step = 0; step < 20; ++step) {
      Copy(CopyKind::kToDevice, 1 << 20, 40);
      Launch(0, kWide, gather_us + step % 3, step % 2);
      Launch(1, kFlat, 120, step % 2);
      now_us_ += 25;
    }
    Copy(CopyKind::kSet, 4096, 2);
    // At once: each has half of what both take.
    trace_.launches.push_back({2, kFlat, 0, 1, 8, -1, true, 1000 * now_us_, 1000 * (now_us_ + 60)});
    Launch(3, kFlat, 60, -1);
    trace_.launches_seen = std::ranges::count(trace_.launches, false, &TracedLaunch::from_graph);
    return trace_;
  }

  ProcessTrace Counted() const {
    ProcessTrace counted = trace_;
    counted.launches.clear();
    for (const std::int64_t nth : {1, 10, 19})
      counted.counted.push_back({0, kWide, static_cast<int>(nth % 2), nth, gather_.readings, {}, ""});
    counted.counted.push_back(
        {3, kFlat, -1, 0, {}, {}, "it did not come back within 10 s: it waits for the host or a peer"});
    return counted;
  }

 private:
  void Launch(int kernel, const LaunchGeometry& geometry, std::int64_t us, int range) {
    trace_.launches.push_back({kernel, geometry, 0, 1, 7, range, false, 1000 * now_us_, 1000 * (now_us_ + us)});
    now_us_ += us;
  }
  void Copy(CopyKind kind, std::int64_t bytes, std::int64_t us) {
    trace_.copies.push_back({kind, 0, bytes, 1000 * now_us_, 1000 * (now_us_ + us)});
    now_us_ += us;
  }

  KernelRecord gather_;
  ProcessTrace trace_;
  std::int64_t now_us_ = 5'000'000;
};

void Store(Database& database, const RunRecord& run, const KernelRecord& gather, std::int64_t gather_us) {
  Program program(gather);
  TimedProgram timed = ReadTimed(std::span(&program.Run(gather_us), 1));
  timed.program.exit_status = 0;
  timed.program.wall_us = 1.5e6;
  timed.program.counted_wall_us = 4.5e6;
  std::vector<std::string> not_counted = PlanCounting(timed, {.names = NamePattern("-k", "gather|wait")}).not_counted;
  StoredProgram stored(database, run, std::move(timed), std::move(not_counted));
  const ProcessTrace counted = program.Counted();
  stored.AddCounts(std::span(&counted, 1), "not launched again");
  stored.Finish();
}

}  // namespace

void WriteRecordedDatabase(const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  RunRecord run;
  run.uuid = "aaaaaaaa-1111-4222-8333-444444444444";
  run.started_utc = "2026-02-03T04:05:06Z";
  run.label = "before";
  run.command_line = "./train --steps 20";
  run.profile = "full";
  Store(database, run, InventedV17().record, 700);
  run.uuid = "bbbbbbbb-1111-4222-8333-444444444444";
  run.started_utc = "2026-02-03T05:05:06Z";
  run.label = "after";
  Store(database, run, InventedV16().record, 1280);
}

}  // namespace culprit::testing
