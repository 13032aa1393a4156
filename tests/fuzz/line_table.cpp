// SPDX-License-Identifier: Apache-2.0
// A cubin's .debug_line by itself: as a whole, and behind a header that is right, so that its program is run.
#include "profiler/code/line_table.h"

#include <string>

#include "tests/fuzz/fuzz.h"
#include "tests/support/cubin_builder.h"

namespace culprit {
namespace {

constexpr std::int64_t kInstructions = 64;

// Version 2, instructions of 1 byte, lines from -5 on in steps of 14, 10 operations; one folder, two files; and
// DW_LNE_set_address.
constexpr std::string_view kHeader(
    "\x02\x00\x26\x00\x00\x00\x01\x01\xfb\x0e\x0a\x00\x01\x01\x01\x01\x00\x00\x00\x01/"
    "src\x00\x00k.cu\x00\x01\x00\x00h.cuh"
    "\x00\x00\x00\x07\x00\x00\x09\x02\x00\x00\x00\x00\x00\x00\x00\x00",
    55);

void Read(std::string_view lines) {
  testing::CubinBuilder cubin;
  const std::uint32_t symbol = cubin.Kernel("k", testing::ByteList(16 * kInstructions));
  cubin.Lines(testing::ByteList(lines.begin(), lines.end()), symbol);
  const testing::ByteList bytes = cubin.Bytes();
  const LineTable table(bytes);
  for (std::int64_t i = -1; i <= kInstructions; ++i)
    for (const SourceFrame& line : table.At("k", 16 * i)) {
      fuzz::Require(line.line > 0, "lines count from 1");
      table.SizeOf(line.file);
    }
}

}  // namespace
}  // namespace culprit

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  const std::string_view text = fuzz::Text(data, size);
  Read(text);
  const auto length = static_cast<std::uint32_t>(kHeader.size() + size);
  Read(std::string(reinterpret_cast<const char*>(&length), sizeof length).append(kHeader).append(text));
  return 0;
}
