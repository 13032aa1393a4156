// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "analysis/banks/address_expression.h"
#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/suggest.h"
#include "analysis/show/report/bank_measured.h"
#include "analysis/show/report/bank_report.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  Selector selector;
  std::string stage, access;
  std::vector<std::string> patterns, files, ops;
  std::vector<int> lane_bytes;
  int row_bytes = 0;
};

// The parser let no other word through.
SharedOp OpOf(std::string_view word) { return std::ranges::find(kOpNames, word, &OpWord::word)->op; }

// "one for all, or one for each, in order"
template <class T>
T Of(const std::vector<T>& values, std::size_t i, std::size_t of, const char* option, T none) {
  if (values.empty()) return none;
  if (values.size() == 1) return values.front();
  if (values.size() != of)
    throw Error(fmt::format("{} was given {} times for {} pattern{}; give it once for all, or once for each in order.",
                            option, values.size(), of, of == 1 ? "" : "s"));
  return values[i];
}

std::array<std::int64_t, kWarpLanes> FromPattern(const std::string& pattern) {
  std::array<std::int64_t, kWarpLanes> address;
  for (int lane = 0; lane < kWarpLanes; ++lane) address[lane] = EvaluateAddress(pattern, lane);
  return address;
}

// 32 addresses are some hundred bytes; a file without an end, as /dev/zero, must not be read until memory ends.
constexpr std::size_t kMostBytes = 65'536;

std::string ReadAll(const std::string& file) {
  std::string text(kMostBytes + 1, '\0');
  std::ifstream opened;
  if (file != "-") opened.open(file, std::ios::binary);
  std::istream& in = file == "-" ? std::cin : opened;
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.empty())
    throw Error(fmt::format("cannot read {} addresses from '{}'; give a file that holds them, or - for standard input.",
                            kWarpLanes, file));
  if (text.size() > kMostBytes)
    throw Error(fmt::format("'{}' has more than {} bytes; give {} addresses, one for each lane.", file, kMostBytes,
                            kWarpLanes));
  return text;
}

std::array<std::int64_t, kWarpLanes> FromFile(const std::string& file) {
  std::string text = ReadAll(file);
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  std::array<std::int64_t, kWarpLanes> addresses;
  std::size_t lanes = 0;
  for (std::string word; words >> word; ++lanes) {
    std::int64_t address = kInactiveLane;
    const bool hexadecimal = word.starts_with("0x");
    const char* first = word.data() + (hexadecimal ? 2 : 0);
    const char* last = word.data() + word.size();
    const auto [end, error] = std::from_chars(first, last, address, hexadecimal ? 16 : 10);
    if (word != "-" && (error != std::errc() || end != last))
      throw Error(fmt::format(
          "'{}' in '{}' is not an address; write bytes in decimal or as 0x, or - for a lane that takes no part.", word,
          file));
    if (lanes < addresses.size()) addresses[lanes] = address;
  }
  if (lanes != addresses.size())
    throw Error(fmt::format("'{}' holds {} addresses; give {}, one for each lane, with - for one that takes no part.",
                            file, lanes, kWarpLanes));
  return addresses;
}

// All of them are accesses of one array.
std::vector<SharedAccess> FromCommandLine(const Arguments& args) {
  const bool patterns = !args.patterns.empty();
  const auto& given = patterns ? args.patterns : args.files;
  std::vector<SharedAccess> accesses;
  for (std::size_t i = 0; i < given.size(); ++i) {
    SharedAccess access;
    access.name = given[i];
    access.array = "the array";
    access.row_bytes = args.row_bytes;
    access.op = OpOf(Of<std::string>(args.ops, i, given.size(), "--op", "ld"));
    const bool matrix = access.op == SharedOp::kLoadMatrix || access.op == SharedOp::kStoreMatrix;
    access.lane_bytes = Of(args.lane_bytes, i, given.size(), "--bytes", matrix ? 16 : 4);
    access.address = patterns ? FromPattern(given[i]) : FromFile(given[i]);
    accesses.push_back(std::move(access));
  }
  return accesses;
}

void CheckThereIsOne(const StageRecord& stage, const std::string& access, std::span<const MeasuredAccess> measured) {
  if (stage.shared_accesses.empty() && measured.empty())
    throw Error(
        fmt::format("kernel '{}' declares no shared-memory access in this run, and no instruction that makes one was "
                    "counted; describe an access with --pattern (see 'culprit banks --help'), or record with "
                    "--profile=full to count the kernel's instructions.",
                    stage.id));
  const std::vector<std::string> names = TextsOf(stage.shared_accesses, &SharedAccess::name);
  if (!access.empty() && std::find(names.begin(), names.end(), access) == names.end())
    throw Error(UnknownMessage("access", access, names));
}

Report ReportOfStage(const Arguments& args) {
  const Database database = Database::OpenForReading(args.db);
  const auto [run, stage, kernel, builds] = FindStage(database, args.stage, args.selector);
  Report report{"banks", "Shared memory of " + stage.id};
  AddRunHeader(run, OfTheRun(database.Warnings(run.id)), report);
  std::vector<MeasuredAccess> measured;
  if (kernel) measured = ReadMeasuredAccesses(database.Query(MeasuredWavefrontsSql(), {{":launch", kernel->id}}));
  CheckThereIsOne(stage, args.access, measured);
  AddBankSections(stage.shared_accesses, args.access, Executions(stage.shared_accesses, measured), report);
  if (kernel) AddMeasuredWavefronts(measured, stage.shared_accesses, report);
  return report;
}

Report ReportOfPatterns(const Arguments& args) {
  Report report{"banks", "Shared memory of a pattern"};
  AddBankSections(FromCommandLine(args), "", {}, report);
  return report;
}

void CheckChoice(const Arguments& args) {
  const bool described = !args.patterns.empty() || !args.files.empty();
  if (described && !args.stage.empty())
    throw Error("banks takes a kernel, or --pattern or --addresses, not both; leave one out.");
  if (!described && args.stage.empty())
    throw Error("banks needs a kernel (see 'culprit list'), or an access by --pattern or --addresses.");
  if (!described && !(args.ops.empty() && args.lane_bytes.empty() && args.row_bytes == 0))
    throw Error("--op, --bytes and --row-bytes describe a --pattern; a kernel declares its own accesses.");
}

}  // namespace

Action AddBanks(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("KERNEL", &args->stage, "a kernel ('culprit list' has their names)", {.words = "kernels"});
  syntax.Add("ACCESS", &args->access, "one of its accesses (default: all)");
  syntax.Add("--pattern", &args->patterns,
             "byte address in the array as a C expression of 'lane'; -1: an inactive lane. Repeat the option for "
             "several accesses of one array",
             {.value = "EXPR"});
  syntax.Add("--addresses", &args->files, "file (-: standard input) with 32 byte addresses; '-': an inactive lane",
             {.value = "FILE", .not_with = "--pattern"});
  syntax.Add("--op", &args->ops, "ld (default), st, ldmatrix or stmatrix; once, or once for each pattern",
             {.value = "OP", .among = TextsOf(kOpNames, &OpWord::word)});
  syntax.Add("--bytes", &args->lane_bytes, "per lane: 4 (default), 8 or 16; once, or once for each pattern",
             {.value = "N"});
  syntax.Add("--row-bytes", &args->row_bytes,
             "bytes from one row of the array to the next; needed to propose a padding",
             {.value = "N", .least = 1, .most = 1 << 20});
  AddReportOptions(syntax, *args);
  AddSelector(syntax, args->selector);
  return [args](Streams& streams) {
    CheckChoice(*args);
    Render(args->stage.empty() ? ReportOfPatterns(*args) : ReportOfStage(*args), args->output, streams);
  };
}

}  // namespace culprit
