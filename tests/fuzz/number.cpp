// SPDX-License-Identifier: Apache-2.0
// A literal in the text for import. What is read as a number is one, and the same that the C library reads.
#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "db/insert_text.h"
#include "tests/fuzz/fuzz.h"

namespace culprit {
namespace {

void Compare(const std::string& text, const Value& value) {
  char* end = nullptr;
  const double expected = std::strtod(text.c_str(), &end);
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  fuzz::Require(integer != nullptr || real != nullptr, "a number was read as something else");
  fuzz::Require(end == text.c_str() + text.size(), "something was read as a number that is none");
  fuzz::Require(real == nullptr || *real == expected, "a number was read as another one");
  fuzz::Require(integer == nullptr || static_cast<double>(*integer) == expected, "an integer was read as another one");
}

}  // namespace
}  // namespace culprit

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  const std::string text(fuzz::Text(data, size));
  if (text.empty() || !std::ranges::all_of(text, [](char c) {
        return std::string_view("+-.0123456789eE").find(c) != std::string_view::npos;
      }))
    return 0;
  if (text.find("--") != text.npos) return 0;  // a comment
  const std::string statement = "BEGIN; INSERT INTO t(a) VALUES (" + text + ");COMMIT;";
  fuzz::Accepts([&] {
    ReadInserts(statement, "fuzz",
                {[](const InsertTarget&) {}, [&](std::span<const Value> row, int) { Compare(text, row[0]); }});
  });
  return 0;
}
