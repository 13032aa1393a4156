// SPDX-License-Identifier: Apache-2.0
// NVIDIA does not publish the cubin format. Its disassembler prints the constants below under these names. A test
// compares every value with ptxas's resource report.
#include "profiler/code/cubin.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "db/error.h"
#include "profiler/code/code_of.h"
#include "profiler/code/elf_image.h"
#include "profiler/code/static_attributes.h"

namespace culprit {
namespace {

constexpr unsigned char kEntry = 0x10;  // st_other bit STO_CUDA_ENTRY: a kernel, not a device function

// Attribute records of .nv.info (for the whole file: a symbol index and a value) and .nv.info.<kernel>.
constexpr std::uint8_t kMaxThreads = 0x05;    // EIATTR_MAX_THREADS: three extents, from __launch_bounds__
constexpr std::uint8_t kReqNTid = 0x10;       // EIATTR_REQNTID: three extents, from __block_size__ and the like
constexpr std::uint8_t kFrameSize = 0x11;     // EIATTR_FRAME_SIZE
constexpr std::uint8_t kMinStackSize = 0x12;  // EIATTR_MIN_STACK_SIZE: the frame and those of its callees
constexpr std::uint8_t kRegCount = 0x2f;      // EIATTR_REGCOUNT
constexpr std::uint8_t kSizedFormat = 4;      // EIFMT_SVAL: the 16-bit value is the payload's size

// From sm_90 on, .nv.shared.<kernel> begins with the 1 KB that CUDA reserves in every block, and the cubin has this
// section.
constexpr std::string_view kReservedSection = ".nv.shared.reserved.0";
constexpr std::uint64_t kReservedShared = 1024;

template <class Visit>
void ForEachInfo(const ElfImage& elf, Bytes info, Visit visit) {
  std::uint64_t at = 0;
  while (at < info.size()) {
    const auto format = elf.Read<std::uint8_t>(info, at);
    const auto attribute = elf.Read<std::uint8_t>(info, at + 1);
    const auto value = elf.Read<std::uint16_t>(info, at + 2);
    at += 4;
    if (format != kSizedFormat) continue;
    visit(attribute, elf.Slice(info, at, value));
    at += value;
  }
}

// Values of .nv.info by symbol index.
struct FileInfo {
  std::map<std::uint32_t, double> registers, frame, stack;
};

FileInfo ReadFileInfo(const ElfImage& elf) {
  FileInfo out;
  const ElfSection* const info = elf.Find(".nv.info");
  if (info == nullptr) return out;
  ForEachInfo(elf, info->data, [&](std::uint8_t attribute, Bytes payload) {
    auto* const into = attribute == kRegCount       ? &out.registers
                       : attribute == kFrameSize    ? &out.frame
                       : attribute == kMinStackSize ? &out.stack
                                                    : nullptr;
    if (into != nullptr) (*into)[elf.Read<std::uint32_t>(payload, 0)] = elf.Read<std::uint32_t>(payload, 4);
  });
  return out;
}

std::optional<double> Lookup(const std::map<std::uint32_t, double>& values, std::uint32_t symbol) {
  const auto found = values.find(symbol);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

double SharedBytes(const ElfImage& elf, const std::string& kernel) {
  const ElfSection* const shared = elf.Find(".nv.shared." + kernel);
  if (shared == nullptr) return 0;  // the linker makes the section only for a kernel that has static shared memory
  const std::uint64_t reserved = elf.Find(kReservedSection) != nullptr ? kReservedShared : 0;
  return static_cast<double>(shared->header.sh_size > reserved ? shared->header.sh_size - reserved : 0);
}

std::optional<double> MaxThreads(const ElfImage& elf, const std::string& kernel) {
  std::optional<double> threads;
  const ElfSection* const info = elf.Find(".nv.info." + kernel);
  if (info == nullptr) return threads;
  ForEachInfo(elf, info->data, [&](std::uint8_t attribute, Bytes payload) {
    if (attribute != kMaxThreads && attribute != kReqNTid) return;
    threads = 1.0;
    for (int extent = 0; extent < 3; ++extent) *threads *= elf.Read<std::uint32_t>(payload, 4 * extent);
  });
  return threads;
}

}  // namespace

std::vector<BuildRecord> ReadCubin(std::string_view name, std::span<const unsigned char> bytes) {
  const ElfImage elf(name, bytes);
  if (elf.header().e_machine != EM_CUDA) {
    throw Error(std::string(name) + " is an ELF file but not a cubin: name files that nvcc made for a GPU.");
  }
  const FileInfo info = ReadFileInfo(elf);
  std::vector<BuildRecord> builds;
  std::set<std::string_view> seen;
  for (std::uint32_t index = 0; index < elf.symbols().size(); ++index) {
    const ElfSymbol& symbol = elf.symbols()[index];
    if (ELF64_ST_TYPE(symbol.symbol.st_info) != STT_FUNC || (symbol.symbol.st_other & kEntry) == 0) continue;
    if (!seen.insert(symbol.name).second) continue;  // a compiler names each once
    const std::string kernel(symbol.name);
    const ElfSection* const text = elf.Find(".text." + kernel);
    if (text == nullptr) continue;  // a declaration: its code is in another cubin
    BuildRecord build{kernel, "sm_" + std::to_string(ArchitectureOf(elf)), kernel, CodeDigest(text->data), {}};
    AddAttribute(build, "registers", "cubin", Lookup(info.registers, index));
    AddAttribute(build, "stack_frame_bytes", "cubin", Lookup(info.frame, index));
    AddAttribute(build, "local_bytes", "cubin", Lookup(info.stack, index));
    AddAttribute(build, "static_shared_bytes", "cubin", SharedBytes(elf, kernel));
    const ElfSection* const constants = elf.Find(".nv.constant0." + kernel);
    AddAttribute(build, "constant_bytes", "cubin",
                 constants == nullptr ? 0.0 : static_cast<double>(constants->header.sh_size));
    AddAttribute(build, "code_bytes", "cubin", static_cast<double>(text->data.size()));
    if (const std::optional<double> threads = MaxThreads(elf, kernel)) {
      AddAttribute(build, "max_threads", "cubin", threads);
    }
    builds.push_back(std::move(build));
  }
  return builds;
}

}  // namespace culprit
