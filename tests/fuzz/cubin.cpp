// SPDX-License-Identifier: Apache-2.0
// Cubins: the ELF reader, what it finds of kernels, the machine code's mnemonics and lines, and the C++ written from
// them.
#include "profiler/code/cubin.h"

#include "profiler/code/code_of.h"
#include "profiler/code/line_table.h"
#include "profiler/code/sass_opcode.h"
#include "profiler/static_collector.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  const std::span<const unsigned char> bytes(data, size);
  std::vector<BuildRecord> builds;
  fuzz::Accepts([&] { builds = ReadCubin("fuzz", bytes); });
  const LineTable lines(bytes);
  for (const BuildRecord& build : builds) {
    const ElfImage image("fuzz", bytes);
    const ElfSection* const code = image.Find(".text." + build.kernel);
    CodeOf(bytes, build.kernel);
    for (const std::int64_t pc : {std::int64_t{0}, std::int64_t{16}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
      if (code != nullptr) SassOpcodeAt(code->data, pc);
      lines.At(build.kernel, pc);
    }
  }
  fuzz::Accepts([&] { StaticTableSource(builds); });
  return 0;
}
