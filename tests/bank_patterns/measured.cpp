// SPDX-License-Identifier: Apache-2.0
#include "tests/bank_patterns/measured.h"

#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>

#include "db/error.h"

namespace culprit::testing {
namespace {

constexpr std::string_view kHeader = "pattern,op,bytes,trans,addresses,wavefronts,wavefronts_ideal,counter,gpu,chip";
constexpr std::pair<SharedOp, std::string_view> kOps[] = {{SharedOp::kLoad, "load"},
                                                          {SharedOp::kStore, "store"},
                                                          {SharedOp::kLoadMatrix, "ldmatrix"},
                                                          {SharedOp::kStoreMatrix, "stmatrix"}};

template <class Number>
Number ParseNumber(std::string_view text) {
  Number number = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error("'" + std::string(text) + "' is not a number");
  return number;
}

// Text in quotes may hold commas.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

SharedOp ParseOp(std::string_view text) {
  for (const auto& [op, name] : kOps)
    if (name == text) return op;
  throw Error("'" + std::string(text) + "' is not load, store, ldmatrix or stmatrix");
}

Lanes ParseLanes(const std::string& text) {
  Lanes lanes;
  std::istringstream words(text);
  int lane = 0;
  for (std::string word; words >> word; ++lane) {
    if (lane == kWarpLanes) break;
    lanes[lane] = word == "-" ? kInactiveLane : ParseNumber<std::int64_t>(word);
  }
  if (lane != kWarpLanes || words) throw Error("there are not " + std::to_string(kWarpLanes) + " addresses");
  return lanes;
}

MeasuredPattern ParseRow(const std::string& line) {
  const std::vector<std::string> cells = Cells(line);
  if (cells.size() != 10) throw Error("there are " + std::to_string(cells.size()) + " cells instead of 10");
  MeasuredPattern row;
  SharedAccess& access = row.pattern.access;
  access.name = cells[0];
  access.array = "tile";
  access.op = ParseOp(cells[1]);
  access.lane_bytes = ParseNumber<int>(cells[2]);
  row.pattern.transposed = ParseNumber<int>(cells[3]) != 0;
  access.address = ParseLanes(cells[4]);
  row.wavefronts = ParseNumber<int>(cells[5]);
  row.ideal = ParseNumber<int>(cells[6]);
  if (!cells[7].empty()) row.counter = ParseNumber<double>(cells[7]);
  row.gpu = cells[8];
  row.chip = cells[9];
  return row;
}

}  // namespace

void WriteHeader(std::ostream& out) { out << kHeader << '\n'; }

void WriteRow(const MeasuredPattern& row, std::ostream& out) {
  const SharedAccess& access = row.pattern.access;
  out << '"' << access.name << "\",";
  for (const auto& [op, name] : kOps)
    if (op == access.op) out << name;
  out << ',' << access.lane_bytes << ',' << row.pattern.transposed << ',';
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if (lane > 0) out << ' ';
    if (access.address[lane] == kInactiveLane)
      out << '-';
    else
      out << access.address[lane];
  }
  out << ',' << row.wavefronts << ',' << row.ideal << ',';
  if (row.counter) out << *row.counter;
  out << ",\"" << row.gpu << "\"," << row.chip << '\n';
}

std::vector<MeasuredPattern> ReadMeasured(std::istream& in, const std::string& name) {
  std::vector<MeasuredPattern> rows;
  std::string line;
  if (!std::getline(in, line) || line != kHeader)
    throw Error(name + " does not begin with '" + std::string(kHeader) + "'; record it again.");
  for (int number = 2; std::getline(in, line); ++number) {
    try {
      rows.push_back(ParseRow(line));
    } catch (const Error& e) {
      throw Error(name + ":" + std::to_string(number) + ": " + e.what() + "; record it again.");
    }
  }
  return rows;
}

}  // namespace culprit::testing
