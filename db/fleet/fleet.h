// SPDX-License-Identifier: Apache-2.0
// Runs of many machines in PostgreSQL. A run travels whole, as a compressed export; its kernels' medians, verdicts and
// counters are also rows, for questions over time. migrations/ has the tables. Only this folder uses libpq.
// Every failure is a culprit::Error. A failed call stores nothing.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

// Text that a server of UTF-8 accepts: bytes that are not UTF-8, and zero bytes, become U+FFFD.
std::string AsUtf8(std::string_view text);

// True for "postgresql://..." and "postgres://...".
bool IsServer(std::string_view name);

// Which workload a run is of. Equal workloads are stored once.
struct FleetWorkload {
  std::string kind;     // "program" | "benchmark"
  std::string name;     // "train.py"
  std::string command;  // without the folder of the program; of a benchmark, its name
};

// A kernel's launches of one shape, block and NVTX range: what is compared from run to run. Texts are UTF-8.
struct FleetClass {
  std::string kernel;  // as `culprit list` shows it
  std::string name;    // readable, in full
  std::string shape, block, nvtx;
  int ordinal = 0;  // numbers classes that are equal in everything else
};

// The judgement of a class against its base. Texts as in analysis/judge/.
struct FleetVerdict {
  std::string verdict;  // "slower", "faster", "same", "ambiguous", "new"; empty: not judged
  std::optional<double> change, change_low, change_high;
  std::string cause;  // empty: none, or none may be named alone
  std::optional<double> cause_share;
  std::string source;
  std::optional<bool> same_code;
};

struct FleetKernel {
  FleetClass of;
  int samples = 0;
  double median_us = 0;
  std::optional<double> low_us, high_us, clock_mhz;  // 95 % interval of the median; median clock
  std::int64_t calls = 0;
  std::optional<double> total_us;  // of all calls
  FleetVerdict verdict;
  std::span<const Reading> readings;  // the caller keeps them
};

struct FleetRun {
  std::string uuid, content;  // content: the checksum of all that the run holds
  std::string started, finished, label, git_sha, branch, profile, gpu_uuids, driver, cuda;
  bool git_dirty = false;
  Device gpu;  // without a name: the run names no GPU
  FleetWorkload workload;
  std::string base_uuid;  // empty: not judged
  std::optional<double> gpu_us;
  std::vector<FleetKernel> kernels;
  std::string archive;  // Database::Export, compressed
};

enum class Sent { kNow, kAlreadyThere, kOtherContent };

// A run on the server.
struct FleetRunSummary {
  std::int64_t id = 0;
  std::string uuid, started, label, git_sha, branch, workload, gpu, gpu_uuids, driver, cuda;
  std::int64_t launches = 0, metric_values = 0, archive_bytes = 0;
  bool pruned = false;
  std::optional<double> gpu_us;
  std::int64_t gpu_id = 0, workload_id = 0;  // of the GPU's model, and of the program with its command
};

// Chooses runs; empty fields mean "any".
struct FleetFilter {
  std::vector<std::string> runs = {};  // a UUID or a prefix of 4 or more characters, or a label
  std::string branch = {}, git_sha = {}, gpu = {}, workload = {},
              kernel = {};             // git_sha: a prefix; gpu, workload: a part
  std::string since = {}, until = {};  // "7d", "2026-11-21" or "2026-11-21T00:25:46Z"
  int most = 0;                        // of the newest; 0: all
};

// One class on one GPU model and branch.
struct FleetSeries {
  std::int64_t class_id = 0;
  FleetClass of;
  std::string workload, gpu, branch;
};

struct FleetPoint {
  double median_us = 0;
  std::optional<double> low_us, high_us, clock_mhz, total_us;
  std::int64_t calls = 0;
  FleetVerdict verdict;
};

struct FleetHistory {
  FleetSeries series;
  std::vector<FleetRunSummary> runs;  // oldest first
  std::vector<FleetPoint> points;     // one for each run
  std::int64_t all_series = 0;        // series on the server, for the control of false alarms
};

// All series with a point since a time, with their earlier points, in few bytes.
struct FleetWindow {
  std::vector<FleetRunSummary> runs;  // oldest first
  struct Point {
    std::uint32_t run = 0;  // index in runs
    std::int32_t class_id = 0;
    float median_us = 0, clock_mhz = 0;  // clock 0: not measured
  };
  std::vector<Point> points;  // by class, then by time
  std::size_t first_new = 0;  // the first run since that time
};

class Fleet {
 public:
  // Connects. See Server in server.h for the URI.
  explicit Fleet(const std::string& uri);
  Fleet(Fleet&&) noexcept;
  Fleet& operator=(Fleet&&) noexcept;
  ~Fleet();

  // Creates the tables and roles, or brings them up to date, in one transaction. Returns what it did, a sentence.
  static std::string SetUp(const std::string& uri);

  bool CanRead() const;  // measurements, not only names
  bool IsAlive() const;  // false: the connection broke

  // Which of these runs (UUID) the server has, each with its content's checksum.
  std::vector<std::pair<std::string, std::string>> Known(std::span<const std::string> uuids);
  // Stores a run in one transaction. Two that send one run at once: the second gets kAlreadyThere.
  Sent Send(const FleetRun& run);

  // The newest earlier run of the workload on this GPU model: of the same branch, else of `base_branch`.
  std::optional<FleetRunSummary> FindBase(const FleetRun& run, const std::string& base_branch);
  std::vector<FleetRunSummary> Find(const FleetFilter& filter);  // oldest first
  // Database::Import reads it. Throws when the run was pruned.
  std::string Archive(const FleetRunSummary& run);

  // The series of a kernel: that of the class with the most time in the newest run that has it. Throws and lists what
  // is similar if there is none.
  FleetHistory History(std::string_view kernel, const FleetFilter& filter, std::string_view shape);
  // `span`: how far before `since` points are read, "90d".
  FleetWindow Window(const FleetFilter& filter, const std::string& span);
  std::vector<FleetSeries> Series(std::span<const std::int64_t> class_ids);
  FleetHistory HistoryOf(std::int64_t class_id, const FleetFilter& filter);
  // Each class's total time in a run.
  struct ClassTime {
    FleetClass of;
    double total_us = 0;
  };
  std::vector<ClassTime> ClassTimes(std::int64_t run_id);

  struct Pruned {
    std::int64_t runs = 0, bytes = 0;
  };
  // Deletes archives (and counters, if told) of runs that started before `before`; medians and causes stay.
  Pruned Prune(const std::string& before, bool counters, bool only_count);

  // A table or view as CSV with a head line.
  void Csv(std::string_view table, std::ostream& out);
  static std::span<const std::string_view> CsvTables();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace culprit
