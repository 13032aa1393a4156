// SPDX-License-Identifier: Apache-2.0
// The machine code of a program's kernels: whether it changed, what the compiler made of it, where it stands in the
// source.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/code.h"
#include "db/trace.h"
#include "profiler/code_modules.h"

namespace culprit {

class KernelCode {
 public:
  // `is_asked`: for code and for instructions (Code, Describe); else a module goes when it was read.
  explicit KernelCode(bool is_asked);

  // A module that the program has loaded.
  void Keep(const void* cubin, std::size_t size);

  // What is known of the kernels that are `wanted`, each once, into the trace, under whoever's lock that is.
  void Write(const std::function<bool(const std::string& symbol)>& wanted, TraceWriter& trace);

  // As CodeModules says.
  std::optional<MachineCode> Code(const std::string& function) { return modules_.Code(function); }

  // Its opcode and source line, where a module has its function.
  void Describe(InstructionRecord& instruction);

 private:
  const bool is_asked_;
  CodeModules modules_;
  std::vector<std::vector<BuildRecord>> unwritten_;  // of the kernels of each module that was read
};

}  // namespace culprit
