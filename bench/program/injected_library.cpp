// SPDX-License-Identifier: Apache-2.0
#include "bench/program/injected_library.h"

#include <fmt/format.h>

#include "bench/program/environment.h"
#include "db/error.h"
#include "profiler/trace/trace.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInjectVariable = "CULPRIT_INJECT";
constexpr const char* kLimitVariable = "CULPRIT_COUNTING_LIMIT";
constexpr const char* kInjections[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};
constexpr const char* kLibrary = "libculprit_inject.so";

// Beside the command: as it is installed, and as it is built.
fs::path FindLibrary() {
  std::error_code ignored;
  if (const auto named = Variable(kInjectVariable)) {
    if (fs::is_regular_file(*named, ignored)) return fs::absolute(*named, ignored);
    throw Error(fmt::format("{} names {}, which is no file: name {}, or unset it.", kInjectVariable, *named, kLibrary));
  }
  const fs::path own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* folder : {"../lib", "../lib64", "../lib/culprit", ".", "../profiler", "../profiler/inject"})
    if (const fs::path file = own / folder / kLibrary; fs::is_regular_file(file, ignored))
      return fs::canonical(file, ignored);
  throw Error(
      fmt::format("cannot find {} beside {}. The package with only the viewer does not have it, so install the bundle "
                  "(README), or name the file in {}.",
                  kLibrary, (own / "culprit").string(), kInjectVariable));
}

}  // namespace

InjectedLibrary::InjectedLibrary() {
  for (const char* variable : kInjections)
    if (const auto value = Variable(variable))
      throw Error(fmt::format("{} names {}: another profiler watches this program, but CUDA takes only one; unset it.",
                              variable, *value));
  limit_s_ = SecondsIn(kLimitVariable, "that an execution for counters may take");
  file_ = FindLibrary();
}

std::map<std::string, std::string> InjectedLibrary::VariablesFor(const fs::path& traces) const {
  std::map<std::string, std::string> variables{{kTraceFolderVariable, traces.string()}};
  for (const char* variable : kInjections) variables[variable] = file_.string();
  return variables;
}

}  // namespace culprit
