// SPDX-License-Identifier: Apache-2.0
// What one GPU can do: as the recording measured it on that very GPU; else as it is known. Every known number of a chip
// stands in machine.cpp, with its source, and is looked up by the device that a recording states. Chips with equal SMs
// can have other memories (H100 and H200), so the SM is looked up by compute capability and the memory taken from the
// recording.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "db/records.h"

namespace culprit {

struct Machine {
  // Operations of a thread that an SM finishes in a cycle, by pipe.
  double fp32 = 0, alu = 0, fp64 = 0, xu = 0;
  double fp16_pairs = 0;  // HFMA2
  // Products added up in a cycle of an SM, half precision in, without sparsity: by instructions of a warp (HMMA), and
  // of four (GMMA; 0: the chip has none).
  double warp_matrix = 0, warpgroup_matrix = 0;
  // Bytes that an SM gets in a cycle from each level.
  double l1_bytes = 0, l2_bytes = 0, dram_bytes = 0;

  // Idle cycles of a sub-partition that a launch has whatever it does: until its first blocks run and after its last.
  double start_cycles = 0;

  // What of this was neither measured nor is known of this GPU, and where it was taken from, for people: "L2 of an
  // H200". Empty: nothing.
  std::string borrowed;

  // Cycles of a sub-partition, of which an SM has four, for the instruction of a warp.
  static double CyclesOf(double per_sm_and_cycle);
  // How much longer than at L1 a byte is served at L2 and at device memory.
  double L2OverL1() const { return l1_bytes / l2_bytes; }
  double DramOverL1() const { return l1_bytes / dram_bytes; }
};

// Which figure of a recording (db/machine_figure.h) is which number here.
struct MeasuredNumber {
  std::string_view figure;
  double Machine::*number;
};
std::span<const MeasuredNumber> MeasuredNumbers();

// Without what was measured. Of a device that is not known every number is borrowed.
Machine KnownMachine(const std::optional<Device>& device);
Machine MachineOf(const RunRecord& run);

// Both as |candidate / base - 1|, exceeded by one pair of recordings of one kernel in a hundred: docs/noise.md.
struct NoiseFloor {
  double change = 0;        // of the cycles: no smaller change is a difference
  std::string source;       // where the numbers come from, as a phrase for people
  double clock_change = 0;  // of the clock, as SM cycles over the GPU's own timer: moves times, not cycles
};

// The floor for kernels of this duration on this GPU model. `device` is Device::name; a model whose floor was never
// measured over several recordings gets the largest of those that were, and not less than what a run `measured` within
// itself; the source says so. `time_us` is the shorter of the two.
NoiseFloor NoiseFloorOf(std::string_view device, double time_us, std::span<const MachineFigure> measured = {});

}  // namespace culprit
