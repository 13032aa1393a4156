// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/builder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>
#include <string>

#include "analysis/launch/name.h"
#include "db/fnv.h"
#include "db/sample_range.h"

namespace culprit {
namespace {

constexpr std::size_t kMostName = 4 << 20;

// RFC 9562, version 8: 122 bits of our own making, of a hash of all content and one of its length and ends.
std::string UuidOf(ProgramSource source, std::string_view content) {
  const std::string_view tool = NameOf(source);
  const std::uint64_t high = Fnv1a(content);
  // A second hash that no collision of the first carries over to: of the bytes in another order.
  const std::uint64_t low = Fnv1a(std::string(content.rbegin(), content.rend()), Fnv1a(tool) ^ content.size());
  return fmt::format("{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff, high & 0xfff,
                     (low >> 48 & 0x3fff) | 0x8000, low & 0xffffffffffff);
}

bool IsWordCharacter(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

ForeignReport NewForeignReport(ProgramSource source, std::string_view content, const ForeignFile& file) {
  ForeignReport report;
  RunRecord& run = report.run;
  run.uuid = UuidOf(source, content);
  run.started_utc = file.modified_utc;
  run.label = Storable(file.label);
  run.profile = "none";
  run.l2 = "hot";
  run.program.emplace().source = source;
  return report;
}

ForeignLaunch& ForeignBuilder::Add(const std::string& stage, std::string_view idea, LaunchRecord launch) {
  if (stages_.try_emplace(stage, report_.stages.size()).second) {
    StageRecord& record = report_.stages.emplace_back();
    record.id = stage;
    record.family = "program";
    record.idea = Storable(idea);
  }
  launch.stage = stage;
  ForeignLaunch& added = report_.launches.emplace_back();
  added.launch = std::move(launch);
  added.program.calls = 1;
  return added;
}

ForeignLaunch& ForeignBuilder::AddBenchmark(const std::string& name, LaunchRecord launch, std::vector<Sample> samples) {
  launch.kernel = name;
  ForeignLaunch& added = Add(BenchmarkStageId(name), name, std::move(launch));
  added.program.name = name;
  if (!samples.empty()) added.program.calls = std::ssize(samples);
  added.samples = std::move(samples);
  return added;
}

Sample SampleOf(double time_us, int repetition) {
  Sample sample;
  sample.repetition = repetition;
  sample.time_us = time_us;
  return sample;
}

std::string BenchmarkStageId(std::string_view name) {
  constexpr std::size_t kMost = 64;
  std::string id;
  bool is_whole = name.size() <= kMost;
  for (const char c : name.substr(0, kMost)) {
    if (IsWordCharacter(static_cast<unsigned char>(c))) {
      id += c;
      continue;
    }
    is_whole = false;
    if (!id.empty() && id.back() != '_') id += '_';
  }
  while (id.ends_with('_') && !is_whole) id.pop_back();
  if (is_whole && !id.empty()) return id;
  return fmt::format("{}~{:06x}", id.empty() ? "benchmark" : id, Fnv1a(name) >> 40);
}

std::string Storable(std::string_view text) {
  std::string storable(text.substr(0, kMostName));
  std::ranges::replace(storable, '\0', ' ');
  return storable;
}

bool IsStorableTime(double us) { return us >= kLeastSampleUs && us <= kMostSampleUs; }

std::string UtcOf(std::string_view iso) {
  const auto number = [&](std::size_t at, std::size_t digits) -> int {
    int value = 0;
    if (at + digits > iso.size()) return -1;
    const auto [end, error] = std::from_chars(iso.data() + at, iso.data() + at + digits, value);
    return error == std::errc() && end == iso.data() + at + digits ? value : -1;
  };
  using namespace std::chrono;
  const int y = number(0, 4), mo = number(5, 2), d = number(8, 2), h = number(11, 2), mi = number(14, 2),
            s = number(17, 2);
  const year_month_day day(year(y), month(static_cast<unsigned>(std::max(mo, 0))),
                           std::chrono::day(static_cast<unsigned>(std::max(d, 0))));
  if (y < 1970 || !day.ok() || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 60) return "";
  int offset = 0;  // minutes
  const auto sign = iso.find_first_of("+-", 19);
  if (sign != iso.npos) {
    const int hours = number(sign + 1, 2), minutes = number(sign + 4, 2);
    if (hours < 0) return "";
    offset = (iso[sign] == '-' ? -1 : 1) * (60 * hours + std::max(minutes, 0));
  }
  const sys_seconds at = sys_days(day) + hours(h) + minutes(mi - offset) + seconds(s);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(system_clock::to_time_t(at)));
}

}  // namespace culprit
