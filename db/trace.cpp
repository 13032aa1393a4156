// SPDX-License-Identifier: Apache-2.0
#include "db/trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "db/error.h"
#include "db/trace_line.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTraceMagic = "culprit-trace\t1", kPlanMagic = "culprit-plan\t1";
constexpr std::array<std::string_view, 4> kModes = {"time", "count", "exact", "sample"};  // in the order of TraceMode
constexpr std::size_t kBuffered = std::size_t{1} << 16;

std::string TextOf(const std::optional<double>& value) { return value ? NumberText(*value) : std::string(); }

void Append(std::vector<std::string>& fields, const LaunchGeometry& g) {
  for (const unsigned extent : {g.grid_x, g.grid_y, g.grid_z, g.block_x, g.block_y, g.block_z})
    fields.push_back(NumberText(extent));
  fields.push_back(NumberText(g.dynamic_shared_bytes));
}

LaunchGeometry GeometryOf(LineFields& line) {
  LaunchGeometry g;
  for (unsigned* const extent : {&g.grid_x, &g.grid_y, &g.grid_z, &g.block_x, &g.block_y, &g.block_z})
    *extent = line.Value<unsigned>();
  g.dynamic_shared_bytes = line.Value<std::int64_t>();
  if (g.dynamic_shared_bytes < 0) throw BadField();
  return g;
}

std::optional<double> MaybeNumber(LineFields& line) {
  const std::string text = line.Text();
  if (text.empty()) return std::nullopt;
  LineFields alone(text);
  return alone.Value<double>();
}

ReadingStatus ReadingStatusOf(LineFields& line) {
  const int status = line.Value<int>();
  if (status < 0 || status > static_cast<int>(ReadingStatus::kFailed)) throw BadField();
  return static_cast<ReadingStatus>(status);
}

std::string WholeFile(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw Error("cannot read " + file.string() + ": " + std::strerror(errno) + ".");
  return text;
}

// Every line that was written to its end; the first is `magic`.
template <class Visit>
void ForEachLine(std::string_view text, std::string_view magic, std::string_view name, Visit visit) {
  bool first = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == text.npos) break;
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (first && line != magic) break;
    if (!first) visit(line);
    first = false;
  }
  if (first) throw Error(std::string(name) + " is not what a recorded program writes: record the program again.");
}

void ReadBuild(LineFields& line, ProcessTrace& trace) {
  BuildRecord build;
  build.kernel = line.Text();
  build.arch = line.Text();
  build.cubin_digest = line.Text();
  while (!line.Empty()) {
    StaticAttribute attribute;
    attribute.name = line.Text();
    attribute.source = line.Text();
    attribute.value = MaybeNumber(line);
    attribute.status = ReadingStatusOf(line);
    build.attributes.push_back(std::move(attribute));
  }
  trace.builds.push_back(std::move(build));
}

void ReadDevice(LineFields& line, ProcessTrace& trace) {
  const int ordinal = line.Value<int>();
  TracedDevice traced;
  traced.uuid = line.Text();
  Device& d = traced.device;
  d.name = line.Text();
  d.chip = line.Text();
  for (int* const value : {&d.cc_major, &d.cc_minor, &d.sm_count, &d.fp32_lanes_per_sm}) *value = line.Value<int>();
  d.sm_clock_mhz = line.Value<double>();
  d.dram_bytes_per_s = line.Value<double>();
  for (std::int64_t* const value : {&d.memory_bytes, &d.l2_bytes, &d.shared_bytes_per_sm, &d.registers_per_sm})
    *value = line.Value<std::int64_t>();
  d.max_threads_per_sm = line.Value<int>();
  d.max_blocks_per_sm = line.Value<int>();
  trace.devices[ordinal] = std::move(traced);
}

TracedLaunch LaunchOf(LineFields& line, const ProcessTrace& trace) {
  TracedLaunch launch;
  launch.kernel = line.Index(trace.kernels.size());
  launch.geometry = GeometryOf(line);
  launch.device = line.Value<int>();
  launch.context = line.Value<std::int64_t>();
  launch.stream = line.Value<std::int64_t>();
  launch.range = line.Index(trace.ranges.size(), true);
  launch.from_graph = line.Value<int>() != 0;
  launch.start_ns = line.Value<std::int64_t>();
  launch.end_ns = line.Value<std::int64_t>();
  if (launch.start_ns < 0 || launch.end_ns < launch.start_ns) throw BadField();
  return launch;
}

TracedCopy CopyOf(LineFields& line) {
  TracedCopy copy;
  const std::string name = line.Text();
  const auto known = std::ranges::find(kCopyKindNames, name, &CopyKindName::name);
  if (known == std::end(kCopyKindNames)) throw BadField();
  copy.kind = known->kind;
  copy.device = line.Value<int>();
  copy.bytes = line.Value<std::int64_t>();
  copy.start_ns = line.Value<std::int64_t>();
  copy.end_ns = line.Value<std::int64_t>();
  if (copy.bytes < 0 || copy.start_ns < 0 || copy.end_ns < copy.start_ns) throw BadField();
  return copy;
}

CountedLaunch CountedOf(LineFields& line, const ProcessTrace& trace, const std::vector<MetricDefinition>& metrics) {
  CountedLaunch launch;
  launch.kernel = line.Index(trace.kernels.size());
  launch.geometry = GeometryOf(line);
  launch.range = line.Index(trace.ranges.size(), true);
  launch.nth = line.Value<std::int64_t>();
  launch.not_counted = line.Text();
  while (!line.Empty()) {
    Reading reading;
    reading.metric = metrics[static_cast<std::size_t>(line.Index(metrics.size()))];
    reading.value = MaybeNumber(line);
    reading.status = ReadingStatusOf(line);
    if (reading.value.has_value() != (reading.status == ReadingStatus::kOk)) throw BadField();
    launch.readings.push_back(std::move(reading));
  }
  return launch;
}

void ReadInstruction(LineFields& line, ProcessTrace& trace, const std::vector<MetricDefinition>& metrics) {
  if (trace.counted.empty()) throw BadField();
  InstructionRecord instruction;
  instruction.function = line.Text();
  instruction.pc_offset = line.Value<std::int64_t>();
  instruction.source_file = line.Text();
  instruction.source_line = line.Value<int>();
  instruction.opcode = line.Text();
  while (!line.Empty()) {
    const std::string& metric = metrics[static_cast<std::size_t>(line.Index(metrics.size()))].id;
    instruction.counts[metric] = line.Value<double>();
  }
  trace.counted.back().instructions.push_back(std::move(instruction));
}

// Lines of samples come before the line that ends them.
struct UnendedSampling {
  std::vector<MachineCode> functions;  // those without code are names alone
  std::vector<PcSample> rows;
};

template <class Number>
Number NotNegative(LineFields& line) {
  const Number value = line.Value<Number>();
  if (value < 0) throw BadField();
  return value;
}

int Scoreboard(LineFields& line) {
  const int number = line.Value<int>();
  if (number < -1 || number > 6) throw BadField();
  return number;
}

MachineInstruction MachineInstructionOf(LineFields& line) {
  MachineInstruction i;
  i.pc_offset = NotNegative<std::int64_t>(line);
  i.low = line.Value<std::uint64_t>();
  i.high = line.Value<std::uint64_t>();
  i.opcode = line.Text();
  i.operands = line.Text();
  i.stall_cycles = NotNegative<int>(line);
  i.yield = line.Value<int>() != 0;
  i.write_scoreboard = Scoreboard(line);
  i.read_scoreboard = Scoreboard(line);
  i.wait_mask = line.Value<unsigned>();
  while (!line.Empty()) {
    const std::string file = line.Text();
    i.frames.push_back({file, NotNegative<int>(line)});
  }
  return i;
}

PcSample SampleOf(LineFields& line, const std::vector<MachineCode>& functions) {
  PcSample row;
  row.function = functions[static_cast<std::size_t>(line.Index(functions.size()))].function;
  row.pc_offset = NotNegative<std::int64_t>(line);
  row.reason = line.Text();
  row.samples = NotNegative<std::int64_t>(line);
  row.not_issued = NotNegative<std::int64_t>(line);
  if (row.not_issued > row.samples) throw BadField();
  return row;
}

TracedSampling SamplingOf(LineFields& line, UnendedSampling& unended) {
  TracedSampling sampled{line.Text(), {}};
  SamplingRecord& s = sampled.sampling;
  for (std::int64_t* const value : {&s.period_cycles, &s.launches, &s.samples, &s.dropped})
    *value = NotNegative<std::int64_t>(line);
  UnendedSampling ended = std::exchange(unended, {});
  s.rows = std::move(ended.rows);
  std::erase_if(ended.functions, [](const MachineCode& code) { return code.instructions.empty(); });
  s.code = std::move(ended.functions);
  return sampled;
}

void ReadLine(LineFields& line, ProcessTrace& trace, std::vector<MetricDefinition>& metrics, UnendedSampling& unended) {
  const std::string what = line.Text();
  if (what == "launch") {
    trace.launches.push_back(LaunchOf(line, trace));
  } else if (what == "copy") {
    trace.copies.push_back(CopyOf(line));
  } else if (what == "kernel") {
    trace.kernels.push_back(line.Text());
  } else if (what == "range") {
    trace.ranges.push_back(line.Text());
  } else if (what == "metric") {
    MetricDefinition& m = metrics.emplace_back();
    for (std::string* const text : {&m.id, &m.source, &m.cupti_name, &m.unit, &m.meaning}) *text = line.Text();
  } else if (what == "counted") {
    trace.counted.push_back(CountedOf(line, trace, metrics));
  } else if (what == "instruction") {
    ReadInstruction(line, trace, metrics);
  } else if (what == "code") {
    MachineCode& code = unended.functions.emplace_back();
    code.function = line.Text();
    code.digest = line.Text();
  } else if (what == "encoding") {
    if (unended.functions.empty()) throw BadField();
    unended.functions.back().instructions.push_back(MachineInstructionOf(line));
  } else if (what == "sample") {
    unended.rows.push_back(SampleOf(line, unended.functions));
  } else if (what == "sampling") {
    trace.sampled.push_back(SamplingOf(line, unended));
  } else if (what == "build") {
    ReadBuild(line, trace);
  } else if (what == "place") {
    const std::string symbol = line.Text(), file = line.Text();
    trace.places[symbol] = {file, line.Value<int>()};
  } else if (what == "device") {
    ReadDevice(line, trace);
  } else if (what == "process") {
    trace.pid = line.Value<std::int64_t>();
    trace.parent = line.Value<std::int64_t>();
    trace.command_line = line.Text();
    Toolchain& t = trace.toolchain;
    for (std::string* const text :
         {&t.driver, &t.cuda_driver_api, &t.cuda_runtime, &t.cupti, &t.nvcc, &t.host_compiler})
      *text = line.Text();
  } else if (what == "warning") {
    const std::string code = line.Text();
    trace.warnings.push_back({code, line.Text()});
  } else if (what == "seen") {
    trace.launches_seen = line.Value<std::int64_t>();
  } else if (what == "complete") {
    trace.complete = true;
  }
}

}  // namespace

void WritePlan(const fs::path& folder, const TracePlan& plan) {
  std::string text(kPlanMagic);
  text += fmt::format("\nmode\t{}\nprofile\t{}\n", kModes.at(static_cast<std::size_t>(plan.mode)), plan.profile);
  if (!plan.nvtx.empty()) text += "nvtx\t" + Escaped(plan.nvtx) + "\n";
  if (plan.mode == TraceMode::kSample) text += fmt::format("period\t{}\n", plan.sampling_period);
  for (const PlannedKernel& kernel : plan.kernels) {
    std::vector<std::string> fields{Escaped(kernel.symbol)};
    Append(fields, kernel.geometry);
    fields.push_back(NumberText(kernel.limit_s));
    for (const std::int64_t nth : kernel.nth) fields.push_back(NumberText(nth));
    text += fmt::format("kernel\t{}\n", fmt::join(fields, "\t"));
  }
  const fs::path file = folder / kPlanName;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw Error("cannot write " + file.string() + ": " + std::strerror(errno) + ".");
}

TracePlan ReadPlan(const fs::path& folder) {
  const fs::path file = folder / kPlanName;
  TracePlan plan;
  ForEachLine(WholeFile(file), kPlanMagic, file.string(), [&](std::string_view text) {
    LineFields line(text);
    const std::string what = line.Text();
    if (what == "mode") {
      const auto mode = std::ranges::find(kModes, line.Text());
      if (mode != kModes.end()) plan.mode = static_cast<TraceMode>(mode - kModes.begin());
    } else if (what == "profile") {
      plan.profile = line.Text();
    } else if (what == "nvtx") {
      plan.nvtx = line.Text();
    } else if (what == "period") {
      plan.sampling_period = line.Value<int>();
    } else if (what == "kernel") {
      PlannedKernel kernel;
      kernel.symbol = line.Text();
      kernel.geometry = GeometryOf(line);
      kernel.limit_s = line.Value<double>();
      while (!line.Empty()) kernel.nth.push_back(line.Value<std::int64_t>());
      plan.kernels.push_back(std::move(kernel));
    }
  });
  return plan;
}

TraceWriter::TraceWriter(const fs::path& folder, std::int64_t pid) {
  // A process that replaces its program by another keeps its id.
  for (int program = 0; file_ < 0; ++program) {
    path_ = folder / fmt::format("{}-{}{}", pid, program, kTraceSuffix);
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file_ < 0 && errno != EEXIST) throw Error("cannot write " + path_.string() + ": " + std::strerror(errno) + ".");
  }
  buffer_.append(kTraceMagic) += '\n';
}

TraceWriter::~TraceWriter() {
  Flush();
  close(file_);
}

void TraceWriter::Line(std::string_view what, const std::vector<std::string>& fields) {
  buffer_ += what;
  for (const std::string& field : fields) {
    buffer_ += '\t';
    buffer_ += field;
  }
  buffer_ += '\n';
  if (buffer_.size() >= kBuffered) Flush();
}

void TraceWriter::Flush() {
  std::string_view left = buffer_;
  while (!left.empty() && trouble_ == 0) {
    const ssize_t written = write(file_, left.data(), left.size());
    if (written >= 0)
      left.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      trouble_ = errno;
  }
  if (trouble_ != 0 && path_.stem().extension().empty()) {
    const fs::path before = path_;
    path_.replace_extension(kTraceTrouble + std::to_string(trouble_) + kTraceSuffix);
    std::error_code ignored;
    fs::rename(before, path_, ignored);
  }
  buffer_.clear();
}

void TraceWriter::Process(std::int64_t pid, std::int64_t parent, std::string_view command_line, const Toolchain& t) {
  Line("process",
       {NumberText(pid), NumberText(parent), Escaped(command_line), Escaped(t.driver), Escaped(t.cuda_driver_api),
        Escaped(t.cuda_runtime), Escaped(t.cupti), Escaped(t.nvcc), Escaped(t.host_compiler)});
}

void TraceWriter::AddDevice(int ordinal, const TracedDevice& traced) {
  const Device& d = traced.device;
  Line("device", {NumberText(ordinal), Escaped(traced.uuid), Escaped(d.name), Escaped(d.chip), NumberText(d.cc_major),
                  NumberText(d.cc_minor), NumberText(d.sm_count), NumberText(d.fp32_lanes_per_sm),
                  NumberText(d.sm_clock_mhz), NumberText(d.dram_bytes_per_s), NumberText(d.memory_bytes),
                  NumberText(d.l2_bytes), NumberText(d.shared_bytes_per_sm), NumberText(d.registers_per_sm),
                  NumberText(d.max_threads_per_sm), NumberText(d.max_blocks_per_sm)});
}

int TraceWriter::KernelNumber(const std::string& symbol) {
  const auto [known, is_new] = kernels_.try_emplace(symbol, static_cast<int>(kernels_.size()));
  if (is_new) Line("kernel", {Escaped(symbol)});
  return known->second;
}

int TraceWriter::RangeNumber(const std::string& range) {
  const auto [known, is_new] = ranges_.try_emplace(range, static_cast<int>(ranges_.size()));
  if (is_new) Line("range", {Escaped(range)});
  return known->second;
}

void TraceWriter::Build(const BuildRecord& build) {
  std::vector<std::string> fields{Escaped(build.kernel), Escaped(build.arch), Escaped(build.cubin_digest)};
  for (const StaticAttribute& a : build.attributes)
    fields.insert(fields.end(),
                  {Escaped(a.name), Escaped(a.source), TextOf(a.value), NumberText(static_cast<int>(a.status))});
  Line("build", fields);
}

void TraceWriter::Place(std::string_view symbol, std::string_view file, int line) {
  Line("place", {Escaped(symbol), Escaped(file), NumberText(line)});
}

void TraceWriter::Launch(const TracedLaunch& launch) {
  std::vector<std::string> fields{NumberText(launch.kernel)};
  Append(fields, launch.geometry);
  fields.insert(fields.end(), {NumberText(launch.device), NumberText(launch.context), NumberText(launch.stream),
                               NumberText(launch.range), NumberText(int{launch.from_graph}),
                               NumberText(launch.start_ns), NumberText(launch.end_ns)});
  Line("launch", fields);
}

void TraceWriter::Copy(const TracedCopy& copy) {
  Line("copy", {std::ranges::find(kCopyKindNames, copy.kind, &CopyKindName::kind)->name, NumberText(copy.device),
                NumberText(copy.bytes), NumberText(copy.start_ns), NumberText(copy.end_ns)});
}

int TraceWriter::MetricNumber(const MetricDefinition& m) {
  const std::vector<std::string> definition{Escaped(m.id), Escaped(m.source), Escaped(m.cupti_name), Escaped(m.unit),
                                            Escaped(m.meaning)};
  const auto [known, is_new] =
      metrics_.try_emplace(fmt::format("{}", fmt::join(definition, "\t")), static_cast<int>(metrics_.size()));
  if (is_new) Line("metric", definition);
  return known->second;
}

void TraceWriter::Counted(const CountedLaunch& launch) {
  std::vector<std::string> fields{NumberText(launch.kernel)};
  Append(fields, launch.geometry);
  fields.insert(fields.end(), {NumberText(launch.range), NumberText(launch.nth), Escaped(launch.not_counted)});
  std::map<std::string, int> numbers;  // by id
  for (const Reading& r : launch.readings) {
    const int number = numbers[r.metric.id] = MetricNumber(r.metric);
    fields.insert(fields.end(), {NumberText(number), TextOf(r.value), NumberText(static_cast<int>(r.status))});
  }
  Line("counted", fields);
  for (const InstructionRecord& i : launch.instructions) {
    fields = {Escaped(i.function), NumberText(i.pc_offset), Escaped(i.source_file), NumberText(i.source_line),
              Escaped(i.opcode)};
    for (const auto& [metric, count] : i.counts)
      if (const auto number = numbers.find(metric); number != numbers.end())
        fields.insert(fields.end(), {NumberText(number->second), NumberText(count)});
    Line("instruction", fields);
  }
}

void TraceWriter::Sampled(const TracedSampling& sampled) {
  buffer_ += SamplingLines(sampled);
  if (buffer_.size() >= kBuffered) Flush();
}

void TraceWriter::Warn(const Warning& warning) { Line("warning", {Escaped(warning.code), Escaped(warning.text)}); }

void TraceWriter::LaunchesSeen(std::int64_t launches) { Line("seen", {NumberText(launches)}); }

void TraceWriter::Complete() { Line("complete", {}); }

std::string TraceHead() { return std::string(kTraceMagic) + '\n'; }

std::string WarningLine(const Warning& warning) {
  return fmt::format("warning\t{}\t{}\n", Escaped(warning.code), Escaped(warning.text));
}

std::string SamplingLines(const TracedSampling& sampled) {
  const SamplingRecord& s = sampled.sampling;
  std::string text;
  std::map<std::string, std::size_t> numbers;
  const auto number_of = [&](const std::string& function, std::string_view digest) {
    const auto [known, is_new] = numbers.try_emplace(function, numbers.size());
    if (is_new) text += fmt::format("code\t{}\t{}\n", Escaped(function), Escaped(digest));
    return known->second;
  };
  for (const MachineCode& code : s.code) {
    if (numbers.contains(code.function)) continue;
    number_of(code.function, code.digest);
    for (const MachineInstruction& i : code.instructions) {
      text += fmt::format("encoding\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", i.pc_offset, i.low, i.high,
                          Escaped(i.opcode), Escaped(i.operands), i.stall_cycles, int{i.yield}, i.write_scoreboard,
                          i.read_scoreboard, i.wait_mask);
      for (const SourceFrame& frame : i.frames) text += fmt::format("\t{}\t{}", Escaped(frame.file), frame.line);
      text += '\n';
    }
  }
  for (const PcSample& row : s.rows) {
    const std::size_t function = number_of(row.function, "");
    text += fmt::format("sample\t{}\t{}\t{}\t{}\t{}\n", function, row.pc_offset, Escaped(row.reason), row.samples,
                        row.not_issued);
  }
  text += fmt::format("sampling\t{}\t{}\t{}\t{}\t{}\n", Escaped(sampled.about), s.period_cycles, s.launches, s.samples,
                      s.dropped);
  return text;
}

ProcessTrace ParseTrace(std::string_view text, std::string_view name) {
  ProcessTrace trace;
  std::vector<MetricDefinition> metrics;
  UnendedSampling unended;
  ForEachLine(text, kTraceMagic, name, [&](std::string_view line_text) {
    try {
      LineFields line(line_text);
      ReadLine(line, trace, metrics, unended);
    } catch (const BadField&) {  // of a file that somebody touched
    }
  });
  return trace;
}

ProcessTrace ReadTrace(const fs::path& file) { return ParseTrace(WholeFile(file), file.string()); }

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
    } catch (const Error&) {  // of a process that was killed before it wrote a line
      traces.emplace_back();
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
