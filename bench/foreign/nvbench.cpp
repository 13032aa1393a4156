// SPDX-License-Identifier: Apache-2.0
// NVBench's --json: times alone. With --jsonbin the times of all samples lie in files beside it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "analysis/launch/machine.h"
#include "bench/foreign/builder.h"
#include "bench/foreign/json_reports.h"
#include "db/error.h"
#include "db/regular_file.h"

namespace culprit {
namespace {

constexpr std::string_view kMean = "nv/cold/time/gpu/mean";
constexpr std::string_view kSamples = "nv/json/bin:nv/cold/sample_times";
constexpr double kUsPerSecond = 1e6;
// Of the samples of one state, as of the calls of a program's kernel.
constexpr std::size_t kMostSamples = 2000;

// The values of a summary by name.
std::map<std::string, JsonValue> DataOf(const JsonValue& summary) {
  std::map<std::string, JsonValue> data;
  for (const JsonValue& value : summary.At("data").Elements()) data.emplace(value.At("name").Text(), value.At("value"));
  return data;
}

std::optional<JsonValue> Summary(const JsonValue& state, std::string_view tag) {
  if (!state.Has("summaries")) return std::nullopt;
  for (const JsonValue& summary : state.At("summaries").Elements())
    if (summary.TextAt("tag", "") == tag) return summary;
  return std::nullopt;
}

const JsonValue& Need(const std::map<std::string, JsonValue>& data, const std::string& key, const JsonValue& summary) {
  const auto found = data.find(key);
  if (found == data.end()) summary.Complain(fmt::format("has no {}", key));
  return found->second;
}

// The samples as 32-bit little-endian floats, in seconds; empty when their file is missing. The report names the file
// relative to an unknown folder, and anybody may have written it. So look only below the report's own folder.
std::string SampleBytes(const JsonValue& summary, const ForeignFile& file) {
  const auto data = DataOf(summary);
  const std::filesystem::path named = Need(data, "filename", summary).Text();
  const auto size = Need(data, "size", summary).Number();
  if (!size || *size < 0 || *size > 1e9 || *size != std::floor(*size)) summary.Complain("has no number of samples");
  for (const auto& name : {named, named.parent_path().filename() / named.filename()}) {
    const auto place = FindInside(file.folder, name);
    if (!place || std::filesystem::is_directory(*place)) continue;
    RegularFile in(*place);
    if (in.Size() != static_cast<std::uintmax_t>(*size) * sizeof(float))
      throw Error(fmt::format("{}: it does not hold the {:.0f} samples that {} tells of; nothing was imported",
                              place->string(), *size, file.name));
    return in.Text();
  }
  return "";
}

std::vector<Sample> SamplesOf(std::string_view bytes, const JsonValue& summary) {
  static_assert(std::endian::native == std::endian::little);
  const std::size_t count = bytes.size() / sizeof(float), kept = std::min(count, kMostSamples);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < kept; ++i) {
    float seconds = 0;
    std::memcpy(&seconds, bytes.data() + i * count / kept * sizeof(float), sizeof seconds);
    const double us = static_cast<double>(seconds) * kUsPerSecond;
    if (!IsStorableTime(us)) summary.Complain(fmt::format("has a sample of {} s, which is no time", seconds));
    samples.push_back(SampleOf(us));
  }
  return samples;
}

std::string TextOf(const JsonValue& value, bool is_text) {
  if (is_text) return value.Text();
  const auto number = value.Number();
  return number ? fmt::format("{}", *number) : "";
}

struct Axes {
  std::string name, shape;  // " T=I32" and "1024x8"
};

// Whole numbers are the shape, all else the name.
Axes AxesOf(const JsonValue& state) {
  Axes axes;
  if (!state.Has("axis_values")) return {"", "1"};
  for (const JsonValue& value : state.At("axis_values").Elements()) {
    const std::string type = value.TextAt("type", "string");
    const std::string text = TextOf(value.At("value"), type == "string");
    if (type == "int64" && text.find_first_not_of("0123456789") == text.npos && !text.empty())
      axes.shape += (axes.shape.empty() ? "" : "x") + text;
    else
      axes.name += fmt::format(" {}={}", value.At("name").Text(), text);
  }
  if (axes.shape.empty()) axes.shape = "1";
  return axes;
}

Device DeviceOf(const JsonValue& d) {
  // Of what no GPU has, nothing is stored; the ranges of the columns are wider.
  const auto number = [&](const char* key, double most) {
    const double value = d.NumberAt(key, 0);
    if (!(value >= 0 && value <= most)) d.At(key).Complain("is out of range");
    return value;
  };
  Device device;
  device.name = Storable(d.At("name").Text());
  const int cc = static_cast<int>(number("sm_version", 1e6)) / 10;
  device.cc_major = cc / 10;
  device.cc_minor = cc % 10;
  device.sm_count = static_cast<int>(number("number_of_sms", 1e6));
  device.sm_clock_mhz = number("sm_default_clock_rate", 1e12) / 1e6;
  device.dram_bytes_per_s = number("global_memory_bus_bandwidth", 1e18);
  device.memory_bytes = static_cast<std::int64_t>(number("global_memory_size", 1e18));
  device.l2_bytes = static_cast<std::int64_t>(number("l2_cache_size", 1e18));
  device.shared_bytes_per_sm = static_cast<std::int64_t>(number("shared_memory_per_sm", 1e18));
  device.registers_per_sm = static_cast<std::int64_t>(number("registers_per_sm", 1e18));
  device.max_threads_per_sm = static_cast<int>(number("max_threads_per_sm", 1e6));
  device.max_blocks_per_sm = static_cast<int>(number("max_blocks_per_sm", 1e6));
  device.fp32_lanes_per_sm = static_cast<int>(KnownMachine(device).fp32);
  return device;
}

struct State {
  std::string benchmark;
  JsonValue value;
  double device;
};

std::string CommandLine(const JsonValue& root) {
  std::string line;
  if (root.Has("meta") && root.At("meta").Has("argv"))
    for (const JsonValue& word : root.At("meta").At("argv").Elements()) line += (line.empty() ? "" : " ") + word.Text();
  return line;
}

}  // namespace

ForeignReport ReadNvbench(const JsonValue& root, std::string_view text, const ForeignFile& file) {
  std::vector<State> states;
  std::set<double> devices;
  for (const JsonValue& benchmark : root.At("benchmarks").Elements())
    if (benchmark.Has("states"))
      for (const JsonValue& state : benchmark.At("states").Elements()) {
        states.push_back({Storable(benchmark.At("name").Text()), state, state.NumberAt("device", 0)});
        devices.insert(states.back().device);
      }
  std::string content(text);
  std::vector<std::string> bytes;
  for (const State& state : states) {
    const auto summary = Summary(state.value, kSamples);
    content += bytes.emplace_back(summary ? SampleBytes(*summary, file) : "");
  }

  ForeignReport report = NewForeignReport(ProgramSource::kNvbench, content, file);
  report.run.l2 = "flush";  // before each sample of what it calls cold
  report.run.command_line = Storable(CommandLine(root));
  report.run.program->gpus = static_cast<int>(devices.size());
  report.run.program->processes = 1;
  for (const JsonValue& d : root.At("devices").Elements())
    if (!report.run.device && (devices.empty() || d.At("id").Number() == *devices.begin()))
      report.run.device = DeviceOf(d);
  const std::string arch =
      report.run.device ? fmt::format("sm_{}{}", report.run.device->cc_major, report.run.device->cc_minor) : "";
  ForeignBuilder builder(report);
  int means = 0, without = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const JsonValue& state = states[i].value;
    const Axes axes = AxesOf(state);
    // A run is of one GPU; what another one did has a name of its own.
    const std::string on = states[i].device == *devices.begin() ? "" : fmt::format(" Device={:.0f}", states[i].device);
    const std::string name = Storable(states[i].benchmark + axes.name + on);
    const bool is_skipped = state.Has("is_skipped") && state.At("is_skipped").Bool();
    std::vector<Sample> samples;
    if (!is_skipped) {
      if (!bytes[i].empty()) {
        samples = SamplesOf(bytes[i], *Summary(state, kSamples));
      } else if (const auto mean = Summary(state, kMean)) {
        if (const auto seconds = Need(DataOf(*mean), "value", *mean).Number()) {
          if (!IsStorableTime(*seconds * kUsPerSecond)) mean->Complain("is no time");
          samples.push_back(SampleOf(*seconds * kUsPerSecond));
          ++means;
        }
      }
      if (samples.empty()) {
        ++without;
        continue;
      }
    }
    LaunchRecord launch;
    launch.arch = arch;
    launch.shape = axes.shape;
    launch.state = is_skipped ? LaunchState::kRefused : LaunchState::kOk;
    if (is_skipped) launch.message = Storable(state.TextAt("skip_reason", "It was skipped."));
    builder.AddBenchmark(name, std::move(launch), std::move(samples));
  }
  if (means > 0)
    report.warnings.push_back(
        {"means_alone", fmt::format("Of {} of {} states only the mean time is there, as one sample: nothing says how "
                                    "far samples scatter; --jsonbin FILE keeps them all.",
                                    means, states.size())});
  if (without > 0)
    report.warnings.push_back(
        {"no_time", fmt::format("{} of {} states have no GPU time and were left out.", without, states.size())});
  if (report.launches.empty())
    throw Error(fmt::format("{}: it holds no state with a GPU time; nothing was imported", file.name));
  return report;
}

}  // namespace culprit
