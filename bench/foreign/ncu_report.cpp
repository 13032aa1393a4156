// SPDX-License-Identifier: Apache-2.0
// Launches that Nsight Compute profiled, as launches of ours: their times, and the metrics that we know.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/launch/machine.h"
#include "analysis/launch/name.h"
#include "bench/foreign/builder.h"
#include "bench/foreign/ncu_csv.h"
#include "bench/foreign/ncu_metrics.h"
#include "bench/foreign/ncu_number.h"
#include "db/error.h"
#include "db/metric_catalogue.h"

namespace culprit {
namespace {

constexpr std::size_t kMostSamples = 2000;  // of a launch, as of a recorded program's

using Dimensions = std::array<unsigned, 3>;

struct Profile {
  std::string kernel;
  Dimensions grid{}, block{};
  std::int64_t dynamic_shared_bytes = 0;
  std::string device;  // name and compute capability
  std::optional<Sample> sample;
  std::vector<Reading> readings;
};

class Reader {
 public:
  Reader(const NcuTable& table, const ForeignFile& file) : table_(table), values_(table, file.name), file_(file) {}

  ForeignReport Read(std::string_view text);

 private:
  [[noreturn]] void Complain(const CsvRow& row, std::string_view what) const {
    throw Error(fmt::format("{} line {}: {}; nothing was imported", file_.name, row.line, what));
  }
  std::string TextAt(const CsvRow& row, std::string_view column) const {
    const auto index = values_.IndexOf(column);
    return index ? Storable(row.fields[*index]) : "";
  }
  Dimensions DimensionsOf(const CsvRow& row, std::string_view column, std::string_view metric) const;
  Device DeviceOf(const CsvRow& row) const;
  std::pair<int, int> CapabilityOf(const CsvRow& row) const;
  Profile ProfileOf(const CsvRow& row);
  // Of what is no count of a kernel; 0 where it is not there.
  double Attribute(const CsvRow& row, std::string_view column, std::string_view unit, double most) const;
  void AddLaunches(std::vector<Profile> profiles, ForeignReport& report) const;

  const NcuTable& table_;
  NcuMetrics values_;
  const ForeignFile& file_;
};

double Reader::Attribute(const CsvRow& row, std::string_view column, std::string_view unit, double most) const {
  const auto value = values_.NumberAt(row, column, unit);
  if (!value) return 0;
  if (*value > most) Complain(row, fmt::format("{} is out of range", column));
  return *value;
}

// "(256, 1, 1)"
Dimensions Reader::DimensionsOf(const CsvRow& row, std::string_view column, std::string_view metric) const {
  static const RE2 kThree(R"([(), x]*(\d+)[(), x]+(\d+)[(), x]+(\d+)[(), x]*)");
  const std::string text = TextAt(row, column);
  Dimensions dimensions{};
  if (RE2::FullMatch(text, kThree, &dimensions[0], &dimensions[1], &dimensions[2])) return dimensions;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = values_.NumberAt(row, fmt::format("{}_{}", metric, "xyz"[i]), "");
    if (!value || *value > 4294967295.0) Complain(row, fmt::format("'{}' is no {}", text, column));
    dimensions[i] = static_cast<unsigned>(*value);
  }
  return dimensions;
}

std::pair<int, int> Reader::CapabilityOf(const CsvRow& row) const {
  static const RE2 kCapability(R"((\d{1,3})\.(\d))");
  const std::string text = TextAt(row, "CC");
  int major = 0, minor = 0;
  if (!text.empty() && !RE2::FullMatch(text, kCapability, &major, &minor))
    Complain(row, fmt::format("'{}' is not a compute capability", text));
  return {major, minor};
}

Device Reader::DeviceOf(const CsvRow& row) const {
  const auto attribute = [&](std::string_view name, std::string_view unit, double most) {
    return Attribute(row, fmt::format("device__attribute_{}", name), unit, most);
  };
  Device device;
  std::tie(device.cc_major, device.cc_minor) = CapabilityOf(row);
  device.name = TextAt(row, "device__attribute_display_name");
  // Newer versions put the number of the GPU into this column, older ones its name.
  if (const std::string named = TextAt(row, "Device");
      device.name.empty() && named.find_first_not_of("0123456789") != named.npos)
    device.name = named;
  if (device.name.empty())
    device.name = fmt::format("GPU of compute capability {}.{}", device.cc_major, device.cc_minor);
  device.sm_count = static_cast<int>(attribute("multiprocessor_count", "", 1e6));
  device.sm_clock_mhz = attribute("clock_rate", "", 1e9) / 1e3;  // kHz, of which the column says nothing
  device.dram_bytes_per_s =
      2 * 1e3 * attribute("memory_clock_rate", "", 1e9) * attribute("global_memory_bus_width", "", 1e6) / 8;
  device.l2_bytes = static_cast<std::int64_t>(attribute("l2_cache_size", "", 1e18));
  device.shared_bytes_per_sm = static_cast<std::int64_t>(attribute("max_shared_memory_per_multiprocessor", "", 1e18));
  device.registers_per_sm = static_cast<std::int64_t>(attribute("max_registers_per_multiprocessor", "", 1e18));
  device.memory_bytes = static_cast<std::int64_t>(attribute("total_memory", "", 1e18));
  device.max_threads_per_sm = static_cast<int>(attribute("max_threads_per_multiprocessor", "", 1e6));
  device.max_blocks_per_sm = static_cast<int>(attribute("max_blocks_per_multiprocessor", "", 1e6));
  device.fp32_lanes_per_sm = static_cast<int>(KnownMachine(device).fp32);
  return device;
}

// As demangled names are written everywhere else: ncu says "<unnamed>::Add(float *)".
std::string NameOf(std::string name) {
  static const RE2 kUnnamed("<unnamed>"), kSpaced(" ([*&])");
  RE2::GlobalReplace(&name, kUnnamed, "(anonymous namespace)");
  RE2::GlobalReplace(&name, kSpaced, R"(\1)");
  return ReadableName(name);
}

Profile Reader::ProfileOf(const CsvRow& row) {
  Profile p;
  p.kernel = NameOf(TextAt(row, "Kernel Name"));
  p.grid = DimensionsOf(row, "Grid Size", "launch__grid_dim");
  p.block = DimensionsOf(row, "Block Size", "launch__block_dim");
  p.dynamic_shared_bytes =
      static_cast<std::int64_t>(Attribute(row, "launch__shared_mem_per_block_dynamic", "byte", 1e18));
  if (const auto us = values_.NumberAt(row, "gpu__time_duration.sum", "us")) {
    if (!IsStorableTime(*us)) Complain(row, fmt::format("gpu__time_duration.sum of {} us is no time of a kernel", *us));
    p.sample = SampleOf(*us);
    p.sample->clock_mhz = values_.ClockMhz(row, *us);
  }
  p.readings = values_.ReadingsOf(row);
  return p;
}

ForeignReport Reader::Read(std::string_view text) {
  ForeignReport report = NewForeignReport(ProgramSource::kNcu, text, file_);
  RunRecord& run = report.run;
  run.l2 = "flush";  // what ncu does before each pass unless it is told not to
  run.command_line = Storable(table_.program.empty() ? TextAt(table_.rows.front(), "Process Name") : table_.program);

  const auto [major, minor] = CapabilityOf(table_.rows.front());
  values_.Choose(ChipWith(major, minor));
  std::set<std::string> processes;
  std::map<std::string, std::pair<double, const CsvRow*>> devices;  // time of each
  std::set<std::string> gpus;
  std::vector<Profile> profiles;
  for (const CsvRow& row : table_.rows) {
    Profile profile = ProfileOf(row);
    processes.insert(TextAt(row, "Process ID"));
    gpus.insert(TextAt(row, "Device"));
    const std::string device = TextAt(row, "device__attribute_display_name") + TextAt(row, "CC");
    auto& [time, first] = devices.try_emplace(device, 0, &row).first->second;
    time += profile.sample ? profile.sample->time_us : 0;
    profiles.push_back(std::move(profile));
  }
  run.program->processes = static_cast<int>(processes.size());
  run.program->gpus = static_cast<int>(gpus.size());
  const auto busiest = std::ranges::max_element(devices, {}, [](const auto& d) { return d.second.first; });
  run.device = DeviceOf(*busiest->second.second);
  if (devices.size() > 1)
    report.warnings.push_back(
        {"several_gpus", fmt::format("Launches on GPUs of {} models are here together; {} had the "
                                     "most time, and stands for all.",
                                     devices.size(), run.device->name)});
  report.warnings.push_back(
      {"profiled_times",
       "The times are of launches that Nsight Compute profiled one by one, unless told otherwise with the clock locked "
       "to its base and caches flushed before each: compare them with each other, not with times of the program."});
  for (const Warning& warning : values_.Warnings()) report.warnings.push_back(warning);
  AddLaunches(std::move(profiles), report);
  const bool was_counted =
      std::ranges::any_of(report.launches, [](const ForeignLaunch& l) { return l.program.counted > 0; });
  run.profile = was_counted ? "full" : "none";
  return report;
}

// Of very many some, evenly spread.
template <class T>
void Thin(std::vector<T>& all) {
  const std::size_t count = all.size();
  if (count <= kMostSamples) return;
  for (std::size_t i = 0; i < kMostSamples; ++i) all[i] = std::move(all[i * count / kMostSamples]);
  all.resize(kMostSamples);
}

void Reader::AddLaunches(std::vector<Profile> profiles, ForeignReport& report) const {
  struct Class {
    std::vector<std::size_t> members = {};
    double time_us = 0;
    bool all_timed = true;
  };
  using Key = std::tuple<std::string, Dimensions, Dimensions, std::int64_t>;
  std::map<Key, std::size_t> known;
  std::vector<Class> classes;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Profile& p = profiles[i];
    const auto [at, is_new] = known.try_emplace(Key{p.kernel, p.grid, p.block, p.dynamic_shared_bytes}, classes.size());
    if (is_new) classes.emplace_back();
    Class& of = classes[at->second];
    of.members.push_back(i);
    of.time_us += p.sample ? p.sample->time_us : 0;
    of.all_timed &= p.sample.has_value();
  }
  // Of several with one stage and shape the first is the one with most time.
  std::ranges::stable_sort(classes, std::greater(), &Class::time_us);
  const Device& device = *report.run.device;
  ForeignBuilder builder(report);
  for (const Class& c : classes) {
    const Profile& p = profiles[c.members.front()];
    LaunchRecord record;
    record.arch = fmt::format("sm_{}{}", device.cc_major, device.cc_minor);
    record.shape = fmt::format("{}x{}", fmt::join(p.grid, "x"), fmt::join(p.block, "x"));
    record.kernel = p.kernel;
    std::tie(record.grid_x, record.grid_y, record.grid_z) = std::tuple_cat(p.grid);
    std::tie(record.block_x, record.block_y, record.block_z) = std::tuple_cat(p.block);
    record.dynamic_shared_bytes = p.dynamic_shared_bytes;
    ForeignLaunch& launch = builder.Add(StageIdOf(p.kernel), ShortName(p.kernel), std::move(record));
    launch.program.name = p.kernel;
    launch.program.first = static_cast<std::int64_t>(c.members.front());
    launch.program.calls = std::ssize(c.members);
    for (const std::size_t member : c.members) {
      if (profiles[member].sample) launch.samples.push_back(*profiles[member].sample);
      if (profiles[member].readings.empty()) continue;
      launch.counted.push_back(std::move(profiles[member].readings));
      ++launch.program.counted;
    }
    if (c.all_timed) launch.program.time_us = c.time_us;
    Thin(launch.samples);
    Thin(launch.counted);
  }
}

}  // namespace

ForeignReport ReadNcuCsv(std::string_view text, const ForeignFile& file) {
  const NcuTable table = ReadNcuTable(text, file.name);
  return Reader(table, file).Read(text);
}

}  // namespace culprit
