// SPDX-License-Identifier: Apache-2.0
// The line program of DWARF 2 (dwarfstd.org, section 6.2) with one more operation, which NVIDIA does not publish: its
// operands follow from `.loc ... inlined_at` in the PTX of the same code. A test compares the result with CUPTI's and
// with the source.
#include "profiler/code/line_table.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "db/error.h"

namespace culprit {
namespace {

// Standard operations.
constexpr std::uint8_t kCopy = 1, kAdvancePc = 2, kAdvanceLine = 3, kSetFile = 4, kSetColumn = 5, kNegateStatement = 6,
                       kBasicBlock = 7, kConstAddPc = 8, kFixedAdvancePc = 9;
// Extended ones: a zero, their size, and then
constexpr std::uint8_t kEndSequence = 1, kSetAddress = 2;
// NVIDIA's: the lines that follow are of an inlined function. Operands: the number of the row within the sequence that
// calls it, from 1, or 0 behind the last of such lines; and where .debug_str has the function's name.
constexpr std::uint8_t kInlinedAt = 0x90;

constexpr std::uint16_t kOldest = 2, kNewest = 3;  // versions whose header is laid out as below

// Far above what a compiler writes for a module. Without these limits a small file could take gigabytes, or hours.
constexpr std::size_t kMostRows = std::size_t{1} << 24;
constexpr std::size_t kMostPathBytes = std::size_t{16} << 20;  // of all files together
constexpr std::size_t kMostSequences = 64;                     // of one section; nvcc writes one

}  // namespace

// Reads one .debug_line section. Whatever does not fit ends it with culprit::Error.
class LineTable::Reader {
 public:
  Reader(const ElfImage& elf, LineTable& into) : elf_(elf), into_(into) {
    const ElfSection* const lines = elf.Find(".debug_line");
    if (lines == nullptr) return;
    data_ = lines->data;
    ReadRelocations();
    while (at_ < data_.size()) ReadUnit();
  }

 private:
  // What is added to a symbol's address stands in the relocation since sm_90, before that where the address is to go.
  void ReadRelocations() {
    if (const ElfSection* const with_addend = elf_.Find(".rela.debug_line"))
      for (std::uint64_t at = 0; at < with_addend->data.size(); at += sizeof(Elf64_Rela)) {
        const auto entry = elf_.Read<Elf64_Rela>(with_addend->data, at);
        moved_[entry.r_offset] = {ELF64_R_SYM(entry.r_info), static_cast<std::uint64_t>(entry.r_addend)};
      }
    if (const ElfSection* const without = elf_.Find(".rel.debug_line"))
      for (std::uint64_t at = 0; at < without->data.size(); at += sizeof(Elf64_Rel)) {
        const auto entry = elf_.Read<Elf64_Rel>(without->data, at);
        moved_[entry.r_offset] = {ELF64_R_SYM(entry.r_info), elf_.Read<std::uint64_t>(data_, entry.r_offset)};
      }
  }

  template <class T>
  T Next() {
    const T value = elf_.Read<T>(data_, at_);
    at_ += sizeof(T);
    return value;
  }

  std::uint64_t Unsigned() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = Next<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }

  std::int64_t Signed() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte = 0;
    do {
      byte = Next<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
    } while ((byte & 0x80) != 0);
    if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }

  std::string Text() {
    std::string text;
    while (const auto byte = Next<unsigned char>()) text += static_cast<char>(byte);
    return text;
  }

  void ReadUnit() {
    const auto size = Next<std::uint32_t>();
    const std::uint64_t end = at_ + size;
    elf_.Slice(data_, at_, size);
    const auto version = Next<std::uint16_t>();
    if (version < kOldest || version > kNewest) {
      at_ = end;
      return;
    }
    const auto header_size = Next<std::uint32_t>();
    const std::uint64_t program = at_ + header_size;
    step_ = Next<std::uint8_t>();
    Next<std::uint8_t>();  // whether lines begin statements
    line_base_ = Next<std::int8_t>();
    line_range_ = Next<std::uint8_t>();
    opcode_base_ = Next<std::uint8_t>();
    if (line_range_ == 0 || opcode_base_ == 0) throw Error("no line program");
    operands_.assign(1, 0);
    for (int opcode = 1; opcode < opcode_base_; ++opcode) operands_.push_back(Next<std::uint8_t>());
    ReadFiles();
    at_ = program;
    while (at_ < end) ReadSequence(end);
    at_ = end;
  }

  void ReadFiles() {
    std::vector<std::string> folders(1);  // the first is where the compiler ran
    for (std::string folder = Text(); !folder.empty(); folder = Text()) folders.push_back(folder);
    first_file_ = into_.files_.size();
    for (std::string file = Text(); !file.empty(); file = Text()) {
      const std::uint64_t folder = Unsigned();
      Unsigned();  // when it was changed
      const std::uint64_t size = Unsigned();
      const std::string& in = folder < folders.size() ? folders[folder] : folders.front();
      path_bytes_ += in.size() + file.size();
      if (path_bytes_ > kMostPathBytes) throw Error("paths without an end");
      into_.files_.push_back((std::filesystem::path(in) / file).lexically_normal().string());
      into_.sizes_.push_back(size);
    }
  }

  void ReadSequence(std::uint64_t end) {
    Sequence sequence;
    std::uint32_t section = 0;
    bool placed = false;
    Row row{.line = 1};
    std::uint64_t file = 1;
    const auto append = [&] {
      if (!sequence.rows.empty() && row.address < sequence.rows.back().address) throw Error("lines that go back");
      const std::uint64_t index = first_file_ + file - 1;
      row.file = static_cast<std::uint32_t>(file == 0 || index >= into_.files_.size() ? into_.files_.size() : index);
      if (++rows_ > kMostRows) throw Error("rows without an end");
      sequence.rows.push_back(row);
    };
    const auto advance = [&](std::uint64_t by) { row.address += by * step_; };
    const auto advance_line = [&](std::int64_t by) {
      row.line = static_cast<std::int32_t>(static_cast<std::uint32_t>(row.line) + static_cast<std::uint32_t>(by));
    };
    while (at_ < end) {
      const auto opcode = Next<std::uint8_t>();
      if (opcode >= opcode_base_) {
        const int special = opcode - opcode_base_;
        advance(static_cast<std::uint64_t>(special / line_range_));
        advance_line(line_base_ + special % line_range_);
        append();
        continue;
      }
      switch (opcode) {
        case 0: {
          const std::uint64_t size = Unsigned(), next = at_ + size;
          elf_.Slice(data_, at_, size);
          const std::uint8_t extended = size == 0 ? 0 : Next<std::uint8_t>();
          if (extended == kEndSequence) {
            sequence.end = row.address;
            if (placed) Keep(std::move(sequence), section);
            at_ = next;
            return;
          }
          if (extended == kSetAddress) {
            // Each function has a section of its own, which the relocation names.
            const auto moved = moved_.find(at_);
            placed = moved != moved_.end() && moved->second.symbol < elf_.symbols().size();
            row.address = Next<std::uint64_t>();
            if (placed) {
              const Elf64_Sym& symbol = elf_.symbols()[moved->second.symbol].symbol;
              section = symbol.st_shndx;
              row.address = symbol.st_value + moved->second.addend;
            }
          } else if (extended == kInlinedAt) {
            row.caller = static_cast<std::uint32_t>(std::min<std::uint64_t>(Unsigned(), UINT32_MAX));
          }
          at_ = next;
          break;
        }
        case kCopy:
          append();
          break;
        case kAdvancePc:
          advance(Unsigned());
          break;
        case kAdvanceLine:
          advance_line(Signed());
          break;
        case kSetFile:
          file = Unsigned();
          break;
        case kConstAddPc:
          advance(static_cast<std::uint64_t>((255 - opcode_base_) / line_range_));
          break;
        case kFixedAdvancePc:
          row.address += Next<std::uint16_t>();
          break;
        case kSetColumn:
        case kNegateStatement:
        case kBasicBlock:
        default:  // and what a later version may add: of no interest here
          for (int operand = 0; operand < operands_[opcode]; ++operand) Unsigned();
      }
    }
  }

  void Keep(Sequence sequence, std::uint32_t section) {
    std::vector<Sequence>& of_section = into_.sequences_[section];
    if (of_section.size() < kMostSequences) of_section.push_back(std::move(sequence));
  }

  const ElfImage& elf_;
  LineTable& into_;
  std::size_t path_bytes_ = 0, rows_ = 0;
  Bytes data_;
  std::uint64_t at_ = 0;
  struct Moved {
    std::uint64_t symbol = 0, addend = 0;
  };
  std::map<std::uint64_t, Moved> moved_;  // by where the address stands
  // Of the unit that is read.
  std::uint64_t first_file_ = 0;
  std::uint8_t step_ = 1, line_range_ = 1, opcode_base_ = 1;
  std::int8_t line_base_ = 0;
  std::vector<std::uint8_t> operands_;  // of each standard operation
};

LineTable::LineTable(std::span<const unsigned char> cubin) {
  try {
    const ElfImage elf("a cubin", cubin);
    Reader(elf, *this);
    for (const ElfSymbol& symbol : elf.symbols())
      if (ELF64_ST_TYPE(symbol.symbol.st_info) == STT_FUNC)
        functions_.try_emplace(std::string(symbol.name), Function{symbol.symbol.st_shndx, symbol.symbol.st_value});
  } catch (const Error&) {
    *this = LineTable();
  }
}

std::vector<SourceFrame> LineTable::At(const std::string& function, std::int64_t pc_offset) const {
  const auto found = functions_.find(function);
  if (found == functions_.end() || pc_offset < 0) return {};
  const auto of_section = sequences_.find(found->second.section);
  if (of_section == sequences_.end()) return {};
  const std::uint64_t address = found->second.begin + static_cast<std::uint64_t>(pc_offset);
  std::vector<SourceFrame> lines;
  for (const Sequence& sequence : of_section->second) {
    if (address >= sequence.end) continue;
    const auto behind = std::ranges::upper_bound(sequence.rows, address, {}, &Row::address);
    // A call stands before what it calls: a damaged table cannot go round in circles.
    std::size_t number = static_cast<std::size_t>(behind - sequence.rows.begin());
    while (number > 0 && lines.size() < kMostInlined) {
      const Row& row = sequence.rows[number - 1];
      if (row.file < files_.size() && row.line > 0) lines.push_back({files_[row.file], row.line});
      number = row.caller < number ? row.caller : 0;
    }
    if (!lines.empty()) break;
  }
  return lines;
}

std::uint64_t LineTable::SizeOf(const std::string& file) const {
  const auto found = std::ranges::find(files_, file);
  return found == files_.end() ? 0 : sizes_[static_cast<std::size_t>(found - files_.begin())];
}

}  // namespace culprit
