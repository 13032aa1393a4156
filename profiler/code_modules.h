// SPDX-License-Identifier: Apache-2.0
// Cubins that a process has loaded, kept for what is asked of their functions later: machine code, opcodes, lines. For
// any thread.
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
#include "profiler/line_table.h"

namespace culprit {

class CodeModules {
 public:
  struct Module {
    std::vector<unsigned char> image;
    std::unique_ptr<LineTable> lines = {};  // read when first asked for: while CUDA loads a module it waits

    const LineTable& Lines();
  };

  explicit CodeModules(std::size_t most_bytes = std::numeric_limits<std::size_t>::max()) : most_bytes_(most_bytes) {}

  // Copies a module, unless that makes more than `most_bytes` of all: CUPTI's bytes are gone when its callback returns.
  void Keep(std::span<const unsigned char> cubin);

  // Calls `visit` with each and its number, the first loaded first. Where it returns false the image goes, and with it
  // all but the lines.
  void ForEach(const std::function<bool(std::size_t number, Module& module)>& visit);

  // Nullopt when no module has the function, or modules with a function of this name disagree.
  std::optional<MachineCode> Code(const std::string& function);

  // The mnemonic of an instruction; empty when no module has it, or modules with a function of this name disagree.
  std::string_view Opcode(const std::string& function, std::int64_t pc_offset);

  // The line of the user's own code that an instruction comes from, as OwnLine says. Nullopt when no module has a line
  // for it, or modules disagree. `otherwise` is asked for a module whose lines LineTable does not read.
  using FindLine = std::function<std::optional<SourceLine>(const Module& module)>;
  std::optional<SourceLine> Line(const std::string& function, std::int64_t pc_offset, const FindLine& otherwise = {});

 private:
  struct Function {
    Module* module;
    std::span<const unsigned char> code;
  };

  // Of each module that has it, in the order in which they were loaded.
  const std::vector<Function>& Find(const std::string& function);

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::deque<Module> modules_;
  std::size_t bytes_ = 0;
  std::size_t indexed_ = 0;  // modules whose functions are there:
  std::unordered_map<std::string, std::vector<Function>> functions_;
};

}  // namespace culprit
