// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>

#include "analysis/cli/command.h"
#include "analysis/cli/culprit.h"
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

}  // namespace

Action AddDoctor(Syntax&) {
  return [](Streams& streams) {
    const Answer answer = Ask({DoctorProgram().string()});
    if (!answer.not_started.empty()) throw Error(fmt::format("culprit_doctor cannot be run: {}.", answer.not_started));
    for (const std::string& line : answer.out) streams.out << line << '\n';
    for (const std::string& line : answer.err) Complain(line, streams.err);
    streams.exit_status = answer.status == 0 ? 0 : 2;
  };
}

}  // namespace culprit
