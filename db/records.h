// SPDX-License-Identifier: Apache-2.0
// Plain structs that the code that measures and the code that reads share. No SQLite.
// Times are microseconds, clocks MHz, sizes bytes, unless a name says otherwise.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "db/shared_access.h"

namespace culprit {

// The names of an enumeration's values in the database, in the order of the values.
template <class Kind>
inline constexpr std::array<const char*, 0> kNames{};

template <class Kind>
requires std::is_enum_v<Kind>
constexpr const char* NameOf(Kind kind) { return kNames<Kind>.at(static_cast<std::size_t>(kind)); }
template <class Kind>
constexpr std::optional<Kind> KindNamed(std::string_view name) {
  const auto at = std::ranges::find(kNames<Kind>, name) - kNames<Kind>.begin();
  return at == std::ssize(kNames<Kind>) ? std::nullopt : std::optional(static_cast<Kind>(at));
}

// The outcome of one requested metric. Only kOk has a value; "not measured" is never 0.
enum class ReadingStatus {
  kOk,           // measured
  kUnsupported,  // this chip, toolkit or machine does not have the counter
  kDenied,       // the driver refused (ERR_NVGPUCTRPERM, or another profiler holds the counters)
  kFailed,       // collection failed for another reason
};
template <>
inline constexpr std::array kNames<ReadingStatus> = {"ok", "unsupported", "denied", "failed"};

// A metric as the database stores it. `id` is ours and stable. `cupti_name` is CUPTI's exact string on that chip
// (empty: the chip lacks it, or the value does not come from CUPTI).
struct MetricDefinition {
  std::string id;          // "shared_load_wavefronts"
  std::string source;      // "range" | "sass" | "sampled"
  std::string cupti_name;  // "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
  std::string unit;        // "inst", "wavefront", "sector", "byte", "cycle", "warp-cycle", "ratio", "%"
  std::string meaning;     // one sentence
};

// One requested metric of one launch.
struct Reading {
  MetricDefinition metric;
  std::optional<double> value;  // set exactly when status is kOk
  ReadingStatus status = ReadingStatus::kFailed;
  std::optional<double> error = {};  // one standard deviation of a sampled value, in its unit
};

// Exact counts of one machine instruction of a launch, summed over all warps (CUPTI SASS metrics).
struct InstructionRecord {
  std::string function;        // symbol
  std::int64_t pc_offset = 0;  // bytes from the function's start
  std::string source_file;     // as in SourceFrame; empty: no line information
  int source_line = 0;
  // Metric id -> count. A metric that does not apply to the instruction is missing. Ids and units are those of the
  // launch's readings with source "sass" ("sass_inst", "sass_shared_wavefronts", ...).
  std::map<std::string, double> counts;
  std::string opcode = {};  // mnemonic without modifiers: "LDS", "BAR"; empty: not known
};

// A GPU model, as a machine reported it. Equal rows are stored once.
struct Device {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string chip;  // CUPTI's chip name, "GH100"; empty when CUPTI does not know it
  int cc_major = 0;
  int cc_minor = 0;
  int sm_count = 0;
  int fp32_lanes_per_sm = 0;    // FFMA per SM and cycle
  double sm_clock_mhz = 0;      // the driver's maximum SM clock
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

// A figure of the run's GPU from our micro-benchmarks. db/machine_figure.h lists names, units and settings.
struct MachineFigure {
  std::string name;
  double setting = 0;
  double value = 0;
  std::string unit;
  std::string measured_in = {};  // UUID of the run that measured it; empty: this run, which is not yet stored
};

// The source of a run that is not one of our benchmarks.
enum class ProgramSource { kRecord, kNcu, kGoogleBenchmark, kNvbench, kPytorch, kJax, kNsys };
template <>
inline constexpr std::array kNames<ProgramSource> = {"record", "ncu", "google_benchmark", "nvbench", "pytorch",
                                                     "jax",    "nsys"};
// Whether it times all kernels and copies of a program.
constexpr bool IsWholeProgram(ProgramSource source) {
  return source == ProgramSource::kRecord || source == ProgramSource::kPytorch || source == ProgramSource::kJax ||
         source == ProgramSource::kNsys;
}

enum class CopyKind { kToDevice, kToHost, kOnDevice, kBetweenDevices, kSet, kOther };
template <>
inline constexpr std::array kNames<CopyKind> = {"to_device", "to_host", "on_device", "between_devices", "set", "other"};

// A program's copies (or memsets) of one kind on its GPUs.
struct ProgramCopy {
  CopyKind kind = CopyKind::kOther;
  std::int64_t calls = 0;
  double bytes = 0;
  double time_us = 0;   // the sum of their durations
  double share_us = 0;  // share of the timeline; when n operations overlap, each gets 1/n of the time
};

// A recorded program. span_us = idle_us + share_us of its copies + share_us of its launches (ProgramLaunch).
// A process of a program that used a GPU.
struct ProgramProcess {
  int process = 0;  // as in Sample
  std::int64_t pid = 0;
  std::optional<int> rank;  // in its job
  std::int64_t calls = 0;   // of kernels
  double time_us = 0;       // of its kernels and copies
};

struct ProgramRecord {
  ProgramSource source = ProgramSource::kRecord;
  std::optional<int> exit_status;  // of the timed execution, 128 + signal
  int processes = 0;               // processes that used a GPU
  int gpus = 0;
  // From the start of the timed execution to its end; with a window, the time in which it was open.
  std::optional<double> wall_us;
  std::optional<double> counted_wall_us;  // of the execution in which counters were read
  // span_us: from the first start of GPU work to the last end, summed over GPUs. idle_us: the part without any work.
  std::optional<double> span_us, idle_us;
  std::int64_t lost_launches = 0;  // launches that were seen but have no time
  std::string capture = {};        // the window that was recorded, as `culprit record --capture` takes it; empty: all
  std::vector<ProgramCopy> copies = {};
  std::vector<ProgramProcess> gpu_processes = {};  // empty in runs of before November 2026 and of other tools
};

// A call in progress on a stack of Python.
struct PythonFrame {
  std::string file;  // as Python has it: mostly an absolute path; "<string>" of python -c
  int line = 0;      // of the call, from 1
  std::string function;
  friend bool operator==(const PythonFrame&, const PythonFrame&) = default;
};

// All launches of a kernel with the same grid, block, shared memory and NVTX range. Each call is a sample. If there are
// very many calls, only some are kept.
struct ProgramLaunch {
  std::string name;        // readable, in full
  std::string nvtx;        // path of ranges, outermost first: "step/forward"; numbers are '#'; empty: none
  std::int64_t first = 0;  // index of its first call among all launches of the program
  std::int64_t calls = 1;
  std::optional<double> time_us, share_us;  // of all calls; see ProgramCopy
  std::int64_t graph_calls = 0;             // calls made by a CUDA graph
  std::int64_t counted = 0;                 // launches whose counters were read
  std::string not_counted = {};             // why requested counters are missing, one sentence; else empty
  // Where Python launched its first call, innermost first, without the frames of packages. Empty: not known.
  std::vector<PythonFrame> stack = {};
};

// One invocation of a recording binary.
struct RunRecord {
  std::string uuid;         // RFC 4122 version 4; the key under which databases merge
  std::string started_utc;  // "2026-11-21T00:25:46Z"
  std::string label;        // --label
  std::string command_line;
  std::string profile;  // "none" | "core" | "full": counted by replay; "sampled": also of what was not replayed
  std::string l2;       // "hot" | "flush"
  std::int64_t seed = 0;
  std::string git_sha;  // of the build; "" when built outside git
  bool git_dirty = false;
  std::optional<Device> device;  // none: the machine has no GPU
  Toolchain toolchain;
  std::vector<MachineFigure> machine = {};    // by name and setting; empty: not measured
  std::optional<ProgramRecord> program = {};  // none: made by one of our benchmarks
  std::string gpu_uuids = {};                 // of all GPUs it used, sorted, with commas between; empty: not known
};

// A stage as it was when it was recorded. If its text changes later, a second row with the same id is stored.
struct StageRecord {
  std::string id;          // database key: never renamed, never reused
  std::string family;      // "ladder", "v_study", "reference", or the user's own
  std::string parent;      // id of the stage it was changed from; empty for a root
  std::string idea;        // one sentence
  std::string constraint;  // "m % 128 == 0, n % 128 == 0, k % 8 == 0", or "any size"
  std::string source_file;
  int source_line = 0;
  std::map<std::string, std::string> factors;  // {"loop nest": "k->m->n", ...}
  // The shared-memory accesses of the stage's first warp, as its author states them; empty: not stated.
  std::vector<SharedAccess> shared_accesses = {};
};

// A fact about the compiled kernel for one architecture.
// Names: registers, stack_frame_bytes, spill_store_bytes, spill_load_bytes, static_shared_bytes, constant_bytes (bank
// 0), user_constant_bytes, local_bytes, code_bytes, max_threads, block_threads, dynamic_shared_bytes,
// theoretical_occupancy (0..1), theoretical_warps_per_sm, blocks_per_sm_by_{registers,shared,warps,blocks} (the
// smallest of the four limits occupancy).
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
  std::optional<double> clock_mhz;  // SM cycles / time of this sample
  bool low_clock = false;           // far below the run's usual clock; shown, but not part of the median
  // The timer's gate opened before the launch was enqueued, so the time may include waiting for the host.
  bool gate_open = false;
  int process = 0;  // index of the process that timed it: 0, 1, 2, ... in the order of timing
};

enum class LaunchState { kOk, kFailed, kRefused };  // kFailed: launch or verification; kRefused: shape not supported
template <>
inline constexpr std::array kNames<LaunchState> = {"ok", "failed", "refused"};

// One launch of a stage at one shape within a run.
struct LaunchRecord {
  std::string stage;
  std::string arch;    // of the BuildRecord that ran: "sm_90"
  std::string shape;   // "4096x4096x4096": integers joined by 'x', outermost first (GEMM: MxNxK)
  std::string kernel;  // the kernel that ran; per launch, because cuBLAS chooses by shape
  unsigned grid_x = 0, grid_y = 0, grid_z = 0;
  unsigned block_x = 0, block_y = 0, block_z = 0;
  std::int64_t dynamic_shared_bytes = 0;
  double flop = 0;       // useful floating-point operations, 2*M*N*K for GEMM
  double min_bytes = 0;  // compulsory DRAM traffic: each input read once, each output written once
  LaunchState state = LaunchState::kOk;
  std::string message;  // why it failed or was refused, one sentence
  // Verification: the maximum of |out - ref| / bound over the elements. 1.0 is the limit. Empty: nothing was compared.
  std::optional<double> verify_error_over_bound;
  std::string verify_reference;  // "cublas", "cublas+float64"
  // Index among the launches of this stage at this shape in this run: 0, 1, 2, ... without a gap.
  int ordinal = 0;
};

// What was changed about a launch.
enum class InterventionKind {
  kOccupancy,  // more dynamic shared memory, so that fewer blocks fit on an SM; with the largest shared carve-out
  kCarveout,   // how much of L1's memory is shared memory
  kL2,         // whether L2 is flushed before the launch
};
template <>
inline constexpr std::array kNames<InterventionKind> = {"occupancy", "carveout", "l2"};

// Carve-outs, in percent of L1's memory: InterventionRecord::setting of that kind.
inline constexpr int kCarveoutAsItIs = -1, kCarveoutMostL1 = 0, kCarveoutMostShared = 100;

// The time of a launch with one thing changed. Compare it only with others of its kind, because these were timed in
// turn.
struct InterventionRecord {
  InterventionKind kind = InterventionKind::kOccupancy;
  // kOccupancy: added bytes of dynamic shared memory. kCarveout: see above. kL2: 1 if L2 was flushed, 0 if the same
  // launch ran just before.
  double setting = 0;
  // Per SM: the driver's number, or fewer if the grid is too small. None: not known.
  std::optional<int> resident_blocks, resident_warps;
  double time_us = 0;                    // median of the samples
  double least_us = 0, most_us = 0;      // of the samples
  std::optional<double> clock_mhz = {};  // median
  int samples = 0;
};

// Warning code: an intervention was not tried on a launch (InterventionRecord).
inline constexpr const char* kInterventionsLeftOut = "interventions_left_out";

// Warning codes: a GPU's counters cannot be read, because the driver allows this user none, or another tool holds them.
inline constexpr const char* kCountersDenied = "counters_denied";
inline constexpr const char* kCountersHeld = "second_profiler";

struct Warning {
  std::string code;  // "counters_denied", "low_clock", "second_profiler", "toolkit_mismatch", ...
  std::string text;  // one sentence
  // Set by reading: the launch that the warning is about, "v1_6 at 4096x4096x4096" (with ", launch 2" if there are
  // several). Empty: none.
  std::string launch = {};
};

}  // namespace culprit
