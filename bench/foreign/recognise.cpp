// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "bench/foreign/chrome_events.h"
#include "bench/foreign/json_reports.h"
#include "bench/foreign/ncu_csv.h"
#include "bench/foreign/report.h"
#include "bench/foreign/traces.h"
#include "db/error.h"
#include "db/migrate.h"

namespace culprit {
namespace {

constexpr std::string_view kSqliteMark("SQLite format 3\0", 16);
// Of Nsight Systems' own files.
constexpr const char* kExportInstead =
    "A report of Nsight Systems (.nsys-rep, .qdrep) is read only by nsys: run 'nsys export --type sqlite REPORT' and "
    "give "
    "the .sqlite file";

// Where SQLite keeps what PRAGMA application_id says.
bool IsOurDatabase(std::string_view file) {
  constexpr std::size_t kAt = 68, kBytes = 4;
  std::uint32_t id = 0;
  for (const char c : file.size() < kAt + kBytes ? "" : file.substr(kAt, kBytes))
    id = id << 8 | static_cast<std::uint8_t>(c);
  return id == static_cast<std::uint32_t>(kApplicationId);
}

std::string_view WithoutMark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

}  // namespace

ForeignKind KindOf(std::string_view text) {
  text = WithoutMark(text);
  if (text.starts_with(kSqliteMark)) return ForeignKind::kDatabase;
  if (text.starts_with(std::string_view("NVR\0", 4))) return ForeignKind::kNcuFile;
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return ForeignKind::kJson;
  if (LooksLikeNcu(text)) return ForeignKind::kNcuCsv;
  constexpr std::size_t kBeginning = 4096;
  if (text.starts_with("-- culprit export")) return ForeignKind::kNone;
  return text.substr(0, kBeginning).find('\0') == text.npos ? ForeignKind::kUnknown : ForeignKind::kBinary;
}

ForeignReport ReadForeign(std::string_view text, const ForeignFile& file) {
  text = WithoutMark(text);
  switch (KindOf(text)) {
    case ForeignKind::kDatabase:
      if (IsOurDatabase(text))
        throw Error(fmt::format(
            "{0} is a database, not an export: read it where it is, with --db {0}, or run 'culprit export --db {0} -o "
            "{0}.sql' and import {0}.sql; nothing was imported",
            file.name));
      if (IsNsysExport(text, file)) return ReadNsysExport(text, file);
      throw Error(fmt::format(
          "{} is an SQLite database of another program, not an export of Nsight Systems; nothing was imported",
          file.name));
    case ForeignKind::kBinary:
      throw Error(fmt::format("{} is neither text nor a file that culprit knows. {}; nothing was imported", file.name,
                              kExportInstead));
    case ForeignKind::kNcuFile:
      throw Error(fmt::format(
          "{} is a file that only Nsight Compute reads: run 'ncu --import {} --csv --page raw --print-units base "
          "--print-metric-instances details > {}.csv' and import that; nothing was imported",
          file.name, file.name, file.name));
    case ForeignKind::kNcuCsv:
      return ReadNcuCsv(text, file);
    case ForeignKind::kJson: {
      if (LooksLikeChromeTrace(text)) return ReadChromeTrace(text, file);
      const nlohmann::json document = ParseJson(text, file.name);
      const JsonValue root(document, file.name);
      if (root.Has("benchmarks") && root.Has("context")) return ReadGoogleBenchmark(root, text, file);
      if (root.Has("benchmarks") && root.Has("devices")) return ReadNvbench(root, text, file);
      throw Error(
          fmt::format("{} is JSON, but no trace of PyTorch or JAX, and neither Google Benchmark's "
                      "(--benchmark_out_format=json) nor NVBench's (--json); nothing was imported",
                      file.name));
    }
    case ForeignKind::kUnknown:
      if (file.name.ends_with(".nsys-rep") || file.name.ends_with(".qdrep"))
        throw Error(fmt::format("{} is not imported. {}; nothing was imported", file.name, kExportInstead));
      [[fallthrough]];
    case ForeignKind::kNone:
      break;
  }
  throw Error(fmt::format(
      "{} is {}: give what 'culprit export' wrote, a report of Nsight Compute (.ncu-rep or CSV), the JSON of "
      "Google Benchmark or NVBench, a trace of PyTorch or JAX, or the SQLite export of Nsight Systems "
      "('culprit import --help' has their commands); nothing was imported",
      file.name, text.empty() ? "empty" : "none of the files that can be imported"));
}

}  // namespace culprit
