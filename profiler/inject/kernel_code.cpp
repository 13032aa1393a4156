// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/kernel_code.h"

#include "db/error.h"
#include "profiler/code/cubin.h"
#include "profiler/source_lines.h"

namespace culprit {
namespace {

// Above these sizes (all modules, one module) a second copy would use too much memory.
constexpr std::size_t kMostKept = std::size_t{1} << 30, kLargest = std::size_t{256} << 20;

std::vector<BuildRecord> BuildsOf(CodeModules::Module& module) {
  try {
    std::vector<BuildRecord> builds = ReadCubin("a module", module.image);
    module.Lines();
    return builds;
  } catch (const Error&) {  // not a cubin that we can read: nothing is known of its kernels
    return {};
  }
}

}  // namespace

KernelCode::KernelCode(bool is_asked) : is_asked_(is_asked), modules_(kMostKept) {}

void KernelCode::Keep(const void* cubin, std::size_t size) {
  if (cubin != nullptr && size <= kLargest) modules_.Keep({static_cast<const unsigned char*>(cubin), size});
}

void KernelCode::Write(const std::function<bool(const std::string&)>& wanted, TraceWriter& trace) {
  modules_.ForEach([&](std::size_t number, CodeModules::Module& module) {
    if (number == unwritten_.size()) unwritten_.push_back(BuildsOf(module));
    std::erase_if(unwritten_[number], [&](BuildRecord& build) {
      if (!wanted(build.kernel)) return false;
      build.stage.clear();
      trace.Build(build);
      if (const auto line = OwnLine(module.Lines().At(build.kernel, 0))) trace.Place(build.kernel, *line);
      return true;
    });
    return is_asked_;
  });
}

void KernelCode::Describe(InstructionRecord& instruction) {
  instruction.opcode = modules_.Opcode(instruction.function, instruction.pc_offset);
  if (const auto line = modules_.Line(instruction.function, instruction.pc_offset)) {
    instruction.source_file = line->file;
    instruction.source_line = line->line;
  }
}

}  // namespace culprit
