// SPDX-License-Identifier: Apache-2.0
#include "profiler/occupancy.h"

#include <algorithm>
#include <limits>

#include "profiler/code/static_attributes.h"

namespace culprit {
namespace {

// The same on every chip. Source: as Chip; granularities from the CUDA Occupancy Calculator.
constexpr int kWarpThreads = 32;
constexpr int kMaxThreadRegisters = 255;
constexpr int kSmRegisters = 64 * 1024;
constexpr int kRegisterGranularity = 256;  // registers, per warp

constexpr int RoundUp(int value, int step) { return (value + step - 1) / step * step; }

int WarpRegisters(int registers) { return RoundUp(registers * kWarpThreads, kRegisterGranularity); }

// A warp runs on one sub-partition and takes its registers from that quarter of the register file.
int WarpsByRegisters(int registers) {
  return kSmRegisters / kSubPartitions / WarpRegisters(std::max(registers, 1)) * kSubPartitions;
}

int BlocksByRegisters(const BlockResources& block, int block_warps) {
  if (block.registers > kMaxThreadRegisters) return 0;
  // The launch check assumes that a block's warps are spread evenly over all sub-partitions.
  if (RoundUp(block_warps, kSubPartitions) * WarpRegisters(block.registers) > kSmRegisters) return 0;
  return WarpsByRegisters(block.registers) / block_warps;
}

int BlocksByShared(const Chip& sm, const BlockResources& block) {
  const int asked = block.static_shared_bytes + block.dynamic_shared_bytes;
  if (asked > sm.shared_bytes_per_block) return 0;
  const int taken = RoundUp(asked + sm.reserved_shared_bytes, sm.shared_granularity);
  return taken == 0 ? std::numeric_limits<int>::max() : sm.shared_bytes / taken;
}

}  // namespace

Occupancy ComputeOccupancy(const Chip& sm, const BlockResources& block) {
  const int block_warps = std::max(1, RoundUp(block.threads, kWarpThreads) / kWarpThreads);
  Occupancy o;
  o.blocks_by_registers = BlocksByRegisters(block, block_warps);
  // When shared memory sets no limit, the maximum number of blocks does.
  o.blocks_by_shared = std::min(BlocksByShared(sm, block), sm.blocks);
  o.blocks_by_warps = block.threads > kMaxBlockThreads ? 0 : sm.warps / block_warps;
  o.blocks_by_blocks = sm.blocks;
  o.blocks = std::min({o.blocks_by_registers, o.blocks_by_shared, o.blocks_by_warps, o.blocks_by_blocks});
  o.warps = o.blocks * block_warps;
  o.ratio = static_cast<double>(o.warps) / sm.warps;
  return o;
}

int MaxThreadsByRegisters(int registers) {
  return std::min(kMaxBlockThreads, WarpsByRegisters(registers) * kWarpThreads);
}

void AddOccupancy(BuildRecord& build, int block_threads, int dynamic_shared_bytes) {
  AddAttribute(build, "block_threads", "model", block_threads);
  AddAttribute(build, "dynamic_shared_bytes", "model", dynamic_shared_bytes);
  std::optional<Occupancy> o;
  const Chip* const sm = FindChip(build.arch);
  const std::optional<double> registers = FindAttribute(build, "registers");
  const std::optional<double> shared = FindAttribute(build, "static_shared_bytes");
  if (sm != nullptr && registers && shared) {
    o = ComputeOccupancy(
        *sm, {block_threads, static_cast<int>(*registers), static_cast<int>(*shared), dynamic_shared_bytes});
  }
  const auto add = [&](const char* name, auto member) {
    AddAttribute(build, name, "model", o ? std::optional<double>((*o).*member) : std::nullopt);
  };
  add("theoretical_occupancy", &Occupancy::ratio);
  add("theoretical_warps_per_sm", &Occupancy::warps);
  add("blocks_per_sm_by_registers", &Occupancy::blocks_by_registers);
  add("blocks_per_sm_by_shared", &Occupancy::blocks_by_shared);
  add("blocks_per_sm_by_warps", &Occupancy::blocks_by_warps);
  add("blocks_per_sm_by_blocks", &Occupancy::blocks_by_blocks);
}

}  // namespace culprit
