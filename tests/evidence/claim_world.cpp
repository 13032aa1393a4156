// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/claim_world.h"

#include "tests/evidence/seeds/published.h"

namespace culprit::testing {
namespace {

constexpr double kFfma = 4096.0 * 4096 * 4096;
constexpr double kLoads = kFfma / 512, kStores32 = 16777216, kStores128 = 4194304;
constexpr double kWarps = 32 * 32 * 8;

struct Value {
  const char* stage;
  const char* metric;
  double value;
};

constexpr Value kSpeeds[] = {
    {"sgemm_naive_swapped", "", 400},   {"sgemm_smem", "", 3000},        {"sgemm_smem_swapped", "", 1500},
    {"sgemm_smem_no_unroll", "", 2950}, {"sgemm_tile_1d", "", 4500},     {"sgemm_tile_2d", "", 6000},
    {"sgemm_tile_2d_kinner", "", 2000}, {"sgemm_tile_2d_reg", "", 7500}, {"sgemm_float4", "", 9000},
    {"sgemm_double_buffer", "", 10500}, {"sgemm_padded", "", 9800},      {"sgemm_zorder", "", 11000},
    {"sgemm_pingpong", "", 12000},      {"hgemm_wmma", "", 30000},       {"hgemm_wmma_padded", "", 60000},
    {"hgemm_mma_swizzle", "", 70000},   {"hgemm_mma", "", 31000},        {"cublas_hgemm", "", 65000},
};

// Counts of 4096.
constexpr Value kCounts[] = {
    {"sgemm_naive", "global_load_requests", 100},
    {"sgemm_naive", "global_load_sectors", 400},
    {"sgemm_naive_swapped", "global_load_requests", 100},
    {"sgemm_naive_swapped", "global_load_sectors", 1700},
    {"sgemm_naive", "global_load_inst", kFfma / 16},
    {"sgemm_smem", "global_load_inst", kFfma / 512},
    {"sgemm_tile_2d_reg", "global_load_inst", 4e6},
    {"sgemm_float4", "global_load_inst", 1e6},
    {"view_naive", "global_load_inst", kFfma / 16},
    {"view_block_v1", "global_load_inst", kFfma / 256},
    {"view_block_v2", "global_load_inst", kFfma / 2048},
    {"v2", "global_load_inst", 1e6},
    {"v1_9", "global_load_inst", 4e6},
    {"v2", "global_load_sectors", 2e7},
    {"v1_9", "global_load_sectors", 8e7},
    {"cublas_hgemm", "tensor_gmma_inst", 0},
    {"cublas_hgemm", "shared_conflicts_hw", 1e5},
    {"cublas_hgemm", "shared_wavefronts", 1e8},

    {"sgemm_naive", "warps_active", 0.9 * 132 * 1e6},
    {"sgemm_naive", "sm_cycles_active_max", 1e6},
    {"sgemm_naive", "inst_issued", 0.6 * 132 * 1e6},
    {"sgemm_tile_2d_reg", "integer_thread_inst", 4e9},
    {"sgemm_float4", "integer_thread_inst", 1e9},
    {"v2", "inst_executed", 2e9},
    {"v1_9", "inst_executed", 2.5e9},
    {"v2", "l1_throughput_pct", 40},
    {"v1_9", "l1_throughput_pct", 50},

    {"sgemm_tile_1d", "shared_load_inst", 8e9},
    {"sgemm_smem", "shared_load_inst", 16e9},
    {"sgemm_tile_2d", "shared_load_inst", 2e9},
    {"sgemm_tile_2d_kinner", "shared_load_inst", 9e9},
    {"sgemm_tile_2d_reg", "shared_load_inst", 5e8},
    {"sgemm_float4", "shared_load_inst", kLoads},
    {"sgemm_padded", "shared_load_inst", kLoads},
    {"sgemm_zorder", "shared_load_inst", kLoads},
    {"sgemm_zorder", "shared_load_wavefronts", 2 * kLoads + 5859},
    {"sgemm_padded", "shared_load_wavefronts", 3 * kLoads + 4334},
    {"sgemm_padded", "shared_store_inst", kStores32 + kStores128},
    {"sgemm_zorder", "shared_store_inst", kStores32 + kStores128},
    {"view_block_v1", "shared_load_inst", 4e9},
    {"view_block_v2", "shared_load_inst", 1e9},
    {"v1_8", "shared_load_inst", 3e8},
    {"v1_8", "shared_store_inst", 8e6},
    {"v1_7", "shared_load_inst", 6e8},
    {"v1_7", "shared_store_inst", 32e6},
    {"v1_6", "shared_load_inst", 2e8},

    {"sgemm_tile_2d_reg", "warps_active", 1000},
    {"sgemm_tile_2d_reg", "stall_long_scoreboard", 200},
    {"sgemm_tile_2d_reg", "stall_short_scoreboard", 100},
    {"sgemm_tile_2d_reg", "stall_mio_throttle", 50},
    {"sgemm_tile_2d_reg", "stall_lg_throttle", 10},
    {"sgemm_tile_2d_reg", "memory_throughput_pct", 80},
    {"sgemm_tile_2d_reg", "fma_pipe_pct", 30},
    {"sgemm_double_buffer", "warps_active", 1000},
    {"sgemm_double_buffer", "stall_long_scoreboard", 200},
    {"sgemm_double_buffer", "stall_short_scoreboard", 200},
    {"sgemm_pingpong", "warps_active", 1000},
    {"sgemm_pingpong", "stall_long_scoreboard", 20},
    {"sgemm_pingpong", "stall_short_scoreboard", 60},

    {"v1_8", "dram_read_bytes", 1e9},
    {"v1_8", "dram_write_bytes", 1e8},
    {"v1_7", "dram_read_bytes", 1e9},
    {"v1_7", "dram_write_bytes", 1e8},
    {"v1_6", "dram_read_bytes", 1e9},
    {"v1_6", "dram_write_bytes", 4e9},
    {"v1_7", "l2_sectors", 1e8},
    {"v1_6", "l2_sectors", 1e9},
};

constexpr Value kLocalSectors[] = {{"v1_7", "", 0}, {"v1_6", "", 1e9}, {"v1_6_4", "", 0}, {"v1", "", 1e9}};

}  // namespace

ClaimWorld::ClaimWorld() {
  for (const Published& row : PublishedVStudy().rows) Gflops(std::string(row.stage), row.value);
  for (const Published& row : PublishedSizes().rows)
    if (row.stage != "cublas_sgemm" || row.size != kWorldSize) Ms(std::string(row.stage), row.value, row.size);
  Gflops("view_block_v1", 1850);
  for (const Value& v : kSpeeds) Gflops(v.stage, v.value);
  for (const Value& v : kCounts) Set(v.stage, v.metric, v.value);
  for (const char* stage : {"sgemm_smem", "sgemm_tile_1d", "sgemm_tile_2d", "sgemm_pingpong"})
    Set(stage, "ffma_thread_inst", kFfma);
  for (const Value& v : kLocalSectors) {
    Set(v.stage, "local_load_sectors", v.value);
    Set(v.stage, "local_store_sectors", v.value);
  }
  Attribute("v1_6", "stack_frame_bytes", 256).Attribute("v1_6", "spill_store_bytes", 0);
  Attribute("v1_6", "spill_load_bytes", 0).Attribute("v1_6", "registers", 128);
  Attribute("v1_6", "blocks_per_sm_by_registers", 2);
  At("v2").record.stage.factors = {{"unroll", "true"}, {"thread-level gmem<->smem", "float4"}};
  At("v1_9").record.stage.factors = {{"unroll", "true"}, {"thread-level gmem<->smem", "4 floats"}};
  At("sgemm_float4").record.stage.constraint = "m % 128 == 0, n % 128 == 0, k % 8 == 0";
  for (const char* stage : {"sgemm_smem", "sgemm_smem_no_unroll"}) At(stage).record.cubin_digest = "00000000000000bb";
  RowBytesOfA("hgemm_wmma", 64).RowBytesOfA("hgemm_wmma_padded", 80);
  LaunchRecord& small = At("view_block_v2", 256).record.launch;
  small.grid_x = small.grid_y = 2;

  Shared("sgemm_float4", "lds", 128, kLoads, 3, 2);
  Shared("sgemm_float4", "sts", 32, kStores32, 2, 1).Shared("sgemm_float4", "sts", 128, kStores128, 4, 4);
  Shared("sgemm_padded", "lds", 128, kLoads, 3, 2);
  Shared("sgemm_padded", "sts", 32, kStores32, 1, 1).Shared("sgemm_padded", "sts", 128, kStores128, 4, 4);
  Shared("sgemm_zorder", "lds", 128, kLoads, 2, 2);
  Shared("sgemm_zorder", "sts", 32, kStores32, 1, 1).Shared("sgemm_zorder", "sts", 128, kStores128, 4, 4);
  Shared("sgemm_smem", "lds", 32, kFfma / 16, 1, 1).Shared("sgemm_pingpong", "lds", 128, kLoads, 3, 2);
  Shared("v1_8", "sts", 128, 2 * kWarps * 512, 4, 4).Shared("v1_8", "lds", 128, kLoads, 4, 2);
  Shared("v1_7", "sts", 32, 8 * kWarps * 512, 1, 1).Shared("v1_7", "lds", 128, kLoads, 4, 2);
  Shared("v1_7", "lds", 32, kLoads, 1, 1);

  Barriers("sgemm_float4", 2 * kWarps * 512).Barriers("sgemm_double_buffer", kWarps * 512);
  Barriers("sgemm_pingpong", kWarps * 256);

  const double fragments = 8 * kWarps * 256, copies = fragments / 4;
  Shared("hgemm_wmma", "ldsm", 0, fragments, 8, 4).Shared("hgemm_wmma", "sts", 128, copies, 4, 4);
  Shared("hgemm_wmma_padded", "ldsm", 0, fragments, 4, 4).Shared("hgemm_wmma_padded", "sts", 128, copies, 8, 4);
  Shared("hgemm_mma", "ldsm", 0, fragments, 8, 4).Shared("hgemm_mma", "sts", 128, copies, 4, 4);
  Shared("hgemm_mma_swizzle", "ldsm", 0, fragments, 4, 4).Shared("hgemm_mma_swizzle", "sts", 128, copies, 4, 4);
  Shared("cublas_hgemm", "ldsm", 0, fragments, 4, 4);
}

KernelBuilder& ClaimWorld::At(const std::string& stage, int size) {
  const auto [found, added] = kernels_.try_emplace({stage, size}, stage);
  if (added) {
    LaunchRecord& launch = found->second.record.launch;
    launch.shape = SquareShape(size);
    launch.flop = 2.0 * size * size * size;
    launch.grid_x = launch.grid_y = 32;
  }
  return found->second;
}

ClaimWorld& ClaimWorld::Gflops(const std::string& stage, double gflops, int size) {
  At(stage, size).Time(2.0 * size * size * size / gflops / 1e3);
  return *this;
}

ClaimWorld& ClaimWorld::Ms(const std::string& stage, double ms, int size) {
  At(stage, size).Time(1000 * ms);
  return *this;
}

ClaimWorld& ClaimWorld::Set(const std::string& stage, const std::string& metric, double value, int size) {
  At(stage, size).Metric(metric, value);
  return *this;
}

ClaimWorld& ClaimWorld::Attribute(const std::string& stage, const std::string& name, double value) {
  At(stage).Attribute(name, value);
  return *this;
}

ClaimWorld& ClaimWorld::Shared(const std::string& stage, const std::string& kind, int bits, double executed,
                               double wavefronts, double ideal) {
  struct Kind {
    const char *opcode, *metric;
  };
  static const std::map<std::string, Kind> kinds = {{"lds", {"LDS", "sass_shared_load_inst"}},
                                                    {"sts", {"STS", "sass_shared_store_inst"}},
                                                    {"ldsm", {"LDSM", "sass_ldsm_inst"}}};
  InstructionRecord& instruction = Instruction(stage, kind, bits);
  instruction.opcode = kinds.at(kind).opcode;
  instruction.counts = {{"sass_inst", executed},
                        {"sass_shared_inst", executed},
                        {kinds.at(kind).metric, executed},
                        {"sass_shared_wavefronts", executed * wavefronts},
                        {"sass_shared_wavefronts_ideal", executed * ideal}};
  if (bits > 0) instruction.counts["sass_memory_" + std::to_string(bits) + "b_inst"] = executed;
  AddUp(stage);
  return *this;
}

ClaimWorld& ClaimWorld::Barriers(const std::string& stage, double executed) {
  InstructionRecord& instruction = Instruction(stage, "bar", 0);
  instruction.opcode = "BAR";
  instruction.counts = {{"sass_inst", executed}};
  AddUp(stage);
  return *this;
}

ClaimWorld& ClaimWorld::RowBytesOfA(const std::string& stage, int bytes) {
  SharedAccess access{"store A", "A", bytes, SharedOp::kStore, 16, {}};
  At(stage).record.stage.shared_accesses = {access};
  return *this;
}

InstructionRecord& ClaimWorld::Instruction(const std::string& stage, const std::string& kind, int bits) {
  auto& instructions = instructions_[stage];
  InstructionRecord& instruction = instructions[{kind, bits}];
  instruction.function = stage;
  instruction.pc_offset = 16 * static_cast<std::int64_t>(instructions.size());
  instruction.source_file = "kernels/invented.cu";
  instruction.source_line = 20 + static_cast<int>(instructions.size());
  return instruction;
}

void ClaimWorld::AddUp(const std::string& stage) {
  for (const char* metric : {"sass_inst", "sass_shared_inst", "sass_shared_load_inst", "sass_shared_store_inst",
                             "sass_ldsm_inst", "sass_stsm_inst", "sass_ldgsts_inst", "sass_memory_32b_inst",
                             "sass_memory_128b_inst", "sass_shared_wavefronts", "sass_shared_wavefronts_ideal"}) {
    double sum = 0;
    for (const auto& [key, one] : instructions_[stage])
      if (const auto count = one.counts.find(metric); count != one.counts.end()) sum += count->second;
    Set(stage, metric, sum);
  }
}

void ClaimWorld::ForgetOpcodes() {
  for (auto& [stage, instructions] : instructions_)
    for (auto& [key, instruction] : instructions) instruction.opcode.clear();
}

void ClaimWorld::Remove(const std::string& stage) {
  std::erase_if(kernels_, [&](const auto& kernel) { return kernel.first.first == stage; });
}

void ClaimWorld::DenyCounters() {
  for (auto& [key, kernel] : kernels_)
    for (Reading& reading : kernel.record.readings) {
      reading.value.reset();
      reading.status = ReadingStatus::kDenied;
    }
}

void ClaimWorld::MoveTo(const std::string& shape) {
  for (auto& [key, kernel] : kernels_)
    if (key.second == kWorldSize) kernel.record.launch.shape = shape;
}

culprit::Recording ClaimWorld::Recording() const {
  std::vector<KernelRecord> records;
  std::map<LaunchId, std::vector<InstructionRecord>> by_launch;
  for (const auto& [key, kernel] : kernels_) {
    records.push_back(kernel.record);
    records.back().id = static_cast<LaunchId>(records.size());
    const auto found = instructions_.find(key.first);
    if (found == instructions_.end() || key.second != kWorldSize) continue;
    for (const auto& [which, instruction] : found->second) by_launch[records.back().id].push_back(instruction);
  }
  RunSummary run;
  run.run = KernelBuilder("any").record.run.run;
  run.state = "complete";
  return {std::move(run), std::move(records), [by_launch](LaunchId launch) {
            const auto found = by_launch.find(launch);
            return found == by_launch.end() ? std::vector<InstructionRecord>() : found->second;
          }};
}

void ClaimWorld::Write(const std::filesystem::path& file) const {
  Database database = Database::OpenForRecording(file);
  const RunId run = database.BeginRun(KernelBuilder("any").record.run.run);
  for (const auto& [key, kernel] : kernels_) {
    const KernelRecord& k = kernel.record;
    std::vector<BuildRecord> builds;
    if (!k.attributes.empty() || !k.cubin_digest.empty())
      builds.push_back({k.stage.id, "sm_90", k.stage.id, k.cubin_digest, k.attributes});
    database.StoreStage(run, k.stage, builds);
    const LaunchId launch = database.StoreLaunch(run, k.launch, k.samples);
    database.StoreReadings(launch, k.readings);
    const auto found = instructions_.find(key.first);
    if (found == instructions_.end() || key.second != kWorldSize) continue;
    std::vector<InstructionRecord> instructions;
    for (const auto& [which, instruction] : found->second) instructions.push_back(instruction);
    database.StoreInstructions(launch, instructions);
  }
  database.FinishRun(run);
}

}  // namespace culprit::testing
