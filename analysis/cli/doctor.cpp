// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "analysis/cli/command.h"
#include "analysis/number/printable.h"
#include "analysis/show/render/tabulate.h"
#include "bench/program/injected_library.h"
#include "bench/program/recorded_program.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// The program that asks CUDA; culprit itself links none. A build and a bundle have it at the same place.
fs::path DoctorProgram() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path program = folder / "../libexec/culprit/culprit_doctor";
  if (!fs::is_regular_file(program, ignored))
    throw Error(
        fmt::format("doctor needs {}, which only a build with CUDA has; unpack the bundle for machines with a GPU.",
                    program.lexically_normal().string()));
  return program;
}

// One line of the answer.
struct Check {
  std::string state;  // "ok", "note", "trouble"
  std::string says;   // a sentence
};
using Checks = std::vector<Check>;

constexpr const char *kOk = "ok", *kTrouble = "trouble";

// "trouble  no NVIDIA driver is loaded", as culprit_doctor writes it.
Check ReadLine(const std::string& line) {
  const std::size_t state_end = std::min(line.find(' '), line.size());
  return {line.substr(0, state_end), line.substr(std::min(line.find_first_not_of(' ', state_end), line.size()))};
}

Checks AskCuda() {
  const Answer answer = Ask({DoctorProgram().string()});
  if (!answer.not_started.empty()) throw Error(fmt::format("culprit_doctor cannot be run: {}.", answer.not_started));
  Checks checks;
  for (const std::string& line : answer.out) checks.push_back(ReadLine(line));
  for (const std::string& line : answer.err) checks.push_back({kTrouble, line});
  if (answer.status != 0 && std::ranges::count(checks, kTrouble, &Check::state) == 0)
    checks.push_back({kTrouble, fmt::format("culprit_doctor ended with status {}", answer.status)});
  return checks;
}

// A recording of a large program takes some 100 MB in the folder for temporary files while it runs.
constexpr std::uintmax_t kLittleDisk = std::uintmax_t{1} << 30;

Check Disk(const fs::path& folder, std::string_view what) {
  std::error_code failure;
  const fs::space_info space = fs::space(folder, failure);
  if (failure) return {kTrouble, fmt::format("{} {} cannot be used: {}", what, folder.string(), failure.message())};
  const double gib = static_cast<double>(space.available) / static_cast<double>(std::uintmax_t{1} << 30);
  const bool is_enough = space.available >= kLittleDisk;
  return {is_enough ? kOk : kTrouble, fmt::format("{:.1f} GiB of disk free in {} {}{}", gib, what, folder.string(),
                                                  is_enough ? "" : ": a recording may not fit")};
}

// Whether `culprit record` can begin here.
Check Recording() try {
  const InjectedLibrary library;
  return {kOk, "the library that records programs is there, and no other profiler is set to watch them"};
} catch (const Error& error) {
  return {kTrouble, error.what()};
}

Report MakeReport(const Checks& checks) {
  Report report{.kind = "doctor", .title = "What works on this machine"};
  report.sections = {
      {.key = "doctor",
       .tables = {Tabulate<Check>("checks", "", checks, {{"state", "", &Check::state}, {"says", "", &Check::says}})}}};
  return report;
}

}  // namespace

Action AddDoctor(Syntax& syntax) {
  auto args = std::make_shared<ReportOptions>();
  AddReportOptions(syntax, *args);
  return [args](Streams& streams) {
    Checks checks = AskCuda();
    checks.push_back(Recording());
    std::error_code ignored;
    checks.push_back(Disk(fs::absolute(args->db, ignored).parent_path(), "the folder of the database,"));
    checks.push_back(Disk(fs::temp_directory_path(ignored), "the folder for temporary files,"));
    streams.exit_status = std::ranges::count(checks, kTrouble, &Check::state) == 0 ? 0 : 2;
    if (!args->output.IsText()) return Render(MakeReport(checks), args->output, streams);
    args->output.RefuseTop();
    for (const Check& check : checks) streams.out << fmt::format("{:<8} {}\n", check.state, Printable(check.says));
  };
}

}  // namespace culprit
