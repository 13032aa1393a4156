// SPDX-License-Identifier: Apache-2.0
// Google Benchmark's --benchmark_out_format=json: times alone, a value for each repetition.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <optional>

#include "bench/foreign/builder.h"
#include "bench/foreign/json_reports.h"
#include "db/error.h"

namespace culprit {
namespace {

constexpr std::pair<std::string_view, double> kTimeUnits[] = {{"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}};

// Parts of a name that say how it was measured; what changes the work (threads:8) stays in the name.
constexpr std::string_view kHow[] = {"manual_time", "real_time", "process_time"};
constexpr std::string_view kHowMuch[] = {"iterations:", "repeats:", "min_time:", "min_warmup_time:"};

bool SaysHow(std::string_view part) {
  return std::ranges::find(kHow, part) != std::end(kHow) ||
         std::ranges::any_of(kHowMuch, [&](std::string_view how) { return part.starts_with(how); });
}

// "1024", "4096x4096", "n:1024": an argument, or several.
std::optional<std::string> ExtentsOf(const std::string& part) {
  static const RE2 kExtents(R"((?:[^:]*:)?(\d+(?:x\d+)*))");
  std::string extents;
  const bool found = !part.starts_with("threads:") && RE2::FullMatch(part, kExtents, &extents);
  return found ? std::optional(extents) : std::nullopt;
}

struct Named {
  std::string name, shape;
};

// "BM_Copy<float>/1024/8/manual_time" is "BM_Copy<float>" at 1024x8.
Named Split(std::string_view whole) {
  Named named;
  bool is_first = true;
  int templates = 0;
  std::string part;
  const auto end_part = [&] {
    if (SaysHow(part)) {
    } else if (const auto extents = is_first ? std::nullopt : ExtentsOf(part)) {
      named.shape += (named.shape.empty() ? "" : "x") + *extents;
    } else {
      named.name += (is_first ? "" : "/") + part;
    }
    is_first = false;
    part.clear();
  };
  for (const char c : whole) {
    templates += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == '/' && templates <= 0)
      end_part();
    else
      part += c;
  }
  end_part();
  if (named.shape.empty()) named.shape = "1";
  return named;
}

// All entries of one benchmark.
struct Benchmark {
  std::string name;
  std::vector<Sample> samples;
  std::optional<double> mean_us, median_us;
  std::string error;
};

double MicrosecondsOf(const JsonValue& entry) {
  const std::string unit = entry.TextAt("time_unit", "ns");
  const auto known = std::ranges::find(kTimeUnits, unit, &std::pair<std::string_view, double>::first);
  if (known == std::end(kTimeUnits)) entry.At("time_unit").Complain("is none of ns, us, ms and s");
  const JsonValue time = entry.At("real_time");
  const auto value = time.Number();
  if (!value || *value < 0) time.Complain("is no time");
  return *value * known->second;
}

void Add(const JsonValue& entry, Benchmark& benchmark) {
  if (entry.Has("error_occurred") && entry.At("error_occurred").Bool()) {
    benchmark.error = entry.TextAt("error_message", "");
    if (benchmark.error.empty()) benchmark.error = "It ended with an error.";
    return;
  }
  if (entry.TextAt("run_type", "iteration") == "aggregate") {
    const std::string aggregate = entry.TextAt("aggregate_name", "");
    if (entry.TextAt("aggregate_unit", "time") != "time") return;
    if (aggregate == "mean") benchmark.mean_us = MicrosecondsOf(entry);
    if (aggregate == "median") benchmark.median_us = MicrosecondsOf(entry);
    return;
  }
  const double us = MicrosecondsOf(entry);
  const double repetition = entry.NumberAt("repetition_index", static_cast<double>(benchmark.samples.size()));
  if (repetition < 0 || repetition > 1e6) entry.At("repetition_index").Complain("is no repetition");
  benchmark.samples.push_back(SampleOf(us, static_cast<int>(repetition)));
}

std::vector<Benchmark> BenchmarksOf(const JsonValue& list) {
  std::vector<Benchmark> benchmarks;
  std::map<std::string, std::size_t> by_name;
  for (const JsonValue& entry : list.Elements()) {
    const std::string name = Storable(entry.Has("run_name") ? entry.At("run_name").Text() : entry.At("name").Text());
    const auto [at, is_new] = by_name.try_emplace(name, benchmarks.size());
    if (is_new) benchmarks.emplace_back().name = name;
    Add(entry, benchmarks[at->second]);
  }
  return benchmarks;
}

}  // namespace

ForeignReport ReadGoogleBenchmark(const JsonValue& root, std::string_view text, const ForeignFile& file) {
  ForeignReport report = NewForeignReport(ProgramSource::kGoogleBenchmark, text, file);
  const JsonValue context = root.At("context");
  if (const std::string date = UtcOf(context.TextAt("date", "")); !date.empty()) report.run.started_utc = date;
  report.run.command_line = Storable(context.TextAt("executable", ""));
  if (context.TextAt("library_build_type", "release") == "debug")
    report.warnings.push_back({"debug_library", "Google Benchmark itself was built as a debug version."});

  ForeignBuilder builder(report);
  int too_short = 0;
  for (Benchmark& benchmark : BenchmarksOf(root.At("benchmarks"))) {
    if (benchmark.samples.empty())
      if (const auto us = benchmark.median_us ? benchmark.median_us : benchmark.mean_us)
        benchmark.samples.push_back(SampleOf(*us));
    // Complexity and counters alone have no time of their own.
    if (benchmark.samples.empty() && benchmark.error.empty()) continue;
    const bool is_failed = !benchmark.error.empty();
    if (!is_failed &&
        std::erase_if(benchmark.samples, [](const Sample& s) { return !IsStorableTime(s.time_us); }) > 0) {
      ++too_short;
      if (benchmark.samples.empty()) continue;
    }
    const Named named = Split(benchmark.name);
    LaunchRecord launch;
    launch.shape = named.shape;
    launch.state = is_failed ? LaunchState::kFailed : LaunchState::kOk;
    launch.message = Storable(benchmark.error);
    if (is_failed) benchmark.samples.clear();
    builder.AddBenchmark(named.name, std::move(launch), std::move(benchmark.samples)).program.name = benchmark.name;
  }
  if (too_short > 0)
    report.warnings.push_back(
        {"no_time", fmt::format("{} benchmark{} took less than a nanosecond or more than hours, which is no time of a "
                                "kernel: left out.",
                                too_short, too_short == 1 ? "" : "s")});
  if (report.launches.empty())
    throw Error(fmt::format("{}: it holds no benchmark with a time; nothing was imported", file.name));
  return report;
}

}  // namespace culprit
