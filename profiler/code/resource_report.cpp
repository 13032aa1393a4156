// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/resource_report.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>

#include "profiler/code/static_attributes.h"

namespace culprit {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The digits in `line` between `before`, which may be empty, and `after`. Names in a report may be as long as a
// compiler lets them be, so nothing here recurses.
std::optional<double> NumberBetween(std::string_view before, std::string_view after, std::string_view line) {
  for (std::size_t end = line.find(after); end != line.npos; end = line.find(after, end + 1)) {
    std::size_t first = end;
    while (first > 0 && IsDigit(line[first - 1])) --first;
    double value = 0;
    if (first == end || !line.substr(0, first).ends_with(before)) continue;
    const auto [stop, error] = std::from_chars(line.data() + first, line.data() + end, value);
    if (error == std::errc()) return value;
  }
  return std::nullopt;
}

std::optional<double> Bytes(std::string_view what, std::string_view line) {
  return NumberBetween("", std::string(" bytes ").append(what), line);
}

// What follows `before` up to `end`; none where that is nothing.
std::optional<std::string> Word(std::string_view before, char end, std::string_view line) {
  const std::size_t at = line.find(before);
  if (at == line.npos) return std::nullopt;
  const std::string_view rest = line.substr(at + before.size());
  const std::string_view word = rest.substr(0, rest.find(end));
  return word.empty() ? std::nullopt : std::optional<std::string>(word);
}

// "sm_90" of 'sm_90a'.
std::optional<std::string> Arch(std::string_view line) {
  const auto word = Word("' for 'sm_", '\'', line);
  if (!word) return std::nullopt;
  const std::string digits = word->substr(0, word->find_first_not_of("0123456789"));
  return digits.empty() ? std::nullopt : std::optional("sm_" + digits);
}

}  // namespace

// For each kernel ptxas prints "Compiling entry function 'v1_6' for 'sm_90'", "Function properties for v1_6", a line
// with the frame and the spills, and "Used 128 registers, ..., 8192 bytes smem, 400 bytes cmem[0]". Properties of
// device functions may stand between; they do not count here.
std::vector<BuildRecord> ReadResourceReport(std::string_view text) {
  std::vector<BuildRecord> builds;
  std::string function;
  bool open = false;  // between a kernel's first line and its "Used" line
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto kernel = Word("Compiling entry function '", '\'', line);
    const auto arch = kernel ? Arch(line) : std::nullopt;
    if (arch) {
      builds.push_back({*kernel, *arch, *kernel, "", {}});
      function = *kernel;
      open = true;
    } else if (!open) {
      continue;
    } else if (const auto other = Word("Function properties for ", ' ', line)) {
      function = *other;
    } else if (Bytes("stack frame", line) && function == builds.back().kernel) {
      AddAttribute(builds.back(), "stack_frame_bytes", "compiler", Bytes("stack frame", line));
      AddAttribute(builds.back(), "spill_store_bytes", "compiler", Bytes("spill stores", line));
      AddAttribute(builds.back(), "spill_load_bytes", "compiler", Bytes("spill loads", line));
    } else if (const auto used = NumberBetween("Used ", " registers", line)) {
      AddAttribute(builds.back(), "registers", "compiler", used);
      // ptxas leaves a resource out of this line when the kernel uses none of it.
      AddAttribute(builds.back(), "static_shared_bytes", "compiler", Bytes("smem", line).value_or(0));
      // Not so for bank 0, which every kernel has: from sm_90 on ptxas does not count it.
      if (const auto bank0 = Bytes("cmem[0]", line)) AddAttribute(builds.back(), "constant_bytes", "compiler", bank0);
      open = false;
    }
  }
  return builds;
}

}  // namespace culprit
