// SPDX-License-Identifier: Apache-2.0
#include "tests/support/small_run.h"

#include <fmt/format.h>

namespace culprit {

Device AGpu(std::string name) {
  Device device;
  device.name = std::move(name);
  device.chip = "GH100";
  device.cc_major = 9;
  device.sm_count = 132;
  device.fp32_lanes_per_sm = 128;
  device.sm_clock_mhz = 1980;
  device.dram_bytes_per_s = 3.35e12;
  device.memory_bytes = 85'000'000'000;
  device.l2_bytes = 52'428'800;
  device.max_threads_per_sm = 2048;
  device.max_blocks_per_sm = 32;
  return device;
}

RunRecord ARun(std::string uuid, std::string started_utc, std::string label) {
  constexpr std::string_view kRest = "00000000-0000-4000-8000-000000000000";
  RunRecord run;
  run.uuid = uuid + std::string(kRest.substr(uuid.size()));
  run.started_utc = std::move(started_utc);
  run.label = std::move(label);
  run.command_line = "gemm_bench --db m.db";
  run.profile = "core";
  run.l2 = "hot";
  run.seed = 42;
  run.git_sha = "0123abc";
  run.device = AGpu();
  run.toolchain = {"580.159.04", "13.0", "13.0", "26", "13.0.88", "g++ 12.2.0"};
  return run;
}

StageRecord AStage(std::string id, std::string parent) {
  StageRecord stage;
  stage.id = std::move(id);
  stage.family = "v_study";
  stage.parent = std::move(parent);
  stage.idea = "change one thing";
  stage.constraint = "any size";
  stage.source_file = "kernels/sgemm/v_study.cu";
  stage.source_line = 10;
  stage.factors = {{"loop nest", stage.parent.empty() ? "k->m->n" : "m->n->k"}, {"load width", "1"}};
  return stage;
}

BuildRecord ABuild(const std::string& stage, double registers) {
  return {stage,
          "sm_90",
          stage,
          "00c0ffee",
          {{"registers", "cubin", registers, ReadingStatus::kOk},
           {"registers", "runtime", registers, ReadingStatus::kOk},
           {"stack_frame_bytes", "compiler", std::nullopt, ReadingStatus::kUnsupported}}};
}

LaunchRecord ALaunch(std::string stage, int extent) {
  LaunchRecord launch;
  launch.stage = std::move(stage);
  launch.arch = "sm_90";
  launch.shape = fmt::format("{0}x{0}x{0}", extent);
  launch.kernel = launch.stage;
  launch.grid_x = launch.grid_y = 32;
  launch.grid_z = 1;
  launch.block_x = 256;
  launch.block_y = launch.block_z = 1;
  launch.flop = 2.0 * extent * extent * extent;
  launch.min_bytes = 12.0 * extent * extent;
  launch.verify_error_over_bound = 0.25;
  launch.verify_reference = "cublas";
  return launch;
}

std::vector<Sample> Samples(std::initializer_list<double> times_us) {
  std::vector<Sample> samples;
  for (const double time_us : times_us) samples.push_back({static_cast<int>(samples.size()), time_us, 1980.0, false});
  return samples;
}

Reading AReading(std::string id, double value) {
  MetricDefinition metric{std::move(id), "range", "", "inst", "what it counts"};
  metric.cupti_name = "smsp__" + metric.id + ".sum";
  return {std::move(metric), value, ReadingStatus::kOk};
}

Reading NotMeasured(std::string id, ReadingStatus status) {
  Reading reading = AReading(std::move(id), 0);
  reading.value.reset();
  reading.status = status;
  return reading;
}

RunId RecordRun(Database& db, const RunRecord& run, const std::vector<std::string>& stages,
                const std::vector<int>& extents, bool finish) {
  const RunId id = db.BeginRun(run);
  for (const std::string& stage : stages) {
    const BuildRecord build = ABuild(stage);
    db.StoreStage(id, AStage(stage), {&build, 1});
    for (const int extent : extents) {
      const LaunchId launch = db.StoreLaunch(id, ALaunch(stage, extent), Samples({10.5, 11.5}));
      db.StoreReadings(
          launch, std::vector{AReading("inst_issued", 379e6), NotMeasured("stall_gmma", ReadingStatus::kUnsupported)});
    }
  }
  if (finish) db.FinishRun(id);
  return id;
}

}  // namespace culprit
