// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/traced_program.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "profiler/trace/capture.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

fs::path Here() { return fs::canonical("/proc/self/exe").parent_path(); }

}  // namespace

// Beside the tests in the build tree, two folders up where they are installed.
std::string InjectedLibrary() {
  for (const char* const lib : {"../lib", "../../../lib"})
    if (const fs::path file = Here() / lib / "libculprit_inject.so"; fs::exists(file)) return file.string();
  return {};
}

Execution RunProgram(const std::string& program, const std::string& what, const std::string& environment) {
  const std::string command = environment + " '" + (Here() / program).string() + "' " + what + " 2>/dev/null";
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot run " + command};
  Execution execution;
  char text[4096];
  while (const std::size_t read = std::fread(text, 1, sizeof text, pipe)) execution.output.append(text, read);
  const int status = pclose(pipe);
  execution.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return execution;
}

Traced RunTraced(const std::string& program, const std::string& what, TracePlan plan) {
  const Scratch scratch;
  plan.began_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  WritePlan(scratch.path(), plan);
  const std::string library = "'" + InjectedLibrary() + "'";
  Traced traced;
  traced.execution = RunProgram(program, what,
                                "CUDA_INJECTION64_PATH=" + library + " NVTX_INJECTION64_PATH=" + library + " " +
                                    kTraceFolderVariable + "='" + scratch.path().string() + "'");
  traced.traces = ReadTraces(scratch.path());
  traced.has_captured =
      std::ranges::any_of(traced.traces, [&](const ProcessTrace& t) { return HasCaptured(scratch.path(), t.pid); });
  return traced;
}

std::string SymbolWith(const ProcessTrace& trace, const std::string& part) {
  const auto found = std::ranges::find_if(trace.kernels, [&](const std::string& k) { return k.find(part) != k.npos; });
  return found == trace.kernels.end() ? "" : *found;
}

double ValueOf(const CountedLaunch& launch, const std::string& id) {
  const auto found = std::ranges::find_if(launch.readings, [&](const Reading& r) { return r.metric.id == id; });
  return found == launch.readings.end() ? -1 : found->value.value_or(-1);
}

}  // namespace culprit
