// SPDX-License-Identifier: Apache-2.0
// Builds cubins for tests, section by section, also damaged ones.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/code/elf_image.h"

namespace culprit::testing {

using ByteList = std::vector<unsigned char>;

template <class T>
void AppendBytes(ByteList& to, const T& value) {
  const auto* const first = reinterpret_cast<const unsigned char*>(&value);
  to.insert(to.end(), first, first + sizeof(T));
}

class CubinBuilder {
 public:
  // Returns the section's index in the file.
  std::uint32_t Section(std::string_view name, const ByteList& content, std::uint32_t type = SHT_PROGBITS) {
    Elf64_Shdr header{};
    header.sh_type = type;
    header.sh_size = content.size();
    header.sh_addralign = 1;
    sections_.push_back({std::string(name), header, content});
    return static_cast<std::uint32_t>(sections_.size());  // index 0 is the empty section
  }

  // A kernel with its code. Returns the index of its symbol.
  std::uint32_t Kernel(std::string_view name, const ByteList& code) {
    return Symbol(name, Section(".text." + std::string(name), code));
  }

  // Another symbol of a kernel in that section.
  std::uint32_t Symbol(std::string_view name, std::uint32_t section) {
    constexpr unsigned char kEntry = 0x10;
    Elf64_Sym symbol{};
    symbol.st_name = Name(symbol_names_, name);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_other = kEntry;
    symbol.st_shndx = static_cast<Elf64_Half>(section);
    symbols_.push_back(symbol);
    return static_cast<std::uint32_t>(symbols_.size());  // index 0 is the empty symbol
  }

  // The line program of the kernel with this symbol index. Each DW_LNE_set_address gets a relocation to the symbol:
  // with addend, as in cubins of sm_90 and later, or without, as in older ones.
  void Lines(const ByteList& lines, std::uint32_t symbol, bool has_addends = true) {
    constexpr std::string_view kSetAddress("\x00\x09\x02", 3);
    ByteList moved;
    const std::string_view text(reinterpret_cast<const char*>(lines.data()), lines.size());
    for (auto at = text.find(kSetAddress); at != text.npos; at = text.find(kSetAddress, at + 1)) {
      Elf64_Rela entry{};
      entry.r_offset = at + kSetAddress.size();
      entry.r_info = ELF64_R_INFO(std::uint64_t{symbol}, 2);
      if (has_addends)
        AppendBytes(moved, entry);
      else
        AppendBytes(moved, Elf64_Rel{entry.r_offset, entry.r_info});
    }
    Section(".debug_line", lines);
    if (has_addends)
      Section(".rela.debug_line", moved, SHT_RELA);
    else
      Section(".rel.debug_line", moved, SHT_REL);
  }

  ByteList Bytes() const {
    std::vector<Part> all = {{"", {}, {}}};
    all.insert(all.end(), sections_.begin(), sections_.end());
    Elf64_Shdr symbols{}, names{};
    symbols.sh_type = SHT_SYMTAB;
    symbols.sh_link = static_cast<Elf64_Word>(all.size() + 1);
    symbols.sh_entsize = sizeof(Elf64_Sym);
    names.sh_type = SHT_STRTAB;
    ByteList table;
    AppendBytes(table, Elf64_Sym{});
    for (const Elf64_Sym& symbol : symbols_) AppendBytes(table, symbol);
    all.push_back({".symtab", symbols, table});
    all.push_back({".strtab", names, ByteList(symbol_names_.begin(), symbol_names_.end())});
    all.push_back({".shstrtab", names, {}});
    std::string section_names(1, '\0');
    for (Part& part : all) part.header.sh_name = part.name.empty() ? 0 : Name(section_names, part.name);
    all.back().content.assign(section_names.begin(), section_names.end());

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_ABIVERSION] = 8;
    header.e_machine = EM_CUDA;
    header.e_flags = 90 << 8;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(all.size());
    header.e_shstrndx = static_cast<Elf64_Half>(all.size() - 1);
    ByteList bytes(sizeof header);
    for (Part& part : all) {
      part.header.sh_offset = bytes.size();
      part.header.sh_size = part.content.size();
      bytes.insert(bytes.end(), part.content.begin(), part.content.end());
    }
    header.e_shoff = bytes.size();
    for (const Part& part : all) AppendBytes(bytes, part.header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
  }

 private:
  struct Part {
    std::string name;
    Elf64_Shdr header;
    ByteList content;
  };

  static Elf64_Word Name(std::string& names, std::string_view name) {
    const auto at = static_cast<Elf64_Word>(names.size());
    names.append(name) += '\0';
    return at;
  }

  std::vector<Part> sections_;
  std::vector<Elf64_Sym> symbols_;
  std::string symbol_names_ = std::string(1, '\0');
};

}  // namespace culprit::testing
