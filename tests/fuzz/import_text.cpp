// SPDX-License-Identifier: Apache-2.0
// The text for `culprit import`: as a whole, and with a first line that is right, so that what follows is read.
#include <string>

#include "db/insert_text.h"
#include "tests/fuzz/fuzz.h"

namespace culprit {
namespace {

void Read(std::string_view text) {
  std::size_t columns = 0;
  const InsertReader reader{
      [&](const InsertTarget& target) { columns = target.columns.size(); },
      [&](std::span<const Value> row, int) { fuzz::Require(row.size() == columns, "a row with other columns"); }};
  fuzz::Accepts([&] { SchemaOf(text, "fuzz"); });
  fuzz::Accepts([&] { ReadInserts(text, "fuzz", reader); });
}

}  // namespace
}  // namespace culprit

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = culprit::fuzz::Text(data, size);
  culprit::Read(text);
  culprit::Read(std::string(culprit::kExportMark) + "5\nBEGIN;\n" + std::string(text));
  return 0;
}
