// SPDX-License-Identifier: Apache-2.0
#include "tests/support/invented_database.h"

#include <stdlib.h>

#include <stdexcept>
#include <string>

#include "db/database.h"
#include "tests/support/invented_study.h"

namespace culprit::testing {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "culprit-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

namespace {

BuildRecord Build(const KernelRecord& k, std::string arch) {
  return {k.stage.id, std::move(arch), k.stage.id, "00000000000000aa", k.attributes};
}

void StoreStaticRun(Database& database) {
  RunRecord run = InventedV17().record.run.run;
  run.uuid = "aaaaaaaa-2222-4333-8444-555555555555";
  run.started_utc = "2026-01-01T03:04:05Z";
  run.label = "static";
  run.device.reset();
  run.toolchain.driver.clear();
  run.profile = "none";
  const RunId id = database.BeginRun(run);
  database.StoreWarning(id, std::nullopt, {"no_gpu", "No GPU here: only static attributes were recorded."});
  for (const KernelBuilder& k : {InventedV17(), InventedV16()}) {
    // What the runtime says needs a GPU.
    KernelRecord built = k.record;
    std::erase_if(built.attributes, [](const StaticAttribute& a) { return a.source == "runtime"; });
    KernelBuilder older = k;
    older.record = built;
    older.Attribute("stack_frame_bytes", 0);
    const BuildRecord builds[] = {Build(older.record, "sm_80"), Build(built, "sm_90")};
    database.StoreStage(id, k.record.stage, builds);
  }
  database.FinishRun(id);
}

// Loads that make up the accesses of a kernel.
std::vector<InstructionRecord> InstructionsOf(const KernelRecord& k) {
  std::vector<InstructionRecord> instructions;
  for (const auto& [memory, by_bytes] : k.accesses)
    for (const auto& [bytes, count] : by_bytes) {
      InstructionRecord i;
      i.function = k.stage.id;
      i.pc_offset = 16 * static_cast<std::int64_t>(instructions.size());
      i.opcode = memory == "shared" ? "LDS" : "LDG";
      i.counts = {{"sass_memory_" + std::to_string(8 * bytes) + "b_inst", count}};
      instructions.push_back(std::move(i));
    }
  return instructions;
}

LaunchId Store(Database& database, RunId run, const KernelRecord& k) {
  std::vector<BuildRecord> builds;
  if (!k.attributes.empty()) builds.push_back(Build(k, "sm_90"));
  database.StoreStage(run, k.stage, builds);
  const LaunchId launch = database.StoreLaunch(run, k.launch, k.samples);
  database.StoreReadings(launch, k.readings);
  database.StoreInstructions(launch, InstructionsOf(k));
  return launch;
}

void StoreInventedRun(Database& database) {
  const RunId run = database.BeginRun(InventedV17().record.run.run);
  database.StoreMachine(run, std::vector<MachineFigure>{{"l2_bytes", 0, 36.5, "byte/SM/cycle"},
                                                        {"l2_latency", 0, 294.5, "cycle"},
                                                        {"l2_latency", 22.4, 301.75, "cycle"}});
  for (const KernelBuilder& k : {InventedCublas(), InventedV17(), InventedV16()}) Store(database, run, k.record);

  KernelBuilder broken("broken");
  broken.record.stage.idea = "an invented stage that computes something else";
  broken.record.launch.state = LaunchState::kFailed;
  broken.record.launch.message = "element (3, 5) is 1.5 where the reference has 2.25.";
  broken.record.launch.verify_error_over_bound = 9000;
  Store(database, run, broken.record);

  KernelBuilder picky("picky");
  picky.record.stage.idea = "an invented stage that takes few shapes";
  picky.record.stage.constraint = "m % 4096 == 0";
  picky.record.launch.state = LaunchState::kRefused;
  picky.record.launch.message = "picky takes shapes with m % 4096 == 0 only.";
  picky.record.launch.verify_error_over_bound.reset();
  picky.record.launch.verify_reference.clear();
  Store(database, run, picky.record);

  KernelBuilder small = InventedV17();
  small.record.launch.shape = "1024x1024x1024";
  small.record.launch.flop /= 8;
  small.record.launch.min_bytes /= 4;
  small.Time(100);
  for (Reading& r : small.record.readings) {
    r.value.reset();
    r.status = ReadingStatus::kDenied;
  }
  const LaunchId launch = database.StoreLaunch(run, small.record.launch, small.record.samples);
  database.StoreReadings(launch, small.record.readings);
  database.StoreWarning(
      run, launch,
      {"counters_denied", "The driver refused the counters: ask an administrator to allow them for all users."});
  database.FinishRun(run);
}

InstructionRecord Counted(std::int64_t pc_offset, int line, const std::string& kind, double executed, double wavefronts,
                          double ideal) {
  return {"half_tile",
          pc_offset,
          "kernels/hgemm/half_tile.cu",
          line,
          {{kind, executed},
           {"sass_shared_inst", executed},
           {"sass_memory_128b_inst", kind == "sass_ldsm_inst" ? 0 : executed},
           {"sass_shared_wavefronts", wavefronts * executed},
           {"sass_shared_wavefronts_ideal", ideal * executed}}};
}

KernelBuilder HalfTile() {
  KernelBuilder k("half_tile");
  k.record.stage.idea = "an invented stage that loads matrices without padding";
  const auto access = [](const char* name, SharedOp op, int lane_stride) {
    SharedAccess a{name, "A", 64, op, 16, {}};
    for (int lane = 0; lane < kWarpLanes; ++lane) a.address[lane] = lane * lane_stride;
    return a;
  };
  k.record.stage.shared_accesses = {access("store A", SharedOp::kStore, 16),
                                    access("load A", SharedOp::kLoadMatrix, 64)};
  for (const char* metric : {"sass_ldsm_inst", "sass_shared_store_inst", "sass_shared_inst", "sass_memory_128b_inst",
                             "sass_shared_wavefronts", "sass_shared_wavefronts_ideal"}) {
    k.Metric(metric, 4096);
    k.record.readings.back().metric.source = "sass";
  }
  return k;
}

}  // namespace

void WriteBanksDatabase(const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  KernelBuilder counted = HalfTile();
  const RunId run = database.BeginRun(InventedV17().record.run.run);
  database.StoreStage(run, counted.record.stage, {});
  const LaunchId launch = database.StoreLaunch(run, counted.record.launch, counted.record.samples);
  database.StoreReadings(launch, counted.record.readings);
  const InstructionRecord instructions[] = {Counted(0x40, 31, "sass_shared_store_inst", 1024, 4, 4),
                                            Counted(0x80, 40, "sass_ldsm_inst", 2048, 16, 4),
                                            Counted(0x90, 40, "sass_ldsm_inst", 2048, 16, 4)};
  database.StoreInstructions(launch, instructions);
  counted.record.launch.shape = "1024x1024x1024";
  counted.record.launch.flop /= 8;
  database.StoreLaunch(run, counted.record.launch, counted.record.samples);
  KernelBuilder silent("silent");
  silent.record.stage.idea = "an invented stage that states nothing";
  Store(database, run, silent.record);
  KernelBuilder counted_alone("counted_alone");
  counted_alone.record.stage.idea = "an invented stage whose accesses were counted and not stated";
  counted_alone.record.readings = counted.record.readings;
  database.StoreInstructions(Store(database, run, counted_alone.record), instructions);
  database.FinishRun(run);
}

void WriteStaticDatabase(const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  StoreStaticRun(database);
}

void WriteInventedDatabase(const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  StoreStaticRun(database);
  StoreInventedRun(database);
}

}  // namespace culprit::testing
