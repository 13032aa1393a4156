// SPDX-License-Identifier: Apache-2.0
// Writes the wire format of Protocol Buffers by itself (protobuf.dev/programming-guides/encoding): a profile needs only
// whole numbers and bytes.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <map>
#include <tuple>

#include "analysis/launch/name.h"
#include "analysis/number/printable.h"
#include "analysis/show/report/profile_formats.h"
#include "analysis/show/report/run_header.h"
#include "db/compressed.h"

namespace culprit {
namespace {

class Message {
 public:
  // A number that is 0 is left out, which means 0.
  Message& Number(unsigned field, std::int64_t value) {
    if (value == 0) return *this;
    Varint(field << 3);  // wire type 0
    Varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& Bytes(unsigned field, std::string_view bytes) {
    Varint(field << 3 | 2);
    Varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Message& Add(unsigned field, const Message& message) { return Bytes(field, message.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// The numbers of the fields, by message.
namespace profile {
constexpr unsigned kSampleType = 1, kSample = 2, kLocation = 4, kFunction = 5, kStrings = 6, kTimeNanos = 9,
                   kDurationNanos = 10, kComment = 13;
}
namespace value_type {
constexpr unsigned kType = 1, kUnit = 2;
}
namespace sample {
constexpr unsigned kLocationId = 1, kValue = 2, kLabel = 3;
}
namespace label {
constexpr unsigned kKey = 1, kText = 2;
}
namespace location {
constexpr unsigned kId = 1, kLine = 4;
}
namespace line {
constexpr unsigned kFunctionId = 1, kNumber = 2;
}
namespace function {
constexpr unsigned kId = 1, kName = 2, kSystemName = 3, kFile = 4, kStartLine = 5;
}

class Writer {
 public:
  Writer() { Text(""); }  // the first string is empty

  void Describe(const RunSummary& run) {
    profile_.Add(profile::kSampleType,
                 Message().Number(value_type::kType, Text("gpu")).Number(value_type::kUnit, Text("nanoseconds")));
    std::tm at{};
    if (strptime(run.run.started_utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &at) != nullptr)
      profile_.Number(profile::kTimeNanos, timegm(&at) * 1'000'000'000);
    if (run.run.program && run.run.program->span_us)
      profile_.Number(profile::kDurationNanos, std::llround(*run.run.program->span_us * 1e3));
    profile_.Number(profile::kComment, Text(fmt::format("run {}", RunName(run.run))));
    if (run.run.device) profile_.Number(profile::kComment, Text(run.run.device->name));
  }

  void Add(const KernelTime& kernel) {
    for (const KernelTime::Stack& stack : kernel.stacks) AddSample(kernel, stack.frames, stack.us);
    AddSample(kernel, {}, kernel.RestUs());
  }

  std::string Take() {
    for (const auto& [text, number] : texts_) by_number_[number] = text;
    for (const auto& [number, text] : by_number_) profile_.Bytes(profile::kStrings, text);
    return profile_.bytes();
  }

 private:
  std::int64_t Text(std::string_view text) {
    return texts_.try_emplace(Printable(text), static_cast<std::int64_t>(texts_.size())).first->second;
  }

  // Of a kernel's code in one file. Names of inlined functions are not recorded, so they have the kernel's.
  std::int64_t Function(const KernelTime& kernel, const std::string& file, int start_line) {
    const auto [at, is_new] =
        functions_.try_emplace({kernel.name, file}, static_cast<std::int64_t>(functions_.size()) + 1);
    if (is_new)
      profile_.Add(profile::kFunction, Message()
                                           .Number(function::kId, at->second)
                                           .Number(function::kName, Text(ShortName(kernel.name)))
                                           .Number(function::kSystemName, Text(kernel.name))
                                           .Number(function::kFile, Text(file))
                                           .Number(function::kStartLine, start_line));
    return at->second;
  }

  std::int64_t Location(std::int64_t of, int at_line) {
    const auto [at, is_new] = locations_.try_emplace({of, at_line}, static_cast<std::int64_t>(locations_.size()) + 1);
    if (is_new)
      profile_.Add(profile::kLocation,
                   Message()
                       .Number(location::kId, at->second)
                       .Add(location::kLine, Message().Number(line::kFunctionId, of).Number(line::kNumber, at_line)));
    return at->second;
  }

  void AddSample(const KernelTime& kernel, const std::vector<SourceFrame>& frames, double us) {
    const long long ns = std::llround(us * 1e3);
    if (ns <= 0) return;
    Message message;
    for (const SourceFrame& frame : frames)  // the innermost comes first there, too
      message.Number(sample::kLocationId, Location(Function(kernel, frame.file, 0), frame.line));
    if (frames.empty()) {
      const StageRecord& stage = kernel.kernel.stage;
      message.Number(sample::kLocationId,
                     Location(Function(kernel, stage.source_file, stage.source_line), stage.source_line));
    }
    message.Number(sample::kValue, ns);
    AddLabel(message, "launch", kernel.kernel.launch.shape);
    if (kernel.kernel.program && !kernel.kernel.program->nvtx.empty())
      AddLabel(message, "nvtx", kernel.kernel.program->nvtx);
    profile_.Add(profile::kSample, message);
  }

  void AddLabel(Message& message, std::string_view key, std::string_view text) {
    message.Add(sample::kLabel, Message().Number(label::kKey, Text(key)).Number(label::kText, Text(text)));
  }

  Message profile_;
  std::map<std::string, std::int64_t> texts_;
  std::map<std::int64_t, std::string> by_number_;
  std::map<std::pair<std::string, std::string>, std::int64_t> functions_;  // by name and file
  std::map<std::pair<std::int64_t, int>, std::int64_t> locations_;         // by function and line
};

}  // namespace

std::string PprofBytes(const RunSummary& run, std::span<const KernelTime> kernels) {
  Writer writer;
  writer.Describe(run);
  for (const KernelTime& kernel : kernels) writer.Add(kernel);
  return Gzipped(writer.Take());
}

}  // namespace culprit
