// SPDX-License-Identifier: Apache-2.0
#include "profiler/resource_report.h"

#include <optional>
#include <regex>
#include <sstream>
#include <string>

#include "profiler/static_attributes.h"

namespace culprit {
namespace {

std::optional<double> Number(const std::string& line, const std::regex& pattern) {
  std::smatch match;
  return std::regex_search(line, match, pattern) ? std::optional(std::stod(match[1])) : std::nullopt;
}

}  // namespace

// ptxas prints, for each kernel: "Compiling entry function 'v1_6' for 'sm_90'", "Function properties for v1_6", a line
// with the frame and the spills, and "Used 128 registers, ..., 8192 bytes smem, 400 bytes cmem[0]". A device function
// that was not inlined has properties of its own in between; only the kernel's count here.
std::vector<BuildRecord> ReadResourceReport(std::string_view text) {
  static const std::regex compiling("Compiling entry function '([^']+)' for 'sm_([0-9]+)[a-z]?'");
  static const std::regex properties("Function properties for ([^ ]+)");
  static const std::regex frame("([0-9]+) bytes stack frame");
  static const std::regex spill_stores("([0-9]+) bytes spill stores");
  static const std::regex spill_loads("([0-9]+) bytes spill loads");
  static const std::regex registers("Used ([0-9]+) registers");
  static const std::regex shared("([0-9]+) bytes smem");
  static const std::regex constants("([0-9]+) bytes cmem\\[0\\]");

  std::vector<BuildRecord> builds;
  std::istringstream lines{std::string(text)};
  std::string line, function;
  bool open = false;  // between a kernel's first line and its "Used" line
  std::smatch match;
  while (std::getline(lines, line)) {
    if (std::regex_search(line, match, compiling)) {
      builds.push_back({match[1], "sm_" + match[2].str(), match[1], "", {}});
      function = match[1];
      open = true;
    } else if (!open) {
      continue;
    } else if (std::regex_search(line, match, properties)) {
      function = match[1];
    } else if (std::regex_search(line, frame) && function == builds.back().kernel) {
      AddAttribute(builds.back(), "stack_frame_bytes", "compiler", Number(line, frame));
      AddAttribute(builds.back(), "spill_store_bytes", "compiler", Number(line, spill_stores));
      AddAttribute(builds.back(), "spill_load_bytes", "compiler", Number(line, spill_loads));
    } else if (const std::optional<double> used = Number(line, registers)) {
      AddAttribute(builds.back(), "registers", "compiler", used);
      // ptxas leaves a resource out of this line when the kernel uses none of it.
      AddAttribute(builds.back(), "static_shared_bytes", "compiler", Number(line, shared).value_or(0));
      // Not so for bank 0, which every kernel has: from sm_90 on ptxas does not count it.
      if (const std::optional<double> bank0 = Number(line, constants)) {
        AddAttribute(builds.back(), "constant_bytes", "compiler", bank0);
      }
      open = false;
    }
  }
  return builds;
}

}  // namespace culprit
