// SPDX-License-Identifier: Apache-2.0
// The cubins that CUDA loads while this object lives: all that have line information, and small ones without. CUDA
// loads a kernel's module when the kernel is first used: make the object before that.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "profiler/source_lines.h"

namespace culprit {

class LoadedModules {
 public:
  // Never throws: where CUPTI does not report modules (another tool has subscribed) there are none.
  LoadedModules();
  ~LoadedModules();
  LoadedModules(LoadedModules&&) noexcept;
  LoadedModules& operator=(LoadedModules&&) noexcept;

  // The line of the user's own code that it comes from, as OwnLine says. Nullopt when no module has a line for it, or
  // modules with a function of this name disagree.
  std::optional<SourceLine> Find(const std::string& function, std::int64_t pc_offset) const;

  // As SassOpcodeAt; empty also when no module has the function, or modules disagree.
  std::string Opcode(const std::string& function, std::int64_t pc_offset) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace culprit
