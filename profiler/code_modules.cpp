// SPDX-License-Identifier: Apache-2.0
#include "profiler/code_modules.h"

#include <algorithm>
#include <utility>

#include "db/error.h"
#include "profiler/code/code_of.h"
#include "profiler/code/elf_image.h"
#include "profiler/code/sass_opcode.h"
#include "profiler/source_lines.h"
#include "profiler/source_quotes.h"

namespace culprit {
namespace {

// `lines` belong to `cubin`. None when `cubin` lacks the function or is not a cubin.
std::optional<MachineCode> FunctionCode(std::span<const unsigned char> cubin, const LineTable& lines,
                                        const std::string& function) {
  std::optional<MachineCode> code = CodeOf(cubin, function);
  if (!code) return std::nullopt;
  std::vector<SourceFrame> named;
  for (MachineInstruction& instruction : code->instructions)
    for (SourceFrame& line : lines.At(function, instruction.pc_offset)) {
      instruction.frames.push_back({PlaceOf(line.file), line.line});
      named.push_back(std::move(line));
    }
  code->quotes = QuotesOf(named, [&](const std::string& path) { return lines.SizeOf(path); });
  return code;
}

}  // namespace

const LineTable& CodeModules::Module::Lines() {
  if (lines == nullptr) lines = std::make_unique<LineTable>(image);
  return *lines;
}

void CodeModules::Keep(std::span<const unsigned char> cubin) {
  const std::lock_guard lock(mutex_);
  if (cubin.size() > most_bytes_ - bytes_) return;
  modules_.push_back({{cubin.begin(), cubin.end()}});
  bytes_ += cubin.size();
}

void CodeModules::ForEach(const std::function<bool(std::size_t, Module&)>& visit) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    Module& module = modules_[i];
    if (visit(i, module) || module.image.empty()) continue;
    for (auto& [name, functions] : functions_)
      std::erase_if(functions, [&](const Function& function) { return function.module == &module; });
    bytes_ -= module.image.size();
    module.image = {};
  }
}

const std::vector<CodeModules::Function>& CodeModules::Find(const std::string& function) {
  static const std::vector<Function> none;
  constexpr std::string_view kCode = ".text.";
  for (; indexed_ < modules_.size(); ++indexed_) try {
      Module& module = modules_[indexed_];
      const ElfImage elf("a module", module.image);
      for (const ElfSection& section : elf.sections())
        if (section.name.starts_with(kCode))
          functions_[std::string(section.name.substr(kCode.size()))].push_back({&module, section.data});
    } catch (const Error&) {  // not a cubin that we can read
    }
  const auto found = functions_.find(function);
  return found != functions_.end() ? found->second : none;
}

std::optional<MachineCode> CodeModules::Code(const std::string& function) {
  const std::lock_guard lock(mutex_);
  const std::vector<Function>& all = Find(function);
  // Samples only name the function, so with two different codes they could be shown on the wrong one.
  const auto differs = [&](const Function& in) { return !std::ranges::equal(in.code, all.front().code); };
  if (all.empty() || std::ranges::any_of(all, differs)) return std::nullopt;
  Module& module = *all.front().module;
  return FunctionCode(module.image, module.Lines(), function);
}

std::string_view CodeModules::Opcode(const std::string& function, std::int64_t pc_offset) {
  const std::lock_guard lock(mutex_);
  std::string_view found;
  for (const Function& in : Find(function)) {
    const std::string_view opcode = SassOpcodeAt(in.code, pc_offset);
    if (opcode.empty()) continue;
    if (!found.empty() && found != opcode) return {};
    found = opcode;
  }
  return found;
}

std::optional<SourceFrame> CodeModules::Line(const std::string& function, std::int64_t pc_offset,
                                             const FindLine& otherwise) {
  const std::lock_guard lock(mutex_);
  std::optional<SourceFrame> found;
  for (const Function& in : Find(function)) {
    std::optional<SourceFrame> line = OwnLine(in.module->Lines().At(function, pc_offset));
    if (!line && otherwise) line = otherwise(*in.module);
    if (!line) continue;
    if (found && *found != *line) return std::nullopt;
    found = std::move(line);
  }
  return found;
}

}  // namespace culprit
