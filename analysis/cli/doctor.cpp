// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "analysis/cli/command.h"
#include "analysis/cli/culprit.h"
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

// A recording of a large program takes some 100 MB in the folder for temporary files while it runs.
constexpr std::uintmax_t kLittleDisk = std::uintmax_t{1} << 30;

// False: trouble.
bool SayDisk(const fs::path& folder, std::string_view what, std::ostream& out) {
  std::error_code failure;
  const fs::space_info space = fs::space(folder, failure);
  if (failure) {
    out << fmt::format("trouble  {} {} cannot be used: {}\n", what, folder.string(), failure.message());
    return false;
  }
  const double gib = static_cast<double>(space.available) / static_cast<double>(std::uintmax_t{1} << 30);
  const bool is_enough = space.available >= kLittleDisk;
  out << fmt::format("{} {:.1f} GiB of disk free in {} {}{}\n", is_enough ? "ok      " : "trouble ", gib, what,
                     folder.string(), is_enough ? "" : ": a recording may not fit");
  return is_enough;
}

// Whether `culprit record` can begin here.
bool SayRecording(std::ostream& out) try {
  const InjectedLibrary library;
  out << "ok       the library that records programs is there, and no other profiler is set to watch them\n";
  return true;
} catch (const Error& error) {
  out << "trouble  " << error.what() << '\n';
  return false;
}

}  // namespace

Action AddDoctor(Syntax& syntax) {
  auto database = std::make_shared<std::string>();
  AddDatabaseOption(syntax, *database);
  return [database](Streams& streams) {
    const Answer answer = Ask({DoctorProgram().string()});
    if (!answer.not_started.empty()) throw Error(fmt::format("culprit_doctor cannot be run: {}.", answer.not_started));
    for (const std::string& line : answer.out) streams.out << line << '\n';
    for (const std::string& line : answer.err) Complain(line, streams.err);
    bool is_well = answer.status == 0;
    is_well &= SayRecording(streams.out);
    std::error_code ignored;
    is_well &= SayDisk(fs::absolute(*database, ignored).parent_path(), "the folder of the database,", streams.out);
    is_well &= SayDisk(fs::temp_directory_path(ignored), "the folder for temporary files,", streams.out);
    streams.exit_status = is_well ? 0 : 2;
  };
}

}  // namespace culprit
