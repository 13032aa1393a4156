// SPDX-License-Identifier: Apache-2.0
// Keeps the cubins that a process has loaded, to answer later questions about their functions: machine code, opcodes,
// lines. For any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "db/code.h"
#include "profiler/code/line_table.h"

namespace culprit {

class CodeModules {
 public:
  struct Module {
    std::vector<unsigned char> image;
    std::unique_ptr<LineTable> lines = {};  // read on the first request, because CUDA waits while a module loads

    const LineTable& Lines();
  };

  explicit CodeModules(std::size_t most_bytes = std::numeric_limits<std::size_t>::max()) : most_bytes_(most_bytes) {}

  // Copies a module unless all copies would exceed `most_bytes`. CUPTI's bytes are gone when its callback returns.
  void Keep(std::span<const unsigned char> cubin);

  // Calls `visit` with each module and its number, in load order. When `visit` returns false, frees the image and keeps
  // only the lines.
  void ForEach(const std::function<bool(std::size_t number, Module& module)>& visit);

  // Nullopt when no module has the function, or when modules disagree about a function of this name.
  std::optional<MachineCode> Code(const std::string& function);

  // The mnemonic of an instruction; empty when no module has it, or when modules disagree about this function.
  std::string_view Opcode(const std::string& function, std::int64_t pc_offset);

  // The user's source line of an instruction, as OwnLine defines it. Nullopt when no module has a line for it, or when
  // modules disagree. Calls `otherwise` for a module whose lines LineTable cannot read.
  using FindLine = std::function<std::optional<SourceFrame>(const Module& module)>;
  std::optional<SourceFrame> Line(const std::string& function, std::int64_t pc_offset, const FindLine& otherwise = {});

 private:
  struct Function {
    Module* module;
    std::span<const unsigned char> code;
  };

  // The function in each module that has it, in load order.
  const std::vector<Function>& Find(const std::string& function);

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::deque<Module> modules_;
  std::size_t bytes_ = 0;
  std::size_t indexed_ = 0;  // number of modules in functions_
  std::unordered_map<std::string, std::vector<Function>> functions_;
};

}  // namespace culprit
