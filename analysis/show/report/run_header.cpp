// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/run_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/launch/how_to_measure.h"
#include "analysis/launch/recording.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"

namespace culprit {
namespace {

constexpr std::size_t kMostLaunchesNamed = 2;  // for each kind of warning: the header must leave room for the report

// "2026-11-21T00:25:46Z" as people write it.
std::string Readable(std::string utc) {
  if (const auto t = utc.find('T'); t != utc.npos) utc[t] = ' ';
  if (utc.ends_with('Z')) utc.replace(utc.size() - 1, 1, " UTC");
  return utc;
}

std::string Toolkit(const Toolchain& t) {
  std::vector<std::string> parts;
  for (const auto& [what, version] : {std::pair<const char*, const std::string&>("driver ", t.driver),
                                      {"CUDA runtime ", t.cuda_runtime},
                                      {"nvcc ", t.nvcc},
                                      {"CUPTI ", t.cupti}})
    if (!version.empty()) parts.push_back(what + version);
  return parts.empty() ? "unknown" : Joined(parts);
}

// Whose measurements they are, where they are not ours.
std::string_view ToolOf(const RunRecord& run) {
  using enum ProgramSource;
  if (!run.program) return "";
  switch (run.program->source) {
    case kRecord:
      return "";
    case kNcu:
      return "Nsight Compute";
    case kGoogleBenchmark:
      return "Google Benchmark";
    case kNvbench:
      return "NVBench";
    case kPytorch:
      return "PyTorch's profiler";
    case kJax:
      return "JAX's profiler";
    case kNsys:
      return "Nsight Systems";
  }
  return "";
}

// What the tool does by itself; its report does not say whether it was told otherwise.
std::string CacheText(const RunRecord& run) {
  if (IsFrom(run, ProgramSource::kNcu)) return "flushed before each launch, unless ncu was told otherwise";
  if (IsFrom(run, ProgramSource::kGoogleBenchmark)) return "as the benchmark left it";
  if (run.program && IsWholeProgram(run.program->source)) return "as the program left it";
  return run.l2 == "flush" ? "flushed before each sample" : "hot: not flushed between samples";
}

std::string RecordedOn(const RunRecord& run) {
  const std::string when = " at " + Readable(run.started_utc);
  if (!run.device) return GpuName(run) + when;
  const Device& d = *run.device;
  // A file of another tool may lack some of these.
  std::vector<std::string> about;
  if (!d.chip.empty()) about.push_back(d.chip);
  if (d.cc_major > 0) about.push_back(fmt::format("sm_{}{}", d.cc_major, d.cc_minor));
  if (d.sm_count > 0) about.push_back(fmt::format("{} SMs", d.sm_count));
  return fmt::format("{}{}{}: every time and count below is from that recording, not from this machine", d.name,
                     about.empty() ? "" : fmt::format(" ({})", Joined(about)), when);
}

// "delay:30,duration:10, open for 10,000.3 ms: every time below is of that part of the program".
std::string WindowText(const ProgramRecord& program) {
  const std::string open = program.wall_us ? ", open for " + Format(*program.wall_us, Unit::kTimeUs) : "";
  return program.capture + open + ": every time below is of that part of the program";
}

std::string RunLine(const RunSummary& summary) {
  const RunRecord& run = summary.run;
  const std::string code = CodeText(run);
  if (const std::string_view tool = ToolOf(run); !tool.empty())
    return fmt::format("{}, from a report of {}", RunName(run), tool);
  if (run.program) return fmt::format("{}, {}, profile {}", RunName(run), summary.state, run.profile);
  return fmt::format("{}, {}, profile {}, seed {}{}{}", RunName(run), summary.state, run.profile,
                     Format(static_cast<double>(run.seed), Unit::kInteger), code.empty() ? "" : ", ", code);
}

}  // namespace

std::string RunName(const RunRecord& run) {
  return ShortUuid(run) + (run.label.empty() ? "" : " \"" + run.label + "\"");
}

std::string GpuName(const RunRecord& run) {
  if (run.device) return run.device->name;
  return ToolOf(run).empty() ? "a machine without a GPU" : fmt::format("a GPU that {} does not name", ToolOf(run));
}

std::string CodeText(const RunRecord& run) {
  if (run.git_sha.empty()) return "";
  return "code " + run.git_sha.substr(0, 12) + (run.git_dirty ? " with local changes" : "");
}

std::string SourceName(const RunRecord& run) {
  if (!run.program) return "";
  return NameOf(run.program->source);
}

std::string HowToMeasure() {
  return "To measure, run the same build on a machine with an NVIDIA GPU: gemm_bench --db FILE --profile=full, then "
         "culprit export there and culprit import here.";
}

void AddWarnings(const std::vector<Warning>& warnings, Report& report) {
  const auto add = [&](std::string line) {
    if (std::find(report.warnings.begin(), report.warnings.end(), line) == report.warnings.end())
      report.warnings.push_back(std::move(line));
  };
  std::map<std::string, std::set<std::string_view>> launches, named;
  for (const Warning& w : warnings)
    if (!w.launch.empty()) launches[w.code].insert(w.launch);
  for (const Warning& w : warnings) {
    if (w.code == kInterventionsLeftOut)
      continue;  // nothing is wrong with what is shown; show says it where it belongs
    auto& known = named[w.code];
    if (w.launch.empty()) {
      add(w.code + ": " + w.text);
    } else if (known.contains(w.launch) || known.size() < kMostLaunchesNamed) {
      known.insert(w.launch);
      add(fmt::format("{}: {}: {}", w.code, w.launch, w.text));
    } else {
      add(fmt::format("{}: {} launches more; culprit query @warnings names them", w.code,
                      launches[w.code].size() - kMostLaunchesNamed));
    }
  }
}

std::vector<Warning> WarningsBeside(const KernelRecord& kernel, const KernelRecord& other) {
  std::vector<Warning> warnings = kernel.warnings;
  if (kernel.run.id == other.run.id) return warnings;
  for (Warning& w : warnings)
    if (!w.launch.empty()) w.launch += " in run " + ShortUuid(kernel.run.run);
  return warnings;
}

std::vector<Warning> OfLaunches(std::vector<Warning> warnings,
                                const std::function<bool(const std::string& launch)>& shown) {
  std::erase_if(warnings, [&](const Warning& w) { return !w.launch.empty() && !shown(w.launch); });
  return warnings;
}

std::vector<Warning> OfTheRun(std::vector<Warning> warnings) {
  return OfLaunches(std::move(warnings), [](const std::string&) { return false; });
}

std::vector<Warning> AtShape(std::vector<Warning> warnings, std::string_view shape) {
  const std::string end = " at " + std::string(shape);
  return OfLaunches(std::move(warnings), [&](const std::string& launch) { return launch.ends_with(end); });
}

void AddRunHeader(const RunSummary& summary, const std::vector<Warning>& warnings, Report& report) {
  const RunRecord& run = summary.run;
  report.context = {{"gpu", "Recorded on", RecordedOn(run)},
                    {"run", "Run", RunLine(summary), true},
                    {"toolkit", "Toolkit", Toolkit(run.toolchain), true}};
  if (run.device) {
    report.context.push_back({"l2", "L2 cache", CacheText(run), true});
    report.context.push_back(
        {"machine", "GPU's rates",
         run.machine.empty() ? "not measured: those known of its kind" : "measured on this GPU (see culprit machine)",
         true});
  }
  if (run.program) report.context.push_back({"command", "Program", run.command_line, true});
  if (run.program && !run.program->capture.empty())
    report.context.push_back({"capture", "Window", WindowText(*run.program)});
  if (summary.state == "interrupted")
    report.warnings.push_back("interrupted: this run was stopped before it finished; what it had stored is shown.");
  AddWarnings(warnings, report);

  report.identity = {{"run_uuid", "", run.uuid},
                     {"run_label", "", run.label},
                     {"run_state", "", summary.state},
                     {"recorded_utc", "", run.started_utc},
                     {"gpu", "", run.device ? run.device->name : ""},
                     {"chip", "", run.device ? run.device->chip : ""},
                     {"driver", "", run.toolchain.driver},
                     {"cuda_runtime", "", run.toolchain.cuda_runtime},
                     {"nvcc", "", run.toolchain.nvcc},
                     {"cupti", "", run.toolchain.cupti},
                     {"profile", "", run.profile},
                     {"l2", "", run.l2},
                     {"git_sha", "", run.git_sha}};
  if (run.program) {
    report.identity.push_back({"program", "", SourceName(run)});
    report.identity.push_back({"command", "", run.command_line});
  }
}

}  // namespace culprit
