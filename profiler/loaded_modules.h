// SPDX-License-Identifier: Apache-2.0
// The cubins that CUDA loads while this object lives: all that have line information, and small ones without. CUDA
// loads a kernel's module when the kernel is first used: make the object before that.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "db/code.h"
#include "profiler/source_lines.h"

namespace culprit {

class LoadedModules {
 public:
  enum class Keep { kOwn, kAll };  // kAll: also large ones without lines, a library's
  // Never throws: where CUPTI does not report modules (another tool has subscribed) there are none.
  explicit LoadedModules(Keep keep = Keep::kOwn);
  ~LoadedModules();
  LoadedModules(LoadedModules&&) noexcept;
  LoadedModules& operator=(LoadedModules&&) noexcept;

  // As CodeModules says.
  std::optional<SourceLine> Find(const std::string& function, std::int64_t pc_offset) const;
  std::string Opcode(const std::string& function, std::int64_t pc_offset) const;
  std::optional<MachineCode> Code(const std::string& function) const;

  // While `work` runs, calls `before` once: when it is about to launch the kernel of that symbol, on the thread that
  // does. Here because CUPTI takes one subscriber a process. Throws what `before` threw, after `work`; and Error where
  // launches cannot be seen, or none was of that kernel.
  void BeforeLaunchOf(const std::string& symbol, const std::function<void()>& before,
                      const std::function<void()>& work);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace culprit
