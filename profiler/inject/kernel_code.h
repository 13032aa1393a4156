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
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/code.h"
#include "db/trace.h"
#include "profiler/line_table.h"

namespace culprit {

class KernelCode {
 public:
  // `is_asked`: for code and for instructions (Code, Describe); else a module goes when it was read.
  explicit KernelCode(bool is_asked) : is_asked_(is_asked) {}

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

    const LineTable& Lines();
  };
  struct Function {
    Module* module;
    std::span<const unsigned char> code;
  };

  // Null: no module has it.
  const Function* Find(const std::string& function);

  const bool is_asked_;
  std::mutex mutex_;
  std::deque<Module> modules_;
  std::size_t kept_ = 0;     // bytes
  std::size_t indexed_ = 0;  // modules whose functions are there:
  std::unordered_map<std::string, Function> functions_;
};

}  // namespace culprit
