// SPDX-License-Identifier: Apache-2.0
// Rates and latencies of one GPU. They are the recording's own measurements or, where it has none, known values.
// machine.cpp lists every known value with its source. Chips with equal SMs can have different memories (H100 and
// H200), so SM values are found by compute capability, and memory values come from the recording.
#pragma once
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "db/records.h"

namespace culprit {

struct Machine {
  // Thread-level operations per SM and cycle, by pipe.
  double fp32 = 0, alu = 0, fp64 = 0, xu = 0;
  double fp16_pairs = 0;  // HFMA2
  // Half-precision multiply-adds per SM and cycle, without sparsity: with instructions of one warp (HMMA), and of four
  // warps (GMMA; 0: the chip has none).
  double warp_matrix = 0, warpgroup_matrix = 0;
  // Bytes per SM and cycle from each level.
  double l1_bytes = 0, l2_bytes = 0, dram_bytes = 0;
  // The same from memory of the host.
  double host_bytes = 0;

  // Cycles from a multiply-add to a dependent one.
  double fp32_latency = 0, fp64_latency = 0;
  double Fp64OverFp32Latency() const { return fp64_latency / fp32_latency; }

  // Idle cycles of a sub-partition in every launch, before the first blocks run and after the last ones.
  double start_cycles = 0;

  // The figures that are another GPU's, because this one's were neither measured nor known: "L2 of an H200". Empty:
  // none.
  std::string borrowed;

  // Cycles of a sub-partition per warp instruction. An SM has four sub-partitions.
  static double CyclesOf(double per_sm_and_cycle);
  // Time of a byte at L2 and at device memory, relative to L1.
  double L2OverL1() const { return l1_bytes / l2_bytes; }
  double DramOverL1() const { return l1_bytes / dram_bytes; }
  double HostOverL1() const { return l1_bytes / host_bytes; }
};

// Maps a figure of a recording (db/machine_figure.h) to a number here.
struct MeasuredNumber {
  std::string_view figure;
  double Machine::*number;
};
std::span<const MeasuredNumber> MeasuredNumbers();

// Uses known values only. For an unknown device, every number is another GPU's.
Machine KnownMachine(const std::optional<Device>& device);
Machine MachineOf(const RunRecord& run);

// Whose noise a number is, in the words of every report.
enum class NoiseOf { kGpu, kKind, kAssumed };
std::string_view ToText(NoiseOf of);  // "of this GPU" | "of GPUs of its kind" | "assumed"

// "assumed, never measured on NVIDIA B300: 489 pairs of recordings of one kernel on H100", of these pairs.
std::string SourceOfAssumed(std::string_view device, std::string_view pairs);

// In 1 % of pairs of recordings of one kernel, |candidate / base - 1| exceeds these: docs/evidence/noise.md.
struct NoiseFloor {
  double change = 0;        // of SM cycles: a smaller change is not called a difference
  std::string source;       // where the numbers come from, as a phrase for people that begins with ToText(of)
  double clock_change = 0;  // of the clock (SM cycles / GPU timer); it changes times but not cycles
  double in_turns = 0;      // as `change`, for processes that took turns on one machine within minutes
  NoiseOf of = NoiseOf::kKind;

  double OfTime() const { return std::hypot(change, clock_change); }
};

// So many standard deviations of a normal difference of two recordings are a noise floor.
inline constexpr double kOf99OfPairs = 2.576;

// The floor for kernels of this duration on this GPU model. `device` is Device::name. A model without a measured floor
// gets the largest measured floor, or the spread within the run (in `measured`) if that is larger. The source says so.
// `time_us` is the time of the shorter of the two kernels.
NoiseFloor NoiseFloorOf(std::string_view device, double time_us, std::span<const MachineFigure> measured = {});
NoiseFloor NoiseFloorOf(const RunRecord& run, double time_us);

}  // namespace culprit
