// SPDX-License-Identifier: Apache-2.0
// The machine code of a program's kernels: whether it changed, what the compiler made of it, where it stands in the
// source.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "db/code.h"
#include "db/trace.h"
#include "profiler/line_table.h"

namespace culprit {

class KernelCode {
 public:
  // A module that the program has loaded: its bytes are kept, because CUPTI's are gone when its callback returns.
  void Keep(const void* cubin, std::size_t size);

  // What is known of the kernels that are `wanted`, each once, into the trace, under whoever's lock that is.
  void Write(const std::function<bool(const std::string& symbol)>& wanted, TraceWriter& trace);

  // Of the first module that has the function.
  std::optional<MachineCode> Code(const std::string& function);

  // Its opcode and source line, where a module has its function.
  void Describe(InstructionRecord& instruction);

 private:
  struct Module {
    std::vector<unsigned char> image;
    std::optional<std::vector<BuildRecord>> builds = {};  // of kernels that were not written; read when first asked for
    std::unique_ptr<LineTable> lines = {};                // read when first asked for
  };

  std::mutex mutex_;
  std::deque<Module> modules_;
  std::size_t kept_ = 0;  // bytes
};

}  // namespace culprit
