// SPDX-License-Identifier: Apache-2.0
// The cubins that CUDA loads while this object exists: all with line information, and small ones without. CUDA loads a
// module when one of its kernels is first used, so create this object before.
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
  enum class Keep { kOwn, kAll };  // kAll: also large ones without lines, such as a library's
  // Never throws. Finds no modules if CUPTI does not report them, because another tool has subscribed.
  explicit LoadedModules(Keep keep = Keep::kOwn);
  ~LoadedModules();
  LoadedModules(LoadedModules&&) noexcept;
  LoadedModules& operator=(LoadedModules&&) noexcept;

  // See CodeModules.
  std::optional<SourceFrame> Find(const std::string& function, std::int64_t pc_offset) const;
  std::string Opcode(const std::string& function, std::int64_t pc_offset) const;
  std::optional<MachineCode> Code(const std::string& function) const;

  // Runs `work` and calls `before` once, on the launching thread, just before the kernel with this symbol is launched.
  // After `work`, rethrows the exception of `before`, if any. Throws Error if launches cannot be seen or the kernel was
  // not launched. This function is here because CUPTI allows only one subscriber per process.
  void BeforeLaunchOf(const std::string& symbol, const std::function<void()>& before,
                      const std::function<void()>& work);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace culprit
