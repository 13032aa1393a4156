// SPDX-License-Identifier: Apache-2.0
// The vocabulary that the measuring half and the reading half share: plain structs, no behaviour, no SQLite.
// Times are microseconds, clocks MHz, sizes bytes, unless a name says otherwise.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/shared_access.h"

namespace culprit {

// What became of one requested metric. Only kOk carries a value; "not measured" is never 0.
enum class ReadingStatus {
  kOk,           // measured
  kUnsupported,  // this chip, toolkit or machine does not have the counter
  kDenied,       // the driver refused (ERR_NVGPUCTRPERM, or another profiler holds the counters)
  kFailed,       // collection broke in a way that is neither of the above
};

// A metric as the database knows it. `id` is ours and stable; `cupti_name` is CUPTI's exact string on that chip
// (empty where the chip has none, or where the value does not come from CUPTI).
struct MetricDefinition {
  std::string id;          // "shared_load_wavefronts"
  std::string source;      // "range" | "sass"
  std::string cupti_name;  // "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
  std::string unit;        // "inst", "wavefront", "sector", "byte", "cycle", "warp-cycle", "ratio", "%"
  std::string meaning;     // one sentence
};

// One requested metric of one launch.
struct Reading {
  MetricDefinition metric;
  std::optional<double> value;  // set exactly when status is kOk
  ReadingStatus status = ReadingStatus::kFailed;
};

// Exact counts of one machine instruction of a launch, summed over all warps (CUPTI SASS metrics).
struct InstructionRecord {
  std::string function;        // symbol
  std::int64_t pc_offset = 0;  // bytes from the function's start
  std::string source_file;     // relative to the repository root where it lies below it; empty: no line information
  int source_line = 0;
  // Metric id -> count, for the metrics that apply to the instruction: a metric that is not here was not counted for
  // it. Ids and units are those of the launch's readings with source "sass" ("sass_inst", "sass_shared_wavefronts",
  // ...).
  std::map<std::string, double> counts;
  std::string opcode = {};  // mnemonic without modifiers: "LDS", "BAR"; empty: not known
};

// A GPU model as one machine reported it. Equal contents are stored once.
struct Device {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string chip;  // CUPTI's chip name, "GH100"; empty when CUPTI does not know it
  int cc_major = 0;
  int cc_minor = 0;
  int sm_count = 0;
  int fp32_lanes_per_sm = 0;    // FFMA per SM and cycle
  double sm_clock_mhz = 0;      // the clock the driver names as maximum
  double dram_bytes_per_s = 0;  // theoretical: memory clock x bus width
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes_per_sm = 0;
  std::int64_t registers_per_sm = 0;
  int max_threads_per_sm = 0;
  int max_blocks_per_sm = 0;
};

struct Toolchain {
  std::string driver;           // "580.159.04", from NVML or /proc; empty when unknown
  std::string cuda_driver_api;  // "13.0"
  std::string cuda_runtime;     // "13.0"
  std::string cupti;            // CUPTI API version, "26"
  std::string nvcc;             // "13.0.88"
  std::string host_compiler;    // "g++ 12.2.0"
};

// What the GPU of a run can do, as micro-benchmarks measured it: db/machine_figure.h has names, units and settings.
struct MachineFigure {
  std::string name;
  double setting = 0;
  double value = 0;
  std::string unit;
  std::string measured_in = {};  // UUID of the run that measured it; empty until it is stored: that run
};

// Whose figures a run holds that is not a benchmark's of ours.
enum class ProgramSource { kRecord, kNcu, kGoogleBenchmark, kNvbench };
struct ProgramSourceName {
  ProgramSource source;
  const char* name;  // in the database
};
inline constexpr ProgramSourceName kProgramSourceNames[] = {{ProgramSource::kRecord, "record"},
                                                            {ProgramSource::kNcu, "ncu"},
                                                            {ProgramSource::kGoogleBenchmark, "google_benchmark"},
                                                            {ProgramSource::kNvbench, "nvbench"}};

enum class CopyKind { kToDevice, kToHost, kOnDevice, kBetweenDevices, kSet, kOther };
struct CopyKindName {
  CopyKind kind;
  const char* name;  // in the database
};
inline constexpr CopyKindName kCopyKindNames[] = {{CopyKind::kToDevice, "to_device"},
                                                  {CopyKind::kToHost, "to_host"},
                                                  {CopyKind::kOnDevice, "on_device"},
                                                  {CopyKind::kBetweenDevices, "between_devices"},
                                                  {CopyKind::kSet, "set"},
                                                  {CopyKind::kOther, "other"}};

// Copies of one kind, or sets, that a program made on its GPUs.
struct ProgramCopy {
  CopyKind kind = CopyKind::kOther;
  std::int64_t calls = 0;
  double bytes = 0;
  double time_us = 0;   // the sum of their durations
  double share_us = 0;  // of the timeline: where n things run at once, each has an n-th of the time
};

// A program that knows nothing of Culprit. Its span is the sum of what was idle and of the shares of its copies and of
// its launches (ProgramLaunch).
struct ProgramRecord {
  ProgramSource source = ProgramSource::kRecord;
  std::optional<int> exit_status;  // of the timed execution, 128 + signal
  int processes = 0;               // that used a GPU
  int gpus = 0;
  std::optional<double> wall_us;          // from the start of the timed execution to its end
  std::optional<double> counted_wall_us;  // of the execution in which counters were read
  // From the first start of work on a GPU to the end of the last, summed over GPUs, and how much of it none ran.
  std::optional<double> span_us, idle_us;
  std::int64_t lost_launches = 0;  // that were seen and have no time
  std::vector<ProgramCopy> copies = {};
};

// What a launch of a program stands for: all launches of a kernel with one grid, block, shared memory and NVTX range.
// They are samples of the launch; of very many calls only some are kept.
struct ProgramLaunch {
  std::string name;        // readable, in full
  std::string nvtx;        // innermost ranges, outermost first, "step/forward", with numbers as '#'; empty without
  std::int64_t first = 0;  // which of all launches of the program the first of them is
  std::int64_t calls = 1;
  std::optional<double> time_us, share_us;  // of all calls, as of ProgramCopy
  std::int64_t graph_calls = 0;             // of the calls, those that a CUDA graph made
  std::int64_t counted = 0;                 // launches whose counters were read
  std::string not_counted = {};  // why there are no counters, one sentence; empty where there are, or none were wanted
};

// One invocation of a recording binary.
struct RunRecord {
  std::string uuid;         // RFC 4122 version 4; the key under which databases merge
  std::string started_utc;  // "2026-11-21T00:25:46Z"
  std::string label;        // --label
  std::string command_line;
  std::string profile;  // "none" | "core" | "full"
  std::string l2;       // "hot" | "flush"
  std::int64_t seed = 0;
  std::string git_sha;  // of the build; "" when built outside git
  bool git_dirty = false;
  std::optional<Device> device;  // none: recorded on a machine without a GPU
  Toolchain toolchain;
  std::vector<MachineFigure> machine = {};    // by name and setting; empty: not measured
  std::optional<ProgramRecord> program = {};  // none: a benchmark of ours made it
};

// A stage as it stood when it was recorded. A later edit of its text makes a second row with the same id.
struct StageRecord {
  std::string id;          // database key: never renamed, never reused
  std::string family;      // "ladder", "v_study", "reference", or the user's own
  std::string parent;      // id of the stage it was changed from; empty for a root
  std::string idea;        // one sentence
  std::string constraint;  // "m % 128 == 0, n % 128 == 0, k % 8 == 0", or "any size"
  std::string source_file;
  int source_line = 0;
  std::map<std::string, std::string> factors;  // {"loop nest": "k->m->n", ...}
  // How its first warp touches shared memory, as its author states it; empty: not stated.
  std::vector<SharedAccess> shared_accesses = {};
};

// A fact about the compiled kernel, for one architecture.
// Names: registers, stack_frame_bytes, spill_store_bytes, spill_load_bytes, static_shared_bytes, constant_bytes (bank
// 0), user_constant_bytes, local_bytes, code_bytes, max_threads, block_threads, dynamic_shared_bytes,
// theoretical_occupancy (0..1), theoretical_warps_per_sm, blocks_per_sm_by_{registers,shared,warps,blocks} (the
// smallest of the four is the limiter).
struct StaticAttribute {
  std::string name;
  std::string source;  // "cubin" | "compiler" (ptxas's resource report) | "runtime" (cudaFuncGetAttributes) | "model"
  std::optional<double> value;
  ReadingStatus status = ReadingStatus::kOk;
};

struct BuildRecord {
  std::string stage;         // StageRecord::id
  std::string arch;          // "sm_90"
  std::string kernel;        // symbol in the cubin
  std::string cubin_digest;  // FNV-1a 64 of the kernel's code bytes, hex; empty when only the runtime was asked
  std::vector<StaticAttribute> attributes;
};

// One timed execution.
struct Sample {
  int repetition = 0;               // Google Benchmark's repetition index
  double time_us = 0;               // CUDA events
  std::optional<double> clock_mhz;  // SM cycles over time during this very sample
  bool low_clock = false;           // far below the usual clock of this run: shown, left out of the median
  // The timer's gate gave up before the launch was enqueued, so the time may hold waiting for the host: shown.
  bool gate_open = false;
  int process = 0;  // which of the run's processes timed it: 0, 1, 2 in the order in which they did
};

enum class LaunchState { kOk, kFailed, kRefused };  // kFailed: verification or launch failed; kRefused: shape not taken

// One launch of a stage at one shape within a run.
struct LaunchRecord {
  std::string stage;
  std::string arch;    // "sm_90": which BuildRecord ran
  std::string shape;   // "4096x4096x4096": integers joined by 'x', outermost first (GEMM: MxNxK)
  std::string kernel;  // the kernel that ran; cuBLAS chooses by shape, so it is per launch
  unsigned grid_x = 0, grid_y = 0, grid_z = 0;
  unsigned block_x = 0, block_y = 0, block_z = 0;
  std::int64_t dynamic_shared_bytes = 0;
  double flop = 0;       // useful floating-point operations, 2*M*N*K for GEMM
  double min_bytes = 0;  // compulsory DRAM traffic: each input read once, each output written once
  LaunchState state = LaunchState::kOk;
  std::string message;  // why it failed or was refused, one sentence
  // Verification: max |out - ref| / bound per element, so 1.0 is the limit. Empty when nothing was compared.
  std::optional<double> verify_error_over_bound;
  std::string verify_reference;  // "cublas", "cublas+float64"
  // Which of the launches of this stage at this shape in this run: 0, 1, 2 without a gap.
  int ordinal = 0;
};

// What about a launch was changed.
enum class InterventionKind {
  kOccupancy,  // dynamic shared memory was added, so that fewer blocks fit an SM; the shared carve-out is the largest
  kCarveout,   // how much of L1's memory is shared memory
  kL2,         // whether L2 was flushed before
};
// Every kind with its name in the database.
struct InterventionName {
  InterventionKind kind;
  const char* name;
};
inline constexpr InterventionName kInterventionNames[] = {{InterventionKind::kOccupancy, "occupancy"},
                                                          {InterventionKind::kCarveout, "carveout"},
                                                          {InterventionKind::kL2, "l2"}};

// Carve-outs, in percent of L1's memory: InterventionRecord::setting of that kind.
inline constexpr int kCarveoutAsItIs = -1, kCarveoutMostL1 = 0, kCarveoutMostShared = 100;

// What a launch takes with one thing about it changed and all else as it was: timed in turn with the others of its
// kind, with which alone it can be compared.
struct InterventionRecord {
  InterventionKind kind = InterventionKind::kOccupancy;
  // kOccupancy: bytes of dynamic shared memory added; kCarveout: see above; kL2: 1 where L2 was flushed, 0 where the
  // same launch ran right before.
  double setting = 0;
  // On an SM, as the driver computes it and the grid fills it; none: not known.
  std::optional<int> resident_blocks, resident_warps;
  double time_us = 0;                    // median of the samples
  double least_us = 0, most_us = 0;      // of them
  std::optional<double> clock_mhz = {};  // median
  int samples = 0;
};

// Code of the warning that something was not tried on a launch (InterventionRecord).
inline constexpr const char* kInterventionsLeftOut = "interventions_left_out";

struct Warning {
  std::string code;  // "counters_denied", "low_clock", "second_profiler", "toolkit_mismatch", ...
  std::string text;  // one sentence
  // "v1_6 at 4096x4096x4096" where it was read and concerns one launch ("..., launch 2" of several); else empty.
  std::string launch = {};
};

}  // namespace culprit
