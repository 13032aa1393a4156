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

#include "db/columns.h"
#include "db/error.h"
#include "db/regular_file.h"
#include "db/sample_range.h"
#include "db/trace_line.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTraceMagic = "culprit-trace\t2", kPlanMagic = "culprit-plan\t1";
constexpr std::array<std::string_view, 4> kModes = {"time", "count", "exact", "sample"};  // in the order of TraceMode
constexpr std::size_t kBuffered = std::size_t{1} << 16;

constexpr double kNsPerUs = 1000;

// First of the key of what is summed: of copies it is their kind.
constexpr int kLaunches = -1;

const char* NameOf(CopyKind kind) { return std::ranges::find(kCopyKindNames, kind, &CopyKindName::kind)->name; }

std::string TextOf(const std::optional<double>& value) { return value ? NumberText(*value) : std::string(); }

void Append(std::vector<std::string>& fields, const LaunchGeometry& g) {
  for (const unsigned extent : {g.grid_x, g.grid_y, g.grid_z, g.block_x, g.block_y, g.block_z})
    fields.push_back(NumberText(extent));
  fields.push_back(NumberText(g.dynamic_shared_bytes));
}

// What a database must not hold is no more taken from a trace.
template <class Number>
Number InRange(LineFields& line, const NumberRange& range) {
  const Number value = line.Value<Number>();
  if (!range.Holds(static_cast<double>(value))) throw BadField();
  return value;
}

LaunchGeometry GeometryOf(LineFields& line) {
  LaunchGeometry g;
  for (unsigned* const extent : {&g.grid_x, &g.grid_y, &g.grid_z, &g.block_x, &g.block_y, &g.block_z})
    *extent = line.Value<unsigned>();
  g.dynamic_shared_bytes = InRange<std::int64_t>(line, RangeOf("launch", "dynamic_shared_bytes"));
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

// The lines of a file that were written to their end, behind the first, which is `magic`.
class WholeLines {
 public:
  WholeLines(std::string_view magic, std::string_view name) : magic_(magic), name_(name) {}

  template <class Visit>
  void Take(std::string_view piece, Visit visit) {
    for (std::size_t end = piece.find('\n'); end != piece.npos; end = piece.find('\n')) {
      const std::string_view head = piece.substr(0, end);
      piece.remove_prefix(end + 1);
      if (!begun_.empty()) begun_ += head;
      const std::string_view line = begun_.empty() ? head : begun_;
      if (is_ours_ && *is_ours_) visit(line);
      if (!is_ours_) is_ours_ = line == magic_;
      begun_.clear();
    }
    begun_ += piece;
  }

  void End() const {
    if (!is_ours_.value_or(false))
      throw Error(name_ + " is not what a recorded program writes: record the program again.");
  }

 private:
  const std::string magic_, name_;
  std::string begun_;
  std::optional<bool> is_ours_;
};

// Piece by piece, for it may be long.
template <class Visit>
void ForEachLine(const fs::path& file, std::string_view magic, Visit visit) {
  RegularFile in(file);
  WholeLines lines(magic, file.string());
  std::string piece(std::size_t{1} << 20, '\0');
  for (std::size_t got = in.Read(piece); got > 0; got = in.Read(piece))
    lines.Take(std::string_view(piece).substr(0, got), visit);
  lines.End();
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
    if (attribute.value && !RangeOf("static_attribute", "value").Holds(*attribute.value)) throw BadField();
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
  const auto read = [&]<class Number>(Number& value, const NumberRange& range) {
    value = InRange<Number>(line, range);
  };
  read(d.cc_major, RangeOf("device", "cc_major"));
  read(d.cc_minor, RangeOf("device", "cc_minor"));
  read(d.sm_count, RangeOf("device", "sm_count"));
  read(d.fp32_lanes_per_sm, RangeOf("device", "fp32_lanes_per_sm"));
  read(d.sm_clock_mhz, RangeOf("device", "sm_clock_mhz"));
  read(d.dram_bytes_per_s, RangeOf("device", "dram_bytes_per_s"));
  read(d.memory_bytes, RangeOf("device", "memory_bytes"));
  read(d.l2_bytes, RangeOf("device", "l2_bytes"));
  read(d.shared_bytes_per_sm, RangeOf("device", "shared_bytes_per_sm"));
  read(d.registers_per_sm, RangeOf("device", "registers_per_sm"));
  read(d.max_threads_per_sm, RangeOf("device", "max_threads_per_sm"));
  read(d.max_blocks_per_sm, RangeOf("device", "max_blocks_per_sm"));
  trace.devices[ordinal] = std::move(traced);
}

bool IsSpan(std::int64_t start_ns, std::int64_t end_ns) { return start_ns >= 0 && end_ns >= start_ns; }

// What launches have in common, but for their time.
TracedLaunch KindOf(LineFields& line, const ProcessTrace& trace) {
  TracedLaunch kind;
  kind.kernel = line.Index(trace.kernels.size());
  kind.geometry = GeometryOf(line);
  kind.device = line.Value<int>();
  kind.context = line.Value<std::int64_t>();
  kind.stream = line.Value<std::int64_t>();
  kind.range = line.Index(trace.ranges.size(), true);
  kind.from_graph = line.Value<int>() != 0;
  return kind;
}

template <class Number>
Number NotNegative(LineFields& line) {
  const Number value = line.Value<Number>();
  if (value < 0) throw BadField();
  return value;
}

Summed SummedOf(LineFields& line) {
  Summed sum;
  for (std::int64_t* const value : {&sum.calls, &sum.bytes, &sum.time_ns, &sum.slowest_ns, &sum.first_ns, &sum.last_ns})
    *value = NotNegative<std::int64_t>(line);
  sum.share_us = NotNegative<double>(line);
  constexpr double kRounding = 1e-6;
  const bool adds_up = RangeOf("program_copy", "calls").Holds(static_cast<double>(sum.calls)) &&
                       sum.slowest_ns <= sum.time_ns && IsSpan(sum.first_ns, sum.last_ns) &&
                       sum.share_us <= static_cast<double>(sum.time_ns) / kNsPerUs + kRounding;
  if (!adds_up) throw BadField();
  while (!line.Empty())
    sum.samples_ns.push_back(InRange<std::int64_t>(line, {"sample", "time_us", 0, kMostSampleUs * kNsPerUs}));
  if (static_cast<std::int64_t>(sum.samples_ns.size()) > sum.calls) throw BadField();
  return sum;
}

CopyKind CopyKindOf(LineFields& line) {
  const std::string name = line.Text();
  const auto known = std::ranges::find(kCopyKindNames, name, &CopyKindName::name);
  if (known == std::end(kCopyKindNames)) throw BadField();
  return known->kind;
}

TracedCopy CopyOf(LineFields& line) {
  TracedCopy copy;
  copy.kind = CopyKindOf(line);
  copy.device = line.Value<int>();
  copy.bytes = line.Value<std::int64_t>();
  copy.start_ns = line.Value<std::int64_t>();
  copy.end_ns = line.Value<std::int64_t>();
  if (copy.bytes < 0 || !IsSpan(copy.start_ns, copy.end_ns)) throw BadField();
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
  instruction.pc_offset = InRange<std::int64_t>(line, RangeOf("instruction", "pc_offset"));
  instruction.source_file = line.Text();
  instruction.source_line = InRange<int>(line, RangeOf("instruction", "source_line"));
  instruction.opcode = line.Text();
  while (!line.Empty()) {
    const std::string& metric = metrics[static_cast<std::size_t>(line.Index(metrics.size()))].id;
    instruction.counts[metric] = InRange<double>(line, RangeOf("instruction_value", "value"));
  }
  trace.counted.back().instructions.push_back(std::move(instruction));
}

// Lines of samples come before the line that ends them.
struct UnendedSampling {
  std::vector<MachineCode> functions;  // those without code are names alone
  std::vector<PcSample> rows;
};

MachineInstruction MachineInstructionOf(LineFields& line) {
  MachineInstruction i;
  i.pc_offset = InRange<std::int64_t>(line, RangeOf("code_instruction", "pc_offset"));
  i.low = line.Value<std::uint64_t>();
  i.high = line.Value<std::uint64_t>();
  i.opcode = line.Text();
  i.operands = line.Text();
  i.stall_cycles = InRange<int>(line, RangeOf("machine_instruction", "stall_cycles"));
  i.yield = InRange<int>(line, RangeOf("machine_instruction", "yield")) != 0;
  i.write_scoreboard = InRange<int>(line, RangeOf("machine_instruction", "write_scoreboard"));
  i.read_scoreboard = InRange<int>(line, RangeOf("machine_instruction", "read_scoreboard"));
  i.wait_mask = InRange<unsigned>(line, RangeOf("machine_instruction", "wait_mask"));
  while (!line.Empty()) {
    const std::string file = line.Text();
    i.frames.push_back({file, InRange<int>(line, RangeOf("line_chain", "source_line"))});
  }
  return i;
}

PcSample SampleOf(LineFields& line, const std::vector<MachineCode>& functions) {
  PcSample row;
  row.function = functions[static_cast<std::size_t>(line.Index(functions.size()))].function;
  row.pc_offset = InRange<std::int64_t>(line, RangeOf("instruction_sample", "pc_offset"));
  row.reason = line.Text();
  row.samples = InRange<std::int64_t>(line, RangeOf("instruction_sample", "samples"));
  row.not_issued = InRange<std::int64_t>(line, RangeOf("instruction_sample", "not_issued"));
  if (row.not_issued > row.samples) throw BadField();
  return row;
}

TracedSampling SamplingOf(LineFields& line, UnendedSampling& unended) {
  TracedSampling sampled{line.Text(), {}};
  SamplingRecord& s = sampled.sampling;
  s.period_cycles = InRange<std::int64_t>(line, RangeOf("sampling", "period_cycles"));
  s.launches = NotNegative<std::int64_t>(line);
  s.samples = InRange<std::int64_t>(line, RangeOf("sampling", "samples"));
  s.dropped = InRange<std::int64_t>(line, RangeOf("sampling", "dropped"));
  UnendedSampling ended = std::exchange(unended, {});
  s.rows = std::move(ended.rows);
  std::erase_if(ended.functions, [](const MachineCode& code) { return code.instructions.empty(); });
  s.code = std::move(ended.functions);
  return sampled;
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
    if (damaged_ > 0)
      trace_.warnings.push_back(
          {kTraceDamaged, fmt::format("{} of {} lines of what process {} wrote are damaged and are left out: times and "
                                      "counters may be missing; record the program again, and if it happens again look "
                                      "at the health of the disk that TMPDIR names.",
                                      damaged_, lines_, trace_.pid)});
    return std::move(trace_);
  }

 private:
  void Take(LineFields& line) {
    const std::string what = line.Text();
    if (what == "launch") {
      Launch(line);
    } else if (what == "copy") {
      trace_.copies.push_back(CopyOf(line));
    } else if (what == "kind") {
      kinds_.emplace_back().kernel = -1;  // a number of its own, also where the rest is bad
      kinds_.back() = KindOf(line, trace_);
    } else if (what == "launches") {
      const TracedLaunch& like = Kind(line);
      trace_.summed_launches.push_back({like, SummedOf(line)});
    } else if (what == "copies") {
      TracedCopy like;
      like.kind = CopyKindOf(line);
      like.device = line.Value<int>();
      trace_.summed_copies.push_back({like, SummedOf(line)});
    } else if (what == "kernel") {
      trace_.kernels.push_back(line.Text());
    } else if (what == "range") {
      trace_.ranges.push_back(line.Text());
    } else if (what == "metric") {
      MetricDefinition& m = metrics_.emplace_back();
      for (std::string* const text : {&m.id, &m.source, &m.cupti_name, &m.unit, &m.meaning}) *text = line.Text();
    } else if (what == "counted") {
      trace_.counted.push_back(CountedOf(line, trace_, metrics_));
    } else if (what == "instruction") {
      ReadInstruction(line, trace_, metrics_);
    } else if (what == "code") {
      MachineCode& code = unended_.functions.emplace_back();
      code.function = line.Text();
      code.digest = line.Text();
    } else if (what == "encoding") {
      if (unended_.functions.empty()) throw BadField();
      unended_.functions.back().instructions.push_back(MachineInstructionOf(line));
    } else if (what == "quote") {
      if (unended_.functions.empty()) throw BadField();
      SourceQuote quote{{line.Text(), 0}, {}};
      quote.at.line = InRange<int>(line, RangeOf("source_text", "source_line"));
      quote.text = line.Text();
      unended_.functions.back().quotes.push_back(std::move(quote));
    } else if (what == "sample") {
      unended_.rows.push_back(SampleOf(line, unended_.functions));
    } else if (what == "sampling") {
      trace_.sampled.push_back(SamplingOf(line, unended_));
    } else if (what == "build") {
      ReadBuild(line, trace_);
    } else if (what == "place") {
      const std::string symbol = line.Text(), file = line.Text();
      trace_.places[symbol] = {file, InRange<int>(line, RangeOf("stage", "source_line"))};
    } else if (what == "device") {
      ReadDevice(line, trace_);
    } else if (what == "process") {
      trace_.pid = line.Value<std::int64_t>();
      trace_.parent = line.Value<std::int64_t>();
      trace_.command_line = line.Text();
      Toolchain& t = trace_.toolchain;
      for (std::string* const text :
           {&t.driver, &t.cuda_driver_api, &t.cuda_runtime, &t.cupti, &t.nvcc, &t.host_compiler})
        *text = line.Text();
    } else if (what == "warning") {
      const std::string code = line.Text();
      trace_.warnings.push_back({code, line.Text()});
    } else if (what == "seen") {
      trace_.launches_seen = InRange<std::int64_t>(line, RangeOf("program", "lost_launches"));
    } else if (what == "complete") {
      trace_.complete = true;
    } else {
      throw BadField();
    }
  }

  const TracedLaunch& Kind(LineFields& line) {
    const TracedLaunch& kind = kinds_[static_cast<std::size_t>(line.Index(kinds_.size()))];
    if (kind.kernel < 0) throw BadField();
    return kind;
  }

  void Launch(LineFields& line) {
    TracedLaunch launch = Kind(line);
    const std::int64_t since_last_ns = line.Value<std::int64_t>(), ns = NotNegative<std::int64_t>(line);
    if (__builtin_add_overflow(last_start_ns_, since_last_ns, &launch.start_ns) ||
        __builtin_add_overflow(launch.start_ns, ns, &launch.end_ns) || launch.start_ns < 0)
      throw BadField();
    last_start_ns_ = launch.start_ns;
    trace_.launches.push_back(launch);
  }

  ProcessTrace trace_;
  std::int64_t lines_ = 0, damaged_ = 0;
  std::vector<TracedLaunch> kinds_;
  std::int64_t last_start_ns_ = 0;
  std::vector<MetricDefinition> metrics_;
  UnendedSampling unended_;
};

}  // namespace

void WritePlan(const fs::path& folder, const TracePlan& plan) {
  std::string text(kPlanMagic);
  text += fmt::format("\nmode\t{}\nprofile\t{}\n", kModes.at(static_cast<std::size_t>(plan.mode)), plan.profile);
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
  ForEachLine(file, kPlanMagic, [&](std::string_view text) {
    LineFields line(text);
    const std::string what = line.Text();
    if (what == "mode") {
      const auto mode = std::ranges::find(kModes, line.Text());
      if (mode != kModes.end()) plan.mode = static_cast<TraceMode>(mode - kModes.begin());
    } else if (what == "profile") {
      plan.profile = line.Text();
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

TraceWriter::TraceWriter(const fs::path& folder, std::int64_t pid, std::int64_t most_alone) : left_alone_(most_alone) {
  // A process that replaces its program by another keeps its id.
  for (int program = 0; file_ < 0; ++program) {
    path_ = folder / fmt::format("{}-{}{}", pid, program, kTraceSuffix);
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file_ < 0 && errno != EEXIST) throw Error("cannot write " + path_.string() + ": " + std::strerror(errno) + ".");
  }
  buffer_.append(kTraceMagic) += '\n';
}

TraceWriter::~TraceWriter() {
  CloseSums();
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
  const std::string& wanted = left_alone_ > 0 ? range : NormalRange(range);
  const auto [known, is_new] = ranges_.try_emplace(wanted, static_cast<int>(ranges_.size()));
  if (is_new) Line("range", {Escaped(wanted)});
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

int TraceWriter::KindNumber(const TracedLaunch& l) {
  const auto [known, is_new] = kinds_.try_emplace(
      {l.kernel, l.geometry, l.device, l.context, l.stream, l.range, l.from_graph}, static_cast<int>(kinds_.size()));
  if (is_new) {
    std::vector<std::string> fields{NumberText(l.kernel)};
    Append(fields, l.geometry);
    fields.insert(fields.end(), {NumberText(l.device), NumberText(l.context), NumberText(l.stream), NumberText(l.range),
                                 NumberText(int{l.from_graph})});
    Line("kind", fields);
  }
  return known->second;
}

bool TraceWriter::IsAlone(int device, std::int64_t end_ns) {
  if (left_alone_ <= 0) return false;
  --left_alone_;
  sums_.Taken(device, end_ns);
  return true;
}

void TraceWriter::Launch(const TracedLaunch& launch) {
  if (IsAlone(launch.device, launch.end_ns)) {
    const int kind = KindNumber(launch);
    fmt::format_to(std::back_inserter(buffer_), "launch\t{}\t{}\t{}\n", kind, launch.start_ns - last_start_ns_,
                   launch.end_ns - launch.start_ns);
    last_start_ns_ = launch.start_ns;
    if (buffer_.size() >= kBuffered) Flush();
    return;
  }
  TracedLaunch like = launch;
  like.context = like.stream = 0;
  Sum({kLaunches, KindNumber(like)}, launch.device, launch.start_ns, launch.end_ns, 0);
}

void TraceWriter::Copy(const TracedCopy& copy) {
  if (!IsAlone(copy.device, copy.end_ns))
    return Sum({static_cast<int>(copy.kind), copy.device}, copy.device, copy.start_ns, copy.end_ns, copy.bytes);
  Line("copy", {NameOf(copy.kind), NumberText(copy.device), NumberText(copy.bytes), NumberText(copy.start_ns),
                NumberText(copy.end_ns)});
}

void TraceWriter::Sum(TraceSums::Key key, int device, std::int64_t start_ns, std::int64_t end_ns, std::int64_t bytes) {
  // A clock that jumped: such a launch has no time.
  if (static_cast<double>(end_ns - start_ns) > kMostSampleUs * 1e3) return;
  sums_.Add(key, device, start_ns, end_ns, bytes);
  if (sums_.IsFull()) CloseSums();
}

void TraceWriter::CloseSums() {
  for (const auto& [key, sum] : sums_.Close()) {
    const auto& [what, which] = key;
    std::vector<std::string> fields;
    if (what != kLaunches) fields.push_back(NameOf(static_cast<CopyKind>(what)));
    fields.push_back(NumberText(which));
    for (const std::int64_t value : {sum.calls, sum.bytes, sum.time_ns, sum.slowest_ns, sum.first_ns, sum.last_ns})
      fields.push_back(NumberText(value));
    fields.push_back(NumberText(sum.share_us));
    for (const std::int64_t ns : sum.samples_ns) fields.push_back(NumberText(ns));
    Line(what == kLaunches ? "launches" : "copies", fields);
  }
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

void TraceWriter::Complete() {
  CloseSums();
  Line("complete", {});
}

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
    for (const SourceQuote& quote : code.quotes)
      text += fmt::format("quote\t{}\t{}\t{}\n", Escaped(quote.at.file), quote.at.line, Escaped(quote.text));
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
  Parser parser;
  WholeLines lines(kTraceMagic, name);
  lines.Take(text, [&](std::string_view line) { parser.Take(line); });
  lines.End();
  return parser.End();
}

ProcessTrace ReadTrace(const fs::path& file) {
  Parser parser;
  ForEachLine(file, kTraceMagic, [&](std::string_view line) { parser.Take(line); });
  return parser.End();
}

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
      // A file is of a process that was killed before it wrote a line.
      if (!fs::is_regular_file(file, error)) traces.back().warnings.push_back({kTraceDamaged, e.what()});
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
