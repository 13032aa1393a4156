// SPDX-License-Identifier: Apache-2.0
// The machine code of a program's kernels: its digest, the compiler's attributes, its source lines.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/code.h"
#include "profiler/code_modules.h"
#include "profiler/trace/trace.h"

namespace culprit {

class KernelCode {
 public:
  // `is_asked`: keeps modules for later calls of Code and Describe. If false, a module is freed when it was read.
  explicit KernelCode(bool is_asked);

  // Keeps a module that the program has loaded.
  void Keep(const void* cubin, std::size_t size);

  // Writes the records of each `wanted` kernel to the trace once. The caller must hold the trace's lock.
  void Write(const std::function<bool(const std::string& symbol)>& wanted, TraceWriter& trace);

  // See CodeModules.
  std::optional<MachineCode> Code(const std::string& function) { return modules_.Code(function); }

  // Adds opcode and source line, if a module has the function.
  void Describe(InstructionRecord& instruction);

 private:
  const bool is_asked_;
  CodeModules modules_;
  std::vector<std::vector<BuildRecord>> unwritten_;  // for each module that was read: records of its kernels
};

}  // namespace culprit
