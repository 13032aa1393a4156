// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/program/name.h"
#include "analysis/program/timeline.h"
#include "db/launch_facts.h"
#include "db/medians.h"
#include "db/sample_range.h"

namespace culprit {
namespace {

constexpr double kNsPerUs = 1000;

// Beyond the longest sample a clock jumped.
bool IsTime(std::int64_t start_ns, std::int64_t end_ns) {
  return static_cast<double>(end_ns - start_ns) <= kMostSampleUs * kNsPerUs;
}

// A word of the range's path that is `wanted`, or begins with it and goes on with a space, a number or a colon.
bool IsWithin(std::string_view path, std::string_view wanted) {
  if (wanted.empty()) return true;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view word = path.substr(begin, end - begin);
    if (word == wanted) return true;
    if (word.starts_with(wanted) && std::string_view(" :_-#0123456789").find(word[wanted.size()]) != word.npos)
      return true;
    begin = end + 1;
  }
  return path == wanted;
}

// A trace may say a thing twice, and a database has it once.
template <class Row, class KeyOf>
std::vector<Row> FirstOfEach(std::vector<Row> rows, KeyOf key_of) {
  std::set<decltype(key_of(rows.front()))> seen;
  std::erase_if(rows, [&](const Row& row) { return !seen.insert(key_of(row)).second; });
  return rows;
}

struct Gpu {
  std::optional<Device> device;
  std::vector<BusyInterval> intervals;
  double time_us = 0;
};

// The parts of a program as they are found, process by process.
class Reader {
 public:
  Reader(std::span<const ProcessTrace> traces, const std::string& range) : traces_(traces), range_(range) {}

  TimedProgram Read() {
    for (std::size_t process = 0; process < traces_.size(); ++process) ReadLaunches(process);
    std::ranges::sort(calls_, {}, [](const Call& c) { return std::tuple(c.start_ns, c.process, c.duration_ns); });
    NumberCalls();
    ReadCopies();
    Share();
    ReadKernels();
    Order();
    Describe();
    return std::move(timed_);
  }

 private:
  struct Call {
    std::int64_t start_ns, duration_ns;
    std::uint32_t launch_class, countable;
    std::uint32_t process;
    bool is_wanted;
  };

  std::size_t GpuOf(const ProcessTrace& trace, int ordinal) {
    const auto known = trace.devices.find(ordinal);
    const std::string uuid = known == trace.devices.end() ? "" : known->second.uuid;
    const auto [at, is_new] = gpu_numbers_.try_emplace(
        uuid.empty() ? fmt::format("{} of process {}", ordinal, trace.pid) : uuid, gpus_.size());
    if (is_new) gpus_.emplace_back();
    Gpu& gpu = gpus_[at->second];
    if (known != trace.devices.end() && !gpu.device) gpu.device = known->second.device;
    return at->second;
  }

  std::size_t KernelOf(const std::string& symbol) {
    const auto [at, is_new] = kernel_numbers_.try_emplace(symbol, timed_.kernels.size());
    if (is_new) timed_.kernels.push_back({symbol, {}, {}, {}});
    return at->second;
  }

  void ReadLaunches(std::size_t process) {
    const ProcessTrace& trace = traces_[process];
    std::vector<std::size_t> kernels;
    for (const std::string& symbol : trace.kernels) kernels.push_back(KernelOf(symbol));
    std::vector<std::string> ranges;
    std::vector<char> wanted{range_.empty() ? '\1' : '\0'};  // of no range, then of each
    for (const std::string& range : trace.ranges) {
      ranges.push_back(NormalRange(range));
      wanted.push_back(IsWithin(range, range_) ? '\1' : '\0');
    }
    std::map<int, std::size_t> gpus;  // by ordinal
    std::int64_t timed = 0;
    for (const TracedLaunch& launch : trace.launches) {
      if (!IsTime(launch.start_ns, launch.end_ns)) continue;
      if (!launch.from_graph) ++timed;  // as launches_seen
      const std::size_t kernel = kernels[static_cast<std::size_t>(launch.kernel)];
      const bool is_wanted = wanted[static_cast<std::size_t>(launch.range + 1)] != '\0';
      const std::size_t countable = CountableOf(kernel, launch.geometry);
      Call call{launch.start_ns,
                launch.end_ns - launch.start_ns,
                0,
                static_cast<std::uint32_t>(countable),
                static_cast<std::uint32_t>(process),
                is_wanted};
      if (is_wanted) {
        const auto [gpu, is_new] = gpus.try_emplace(launch.device, 0);
        if (is_new) gpu->second = GpuOf(trace, launch.device);
        const std::string& nvtx = launch.range < 0 ? kNone : ranges[static_cast<std::size_t>(launch.range)];
        const std::size_t launch_class = ClassOf(kernel, launch.geometry, nvtx);
        call.launch_class = static_cast<std::uint32_t>(launch_class);
        timed_.classes[launch_class].graph_calls += launch.from_graph ? 1 : 0;
        gpus_[gpu->second].intervals.push_back({launch.start_ns, launch.end_ns, launch_class});
      }
      calls_.push_back(call);
    }
    timed_.program.lost_launches += std::max<std::int64_t>(0, trace.launches_seen - timed);
  }

  std::size_t CountableOf(std::size_t kernel, const LaunchGeometry& geometry) {
    const auto [at, is_new] = countable_numbers_.try_emplace({kernel, geometry}, timed_.countables.size());
    if (is_new) timed_.countables.push_back({kernel, geometry});
    return at->second;
  }

  std::size_t ClassOf(std::size_t kernel, const LaunchGeometry& geometry, const std::string& nvtx) {
    const auto [at, is_new] = class_numbers_.try_emplace({kernel, geometry, nvtx}, timed_.classes.size());
    if (is_new) timed_.classes.push_back({.kernel = kernel, .geometry = geometry, .nvtx = nvtx, .first = -1});
    return at->second;
  }

  // In the order in which they began: samples, and the numbers by which a plan names launches of a process.
  void NumberCalls() {
    std::vector<std::int64_t> wanted_calls(timed_.classes.size(), 0);
    for (const Call& call : calls_)
      if (call.is_wanted) ++wanted_calls[call.launch_class];
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> numbers;  // by countable and process
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> wanted;
    std::map<std::uint32_t, int> processes;  // in the order of their first launch
    std::int64_t order = 0;
    for (const Call& call : calls_) {
      const std::int64_t number = numbers[{call.countable, call.process}]++;
      if (!call.is_wanted) continue;
      wanted[{call.countable, call.process}].push_back(number);
      const int process = processes.try_emplace(call.process, static_cast<int>(processes.size())).first->second;
      LaunchClass& of = timed_.classes[call.launch_class];
      const double us = static_cast<double>(call.duration_ns) / kNsPerUs;
      if (of.first < 0) of.first = order;
      ++order;
      of.time_us += us;
      of.slowest_us = std::max(of.slowest_us, us);
      // Of n calls the one in the middle of each of kMostSamples parts. A call of no time is no sample.
      const std::int64_t all = wanted_calls[call.launch_class], most = static_cast<std::int64_t>(kMostSamples);
      if (call.duration_ns > 0 && (all <= most || (of.calls + 1) * most / all > of.calls * most / all))
        of.samples.emplace_back().time_us = us, of.samples.back().process = process;
      ++of.calls;
      Countable& countable = timed_.countables[call.countable];
      countable.time_us += us;
      countable.slowest_us = std::max(countable.slowest_us, us);
    }
    for (auto& [key, all] : wanted) {
      std::vector<std::int64_t>& most = timed_.countables[key.first].numbers;
      if (all.size() > most.size()) most = std::move(all);
    }
    calls_ = {};
  }

  void ReadCopies() {
    std::map<CopyKind, ProgramCopy> copies;
    for (const ProcessTrace& trace : traces_) {
      for (const TracedCopy& copy : trace.copies) {
        if (!IsTime(copy.start_ns, copy.end_ns)) continue;
        Gpu& gpu = gpus_[GpuOf(trace, copy.device)];
        if (!range_.empty() && !IsAmongLaunches(copy, gpu)) continue;
        ProgramCopy& sum = copies[copy.kind];
        sum.kind = copy.kind;
        ++sum.calls;
        sum.bytes += static_cast<double>(copy.bytes);
        sum.time_us += static_cast<double>(copy.end_ns - copy.start_ns) / kNsPerUs;
        gpu.intervals.push_back(
            {copy.start_ns, copy.end_ns, timed_.classes.size() + static_cast<std::size_t>(copy.kind)});
      }
    }
    for (const auto& [kind, copy] : copies) timed_.program.copies.push_back(copy);
  }

  // Between the first and the last of the launches that are wanted, which stand first among the intervals.
  bool IsAmongLaunches(const TracedCopy& copy, const Gpu& gpu) {
    auto [at, is_new] = hulls_.try_emplace(&gpu, std::pair<std::int64_t, std::int64_t>(0, 0));
    if (is_new && !gpu.intervals.empty())
      at->second = {std::ranges::min(gpu.intervals, {}, &BusyInterval::start_ns).start_ns,
                    std::ranges::max(gpu.intervals, {}, &BusyInterval::end_ns).end_ns};
    return copy.start_ns >= at->second.first && copy.end_ns <= at->second.second;
  }

  void Share() {
    const std::size_t classes = timed_.classes.size();
    double span_us = 0, idle_us = 0;
    for (Gpu& gpu : gpus_) {
      if (gpu.intervals.empty()) continue;
      ++timed_.program.gpus;
      const TimelineShares shares = SharesOf(gpu.intervals, classes + std::size(kCopyKindNames));
      gpu.intervals = {};
      gpu.time_us = shares.span_us - shares.idle_us;
      span_us += shares.span_us, idle_us += shares.idle_us;
      for (std::size_t i = 0; i < classes; ++i) timed_.classes[i].share_us += shares.share_us[i];
      for (ProgramCopy& copy : timed_.program.copies)
        copy.share_us += shares.share_us[classes + static_cast<std::size_t>(copy.kind)];
    }
    if (timed_.program.gpus > 0) timed_.program.span_us = span_us, timed_.program.idle_us = idle_us;
  }

  // Names, and of each kernel one code: that of the process in which the GPU had most to do.
  void ReadKernels() {
    for (ProgramKernel& kernel : timed_.kernels) {
      kernel.readable = ReadableName(kernel.symbol);
      kernel.stage = StageIdOf(kernel.readable);
    }
    std::vector<const ProcessTrace*> busiest;
    for (const ProcessTrace& trace : traces_) busiest.push_back(&trace);
    std::ranges::stable_sort(busiest, std::greater<>(), [](const ProcessTrace* t) { return t->launches.size(); });
    std::set<std::size_t> differ;
    for (const ProcessTrace* trace : busiest) {
      timed_.places.insert(trace->places.begin(), trace->places.end());
      for (const BuildRecord& build : trace->builds) {
        const auto known = kernel_numbers_.find(build.kernel);
        if (known == kernel_numbers_.end()) continue;
        std::optional<BuildRecord>& chosen = timed_.kernels[known->second].build;
        if (!chosen) {
          chosen = build;
          chosen->attributes =
              FirstOfEach(build.attributes, [](const StaticAttribute& a) { return std::pair(a.name, a.source); });
        } else if (chosen->cubin_digest != build.cubin_digest) {
          differ.insert(known->second);
        }
      }
    }
    if (!differ.empty())
      Warn("code_differs",
           fmt::format("{} of {} kernels were loaded with more than one code under one name ({}): registers and lines "
                       "are those of the first in the process that launched most.",
                       differ.size(), timed_.kernels.size(), ShortName(timed_.kernels[*differ.begin()].readable)));
  }

  void Order() {
    std::erase_if(timed_.countables, [](const Countable& c) { return c.numbers.empty(); });
    const auto more = [](const auto& a, const auto& b) { return a.time_us > b.time_us; };
    std::ranges::stable_sort(timed_.classes, [](const LaunchClass& a, const LaunchClass& b) {
      return std::tuple(-a.time_us, a.first) < std::tuple(-b.time_us, b.first);
    });
    std::ranges::stable_sort(timed_.countables, more);
  }

  void Describe() {
    const Gpu* busiest = nullptr;
    std::set<std::string> models;
    for (const Gpu& gpu : gpus_) {
      if (gpu.device) models.insert(gpu.device->name);
      if (!busiest || gpu.time_us > busiest->time_us) busiest = &gpu;
    }
    if (busiest) timed_.device = busiest->device;
    if (models.size() > 1 && timed_.device)
      Warn("gpus_differ", fmt::format("the program used GPUs of {} models: counters and peaks are read as those of {}, "
                                      "which had most to do.",
                                      models.size(), timed_.device->name));
    std::size_t incomplete = 0;
    std::set<std::pair<std::string, std::string>> said;
    for (const ProcessTrace& trace : traces_) {
      const bool used_gpu = !trace.launches.empty() || !trace.copies.empty();
      timed_.program.processes += used_gpu ? 1 : 0;
      incomplete += trace.complete ? 0 : 1;
      if (used_gpu && timed_.toolchain.driver.empty()) timed_.toolchain = trace.toolchain;
      for (const Warning& warning : trace.warnings)
        if (said.emplace(warning.code, warning.text).second) timed_.warnings.push_back(warning);
    }
    if (timed_.program.lost_launches > 0)
      Warn("launches_lost",
           fmt::format("{} launches were seen and have no time: shares and idle time are of the others.",
                       timed_.program.lost_launches));
    if (incomplete > 0)
      Warn("trace_incomplete",
           fmt::format("{} of {} processes ended without saying so (killed, or still running): what they had written "
                       "until then is here, the last of it may be missing.",
                       incomplete, traces_.size()));
    if (!range_.empty())
      Warn("one_range",
           fmt::format("only launches in NVTX range '{}' were recorded: what else ran on the GPU meanwhile "
                       "counts as idle.",
                       range_));
  }

  void Warn(const char* code, std::string text) { timed_.warnings.push_back({code, std::move(text)}); }

  inline static const std::string kNone;

  std::span<const ProcessTrace> traces_;
  const std::string& range_;
  TimedProgram timed_;
  std::vector<Gpu> gpus_;
  std::vector<Call> calls_;
  std::map<std::string, std::size_t> gpu_numbers_, kernel_numbers_;
  std::map<std::tuple<std::size_t, LaunchGeometry>, std::size_t> countable_numbers_;
  std::map<std::tuple<std::size_t, LaunchGeometry, std::string>, std::size_t> class_numbers_;
  std::map<const Gpu*, std::pair<std::int64_t, std::int64_t>> hulls_;
};

std::string ShapeOf(const LaunchGeometry& g) {
  return fmt::format("{}x{}x{}x{}x{}x{}", g.grid_x, g.grid_y, g.grid_z, g.block_x, g.block_y, g.block_z);
}

std::string ArchOf(const ProgramKernel& kernel, const std::optional<Device>& device) {
  if (kernel.build && !kernel.build->arch.empty()) return kernel.build->arch;
  return device ? fmt::format("sm_{}{}", device->cc_major, device->cc_minor) : "";
}

LaunchRecord LaunchOf(const LaunchClass& of, const TimedProgram& timed) {
  const ProgramKernel& kernel = timed.kernels[of.kernel];
  const LaunchGeometry& g = of.geometry;
  LaunchRecord launch;
  launch.stage = kernel.stage;
  launch.arch = ArchOf(kernel, timed.device);
  launch.shape = ShapeOf(g);
  launch.kernel = kernel.symbol;
  launch.grid_x = g.grid_x, launch.grid_y = g.grid_y, launch.grid_z = g.grid_z;
  launch.block_x = g.block_x, launch.block_y = g.block_y, launch.block_z = g.block_z;
  launch.dynamic_shared_bytes = g.dynamic_shared_bytes;
  return launch;
}

ProgramLaunch ProgramLaunchOf(const LaunchClass& of, const TimedProgram& timed) {
  return {.name = timed.kernels[of.kernel].readable,
          .nvtx = of.nvtx,
          .first = of.first,
          .calls = of.calls,
          .time_us = of.time_us,
          .share_us = of.share_us,
          .graph_calls = of.graph_calls};
}

// Empty where it was in none.
std::string NormalRangeOf(const ProcessTrace& trace, const CountedLaunch& launch) {
  return launch.range < 0 ? "" : NormalRange(trace.ranges[static_cast<std::size_t>(launch.range)]);
}

// A stage by the kernel that comes first, which is the one with most time.
void StoreStage(Database& database, RunId run, const ProgramKernel& kernel, const TimedProgram& timed) {
  StageRecord stage;
  stage.id = kernel.stage;
  stage.family = "program";
  stage.idea = ShortName(kernel.readable);
  if (const auto place = timed.places.find(kernel.symbol); place != timed.places.end())
    stage.source_file = place->second.first, stage.source_line = place->second.second;
  std::vector<BuildRecord> builds;
  if (kernel.build) builds.push_back(*kernel.build);
  for (BuildRecord& build : builds) build.stage = stage.id, build.arch = ArchOf(kernel, timed.device);
  database.StoreStage(run, stage, builds);
}

}  // namespace

double TimedProgram::KernelTimeUs() const {
  return std::accumulate(classes.begin(), classes.end(), 0.0,
                         [](double sum, const LaunchClass& c) { return sum + c.time_us; });
}

TimedProgram ReadTimed(std::span<const ProcessTrace> traces, const std::string& range) {
  return Reader(traces, range).Read();
}

std::string NormalRange(std::string_view range) {
  std::string normal;
  for (const char c : range) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit)
      normal += c;
    else if (!normal.ends_with('#'))
      normal += '#';
  }
  return normal;
}

StoredProgram StoreTimed(Database& database, RunRecord run, const TimedProgram& timed,
                         std::span<const std::string> not_counted) {
  run.l2 = "hot";
  run.device = timed.device;
  run.toolchain = timed.toolchain;
  StoredProgram stored{database.BeginRun(run), {}};
  std::set<std::string> stages;
  std::map<std::pair<std::string, std::string>, int> ordinals;
  for (std::size_t i = 0; i < timed.classes.size(); ++i) {
    const LaunchClass& of = timed.classes[i];
    const ProgramKernel& kernel = timed.kernels[of.kernel];
    if (stages.insert(kernel.stage).second) StoreStage(database, stored.run, kernel, timed);
    LaunchRecord launch = LaunchOf(of, timed);
    launch.ordinal = ordinals[{launch.stage, launch.shape}]++;
    stored.launches.push_back(database.StoreLaunch(stored.run, launch, of.samples));
    ProgramLaunch program = ProgramLaunchOf(of, timed);
    program.not_counted = not_counted[i];
    database.StoreProgramLaunch(stored.launches.back(), program);
    database.StoreReadings(stored.launches.back(),
                           LaunchFacts(kernel.build ? std::span<const StaticAttribute>(kernel.build->attributes)
                                                    : std::span<const StaticAttribute>(),
                                       1));
  }
  for (const Warning& warning : timed.warnings) database.StoreWarning(stored.run, std::nullopt, warning);
  database.StoreProgram(stored.run, timed.program);
  return stored;
}

std::vector<ClassCounts> MatchCounts(const TimedProgram& timed, std::span<const ProcessTrace> counted,
                                     const std::string& missing) {
  using Key = std::tuple<std::string_view, LaunchGeometry>;
  std::map<Key, std::vector<std::pair<const CountedLaunch*, std::string>>> launches;  // with their ranges
  for (const ProcessTrace& trace : counted)
    for (const CountedLaunch& launch : trace.counted)
      launches[{SymbolOf(trace, launch), launch.geometry}].emplace_back(&launch, NormalRangeOf(trace, launch));
  std::vector<ClassCounts> counts(timed.classes.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const LaunchClass& of = timed.classes[i];
    const auto found = launches.find({timed.kernels[of.kernel].symbol, of.geometry});
    if (found != launches.end()) {
      const bool range_agrees = std::ranges::any_of(found->second, [&](const auto& launch) {
        return launch.second == of.nvtx && !launch.first->readings.empty();
      });
      for (const auto& [launch, range] : found->second) {
        if (!launch->readings.empty() && (!range_agrees || range == of.nvtx))
          counts[i].repetitions.push_back(
              FirstOfEach(launch->readings, [](const Reading& r) { return std::pair(r.metric.id, r.metric.source); }));
        if (launch->readings.empty() && counts[i].not_counted.empty()) counts[i].not_counted = launch->not_counted;
      }
    }
    if (!counts[i].repetitions.empty())
      counts[i].not_counted.clear();
    else if (counts[i].not_counted.empty())
      counts[i].not_counted = missing;
  }
  return counts;
}

void StoreCounts(Database& database, const StoredProgram& stored, const TimedProgram& timed,
                 std::span<const ClassCounts> counts, std::span<const std::string> not_counted) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const ClassCounts& of = counts[i];
    if (of.repetitions.empty() && !not_counted[i].empty()) continue;
    if (!of.repetitions.empty()) {
      database.StoreReadings(stored.launches[i], Medians(of.repetitions));
      if (of.repetitions.size() > 1) database.StoreRepeats(stored.launches[i], of.repetitions);
    }
    ProgramLaunch program = ProgramLaunchOf(timed.classes[i], timed);
    program.counted = static_cast<std::int64_t>(of.repetitions.size());
    program.not_counted = of.not_counted;
    database.StoreProgramLaunch(stored.launches[i], program);
  }
}

bool StoreExactCounts(Database& database, const StoredProgram& stored, const TimedProgram& timed,
                      std::span<const ProcessTrace> traces) {
  for (const ProcessTrace& trace : traces)
    for (const CountedLaunch& launch : trace.counted) {
      if (launch.readings.empty()) continue;
      const std::string& symbol = SymbolOf(trace, launch);
      const std::string range = NormalRangeOf(trace, launch);
      const auto is_of_it = [&](const LaunchClass& of) {
        return timed.kernels[of.kernel].symbol == symbol && of.geometry == launch.geometry;
      };
      const bool range_agrees =
          std::ranges::any_of(timed.classes, [&](const LaunchClass& of) { return is_of_it(of) && of.nvtx == range; });
      for (std::size_t i = 0; i < timed.classes.size(); ++i) {
        const LaunchClass& of = timed.classes[i];
        if (!is_of_it(of) || (range_agrees && of.nvtx != range)) continue;
        database.StoreReadings(stored.launches[i], launch.readings);
        database.StoreInstructions(stored.launches[i], launch.instructions);
      }
      return true;
    }
  return false;
}

StoredSamples StoreSamples(Database& database, const StoredProgram& stored, const TimedProgram& timed,
                           std::span<const ProcessTrace> traces) {
  std::map<std::string, SamplingRecord> by_kernel;
  std::map<std::string, std::map<std::pair<std::int64_t, std::string>, PcSample>> rows;
  for (const ProcessTrace& trace : traces)
    for (const TracedSampling& sampled : trace.sampled) {
      SamplingRecord& sum = by_kernel[sampled.about];
      const SamplingRecord& one = sampled.sampling;
      sum.period_cycles = one.period_cycles;
      sum.launches += one.launches;
      sum.samples += one.samples;
      sum.dropped += one.dropped;
      if (sum.code.empty()) sum.code = one.code;
      for (const PcSample& row : one.rows) {
        PcSample& at = rows[sampled.about]
                           .try_emplace({row.pc_offset, row.reason}, PcSample{row.function, row.pc_offset, row.reason})
                           .first->second;
        at.samples += row.samples;
        at.not_issued += row.not_issued;
      }
    }
  StoredSamples result;
  for (auto& [symbol, sampling] : by_kernel) {
    for (auto& [key, row] : rows[symbol]) sampling.rows.push_back(std::move(row));
    const auto of = std::ranges::find_if(
        timed.classes, [&](const LaunchClass& c) { return timed.kernels[c.kernel].symbol == symbol; });
    if (of == timed.classes.end() || sampling.period_cycles < 1) {
      result.of_no_kernel += sampling.samples;
      continue;
    }
    // Launches by graphs are not seen: then there were as many as when it was timed.
    if (sampling.launches == 0)
      for (const LaunchClass& c : timed.classes) sampling.launches += c.kernel == of->kernel ? c.calls : 0;
    database.StoreSampling(stored.launches[static_cast<std::size_t>(of - timed.classes.begin())], sampling);
    result.stored += sampling.samples;
  }
  return result;
}

}  // namespace culprit
