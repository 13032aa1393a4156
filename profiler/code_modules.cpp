// SPDX-License-Identifier: Apache-2.0
#include "profiler/code_modules.h"

#include <algorithm>
#include <utility>

#include "db/error.h"
#include "profiler/function_code.h"
#include "profiler/sass/elf_image.h"
#include "profiler/sass/sass_opcode.h"
#include "profiler/source_lines.h"

namespace culprit {

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
    } catch (const Error&) {  // no cubin as we know them
    }
  const auto found = functions_.find(function);
  return found != functions_.end() ? found->second : none;
}

std::optional<MachineCode> CodeModules::Code(const std::string& function) {
  const std::lock_guard lock(mutex_);
  const std::vector<Function>& all = Find(function);
  // Samples have the function's name alone: of two codes one would be shown what the other did.
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

std::optional<SourceLine> CodeModules::Line(const std::string& function, std::int64_t pc_offset,
                                            const FindLine& otherwise) {
  const std::lock_guard lock(mutex_);
  std::optional<SourceLine> found;
  for (const Function& in : Find(function)) {
    std::optional<SourceLine> line = OwnLine(in.module->Lines().At(function, pc_offset));
    if (!line && otherwise) line = otherwise(*in.module);
    if (!line) continue;
    if (found && *found != *line) return std::nullopt;
    found = std::move(line);
  }
  return found;
}

}  // namespace culprit
