// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/ncu_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/program/recorded_program.h"
#include "db/error.h"

namespace culprit {
namespace {

// A report of hundreds of kernels takes seconds.
constexpr double kLimitS = 600;

bool HasTable(const Answer& answer) {
  const auto is_header = [](std::string_view line) { return line.starts_with("\"ID\","); };
  return answer.status == 0 && std::ranges::any_of(answer.out, is_header);
}

}  // namespace

bool IsCompressedNcuFile(const std::string& file) { return file.ends_with(".ncu-repz"); }

std::string TextOfNcuFile(const std::string& file) {
  // A name that begins with '-' would be an option.
  const std::string path = file.starts_with('-') ? "./" + file : file;
  std::vector<std::string> words{"ncu", "--import", path, "--csv", "--page", "raw", "--print-units", "base"};
  const std::size_t count = words.size();
  words.insert(words.end(), {"--print-metric-instances", "details"});
  Answer answer = Ask(words, kLimitS);
  if (answer.not_started.empty() && !HasTable(answer)) {  // older versions do not know the last option
    words.resize(count);
    answer = Ask(words, kLimitS);
  }
  if (!answer.not_started.empty())
    throw Error(
        fmt::format("{0} is a file that only Nsight Compute reads, and there is no ncu on PATH: run 'ncu --import {0} "
                    "--csv --page raw --print-units base --print-metric-instances details > {0}.csv' where ncu is, and "
                    "give that; nothing was imported",
                    file));
  if (answer.status != 0)
    throw Error(fmt::format("ncu does not read {}: {}{}; nothing was imported", file, answer.WhyNot(),
                            IsCompressedNcuFile(file) ? " (version 2025.4 and newer reads it)" : ""));
  return fmt::format("{}\n", fmt::join(answer.out, "\n"));
}

}  // namespace culprit
