// SPDX-License-Identifier: Apache-2.0
// The measurement database: one SQLite file. All other folders reach SQLite only through this header.
// Every failure is a culprit::Error that names the file and says what to do. A failed call does not change the file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "db/code.h"
#include "db/error.h"
#include "db/records.h"

namespace culprit {

using RunId = std::int64_t;
using LaunchId = std::int64_t;

// A value of a result: NULL, INTEGER, REAL or TEXT.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

using Parameters = std::vector<std::pair<std::string, Value>>;  // {":run", 3}

struct RunSummary {
  RunId id = 0;
  RunRecord run;
  std::optional<std::string> finished_utc;
  // "complete" | "running" (this machine, process alive) | "interrupted"
  std::string state;
  int launches = 0, failed = 0, samples = 0, metric_values = 0;
};

// A run, and whether it has changed since it was recorded.
struct ListedRun {
  RunSummary run;  // for a damaged run only its own row: UUID, start, label, command line
  // "program.lost_launches is -1, which is not within 0 to 1e+15"; "its checksum differs ..."; empty: no damage
  std::string damage;
};

// Loads of shared memory in loops that ptxas writes for atomics (db/swap_loads.cpp). All 0: the code has no such loop.
struct SwapLoads {
  // Counts of the launch whose instructions were counted one by one. Else shares of all loads (LDS), from samples of
  // instructions; the one of wavefronts as if no load had bank conflicts.
  bool is_exact = true;
  double executions = 0, wavefronts = 0;
  double ideal_wavefronts = 0;  // without bank conflicts, if is_exact
  double bytes = 0;             // of each thread in such a load, on average
  double samples = 0;           // of all loads, unless is_exact
};

// Everything stored about one launch.
struct KernelRecord {
  LaunchId id = 0;
  RunSummary run;
  StageRecord stage;
  LaunchRecord launch;
  std::vector<Sample> samples;    // in order of execution
  std::vector<Reading> readings;  // in the order of their keys
  // Metric id -> the values of all repetitions in order, for metrics that every repetition read. The reading is their
  // median. Repetitions that read nothing are ignored. Empty: the counters were collected once.
  std::map<std::string, std::vector<double>> repeats = {};
  std::vector<StaticAttribute> attributes;  // of the build for launch.arch
  std::string cubin_digest;                 // of the same build, see BuildRecord
  // Executed BAR instructions, summed over all warps. None when instructions were not counted or their opcodes are not
  // known.
  std::optional<double> barriers;
  // Warp-level loads and stores by memory space ("shared" or "global") and bytes per thread (1 to 16). They come from
  // opcodes and widths. Empty when no instruction has both.
  std::map<std::string, std::map<int, double>> accesses = {};
  // By memory space ("shared" or "global"): the mean bytes per thread of executed loads and stores. No entry: none was
  // counted.
  std::map<std::string, double> access_bytes = {};
  // None: the launch has no atomics of shared memory, or its code is not stored.
  std::optional<SwapLoads> swap_loads = {};
  std::vector<Warning> warnings;  // of the run and of this launch
  // By kind and setting; empty: none was made.
  std::vector<InterventionRecord> interventions = {};
  std::optional<ProgramLaunch> program = {};  // none: a launch of one of our benchmarks
};

struct LibraryVersion;  // db/versions.h

// Which launches to read if a run has several of a stage at a shape.
enum class Ordinals { kFirst, kAll };

// Narrows a search; empty fields mean "any".
struct Selector {
  std::string run = {};    // a UUID prefix of 4 or more characters, a run id, or a label
  std::string shape = {};  // "4096" (square) or "4096x2048x1024"
  std::string gpu = {};    // part of the device name, case-insensitive
  // These choose one of several launches at a shape. `nvtx`: by NVTX range, see IsInRange; a range may have a number.
  // `launch`: by number; 1 is the first, 0 is any. Without both, the first launch is chosen.
  std::string nvtx = {};
  int launch = 0;
};

struct NamedQuery;
struct TimelineRecord;  // db/timeline.h
struct PhaseProfile;    // db/timeline.h

// A connection to a file. Movable; for one thread at a time. A failed search throws an Error that lists what exists.
class Database {
 public:
  // Creates a missing file and migrates an older one. WAL, foreign keys on.
  static Database OpenForRecording(const std::filesystem::path& file);
  // Never writes to the file. It migrates an older schema in a copy in memory. Fails when the file is missing.
  static Database OpenForReading(const std::filesystem::path& file);
  // Only in this process's memory. The content is lost unless it is exported.
  static Database InMemory();

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // --- recording: each call is one transaction ---
  // A finished call survives the death of the process. It survives a power failure only after FinishRun.
  RunId BeginRun(const RunRecord& run);
  // `finished_utc`: "2026-11-21T00:25:46Z"; empty: now.
  // Makes the run's checksum, so nothing may be stored in the run afterwards.
  void FinishRun(RunId run, const std::string& finished_utc = {});
  // Stores a stage and its builds, whether or not it is launched. The shared accesses belong to the run; storing the
  // stage again replaces them.
  void StoreStage(RunId run, const StageRecord& stage, std::span<const BuildRecord> builds);
  // Stores a launch with its samples. Its `stage` must be stored first, and so must the launches with lower ordinals.
  // Storing the same (run, stage, shape, ordinal) again replaces it.
  LaunchId StoreLaunch(RunId run, const LaunchRecord& launch, std::span<const Sample> samples);
  // Adds or replaces readings of a launch. Replacing a reading deletes its repetitions.
  void StoreReadings(LaunchId launch, std::span<const Reading> readings);
  // Replaces the values of all repetitions, in order. Store the readings, which are their medians, first. A metric
  // without a value is skipped in that repetition. Stores nothing for fewer than two repetitions.
  void StoreRepeats(LaunchId launch, std::span<const std::vector<Reading>> repetitions);
  // Replaces the instruction rows of a launch. Store its readings first: they define the metrics.
  void StoreInstructions(LaunchId launch, std::span<const InstructionRecord> instructions);
  // Replaces the figures of the run's GPU.
  void StoreMachine(RunId run, std::span<const MachineFigure> figures);
  // The figures that an earlier run measured on this GPU model and machine since the machine's last boot. They can be
  // stored with `run`, too. Empty: no such run.
  std::vector<MachineFigure> FindMachine(RunId run) const;
  // Replaces RunRecord::program. BeginRun does not store it because most of it is known only at the end.
  void StoreProgram(RunId run, const ProgramRecord& program);
  void StoreProgramLaunch(LaunchId launch, const ProgramLaunch& program);
  // Replaces the interventions of a launch.
  void StoreInterventions(LaunchId launch, std::span<const InterventionRecord> interventions);
  // Replaces the samples of a launch. A function may have samples without code. Each function has at most one code, and
  // each instruction has one row per reason.
  void StoreSampling(LaunchId launch, const SamplingRecord& sampling);
  // Replaces the timeline of a program. Store its launches first.
  void StoreTimeline(RunId run, const TimelineRecord& timeline);
  // Replaces the profiles of a launch, which has one at most for each metric.
  void StoreProfiles(LaunchId launch, std::span<const PhaseProfile> profiles);
  void StoreWarning(RunId run, std::optional<LaunchId> launch, const Warning& warning);
  // Replaces the versions of libraries that the program had loaded.
  void StoreVersions(RunId run, std::span<const LibraryVersion> versions);

  // --- reading ---
  // If a run has several launches of a stage at a shape, a search finds the first unless the Selector names another.
  // LoadKernel and Query reach all of them. Reading a run or launch throws when the run was changed after it was
  // complete. A search for a run throws if any run was changed, because that run might be the right one, unless the
  // Selector has an id or UUID.
  std::vector<RunSummary> Runs() const;              // newest first, without runs that have an unreadable row
  std::vector<RunSummary> RunsToChooseFrom() const;  // newest first; throws when a run has an unreadable row
  std::size_t CountRuns() const;                     // includes damaged runs
  std::vector<ListedRun> ListRuns() const;           // all runs, newest first, each checked completely
  // The runs that match `run` (Selector::run): complete ones first, then newest first. Empty: none matches.
  std::vector<RunSummary> RunsNamed(std::string_view run) const;
  // The run that the selector names, or the newest complete run that has a launch of `stage` (if empty, of any stage).
  RunSummary FindRun(const Selector& selector, std::string_view stage = {}) const;
  // Default: the newest complete run that has the stage (or, if none is complete, the newest unfinished one), at its
  // largest square shape (else at its largest shape by flop). In a program's run, the launch with the most time. Failed
  // and refused launches are chosen only if the stage has no other launch there. If nothing matches, throws and lists
  // what exists. If Selector::run matches several runs, throws and lists them.
  KernelRecord FindKernel(std::string_view stage, const Selector& selector) const;
  KernelRecord LoadKernel(LaunchId launch) const;
  // Reads many launches as LoadKernel does, in the given order. Rows that launches share are read once, so this is
  // faster than single calls.
  std::vector<KernelRecord> LoadKernels(std::span<const LaunchId> launches) const;
  // All launches of a run in stored order, as LoadKernel reads them but with empty `repeats`. Needs few queries, for
  // tables of whole runs.
  std::vector<KernelRecord> LoadKernels(RunId run, Ordinals ordinals = Ordinals::kFirst) const;
  std::vector<StageRecord> Stages(RunId run) const;
  std::vector<BuildRecord> Builds(RunId run) const;
  std::vector<std::string> Shapes(RunId run) const;  // largest first, squares before others of the same flop
  // The launches of a run at one shape and of one stage (empty: of all stages), in stored order.
  std::vector<LaunchId> Launches(RunId run, std::string_view shape, Ordinals ordinals = Ordinals::kFirst,
                                 std::string_view stage = {}) const;
  std::vector<Warning> Warnings(RunId run) const;
  // The stored instructions by function and pc offset. Empty: not counted. The recorder may store only a part:
  // gemm_bench stores memory accesses and barriers.
  std::vector<InstructionRecord> Instructions(LaunchId launch) const;
  // None: the launch was not sampled. Functions with samples but without a digest and instructions have no code here.
  std::optional<SamplingRecord> Sampling(LaunchId launch) const;
  // None: the run has no timeline.
  std::optional<TimelineRecord> Timeline(RunId run) const;
  // By metric. Empty: the launch has no profiles.
  std::vector<PhaseProfile> Profiles(LaunchId launch) const;

  // Throws when SQLite finds a damaged page or a row that breaks the schema (PRAGMA quick_check), because a flipped bit
  // can drop rows silently. Reads the whole file.
  void CheckWhole() const;

  // Runs one read-only statement. Statements that could write, attach or load are refused with a sentence.
  // Every parameter needs a value.
  Table Query(std::string_view sql, const Parameters& parameters = {}) const;
  // Parameters that are not given have defaults.
  Table Query(const NamedQuery& query, const Parameters& parameters = {}) const;

  // --- travelling ---
  // Exports all runs, or the given ones, as SQL text that Import reads.
  std::string Export(const std::vector<RunId>& runs = {}) const;
  struct ImportResult {
    int runs_added = 0, runs_already_there = 0;
    // UUIDs of runs that already existed with other content. They were not changed.
    std::vector<std::string> kept_apart = {};
  };
  // Merges by run UUID. A finished run replaces an unfinished copy from an earlier import. Executes only INSERTs into
  // our own tables; refuses anything else and changes nothing.
  ImportResult Import(std::string_view sql_text, std::string_view source_name);

  // An export: its name in messages, and a function that returns its text when it is needed.
  struct ImportSource {
    std::string name;
    std::function<std::string()> read;
  };
  // Imports all of `sources` into `file`, or none. A new file appears only when it is complete. A failure leaves no new
  // file, and does not change the content of an old one. (Its bytes may change, because opening it merges the log that
  // a killed writer left.) Never touches another process's files. Waits longer for other processes than Import does.
  static std::vector<ImportResult> ImportInto(const std::filesystem::path& file, std::span<const ImportSource> sources);

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A query of db/queries, named like its file without .sql.
struct NamedQuery {
  std::string_view name;
  std::string_view summary;  // its first comment line
  std::string_view sql;
};
std::span<const NamedQuery> NamedQueries();
const NamedQuery* FindNamedQuery(std::string_view name);

// Text forms used in the schema.
inline std::string_view ToText(ReadingStatus status) { return NameOf(status); }
inline std::string_view ToText(LaunchState state) { return NameOf(state); }

}  // namespace culprit
