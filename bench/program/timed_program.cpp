// SPDX-License-Identifier: Apache-2.0
#include "bench/program/timed_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/launch/name.h"
#include "analysis/number/format.h"
#include "bench/program/missed_kernels.h"
#include "bench/program/program_timeline.h"
#include "bench/program/sampled_program.h"
#include "bench/program/windows.h"
#include "db/nvtx_range.h"
#include "db/sample_range.h"
#include "db/sampled_counters.h"
#include "profiler/trace/timeline.h"

namespace culprit {
namespace {

constexpr double kNsPerUs = 1000;
// Of the sampled instructions. Records that begin or end within a launch leave less for the time between launches.
constexpr double kNotableShare = 0.02;
constexpr std::int64_t kMostNs = std::numeric_limits<std::int64_t>::max();

// Beyond the longest sample a clock jumped.
bool IsTime(std::int64_t start_ns, std::int64_t end_ns) {
  return static_cast<double>(end_ns - start_ns) <= kMostSampleUs * kNsPerUs;
}

// `vector = {}` only clears it, because {} is also an empty list of elements.
template <class T>
void Free(std::vector<T>& vector) {
  std::vector<T>().swap(vector);
}

struct Gpu {
  std::string uuid;  // empty: not known
  std::optional<Device> device;
  std::vector<BusyInterval> intervals;
  std::vector<BusyInterval> unwanted;  // launches that are not recorded but were counted; their keys are countables
  std::vector<const TracedCounters*> counters;
  // Of what is not among the intervals: by class, and by kind of copies behind them.
  std::map<std::size_t, double> summed_us;
  // From the first start to the last end of what is wanted.
  std::optional<std::int64_t> first_ns, last_ns;
  double time_us = 0;

  void Take(std::int64_t start_ns, std::int64_t end_ns, std::size_t key) {
    Reach(start_ns, end_ns);
    intervals.push_back({start_ns, end_ns, key});
  }
  void Take(const Summed& sum, std::size_t key) {
    Reach(sum.first_ns, sum.last_ns);
    summed_us[key] += sum.share_us;
  }

 private:
  void Reach(std::int64_t start_ns, std::int64_t end_ns) {
    first_ns = std::min(first_ns.value_or(start_ns), start_ns);
    last_ns = std::max(last_ns.value_or(end_ns), end_ns);
  }
};

// The parts of a program as they are found, process by process.
class Reader {
 public:
  Reader(std::vector<ProcessTrace> traces, const std::string& range)
      : traces_(std::move(traces)), range_(range), windows_(traces_) {}

  TimedProgram Read() {
    for (std::size_t process = 0; process < traces_.size(); ++process) ReadLaunches(process);
    std::ranges::sort(calls_, {}, [](const Call& c) { return std::tuple(c.start_ns, c.process, c.duration_ns); });
    NumberCalls();
    ReadCopies();
    ListWork();
    SampleCounters();
    Share();
    ReadKernels();
    ReadStacks();
    Order();
    MakeTimeline();
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
  struct ProcessSum {
    std::int64_t calls = 0, time_ns = 0;
    void Add(std::int64_t more_calls, std::int64_t more_ns) { calls += more_calls, time_ns += more_ns; }
  };
  struct ClassSum {
    const Summed* sum;
    std::size_t launch_class, gpu;
    std::uint32_t process;
  };

  std::size_t GpuOf(const ProcessTrace& trace, int ordinal) {
    const auto known = trace.devices.find(ordinal);
    const std::string uuid = known == trace.devices.end() ? "" : known->second.uuid;
    const auto [at, is_new] = gpu_numbers_.try_emplace(
        uuid.empty() ? fmt::format("{} of process {}", ordinal, trace.pid) : uuid, gpus_.size());
    if (is_new) gpus_.emplace_back().uuid = uuid;
    Gpu& gpu = gpus_[at->second];
    if (known != trace.devices.end() && !gpu.device) gpu.device = known->second.device;
    return at->second;
  }

  std::size_t KernelOf(const std::string& symbol) {
    const auto [at, is_new] = kernel_numbers_.try_emplace(symbol, timed_.kernels.size());
    if (is_new) timed_.kernels.push_back({symbol, {}, {}, {}});
    return at->second;
  }

  // Of no range, then of each.
  std::vector<char> WantedRanges(const ProcessTrace& trace) const {
    std::vector<char> wanted{range_.empty() ? '\1' : '\0'};
    for (const std::string& range : trace.ranges) wanted.push_back(IsInRange(range, range_) ? '\1' : '\0');
    return wanted;
  }

  void ReadLaunches(std::size_t process) {
    const ProcessTrace& trace = traces_[process];
    std::vector<std::size_t> kernels;
    for (const std::string& symbol : trace.kernels) kernels.push_back(KernelOf(symbol));
    std::vector<std::string> ranges;
    for (const std::string& range : trace.ranges) ranges.push_back(NormalRange(range));
    const std::vector<char> wanted = WantedRanges(trace);
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
        gpus_[gpu->second].Take(launch.start_ns, launch.end_ns, launch_class);
      } else if (!trace.counters.empty()) {
        gpus_[GpuOf(trace, launch.device)].unwanted.push_back({launch.start_ns, launch.end_ns, countable});
      }
      calls_.push_back(call);
    }
    for (const SummedLaunches& launches : trace.summed_launches) {
      timed += launches.like.from_graph ? 0 : launches.sum.calls;
      const auto range = static_cast<std::size_t>(launches.like.range + 1);
      if (wanted[range] == '\0') continue;
      const std::size_t of = ClassOf(kernels[static_cast<std::size_t>(launches.like.kernel)], launches.like.geometry,
                                     range == 0 ? kNone : ranges[range - 1]);
      sums_.push_back({&launches.sum, of, GpuOf(trace, launches.like.device), static_cast<std::uint32_t>(process)});
      if (launches.like.from_graph) timed_.classes[of].graph_calls += launches.sum.calls;
    }
    for (const TracedCounters& counters : trace.counters)
      gpus_[GpuOf(trace, counters.device)].counters.push_back(&counters);
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

  // Of n calls the one in the middle of each of kMostSamples parts: whether one that stands for `calls` of them is.
  static bool IsSample(const LaunchClass& of, std::int64_t calls, std::int64_t all) {
    const auto part = [all](std::int64_t call) {
      return static_cast<std::int64_t>(static_cast<__int128>(call) * static_cast<std::int64_t>(kMostSamples) / all);
    };
    return all <= static_cast<std::int64_t>(kMostSamples) || part(of.calls + calls) > part(of.calls);
  }

  int ProcessNumber(std::uint32_t process) {  // in the order of their first launch
    return processes_.try_emplace(process, static_cast<int>(processes_.size())).first->second;
  }

  static void AddSample(LaunchClass& of, std::int64_t ns, int process) {
    if (ns <= 0) return;  // a call of no time is no sample
    of.samples.emplace_back().time_us = static_cast<double>(ns) / kNsPerUs;
    of.samples.back().process = process;
  }

  // In the order in which they began: samples, and the numbers by which a plan names launches of a process.
  void NumberCalls() {
    all_calls_.assign(timed_.classes.size(), 0);
    for (const Call& call : calls_)
      if (call.is_wanted) ++all_calls_[call.launch_class];
    for (const ClassSum& sum : sums_) all_calls_[sum.launch_class] += sum.sum->calls;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> numbers;  // by countable and process
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> wanted;
    std::int64_t order = 0;
    for (const Call& call : calls_) {
      const std::int64_t number = numbers[{call.countable, call.process}]++;
      if (!call.is_wanted) continue;
      wanted[{call.countable, call.process}].push_back(number);
      const int process = ProcessNumber(call.process);
      sums_of_traces_[call.process].Add(1, call.duration_ns);
      LaunchClass& of = timed_.classes[call.launch_class];
      const double us = static_cast<double>(call.duration_ns) / kNsPerUs;
      if (of.first < 0) of.first = order;
      ++order;
      of.time_us += us;
      of.slowest_us = std::max(of.slowest_us, us);
      if (IsSample(of, 1, all_calls_[call.launch_class])) AddSample(of, call.duration_ns, process);
      ++of.calls;
      Countable& countable = timed_.countables[call.countable];
      countable.time_us += us;
      countable.slowest_us = std::max(countable.slowest_us, us);
    }
    for (auto& [key, all] : wanted) {
      std::vector<std::int64_t>& most = timed_.countables[key.first].numbers;
      if (all.size() > most.size()) most = std::move(all);
    }
    Free(calls_);
    for (const ClassSum& sum : sums_) AddSum(sum, order);
  }

  // Behind those that are known one by one. Of its samples each stands for as many calls.
  void AddSum(const ClassSum& from, std::int64_t& order) {
    const Summed& sum = *from.sum;
    sums_of_traces_[from.process].Add(sum.calls, sum.time_ns);
    LaunchClass& of = timed_.classes[from.launch_class];
    if (of.first < 0) of.first = order;
    order += sum.calls;
    const double us = static_cast<double>(sum.time_ns) / kNsPerUs;
    const double slowest_us = static_cast<double>(sum.slowest_ns) / kNsPerUs;
    of.time_us += us;
    of.slowest_us = std::max(of.slowest_us, slowest_us);
    Countable& countable = timed_.countables[CountableOf(of.kernel, of.geometry)];
    countable.time_us += us;
    countable.slowest_us = std::max(countable.slowest_us, slowest_us);
    const std::int64_t all = all_calls_[from.launch_class], before = of.calls;
    const auto samples = static_cast<std::int64_t>(sum.samples_ns.size());
    for (std::int64_t i = 0; i < samples; ++i) {
      const std::int64_t until =
          before + static_cast<std::int64_t>(static_cast<__int128>(sum.calls) * (i + 1) / samples);
      if (IsSample(of, until - of.calls, all))
        AddSample(of, sum.samples_ns[static_cast<std::size_t>(i)], ProcessNumber(from.process));
      of.calls = until;
    }
    of.calls = before + sum.calls;
    timed_.timeline.left_out += sum.calls;
    gpus_[from.gpu].Take(sum, from.launch_class);
  }

  void ReadCopies() {
    std::map<CopyKind, ProgramCopy> copies;
    std::vector<std::optional<std::pair<std::int64_t, std::int64_t>>> spans;  // of the launches that are wanted
    for (const Gpu& gpu : gpus_)
      spans.push_back(gpu.first_ns ? std::optional(std::pair(*gpu.first_ns, *gpu.last_ns)) : std::nullopt);
    const auto is_wanted = [&](std::size_t gpu, std::int64_t start_ns, std::int64_t end_ns) {
      if (range_.empty()) return true;
      if (gpu >= spans.size() || !spans[gpu]) return false;
      return start_ns >= spans[gpu]->first && end_ns <= spans[gpu]->second;
    };
    const auto add = [&](const TracedCopy& copy, std::int64_t calls, std::int64_t bytes, std::int64_t time_ns) {
      ProgramCopy& sum = copies[copy.kind];
      sum.kind = copy.kind;
      sum.calls += calls;
      sum.bytes += static_cast<double>(bytes);
      sum.time_us += static_cast<double>(time_ns) / kNsPerUs;
      return timed_.classes.size() + static_cast<std::size_t>(copy.kind);
    };
    for (std::size_t process = 0; process < traces_.size(); ++process) {
      const ProcessTrace& trace = traces_[process];
      const auto used = static_cast<std::uint32_t>(process);
      for (const TracedCopy& copy : trace.copies) {
        if (!IsTime(copy.start_ns, copy.end_ns)) continue;
        const std::size_t gpu = GpuOf(trace, copy.device);
        if (!is_wanted(gpu, copy.start_ns, copy.end_ns)) continue;
        sums_of_traces_[used].Add(0, copy.end_ns - copy.start_ns);
        events_.push_back({copy.start_ns, used, static_cast<std::uint32_t>(&copy - trace.copies.data()),
                           static_cast<int>(gpu), true});
        gpus_[gpu].Take(copy.start_ns, copy.end_ns, add(copy, 1, copy.bytes, copy.end_ns - copy.start_ns));
      }
      for (const auto& [like, sum] : trace.summed_copies) {
        const std::size_t gpu = GpuOf(trace, like.device);
        if (!is_wanted(gpu, sum.first_ns, sum.last_ns)) continue;
        sums_of_traces_[used].Add(0, sum.time_ns);
        gpus_[gpu].Take(sum, add(like, sum.calls, sum.bytes, sum.time_ns));
        timed_.timeline.left_out += sum.calls;
      }
    }
    for (const auto& [kind, copy] : copies) timed_.program.copies.push_back(copy);
  }

  // Work outside of the windows is not known, so records count only between a window's first launch and the end of its
  // last one.
  void LeaveOutOtherRecords(GpuWork& work) {
    std::vector<std::pair<std::int64_t, std::int64_t>> known(windows_.size(), {kMostNs, 0});
    for (const ClassLaunch& launch : work.launches) {
      auto& [first_ns, last_ns] = known[windows_.Of(launch.start_ns)];
      first_ns = std::min(first_ns, launch.start_ns);
      last_ns = std::max(last_ns, launch.end_ns);
    }
    for (const TracedCounters*& counters : work.counters) {
      TracedCounters& kept = known_counters_.emplace_back();
      kept.device = counters->device;
      kept.metrics = counters->metrics;
      for (std::size_t r = 0; r < counters->start_ns.size(); ++r) {
        const auto [first_ns, last_ns] = known[windows_.Of(counters->start_ns[r])];
        if (counters->start_ns[r] < first_ns || counters->end_ns[r] > last_ns) continue;
        kept.start_ns.push_back(counters->start_ns[r]);
        kept.end_ns.push_back(counters->end_ns[r]);
        const auto row = counters->values.begin() + static_cast<std::ptrdiff_t>(r * counters->metrics.size());
        kept.values.insert(kept.values.end(), row, row + static_cast<std::ptrdiff_t>(counters->metrics.size()));
      }
      counters = &kept;
    }
  }

  // Copies and launches that are not recorded are classes behind those that are.
  void SampleCounters() {
    const std::size_t classes = timed_.classes.size(), with_copies = classes + kNames<CopyKind>.size();
    std::vector<GpuWork> work;
    std::optional<Device> device;
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
      const Gpu& gpu = gpus_[g];
      if (gpu.counters.empty()) continue;
      if (!device) device = gpu.device;
      GpuWork& of = work.emplace_back();
      of.gpu = static_cast<int>(g);
      of.counters = gpu.counters;
      of.launches.reserve(gpu.intervals.size() + gpu.unwanted.size());
      const auto add = [&](const std::vector<BusyInterval>& intervals, std::size_t first) {
        for (const BusyInterval& i : intervals)
          of.launches.push_back({static_cast<std::uint32_t>(first + i.key), i.start_ns, i.end_ns});
      };
      add(gpu.intervals, 0);
      add(gpu.unwanted, with_copies);
      if (windows_.size() > 0) LeaveOutOtherRecords(of);
    }
    if (work.empty()) return;
    if (device) {
      std::vector<double> time_us;
      for (const LaunchClass& of : timed_.classes) time_us.push_back(of.time_us);
      timed_.missed = KernelsMissedByLists(work, time_us, device->chip);
      const std::vector<bool> in_records = ClassesInRecords(work, classes, device->chip);
      for (std::size_t c = 0; c < classes; ++c) timed_.classes[c].in_records = in_records[c];
    }
    SampledWork fitted =
        SampleClasses(std::move(work), with_copies + timed_.countables.size(), {classes, kNames<CopyKind>.size()});
    timed_.timeline.totals = std::move(fitted.totals);
    if (fitted.elsewhere && *fitted.elsewhere > kNotableShare)
      timed_.warnings.push_back(
          {"counted_elsewhere",
           fmt::format("{} of the sampled instructions were executed while no kernel of the program ran: other "
                       "processes used the GPU, too, and what they executed beside kernels counts as the kernels'.",
                       Format(100 * *fitted.elsewhere, Unit::kPercent))});
    std::vector<SampledClass>& sampled = fitted.classes;
    for (std::size_t c = 0; c < classes; ++c) {
      LaunchClass& of = timed_.classes[c];
      of.profiles = std::move(sampled[c].profiles);
      for (Sample& sample : of.samples) sample.clock_mhz = sampled[c].clock_mhz;
      if (of.calls > 0)
        of.sampled = ReadingsOf(std::move(sampled[c]), of.geometry, of.time_us / static_cast<double>(of.calls),
                                device.value_or(Device()));
    }
  }

  void Share() {
    const std::size_t classes = timed_.classes.size();
    const auto give = [&](std::size_t key, double us) {
      if (key < classes) timed_.classes[key].share_us += us;
      for (ProgramCopy& copy : timed_.program.copies)
        if (key == classes + static_cast<std::size_t>(copy.kind)) copy.share_us += us;
    };
    double span_us = 0, idle_us = 0;
    for (Gpu& gpu : gpus_) {
      if (!gpu.first_ns) continue;
      ++timed_.program.gpus;
      TimelineShares shares = SharesWithinWindows(gpu, classes + kNames<CopyKind>.size());
      Free(gpu.intervals);
      for (std::size_t key = 0; key < shares.share_us.size(); ++key) give(key, shares.share_us[key]);
      if (!gpu.summed_us.empty()) AddSummed(gpu, shares, give);
      gpu.time_us = shares.span_us - shares.idle_us;
      span_us += shares.span_us, idle_us += shares.idle_us;
    }
    if (timed_.program.gpus > 0) timed_.program.span_us = span_us, timed_.program.idle_us = idle_us;
  }

  // Between windows nothing is known, so that is no idle time.
  TimelineShares SharesWithinWindows(const Gpu& gpu, std::size_t keys) const {
    if (windows_.size() < 2) return SharesOf(gpu.intervals, keys);
    std::vector<std::vector<BusyInterval>> by_window(windows_.size());
    for (const BusyInterval& interval : gpu.intervals) by_window[windows_.Of(interval.start_ns)].push_back(interval);
    TimelineShares sum;
    sum.share_us.assign(keys, 0);
    for (const std::vector<BusyInterval>& intervals : by_window) {
      const TimelineShares shares = SharesOf(intervals, keys);
      for (std::size_t key = 0; key < keys; ++key) sum.share_us[key] += shares.share_us[key];
      sum.idle_us += shares.idle_us;
      sum.span_us += shares.span_us;
    }
    return sum;
  }

  // Shares of sums were taken by each process by itself, as if it had the GPU alone: where several had it, together
  // they have no more than there was.
  template <class Give>
  void AddSummed(const Gpu& gpu, TimelineShares& shares, Give give) const {
    double busy_us = 0, summed_us = 0;
    for (const double share_us : shares.share_us) busy_us += share_us;
    for (const auto& [key, us] : gpu.summed_us) summed_us += us;
    shares.span_us = static_cast<double>(static_cast<long double>(*gpu.last_ns) - *gpu.first_ns) / kNsPerUs -
                     windows_.ClosedUs(*gpu.first_ns, *gpu.last_ns);
    const double left_us = std::max(0.0, shares.span_us - busy_us);
    const double scale = summed_us > left_us ? left_us / summed_us : 1;
    for (const auto& [key, us] : gpu.summed_us) give(key, scale * us);
    shares.idle_us = std::max(0.0, left_us - scale * summed_us);
  }

  // Names, and of each kernel one code: that of the process in which the GPU had most to do.
  void ReadKernels() {
    for (ProgramKernel& kernel : timed_.kernels) {
      kernel.readable = ReadableName(kernel.symbol);
      kernel.stage = StageIdOf(kernel.readable);
    }
    std::vector<std::size_t> busiest(traces_.size());
    std::iota(busiest.begin(), busiest.end(), 0);
    std::ranges::stable_sort(busiest, std::greater<>(), [&](std::size_t process) { return launches_alone_[process]; });
    std::set<std::size_t> differ;
    for (const std::size_t process : busiest) {
      const ProcessTrace& trace = traces_[process];
      timed_.places.insert(trace.places.begin(), trace.places.end());
      for (const BuildRecord& build : trace.builds) {
        const auto known = kernel_numbers_.find(build.kernel);
        if (known == kernel_numbers_.end()) continue;
        std::optional<BuildRecord>& chosen = timed_.kernels[known->second].build;
        if (!chosen) {
          chosen = build;
        } else if (chosen->cubin_digest != build.cubin_digest) {
          differ.insert(known->second);
        }
      }
    }
    if (!differ.empty())
      Warn("code_differs",
           fmt::format("{} of {} kernels have several codes under one name ({}). Registers and lines are those of the "
                       "first code in the process with most launches.",
                       differ.size(), timed_.kernels.size(), ShortName(timed_.kernels[*differ.begin()].readable)));
  }

  // Of the first process that has one. Launches of a graph are in the range of the graph, and were captured in another.
  void ReadStacks() {
    std::map<std::pair<std::string_view, LaunchGeometry>, std::vector<const TracedStack*>> stacks;
    for (const ProcessTrace& trace : traces_)
      for (const TracedStack& stack : trace.stacks) stacks[{stack.symbol, stack.geometry}].push_back(&stack);
    for (LaunchClass& of : timed_.classes) {
      const auto found = stacks.find({timed_.kernels[of.kernel].symbol, of.geometry});
      if (found == stacks.end()) continue;
      const std::vector<const TracedStack*>& all = found->second;
      const auto in_range = std::ranges::find(all, of.nvtx, &TracedStack::range);
      if (in_range != all.end())
        of.stack = (*in_range)->frames;
      else if (of.graph_calls == of.calls)
        of.stack = all.front()->frames;
    }
  }

  void Order() {
    std::erase_if(timed_.countables, [](const Countable& c) { return c.numbers.empty(); });
    const auto more = [](const auto& a, const auto& b) { return a.time_us > b.time_us; };
    std::ranges::stable_sort(timed_.classes, [](const LaunchClass& a, const LaunchClass& b) {
      return std::tuple(-a.time_us, a.first) < std::tuple(-b.time_us, b.first);
    });
    std::ranges::stable_sort(timed_.countables, more);
    places_.resize(timed_.classes.size());
    for (std::size_t c = 0; c < places_.size(); ++c) {
      const LaunchClass& of = timed_.classes[c];
      places_[class_numbers_.at({of.kernel, of.geometry, of.nvtx})] = c;
    }
    for (MissedKernels& missed : timed_.missed) missed.costliest = places_[missed.costliest];
  }

  // What the timeline lists, with the first numbers of classes. Nothing needs single launches and copies afterwards, and
  // they take more memory than all else.
  void ListWork() {
    std::optional<std::int64_t> last_ns;
    for (const Gpu& gpu : gpus_) {
      if (!gpu.first_ns) continue;
      first_ns_ = std::min(first_ns_.value_or(*gpu.first_ns), *gpu.first_ns);
      last_ns = std::max(last_ns.value_or(*gpu.last_ns), *gpu.last_ns);
    }
    if (first_ns_ && static_cast<double>(*last_ns) - static_cast<double>(*first_ns_) > kMostTimelineNs)
      first_ns_.reset();
    if (first_ns_) {
      TimelineRecord& timeline = timed_.timeline;
      timeline.span_ns = *last_ns - *first_ns_;
      for (std::size_t process = 0; process < traces_.size(); ++process) AddEvents(process);
      const std::size_t all = events_.size();
      ListedEvents listed = ListEvents(std::move(events_), *first_ns_, timeline.span_ns);
      timeline.windows = std::move(listed.windows);
      timeline.left_out += static_cast<std::int64_t>(all - listed.events.size());
      for (const TimelineEvent& event : listed.events) List(event, *first_ns_);
    }
    for (ProcessTrace& trace : traces_) {
      launches_alone_.push_back(trace.launches.size());
      used_gpu_.push_back(!trace.launches.empty() || !trace.copies.empty() || !trace.summed_launches.empty() ||
                          !trace.summed_copies.empty());
      Free(trace.launches);
      Free(trace.copies);
    }
  }

  void AddEvents(std::size_t process) {
    const ProcessTrace& trace = traces_[process];
    const std::vector<char> wanted = WantedRanges(trace);
    for (std::size_t i = 0; i < trace.launches.size(); ++i) {
      const TracedLaunch& launch = trace.launches[i];
      if (!IsTime(launch.start_ns, launch.end_ns) || wanted[static_cast<std::size_t>(launch.range + 1)] == '\0')
        continue;
      events_.push_back({launch.start_ns, static_cast<std::uint32_t>(process), static_cast<std::uint32_t>(i),
                         static_cast<int>(GpuOf(trace, launch.device)), false});
    }
  }

  // After Order.
  void MakeTimeline() {
    if (!first_ns_) return;
    std::vector<GpuCounters> counters;
    for (std::size_t g = 0; g < gpus_.size(); ++g)
      if (gpus_[g].first_ns) counters.push_back({static_cast<int>(g), gpus_[g].counters});
    BinCounters(counters, *first_ns_, timed_.timeline);
    for (TimelineLaunch& launch : timed_.timeline.launches)
      launch.launch = static_cast<std::int64_t>(places_[static_cast<std::size_t>(launch.launch)]);
  }

  void List(const TimelineEvent& event, std::int64_t first_ns) {
    const ProcessTrace& trace = traces_[event.process];
    if (event.is_copy) {
      const TracedCopy& copy = trace.copies[event.index];
      timed_.timeline.copies.push_back({copy.kind, event.gpu, static_cast<double>(copy.bytes), copy.start_ns - first_ns,
                                        copy.end_ns - copy.start_ns});
      return;
    }
    const TracedLaunch& launch = trace.launches[event.index];
    const std::string& range = launch.range < 0 ? kNone : trace.ranges[static_cast<std::size_t>(launch.range)];
    const std::size_t of =
        class_numbers_.at({kernel_numbers_.at(trace.kernels[static_cast<std::size_t>(launch.kernel)]), launch.geometry,
                           NormalRange(range)});
    timed_.timeline.launches.push_back({static_cast<std::int64_t>(of), event.gpu, launch.stream,
                                        launch.start_ns - first_ns, launch.end_ns - launch.start_ns, launch.from_graph,
                                        range});
  }

  // Empty if one is not known, because the others do not tell this run from one on other GPUs.
  std::string UuidsOfGpus() const {
    std::set<std::string> uuids;
    for (const Gpu& gpu : gpus_)
      if (gpu.time_us > 0) uuids.insert(gpu.uuid);
    return uuids.contains("") ? "" : fmt::format("{}", fmt::join(uuids, ","));
  }

  void Describe() {
    timed_.program.wall_us = windows_.WallUs();
    for (const auto& [process, sum] : sums_of_traces_)
      timed_.program.gpu_processes.push_back({ProcessNumber(process), traces_[process].pid, traces_[process].rank,
                                              sum.calls, static_cast<double>(sum.time_ns) / kNsPerUs});
    std::ranges::sort(timed_.program.gpu_processes, {}, &ProgramProcess::process);
    const Gpu* busiest = nullptr;
    std::set<std::string> models;
    for (const Gpu& gpu : gpus_) {
      if (gpu.device) models.insert(gpu.device->name);
      if (!busiest || gpu.time_us > busiest->time_us) busiest = &gpu;
    }
    if (busiest) timed_.device = busiest->device;
    timed_.gpu_uuids = UuidsOfGpus();
    if (models.size() > 1 && timed_.device)
      Warn("gpus_differ", fmt::format("the program used GPUs of {} models. Counters and peaks are read as those of {}, "
                                      "which did most of the work.",
                                      models.size(), timed_.device->name));
    std::size_t incomplete = 0;
    std::set<std::pair<std::string, std::string>> said;
    for (std::size_t process = 0; process < traces_.size(); ++process) {
      const ProcessTrace& trace = traces_[process];
      const bool used_gpu = used_gpu_[process];
      timed_.program.processes += used_gpu ? 1 : 0;
      incomplete += trace.complete ? 0 : 1;
      if (used_gpu && timed_.toolchain.driver.empty()) timed_.toolchain = trace.toolchain;
      timed_.memory_bytes = std::max(timed_.memory_bytes, trace.memory_bytes);
      for (const Warning& warning : trace.warnings)
        if (said.emplace(warning.code, warning.text).second) timed_.warnings.push_back(warning);
    }
    if (std::ranges::any_of(traces_, [](const ProcessTrace& t) { return !t.summed_launches.empty(); }))
      Warn("launches_summed",
           fmt::format(
               "a process launched and copied more than {} times, so later launches and copies were summed while it "
               "ran. Calls, times and idle time are exact. NVTX ranges that differ only in numbers are merged.",
               Format(static_cast<double>(kMostAlone), Unit::kCount)));
    if (timed_.program.lost_launches > 0)
      Warn("launches_lost",
           fmt::format("{} launches have no time. Shares and idle time are those of the other launches.",
                       timed_.program.lost_launches));
    if (incomplete > 0)
      Warn("trace_incomplete",
           fmt::format("{} of {} processes did not report their end (killed, or still running). The data that they had "
                       "written is stored, but the last part may be missing.",
                       incomplete, traces_.size()));
    if (!range_.empty())
      Warn("one_range",
           fmt::format(
               "only launches in NVTX range '{}' were recorded. The time of other work on the GPU counts as idle.",
               range_));
  }

  void Warn(const char* code, std::string text) { timed_.warnings.push_back({code, std::move(text)}); }

  inline static const std::string kNone;

  std::vector<ProcessTrace> traces_;
  const std::string& range_;
  const Windows windows_;
  std::deque<TracedCounters> known_counters_;
  TimedProgram timed_;
  std::vector<Gpu> gpus_;
  std::vector<Call> calls_;
  std::vector<TimelineEvent> events_;        // what is recorded
  std::optional<std::int64_t> first_ns_;     // none: there is no timeline
  std::vector<std::size_t> launches_alone_;  // by trace: how many were not summed
  std::vector<bool> used_gpu_;               // by trace
  std::map<std::string, std::size_t> gpu_numbers_, kernel_numbers_;
  std::map<std::tuple<std::size_t, LaunchGeometry>, std::size_t> countable_numbers_;
  std::map<std::tuple<std::size_t, LaunchGeometry, std::string>, std::size_t> class_numbers_;
  std::vector<std::size_t> places_;  // by the number of a class: where Order has put it
  std::vector<ClassSum> sums_;
  std::vector<std::int64_t> all_calls_;                 // by class
  std::map<std::uint32_t, int> processes_;              // numbers by place of the trace
  std::map<std::uint32_t, ProcessSum> sums_of_traces_;  // of what is wanted, by place of the trace
};

}  // namespace

double TimedProgram::KernelTimeUs() const {
  return std::accumulate(classes.begin(), classes.end(), 0.0,
                         [](double sum, const LaunchClass& c) { return sum + c.time_us; });
}

TimedProgram ReadTimed(std::vector<ProcessTrace> traces, const std::string& range) {
  return Reader(std::move(traces), range).Read();
}

TimedProgram ReadTimed(std::span<const ProcessTrace> traces, const std::string& range) {
  return ReadTimed(std::vector(traces.begin(), traces.end()), range);
}

}  // namespace culprit
