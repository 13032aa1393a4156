// SPDX-License-Identifier: Apache-2.0
// The one table of figures that our micro-benchmarks measure on a GPU, for the code that measures them and the code
// that reads them.
#pragma once
#include <array>
#include <string_view>

namespace culprit {

struct FigureKind {
  std::string_view name;     // key in the database; never renamed
  std::string_view unit;     // of the value
  std::string_view setting;  // the condition of the measurement, with its unit; empty: none
  std::string_view meaning;
};

namespace figures {
// Throughput of a pipe: thread-level operations per SM and cycle.
inline constexpr std::string_view kFp32 = "fp32_pipe", kAlu = "alu_pipe", kFp64 = "fp64_pipe", kXu = "xu_pipe",
                                  kFp16 = "fp16_pipe", kWarpMatrix = "warp_matrix_pipe", kShared = "shared_bytes",
                                  kL1 = "l1_bytes", kL2 = "l2_bytes", kDram = "dram_bytes", kHost = "host_bytes",
                                  kRandom = "random_sectors", kFp32Latency = "fp32_latency",
                                  kFp64Latency = "fp64_latency", kSharedLatency = "shared_latency",
                                  kL1Latency = "l1_latency", kL2Latency = "l2_latency", kDramLatency = "dram_latency",
                                  kSharedAtomics = "shared_atomics", kGlobalAtomics = "global_atomics",
                                  kContendedAtomics = "contended_atomics", kFetch = "instruction_fetch",
                                  kBarrier = "barrier", kLaunchStart = "launch_start", kLaunchTime = "launch_time",
                                  kTimeNoise = "time_noise", kCycleNoise = "cycle_noise";
}  // namespace figures

inline constexpr std::array kFigureKinds = {
    FigureKind{figures::kFp32, "thread-op/SM/cycle", "", "single-precision multiply-adds (FFMA)"},
    FigureKind{figures::kAlu, "thread-op/SM/cycle", "", "integer and logic instructions (LOP3)"},
    FigureKind{figures::kFp64, "thread-op/SM/cycle", "", "double-precision multiply-adds (DFMA)"},
    FigureKind{figures::kXu, "thread-op/SM/cycle", "", "special functions (MUFU.EX2)"},
    FigureKind{figures::kFp16, "thread-op/SM/cycle", "", "pairs of half-precision multiply-adds (HFMA2)"},
    FigureKind{figures::kWarpMatrix, "product/SM/cycle", "",
               "products of half-precision matrices accumulated in single precision, by instructions of one warp"},
    FigureKind{figures::kShared, "byte/SM/cycle", "", "loads from shared memory without bank conflicts"},
    FigureKind{figures::kL1, "byte/SM/cycle", "", "loads of 16 bytes a thread that hit L1"},
    FigureKind{figures::kL2, "byte/SM/cycle", "", "loads that hit L2, all SMs at once"},
    FigureKind{figures::kDram, "byte/SM/cycle", "", "loads from device memory, all SMs at once"},
    FigureKind{figures::kHost, "byte/SM/cycle", "", "loads from pinned memory of the host, all SMs at once"},
    FigureKind{figures::kRandom, "sector/SM/cycle", "GiB of device memory",
               "loads from random places, one sector each; they become slower where the TLBs reach no further"},
    FigureKind{figures::kFp32Latency, "cycle", "", "from an FFMA to one that needs its result"},
    FigureKind{figures::kFp64Latency, "cycle", "", "from a DFMA to one that needs its result"},
    FigureKind{figures::kSharedLatency, "cycle", "", "a load from shared memory that waits for the one before"},
    FigureKind{figures::kL1Latency, "cycle", "", "a load that hits L1 and waits for the one before"},
    FigureKind{figures::kL2Latency, "cycle", "byte/SM/cycle of other loads",
               "a load that hits L2 and waits for the one before"},
    FigureKind{
        figures::kDramLatency, "cycle", "byte/SM/cycle of other loads",
        "a load from device memory that waits for the one before; a part of the other loads finds its data in L2, so "
        "that they can be more than dram_bytes"},
    FigureKind{figures::kSharedAtomics, "thread-op/SM/cycle", "",
               "atomic additions in shared memory, each thread its own word"},
    FigureKind{figures::kGlobalAtomics, "thread-op/SM/cycle", "",
               "atomic additions in global memory, each thread its own word, all SMs at once"},
    FigureKind{figures::kContendedAtomics, "thread-op/cycle", "",
               "atomic additions of the whole GPU to one word of global memory"},
    FigureKind{figures::kFetch, "cycle/warp-inst", "KiB of code",
               "a loop of this much code in one warp of each sub-partition, one after another"},
    FigureKind{figures::kBarrier, "cycle", "warps of the block", "a barrier of a block whose warps do nothing else"},
    FigureKind{figures::kLaunchStart, "cycle", "", "a counted launch that does nothing, until its end"},
    FigureKind{figures::kLaunchTime, "us", "", "a launch that does nothing"},
    FigureKind{figures::kTimeNoise, "ratio", "us of the launch",
               "how far two medians of 8 samples of one launch lie apart at most, within one process: times"},
    FigureKind{figures::kCycleNoise, "ratio", "us of the launch",
               "how far two medians of 8 samples of one launch lie apart at most, within one process: cycles"},
};

// Null if there is no such figure.
constexpr const FigureKind* FindFigureKind(std::string_view name) {
  for (const FigureKind& kind : kFigureKinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace culprit
