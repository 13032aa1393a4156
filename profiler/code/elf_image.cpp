// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/elf_image.h"

#include "db/error.h"

namespace culprit {
namespace {

// Bytes of all sections, and of all names, for each byte of the file. Since sm_100 pairs of sections share their bytes
// (.debug_str and .nv.merc.debug_str), and names may share their ends.
constexpr std::uint64_t kMostContent = 4, kMostNames = 16;

}  // namespace

ElfImage::ElfImage(std::string_view name, Bytes bytes) : name_(name) {
  header_ = Read<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_ident[EI_CLASS] != ELFCLASS64 ||
      header_.e_ident[EI_DATA] != ELFDATA2LSB || header_.e_shentsize != sizeof(Elf64_Shdr)) {
    Damaged();
  }
  std::uint64_t content = 0, names = 0;
  for (int i = 0; i < header_.e_shnum; ++i) {
    ElfSection section;
    section.header = Read<Elf64_Shdr>(bytes, header_.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL) {
      section.data = Slice(bytes, section.header.sh_offset, section.header.sh_size);
    }
    content += section.data.size();
    sections_.push_back(section);
  }
  // Were each section the whole file, reading them all would take the square of its size.
  if (content > kMostContent * bytes.size()) Damaged();
  if (header_.e_shstrndx >= sections_.size()) Damaged();
  for (ElfSection& section : sections_) {
    section.name = StringAt(sections_[header_.e_shstrndx].data, section.header.sh_name);
    names += section.name.size();
    if (names > kMostNames * bytes.size()) Damaged();
    by_name_.try_emplace(section.name, static_cast<std::size_t>(&section - sections_.data()));
  }
  for (const ElfSection& section : sections_) {
    if (section.header.sh_type != SHT_SYMTAB) continue;
    if (section.header.sh_link >= sections_.size()) Damaged();
    const Bytes text = sections_[section.header.sh_link].data;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.data.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = Read<Elf64_Sym>(section.data, at);
      symbols_.push_back({StringAt(text, symbol.st_name), symbol});
      names += symbols_.back().name.size();
      if (names > kMostNames * bytes.size()) Damaged();
    }
    break;  // ELF allows one
  }
}

const ElfSection* ElfImage::Find(std::string_view section) const {
  const auto found = by_name_.find(section);
  return found == by_name_.end() ? nullptr : &sections_[found->second];
}

Bytes ElfImage::Slice(Bytes bytes, std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes.size() || size > bytes.size() - offset) Damaged();
  return bytes.subspan(offset, size);
}

std::string_view ElfImage::StringAt(Bytes table, std::uint64_t offset) const {
  if (offset >= table.size()) Damaged();
  const auto* const first = reinterpret_cast<const char*>(table.data() + offset);
  const std::size_t length = strnlen(first, table.size() - offset);
  return {first, length};
}

void ElfImage::Damaged() const {
  throw Error(name_ + " is not a whole 64-bit ELF file: build the kernels again to get an intact cubin.");
}

}  // namespace culprit
