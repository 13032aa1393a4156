// SPDX-License-Identifier: Apache-2.0
// Reads traces.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "db/regular_file.h"
#include "profiler/trace/trace_line.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr double kNsPerUs = 1000, kMostSampleNs = kMostSampleUs * kNsPerUs;

// What lines name by a number. One whose own line is damaged stands for nothing.
class Numbers {
 public:
  // `size`: of the list of what they stand for, which grows by one now.
  void Define(int number, std::size_t size) {
    if (!places_.try_emplace(number, static_cast<int>(size)).second) throw BadField();
  }
  // The place in that list.
  int Of(int number) const {
    const auto found = places_.find(number);
    if (found == places_.end()) throw BadField();
    return found->second;
  }

 private:
  std::unordered_map<int, int> places_;
};

bool IsSpan(std::int64_t start_ns, std::int64_t end_ns) { return start_ns >= 0 && end_ns >= start_ns; }

Summed SummedOf(LineFields& line) {
  auto sum = line.Next<Summed>();
  while (!line.Empty()) sum.samples_ns.push_back(line.NotNegative<std::int64_t>());
  constexpr double kRounding = 1e-6;
  const bool adds_up = RangeOf("program_copy", "calls").Holds(static_cast<double>(sum.calls)) && sum.bytes >= 0 &&
                       sum.slowest_ns >= 0 && sum.slowest_ns <= sum.time_ns && IsSpan(sum.first_ns, sum.last_ns) &&
                       sum.share_us >= 0 && sum.share_us <= static_cast<double>(sum.time_ns) / kNsPerUs + kRounding &&
                       std::ssize(sum.samples_ns) <= sum.calls &&
                       std::ranges::all_of(sum.samples_ns, [](std::int64_t ns) { return ns <= kMostSampleNs; });
  if (!adds_up) throw BadField();
  return sum;
}

TracedTiming TimingOf(LineFields& line) {
  TracedTiming timing;
  line.Take(timing.about, timing.record);
  timing.kernels = line.NotNegative<std::int64_t>();
  for (auto left = line.NotNegative<std::int64_t>(); left > 0; --left)
    timing.launched.push_back(line.Next<StaticAttribute>());
  while (!line.Empty()) timing.samples.push_back(line.Next<Sample>());
  return timing;
}

// Lines of samples come before the line that ends them.
struct UnendedSampling {
  std::int64_t number = -1;
  Numbers numbers = {};
  std::vector<MachineCode> functions = {};  // those without code are names alone
  std::vector<PcSample> rows = {};

  MachineCode& FunctionOf(LineFields& line) {
    return functions[static_cast<std::size_t>(numbers.Of(line.Next<int>()))];
  }
};

MachineInstruction MachineInstructionOf(LineFields& line) {
  MachineInstruction i;
  line.TakeFrom(At("code_instruction", "pc_offset"), i.pc_offset);
  line.Take(i.low, i.high, i);
  while (!line.Empty()) i.frames.push_back(line.Next<SourceFrame>());
  return i;
}

PcSample SampleOf(LineFields& line, const std::string& function) {
  PcSample row;
  row.function = function;
  line.TakeFrom(At("instruction_sample", "pc_offset"), row.pc_offset);
  line.Take(row.reason);
  line.TakeFrom(At("instruction_sample", "samples"), row.samples, row.not_issued);
  if (row.not_issued > row.samples) throw BadField();
  return row;
}

class Parser {
 public:
  void Take(std::string_view text) try {
    ++lines_;
    LineFields line(text);
    Take(line);
  } catch (const BadField&) {  // of a file that somebody touched
    ++damaged_;
  }

  ProcessTrace End() {
    if (is_open_) CloseAtLastWork();
    for (TracedWindow& window : trace_.windows)
      if (window.last_ns == 0) window.first_ns = window.open_ns, window.last_ns = window.close_ns;
    if (damaged_ > 0)
      trace_.warnings.push_back(
          {kTraceDamaged, fmt::format("{} of {} lines of what process {} wrote are damaged and are left out: times and "
                                      "counters may be missing; record the program again, and if it happens again look "
                                      "at the health of the disk that TMPDIR names.",
                                      damaged_, lines_, trace_.pid)});
    return std::move(trace_);
  }

 private:
  // Of a process that was killed within its window.
  void CloseAtLastWork() {
    std::int64_t& close_ns = trace_.windows.back().close_ns;
    for (const TracedLaunch& launch : trace_.launches) close_ns = std::max(close_ns, launch.end_ns);
    for (const TracedCopy& copy : trace_.copies) close_ns = std::max(close_ns, copy.end_ns);
    for (const SummedLaunches& launches : trace_.summed_launches) close_ns = std::max(close_ns, launches.sum.last_ns);
    for (const SummedCopies& copies : trace_.summed_copies) close_ns = std::max(close_ns, copies.sum.last_ns);
  }

  void Take(LineFields& line) {
    const auto what = line.Next<std::string>();
    if (what == "launch") {
      Launch(line);
    } else if (what == "copy") {
      const auto copy = line.Next<TracedCopy>();
      if (copy.bytes < 0 || !IsSpan(copy.start_ns, copy.end_ns)) throw BadField();
      trace_.copies.push_back(copy);
    } else if (what == "record") {
      Record(line);
    } else if (what == "counters") {
      Counters(line);
    } else if (what == "kind") {
      Kind(line);
    } else if (what == "launches") {
      const TracedLaunch& like = KindOf(line);
      trace_.summed_launches.push_back({like, SummedOf(line)});
    } else if (what == "copies") {
      TracedCopy like;
      line.Take(like.kind, like.device);
      trace_.summed_copies.push_back({like, SummedOf(line)});
    } else if (what == "kernel") {
      Define(line, kernels_, trace_.kernels);
    } else if (what == "range") {
      Define(line, ranges_, trace_.ranges);
    } else if (what == "metric") {
      Define(line, metric_numbers_, metrics_);
    } else if (what == "counted") {
      Counted(line);
    } else if (what == "instruction") {
      Instruction(line);
    } else if (what == "code") {
      UnendedSampling& of = SamplingOf(line);
      const int number = line.Next<int>();
      MachineCode code;
      line.Take(code.function, code.digest);
      of.numbers.Define(number, of.functions.size());
      of.functions.push_back(std::move(code));
    } else if (what == "encoding") {
      MachineCode& code = SamplingOf(line).FunctionOf(line);
      code.instructions.push_back(MachineInstructionOf(line));
    } else if (what == "quote") {
      MachineCode& code = SamplingOf(line).FunctionOf(line);
      code.quotes.push_back(line.Next<SourceQuote>());
    } else if (what == "sample") {
      UnendedSampling& of = SamplingOf(line);
      const MachineCode& code = of.FunctionOf(line);
      of.rows.push_back(SampleOf(line, code.function));
    } else if (what == "sampling") {
      EndSampling(line);
    } else if (what == "timed") {
      trace_.timed.push_back(TimingOf(line));
    } else if (what == "counting") {
      trace_.counting_s = line.NotNegative<double>();
    } else if (what == "memory") {
      trace_.memory_bytes = line.NotNegative<std::int64_t>();
    } else if (what == "build") {
      auto build = line.Next<BuildRecord>();
      while (!line.Empty()) build.attributes.push_back(line.Next<StaticAttribute>());
      trace_.builds.push_back(std::move(build));
    } else if (what == "place") {
      const auto symbol = line.Next<std::string>();
      trace_.places[symbol] = line.Next<SourceFrame>();
    } else if (what == "stack") {
      TracedStack stack;
      line.Take(stack.symbol, stack.geometry, stack.range);
      while (!line.Empty()) stack.frames.push_back(line.Next<PythonFrame>());
      trace_.stacks.push_back(std::move(stack));
    } else if (what == "device") {
      const int ordinal = line.Next<int>();
      TracedDevice traced;
      line.Take(traced.uuid, traced.device);
      trace_.devices[ordinal] = std::move(traced);
    } else if (what == "process") {
      line.Take(trace_.pid, trace_.parent, trace_.command_line, trace_.toolchain);
    } else if (what == "warning") {
      Warning warning;
      line.Take(warning.code, warning.text);
      trace_.warnings.push_back(std::move(warning));
    } else if (what == "seen") {
      line.TakeFrom(At("program", "lost_launches"), trace_.launches_seen);
    } else if (what == "rank") {
      int rank = 0;
      line.TakeFrom(At("program_process", "rank"), rank);
      trace_.rank = rank;
    } else if (what == "opens") {
      if (is_open_) throw BadField();
      const auto ns = line.NotNegative<std::int64_t>();
      if (!trace_.windows.empty() && ns < trace_.windows.back().close_ns) throw BadField();
      trace_.windows.push_back({ns, ns, 0, 0});
      is_open_ = true;
    } else if (what == "closes") {
      const auto ns = line.NotNegative<std::int64_t>();
      if (!is_open_ || ns < trace_.windows.back().open_ns) throw BadField();
      trace_.windows.back().close_ns = ns;
      is_open_ = false;
    } else if (what == "worked") {
      const auto n = line.NotNegative<std::int64_t>(), first_ns = line.NotNegative<std::int64_t>(),
                 last_ns = line.NotNegative<std::int64_t>();
      if (n >= std::ssize(trace_.windows) || !IsSpan(first_ns, last_ns)) throw BadField();
      TracedWindow& window = trace_.windows[static_cast<std::size_t>(n)];
      window.first_ns = first_ns, window.last_ns = last_ns;
    } else if (what == "own_memory") {
      trace_.peak_bytes = line.NotNegative<std::int64_t>();
    } else if (what == "complete") {
      trace_.complete = true;
    } else {
      throw BadField();
    }
  }

  template <class Thing>
  static void Define(LineFields& line, Numbers& numbers, std::vector<Thing>& things) {
    const int number = line.Next<int>();
    auto thing = line.Next<Thing>();
    numbers.Define(number, things.size());
    things.push_back(std::move(thing));
  }

  int RangeOfLine(LineFields& line) const {
    const int number = line.Next<int>();
    return number == -1 ? -1 : ranges_.Of(number);
  }

  void Kind(LineFields& line) {
    const int number = line.Next<int>();
    TracedLaunch kind;
    kind.kernel = kernels_.Of(line.Next<int>());
    kind.range = RangeOfLine(line);
    line.Take(kind);
    kind_numbers_.Define(number, kinds_.size());
    kinds_.push_back(kind);
  }

  const TracedLaunch& KindOf(LineFields& line) const {
    return kinds_[static_cast<std::size_t>(kind_numbers_.Of(line.Next<int>()))];
  }

  void Launch(LineFields& line) {
    TracedLaunch launch = KindOf(line);
    launch.start_ns = line.NotNegative<std::int64_t>();
    if (__builtin_add_overflow(launch.start_ns, line.NotNegative<std::int64_t>(), &launch.end_ns)) throw BadField();
    trace_.launches.push_back(launch);
  }

  const MetricDefinition& MetricOf(LineFields& line) const {
    return metrics_[static_cast<std::size_t>(metric_numbers_.Of(line.Next<int>()))];
  }

  void Counters(LineFields& line) {
    const int number = line.Next<int>();
    TracedCounters counters;
    line.Take(counters.device);
    while (!line.Empty()) counters.metrics.push_back(MetricOf(line));
    counters_numbers_.Define(number, trace_.counters.size());
    trace_.counters.push_back(std::move(counters));
  }

  void Record(LineFields& line) {
    TracedCounters& of = trace_.counters[static_cast<std::size_t>(counters_numbers_.Of(line.Next<int>()))];
    const auto start_ns = line.NotNegative<std::int64_t>();
    std::int64_t end_ns = 0;
    if (__builtin_add_overflow(start_ns, line.NotNegative<std::int64_t>(), &end_ns)) throw BadField();
    if (!of.end_ns.empty() && start_ns < of.end_ns.back()) throw BadField();
    row_.clear();
    while (!line.Empty()) row_.push_back(line.NotNegative<double>());
    if (row_.size() != of.metrics.size()) throw BadField();
    of.start_ns.push_back(start_ns);
    of.end_ns.push_back(end_ns);
    of.values.insert(of.values.end(), row_.begin(), row_.end());
  }

  void Counted(LineFields& line) {
    const auto number = line.Next<std::int64_t>();
    CountedLaunch launch;
    launch.kernel = kernels_.Of(line.Next<int>());
    line.Take(launch.geometry);
    launch.range = RangeOfLine(line);
    line.Take(launch.nth, launch.not_counted);
    while (!line.Empty()) {
      Reading reading{MetricOf(line), {}, {}};
      line.Take(reading.value, reading.status);
      if (reading.value.has_value() != (reading.status == ReadingStatus::kOk)) throw BadField();
      launch.readings.push_back(std::move(reading));
    }
    trace_.counted.push_back(std::move(launch));
    counted_ = number;
    seen_.clear();
  }

  // Each once.
  void Instruction(LineFields& line) {
    if (trace_.counted.empty() || line.Next<std::int64_t>() != counted_) throw BadField();
    InstructionRecord instruction;
    line.Take(instruction.function, instruction.source_file);
    line.TakeFrom(At("instruction", "pc_offset"), instruction.pc_offset, instruction.source_line, instruction.opcode);
    while (!line.Empty()) line.TakeFrom(At("instruction_value", "value"), instruction.counts[MetricOf(line).id]);
    if (!seen_.emplace(instruction.function, instruction.pc_offset).second) throw BadField();
    trace_.counted.back().instructions.push_back(std::move(instruction));
  }

  // The one that the line is part of. Of an earlier one the end is missing.
  UnendedSampling& SamplingOf(LineFields& line) {
    const auto number = line.Next<std::int64_t>();
    if (number != unended_.number) unended_ = {number};
    return unended_;
  }

  void EndSampling(LineFields& line) {
    UnendedSampling ended = std::exchange(SamplingOf(line), {});
    TracedSampling sampled;
    SamplingRecord& s = sampled.sampling;
    line.Take(sampled.about);
    line.TakeFrom(At("sampling", "period_cycles"), s.period_cycles);
    s.launches = line.NotNegative<std::int64_t>();
    line.TakeFrom(At("sampling", "samples"), s.samples, s.dropped);
    s.rows = std::move(ended.rows);
    std::erase_if(ended.functions, [](const MachineCode& code) { return code.instructions.empty(); });
    s.code = std::move(ended.functions);
    trace_.sampled.push_back(std::move(sampled));
  }

  ProcessTrace trace_;
  std::int64_t lines_ = 0, damaged_ = 0;
  bool is_open_ = false;  // the last of its windows
  Numbers kernels_, ranges_, kind_numbers_, metric_numbers_, counters_numbers_;
  std::vector<double> row_;
  std::vector<TracedLaunch> kinds_;
  std::vector<MetricDefinition> metrics_;
  std::int64_t counted_ = -1;                            // number of the last launch that was counted
  std::set<std::pair<std::string, std::int64_t>> seen_;  // its instructions
  UnendedSampling unended_;
};

}  // namespace

ProcessTrace ParseTrace(std::string_view text, std::string_view name) {
  Parser parser;
  ForEachLine(text, kTraceMagic, name, [&](std::string_view line) { parser.Take(line); });
  return parser.End();
}

ProcessTrace ReadTrace(const fs::path& file) { return ParseTrace(RegularFile(file).Text(), file.string()); }

std::vector<ProcessTrace> ReadTraces(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == kTraceSuffix) files.push_back(entry.path());
  if (error) throw Error("cannot list " + folder.string() + ": " + error.message() + ".");
  std::ranges::sort(files);
  std::vector<ProcessTrace> traces;
  for (const fs::path& file : files) {
    try {
      traces.push_back(ReadTrace(file));
    } catch (const Error& e) {
      traces.emplace_back();
      // A process that was killed before it wrote a line leaves an empty file.
      if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > 0)
        traces.back().warnings.push_back({kTraceDamaged, e.what()});
    }
    const std::string trouble = file.stem().extension().string();
    if (trouble.starts_with(kTraceTrouble))
      traces.back().warnings.push_back(
          {kTraceCut, fmt::format("what was recorded could not be written to its end in {} ({}): make room there, or "
                                  "name another folder in TMPDIR.",
                                  folder.parent_path().string(),
                                  std::strerror(std::atoi(trouble.c_str() + std::strlen(kTraceTrouble))))});
  }
  std::ranges::stable_sort(traces, {}, &ProcessTrace::pid);
  return traces;
}

}  // namespace culprit
