// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/kernel_code.h"

#include "db/error.h"
#include "profiler/cubin.h"
#include "profiler/function_code.h"
#include "profiler/sass/sass_opcode.h"
#include "profiler/source_lines.h"

namespace culprit {
namespace {

// A program that loads more than this, or a module larger than that, is not worth its memory twice.
constexpr std::size_t kMostKept = std::size_t{1} << 30, kLargest = std::size_t{256} << 20;

}  // namespace

void KernelCode::Keep(const void* cubin, std::size_t size) {
  if (cubin == nullptr || size > kLargest) return;
  const auto* const first = static_cast<const unsigned char*>(cubin);
  const std::lock_guard lock(mutex_);
  if (kept_ + size > kMostKept) return;
  modules_.push_back({{first, first + size}});
  kept_ += size;
}

void KernelCode::Write(const std::function<bool(const std::string&)>& wanted, TraceWriter& trace) {
  const std::lock_guard lock(mutex_);
  for (Module& module : modules_) try {
      if (!module.builds) module.builds = ReadCubin("a module", module.image);
      std::erase_if(*module.builds, [&](BuildRecord& build) {
        if (!wanted(build.kernel)) return false;
        if (module.lines == nullptr) module.lines = std::make_unique<LineTable>(module.image);
        build.stage.clear();
        trace.Build(build);
        if (const auto line = OwnLine(module.lines->At(build.kernel, 0)))
          trace.Place(build.kernel, line->file, line->line);
        return true;
      });
    } catch (const Error&) {  // no cubin as we know them: nothing is known of its kernels
      module.builds.emplace();
    }
}

std::optional<MachineCode> KernelCode::Code(const std::string& function) {
  const std::lock_guard lock(mutex_);
  for (Module& module : modules_) {
    if (module.lines == nullptr) module.lines = std::make_unique<LineTable>(module.image);
    if (auto code = FunctionCode(module.image, *module.lines, function)) return code;
  }
  return std::nullopt;
}

void KernelCode::Describe(InstructionRecord& instruction) {
  const std::lock_guard lock(mutex_);
  for (Module& module : modules_) {
    const std::string_view opcode = SassOpcodeAt(module.image, instruction.function, instruction.pc_offset);
    if (opcode.empty()) continue;
    instruction.opcode = opcode;
    if (module.lines == nullptr) module.lines = std::make_unique<LineTable>(module.image);
    if (const auto line = OwnLine(module.lines->At(instruction.function, instruction.pc_offset))) {
      instruction.source_file = line->file;
      instruction.source_line = line->line;
    }
    return;
  }
}

}  // namespace culprit
