// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/kernel_code.h"

#include <cstring>

#include "db/error.h"
#include "profiler/cubin.h"
#include "profiler/function_code.h"
#include "profiler/sass/elf_image.h"
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

const LineTable& KernelCode::Module::Lines() {
  if (lines == nullptr) lines = std::make_unique<LineTable>(image);
  return *lines;
}

void KernelCode::Write(const std::function<bool(const std::string&)>& wanted, TraceWriter& trace) {
  const std::lock_guard lock(mutex_);
  for (Module& module : modules_) {
    if (!module.builds) {
      try {
        module.builds = ReadCubin("a module", module.image);
        module.Lines();
      } catch (const Error&) {  // no cubin as we know them: nothing is known of its kernels
        module.builds.emplace();
      }
      if (!is_asked_) {
        kept_ -= module.image.size();
        module.image = {};
      }
    }
    std::erase_if(*module.builds, [&](BuildRecord& build) {
      if (!wanted(build.kernel)) return false;
      build.stage.clear();
      trace.Build(build);
      if (const auto line = OwnLine(module.Lines().At(build.kernel, 0)))
        trace.Place(build.kernel, line->file, line->line);
      return true;
    });
  }
}

const KernelCode::Function* KernelCode::Find(const std::string& function) {
  constexpr std::string_view kCode = ".text.";
  for (; indexed_ < modules_.size(); ++indexed_) try {
      Module& module = modules_[indexed_];
      const ElfImage elf("a module", module.image);
      for (const ElfSection& section : elf.sections())
        if (section.name.starts_with(kCode))
          functions_.try_emplace(std::string(section.name.substr(kCode.size())), Function{&module, section.data});
    } catch (const Error&) {  // no cubin as we know them
    }
  const auto found = functions_.find(function);
  return found != functions_.end() ? &found->second : nullptr;
}

std::optional<MachineCode> KernelCode::Code(const std::string& function) {
  const std::lock_guard lock(mutex_);
  const Function* const found = Find(function);
  if (found == nullptr) return std::nullopt;
  return FunctionCode(found->module->image, found->module->Lines(), function);
}

void KernelCode::Describe(InstructionRecord& instruction) {
  const std::lock_guard lock(mutex_);
  const Function* const found = Find(instruction.function);
  std::uint64_t first_word = 0;
  const auto offset = static_cast<std::size_t>(instruction.pc_offset);
  if (found == nullptr || instruction.pc_offset < 0 || offset + sizeof first_word > found->code.size()) return;
  std::memcpy(&first_word, found->code.data() + offset, sizeof first_word);
  instruction.opcode = SassOpcode(first_word);
  if (const auto line = OwnLine(found->module->Lines().At(instruction.function, instruction.pc_offset))) {
    instruction.source_file = line->file;
    instruction.source_line = line->line;
  }
}

}  // namespace culprit
