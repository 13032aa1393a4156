// SPDX-License-Identifier: Apache-2.0
// The measurement database: one SQLite file. This is the only header through which anything reaches SQLite.
// Every failure is a culprit::Error whose text names the file and says what to do; the file is left as it was.
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

// A run, and whether it is what was recorded.
struct ListedRun {
  RunSummary run;  // of a damaged one what its own row tells: UUID, start, label, command line
  // "program.lost_launches is -1, which is not within 0 to 1e+15"; "its checksum differs ..."; empty: none
  std::string damage;
};

// Everything stored about one launch.
struct KernelRecord {
  LaunchId id = 0;
  RunSummary run;
  StageRecord stage;
  LaunchRecord launch;
  std::vector<Sample> samples;    // in order of execution
  std::vector<Reading> readings;  // in the order of their keys
  // Metric id -> what each repetition of the collection read, in order, of the metrics that every repetition read;
  // the reading is their median. A repetition that read nothing at all does not count. Empty: collected once.
  std::map<std::string, std::vector<double>> repeats = {};
  std::vector<StaticAttribute> attributes;  // of the build for launch.arch
  std::string cubin_digest;                 // of the same build, see BuildRecord
  // Barriers of a block that its warps executed, summed over the instructions BAR; none when instructions were not
  // counted, or when none of them has an opcode.
  std::optional<double> barriers;
  // Warp instructions that load from or store to "shared" and "global" memory, by the bytes that a thread names: 1 to
  // 16. From the instructions' opcodes and widths; empty where no instruction has both.
  std::map<std::string, std::map<int, double>> accesses = {};
  // Their mean: bytes that a thread names in a load or store of "shared" or "global" memory, on the average of those
  // executed; no entry where none was counted.
  std::map<std::string, double> access_bytes = {};
  std::vector<Warning> warnings;  // of the run and of this launch
  // By kind and setting; empty: none was made.
  std::vector<InterventionRecord> interventions = {};
  std::optional<ProgramLaunch> program = {};  // none: a launch of a benchmark of ours
};

// Of several launches of a stage at a shape in one run.
enum class Ordinals { kFirst, kAll };

// Narrows a search; empty fields mean "any".
struct Selector {
  std::string run = {};    // a UUID prefix of 4 or more characters, a run id, or a label
  std::string shape = {};  // "4096" (square) or "4096x2048x1024"
  std::string gpu = {};    // part of the device name, case-insensitive
  // Of several launches at a shape, which: as IsInRange says of NVTX ranges, whose numbers may be named; and by number,
  // 1 being the first, 0 any. Neither: the first.
  std::string nvtx = {};
  int launch = 0;
};

struct NamedQuery;

// A connection. Movable; used by one thread at a time. What cannot be found is an Error that says what exists instead.
class Database {
 public:
  // Creates the file if it is missing, migrates it if it is older. WAL, foreign keys on.
  static Database OpenForRecording(const std::filesystem::path& file);
  // Never writes to the file: an older schema is migrated in a copy in memory. Fails when the file is missing.
  static Database OpenForReading(const std::filesystem::path& file);
  // Of nobody else: what is recorded into it is gone with it, unless it is exported.
  static Database InMemory();

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // --- recording: each call is one transaction ---
  // What a call stored survives the death of the process from then on, and power loss from FinishRun on.
  RunId BeginRun(const RunRecord& run);
  // `finished_utc`: when it did, "2026-11-21T00:25:46Z"; empty: now.
  // Nothing may be stored of the run from then on: this makes the sum by which readers see that it is as it was.
  void FinishRun(RunId run, const std::string& finished_utc = {});
  // Stage and build rows of stages that were not launched (a machine without a GPU) or will be. The shared accesses
  // belong to the run: storing the stage again replaces them.
  void StoreStage(RunId run, const StageRecord& stage, std::span<const BuildRecord> builds);
  // A launch with its samples. `stage` must have been stored, and so must the launches of lower ordinals of that stage
  // at that shape. Storing the same (run, stage, shape, ordinal) again replaces it.
  LaunchId StoreLaunch(RunId run, const LaunchRecord& launch, std::span<const Sample> samples);
  // Adds or replaces readings of a launch. The repeats of a reading that is replaced go with it.
  void StoreReadings(LaunchId launch, std::span<const Reading> readings);
  // Replaces what the repetitions of a collection read, in order; their median is the reading, stored before. A metric
  // without a value is left out of that repetition. Fewer than two repetitions leave nothing.
  void StoreRepeats(LaunchId launch, std::span<const std::vector<Reading>> repetitions);
  // Replaces the instruction rows of a launch. The launch's readings must be stored first: they define the metrics.
  void StoreInstructions(LaunchId launch, std::span<const InstructionRecord> instructions);
  // Replaces the figures of the run's GPU.
  void StoreMachine(RunId run, std::span<const MachineFigure> figures);
  // Those that an earlier run measured on this GPU model on this machine since it was started, to be stored with `run`
  // too; empty: none did.
  std::vector<MachineFigure> FindMachine(RunId run) const;
  // Replaces what is known of the program whose run this is, RunRecord::program, which BeginRun does not store: most of
  // it is known at the end.
  void StoreProgram(RunId run, const ProgramRecord& program);
  void StoreProgramLaunch(LaunchId launch, const ProgramLaunch& program);
  // Replaces those of the launch.
  void StoreInterventions(LaunchId launch, std::span<const InterventionRecord> interventions);
  // Replaces what sampling saw of the launch. Samples of a function without code are stored too. A function may have
  // one code, an instruction of it one row for each reason.
  void StoreSampling(LaunchId launch, const SamplingRecord& sampling);
  void StoreWarning(RunId run, std::optional<LaunchId> launch, const Warning& warning);

  // --- reading ---
  // Of several launches of a stage at a shape in one run, whatever looks for launches takes the first unless a Selector
  // names another; LoadKernel and Query have all.
  // A run that was changed since it was complete is not read: whatever reads of a run or a launch throws for it. So
  // does whatever chooses among runs, unless a run's id or UUID says which is meant: the damaged one might be the right
  // one.
  std::vector<RunSummary> Runs() const;              // newest first, without those of which a row cannot be read
  std::vector<RunSummary> RunsToChooseFrom() const;  // newest first; throws where a row of one cannot be read
  std::size_t CountRuns() const;                     // damaged ones too
  std::vector<ListedRun> ListRuns() const;           // all, newest first, each looked at as a whole
  // Those that Selector::run can name by `run`, complete ones first, then newest first; empty: none.
  std::vector<RunSummary> RunsNamed(std::string_view run) const;
  // The run a selector names, or the newest complete one that has a launch of `stage` (any stage when empty).
  RunSummary FindRun(const Selector& selector, std::string_view stage = {}) const;
  // Default: the newest complete run that has the stage, its largest square shape (else its largest shape by flop); of
  // a program's run the launch with most of its time.
  // Launches that failed or were refused only when the stage has no other there. Without a complete run, the newest
  // unfinished one. Throws with what is there instead when nothing matches, and with the candidates when Selector::run
  // names several.
  KernelRecord FindKernel(std::string_view stage, const Selector& selector) const;
  KernelRecord LoadKernel(LaunchId launch) const;
  // Each as LoadKernel has it, in this order. What they share is read once: read many by one call, never one by one.
  std::vector<KernelRecord> LoadKernels(std::span<const LaunchId> launches) const;
  // The launches of a run in the order they were stored, as LoadKernel has them but for repeats, which are empty: read
  // in a few queries, for tables over whole runs.
  std::vector<KernelRecord> LoadKernels(RunId run, Ordinals ordinals = Ordinals::kFirst) const;
  std::vector<StageRecord> Stages(RunId run) const;
  std::vector<BuildRecord> Builds(RunId run) const;
  std::vector<std::string> Shapes(RunId run) const;  // largest first, squares before others of the same flop
  // All launches of a run at one shape and of one stage (every shape or stage when empty), in the order they were
  // stored.
  std::vector<LaunchId> Launches(RunId run, std::string_view shape, Ordinals ordinals = Ordinals::kFirst,
                                 std::string_view stage = {}) const;
  std::vector<Warning> Warnings(RunId run) const;
  // Those that were stored, by function and pc offset; empty when instructions were not counted. Any may have been
  // left out: those of gemm_bench are memory accesses and barriers.
  std::vector<InstructionRecord> Instructions(LaunchId launch) const;
  // None: the launch was not sampled. Code without a digest and instructions, of which only samples are known, is left
  // out.
  std::optional<SamplingRecord> Sampling(LaunchId launch) const;

  // Throws when SQLite finds damage in any page, or a row that breaks the schema (PRAGMA quick_check): a flipped bit
  // may drop rows without any other sign. Reads the whole file.
  void CheckWhole() const;

  // One read-only statement; anything that could write, attach or load is refused with a sentence.
  // Every parameter needs a value.
  Table Query(std::string_view sql, const Parameters& parameters = {}) const;
  // A shipped one has a default for what is not given.
  Table Query(const NamedQuery& query, const Parameters& parameters = {}) const;

  // --- travelling ---
  // SQL text that Import understands: the whole database, or the runs that `run` names (see Selector::run).
  std::string Export(const std::vector<RunId>& runs = {}) const;
  struct ImportResult {
    int runs_added = 0, runs_already_there = 0;
    // UUIDs of runs that were there already, with other content, and were left as they were.
    std::vector<std::string> kept_apart = {};
  };
  // Merges by run UUID; an unfinished copy that an earlier import brought gives way to the finished run. Only INSERTs
  // into our own tables are executed; anything else is refused and nothing changes.
  ImportResult Import(std::string_view sql_text, std::string_view source_name);

  // An export to come: what messages call it, and what gives its text when its turn has come.
  struct ImportSource {
    std::string name;
    std::function<std::string()> read;
  };
  // Imports all of `sources` into `file`, or none. A file that is not there yet appears when it is complete; a failure
  // leaves nothing behind, no content of the file changed (and no byte, but that a killed
  // writer's log is folded in), and touches nothing that another process made. Waits for
  // others longer than Import.
  static std::vector<ImportResult> ImportInto(const std::filesystem::path& file, std::span<const ImportSource> sources);

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A query that ships in db/queries, by file name without .sql.
struct NamedQuery {
  std::string_view name;
  std::string_view summary;  // its first comment line
  std::string_view sql;
};
std::span<const NamedQuery> NamedQueries();
const NamedQuery* FindNamedQuery(std::string_view name);

// Text forms used in the schema.
std::string_view ToText(ReadingStatus status);
std::string_view ToText(LaunchState state);

}  // namespace culprit
