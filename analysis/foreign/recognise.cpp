// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/foreign/json_reports.h"
#include "analysis/foreign/ncu_csv.h"
#include "analysis/foreign/report.h"
#include "db/error.h"

namespace culprit {
namespace {

std::string_view WithoutMark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

}  // namespace

ForeignKind KindOf(std::string_view text) {
  text = WithoutMark(text);
  if (text.starts_with(std::string_view("NVR\0", 4))) return ForeignKind::kNcuFile;
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return ForeignKind::kJson;
  return LooksLikeNcu(text) ? ForeignKind::kNcuCsv : ForeignKind::kNone;
}

ForeignReport ReadForeign(std::string_view text, const ForeignFile& file) {
  text = WithoutMark(text);
  switch (KindOf(text)) {
    case ForeignKind::kNcuFile:
      throw Error(fmt::format(
          "{} is a file that only Nsight Compute reads: run 'ncu --import {} --csv --page raw --print-units base > "
          "{}.csv' and import that; nothing was imported",
          file.name, file.name, file.name));
    case ForeignKind::kNcuCsv:
      return ReadNcuCsv(text, file);
    case ForeignKind::kJson: {
      const nlohmann::json document = ParseJson(text, file.name);
      const JsonValue root(document, file.name);
      if (root.Has("benchmarks") && root.Has("context")) return ReadGoogleBenchmark(root, text, file);
      if (root.Has("benchmarks") && root.Has("devices")) return ReadNvbench(root, text, file);
      throw Error(
          fmt::format("{} is JSON, but neither Google Benchmark's (--benchmark_out_format=json) nor NVBench's "
                      "(--json); nothing was "
                      "imported",
                      file.name));
    }
    case ForeignKind::kNone:
      break;
  }
  throw Error(fmt::format("{} is no report that culprit knows; nothing was imported", file.name));
}

}  // namespace culprit
