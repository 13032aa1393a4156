// SPDX-License-Identifier: Apache-2.0
// Writes traces.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <system_error>

#include "db/open_file.h"
#include "profiler/trace/trace_line.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffered = std::size_t{1} << 16;

// First of the key of what is summed: of copies it is their kind.
constexpr int kLaunches = -1;

}  // namespace

TraceWriter::TraceWriter(const fs::path& folder, std::int64_t pid, std::int64_t most_alone) : left_alone_(most_alone) {
  // A process that replaces its program by another keeps its id.
  for (int program = 0; file_ < 0; ++program) {
    path_ = folder / fmt::format("{}-{}{}", pid, program, kTraceSuffix);
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file_ < 0 && errno != EEXIST) throw Error("cannot write " + path_.string() + ": " + std::strerror(errno) + ".");
  }
  Put(kTraceMagic);
}

TraceWriter::TraceWriter(int descriptor) : file_(descriptor), left_alone_(kMostAlone) { Put(kTraceMagic); }

TraceWriter::~TraceWriter() {
  CloseSums();
  Flush();
  if (!path_.empty()) close(file_);
}

void TraceWriter::Put(std::string_view line) {
  buffer_.append(line) += '\n';
  if (buffer_.size() >= kBuffered) Flush();
}

template <class... Values>
void TraceWriter::Line(std::string_view what, const Values&... values) {
  Put(NewLine(what, values...).text());
}

// The number of `key`. Where it is a new one, `line` says what it stands for.
template <class Key, class... Values>
int TraceWriter::NumberOf(std::map<Key, int>& known, const Key& key, std::string_view line, const Values&... values) {
  const auto [at, is_new] = known.try_emplace(key, static_cast<int>(known.size()));
  if (is_new) Line(line, at->second, values...);
  return at->second;
}

void TraceWriter::Flush() {
  if (trouble_ == 0 && !WriteAll(file_, buffer_)) trouble_ = errno;
  if (trouble_ != 0 && !path_.empty() && path_.stem().extension().empty()) {
    const fs::path before = path_;
    path_.replace_extension(kTraceTrouble + std::to_string(trouble_) + kTraceSuffix);
    std::error_code ignored;
    fs::rename(before, path_, ignored);
  }
  buffer_.clear();
}

void TraceWriter::Process(std::int64_t pid, std::int64_t parent, std::string_view command_line,
                          const Toolchain& toolchain) {
  Line("process", pid, parent, command_line, toolchain);
}

void TraceWriter::AddDevice(int ordinal, const TracedDevice& traced) {
  Line("device", ordinal, traced.uuid, traced.device);
}

int TraceWriter::KernelNumber(const std::string& symbol) { return NumberOf(kernels_, symbol, "kernel", symbol); }

int TraceWriter::MetricNumber(const MetricDefinition& metric) {
  return NumberOf(metrics_, NewLine("", metric).text(), "metric", metric);
}

int TraceWriter::RangeNumber(const std::string& range) {
  const std::string wanted = left_alone_ > 0 ? range : NormalRange(range);
  return NumberOf(ranges_, wanted, "range", wanted);
}

void TraceWriter::Build(const BuildRecord& build) {
  NewLine line("build", build);
  for (const StaticAttribute& attribute : build.attributes) line.Add(attribute);
  Put(line.text());
}

void TraceWriter::Place(std::string_view symbol, const SourceFrame& place) { Line("place", symbol, place); }

void TraceWriter::Stack(const TracedStack& stack) {
  NewLine line("stack", stack.symbol, stack.geometry, stack.range);
  for (const PythonFrame& frame : stack.frames) line.Add(frame);
  Put(line.text());
}

int TraceWriter::KindNumber(const TracedLaunch& l) {
  return NumberOf(kinds_, {l.kernel, l.geometry, l.device, l.context, l.stream, l.range, l.from_graph}, "kind",
                  l.kernel, l.range, l);
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
    return Line("launch", kind, launch.start_ns, launch.end_ns - launch.start_ns);
  }
  TracedLaunch like = launch;
  like.context = like.stream = 0;
  Sum({kLaunches, KindNumber(like)}, launch.device, launch.start_ns, launch.end_ns, 0);
}

void TraceWriter::Copy(const TracedCopy& copy) {
  if (IsAlone(copy.device, copy.end_ns)) return Line("copy", copy);
  Sum({static_cast<int>(copy.kind), copy.device}, copy.device, copy.start_ns, copy.end_ns, copy.bytes);
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
    NewLine line = what == kLaunches ? NewLine("launches", which, sum)
                                     : NewLine("copies", static_cast<CopyKind>(what), which, sum);
    for (const std::int64_t ns : sum.samples_ns) line.Add(ns);
    Put(line.text());
  }
}

void TraceWriter::Counted(const CountedLaunch& launch) {
  const std::int64_t counted = counted_++;
  NewLine line("counted", counted, launch.kernel, launch.geometry, launch.range, launch.nth, launch.not_counted);
  std::map<std::string, int> numbers;  // by id
  for (const Reading& r : launch.readings) {
    const int number = MetricNumber(r.metric);
    numbers[r.metric.id] = number;
    line.Add(number, r.value, r.status);
  }
  Put(line.text());
  for (const InstructionRecord& i : launch.instructions) {
    NewLine instruction("instruction", counted, i.function, i.source_file, i.pc_offset, i.source_line, i.opcode);
    for (const auto& [metric, count] : i.counts)
      if (const auto number = numbers.find(metric); number != numbers.end()) instruction.Add(number->second, count);
    Put(instruction.text());
  }
}

void TraceWriter::Timed(const TracedTiming& timed) {
  NewLine line("timed", timed.about, timed.record, timed.kernels, timed.launched.size());
  for (const StaticAttribute& attribute : timed.launched) line.Add(attribute);
  for (Sample sample : timed.samples) {
    sample.clock_mhz = Measurement(sample.clock_mhz, RangeOf("sample", "clock_mhz"));
    line.Add(sample);
  }
  Put(line.text());
}

void TraceWriter::Sampled(const TracedSampling& sampled) {
  const SamplingRecord& s = sampled.sampling;
  const std::int64_t sampling = sampled_++;
  std::map<std::string, int> functions;
  const auto number_of = [&](const std::string& function, std::string_view digest) {
    const auto [known, is_new] = functions.try_emplace(function, static_cast<int>(functions.size()));
    if (is_new) Line("code", sampling, known->second, function, digest);
    return known->second;
  };
  for (const MachineCode& code : s.code) {
    if (functions.contains(code.function)) continue;
    const int function = number_of(code.function, code.digest);
    for (const MachineInstruction& i : code.instructions) {
      NewLine line("encoding", sampling, function, i.pc_offset, i.low, i.high, i);
      for (const SourceFrame& frame : i.frames) line.Add(frame);
      Put(line.text());
    }
    for (const SourceQuote& quote : code.quotes) Line("quote", sampling, function, quote);
  }
  for (const PcSample& row : s.rows) {
    const int function = number_of(row.function, "");
    Line("sample", sampling, function, row.pc_offset, row.reason, row.samples, row.not_issued);
  }
  Line("sampling", sampling, sampled.about, s);
}

std::int64_t TraceWriter::Counters(int device, std::span<const MetricDefinition> metrics) {
  std::vector<int> numbers;
  for (const MetricDefinition& metric : metrics) numbers.push_back(MetricNumber(metric));
  NewLine line("counters", counters_, device);
  for (const int number : numbers) line.Add(number);
  Put(line.text());
  return counters_++;
}

void TraceWriter::Record(std::int64_t counters, std::int64_t start_ns, std::int64_t end_ns,
                         std::span<const double> values) {
  NewLine line("record", counters, start_ns, end_ns - start_ns);
  for (const double value : values) line.Add(value);
  Put(line.text());
}

void TraceWriter::CountingTook(double seconds) { Line("counting", seconds); }

void TraceWriter::Warn(const Warning& warning) { Line("warning", warning.code, warning.text); }

void TraceWriter::LaunchesSeen(std::int64_t launches) { Line("seen", launches); }

void TraceWriter::MemoryUsed(std::int64_t bytes) { Line("memory", bytes); }

void TraceWriter::Rank(int rank) { Line("rank", rank); }

void TraceWriter::OwnMemory(std::int64_t peak_bytes) { Line("own_memory", peak_bytes); }

void TraceWriter::WindowOpens(std::int64_t ns) { Line("opens", ns); }

void TraceWriter::WindowCloses(std::int64_t ns) { Line("closes", ns); }

void TraceWriter::WindowWorked(std::size_t n, std::int64_t first_ns, std::int64_t last_ns) {
  Line("worked", n, first_ns, last_ns);
}

void TraceWriter::Complete() {
  CloseSums();
  Line("complete");
}

}  // namespace culprit
