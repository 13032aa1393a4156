// SPDX-License-Identifier: Apache-2.0
// Bounds-checked reading of a 64-bit little-endian ELF file in memory; layouts from the C library's <elf.h>.
#pragma once
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace culprit {

using Bytes = std::span<const unsigned char>;

struct ElfSection {
  std::string_view name;
  Elf64_Shdr header;
  Bytes data;  // empty for sections without bits in the file
};

struct ElfSymbol {
  std::string_view name;
  Elf64_Sym symbol;
};

class ElfImage {
 public:
  // Keeps views into `bytes`. Throws culprit::Error with `name` if the bytes are not such a file or are cut short.
  // Sections or names that overlap are also errors, because a small file could claim gigabytes with them.
  ElfImage(std::string_view name, Bytes bytes);

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  const std::vector<ElfSymbol>& symbols() const { return symbols_; }  // by index, as other sections refer to them
  const ElfSection* Find(std::string_view section) const;             // null when there is none

  // The T at `offset` of `bytes`. Throws culprit::Error if it does not lie within them.
  template <class T>
  T Read(Bytes bytes, std::uint64_t offset) const {
    T value;
    std::memcpy(&value, Slice(bytes, offset, sizeof(T)).data(), sizeof(T));
    return value;
  }
  Bytes Slice(Bytes bytes, std::uint64_t offset, std::uint64_t size) const;

 private:
  [[noreturn]] void Damaged() const;
  std::string_view StringAt(Bytes table, std::uint64_t offset) const;

  std::string name_;
  Elf64_Ehdr header_;
  std::vector<ElfSection> sections_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  // the first section of each name
  std::vector<ElfSymbol> symbols_;
};

}  // namespace culprit
