// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "db/code_rows.h"
#include "db/error.h"
#include "db/fnv.h"
#include "db/json_text.h"
#include "db/rows.h"
#include "db/source_place.h"

namespace culprit {
namespace {

constexpr std::size_t kHalf = 16;  // hex digits of half an encoding

std::string EncodingText(const MachineInstruction& i) { return fmt::format("{:016x}{:016x}", i.high, i.low); }

std::uint64_t HalfOf(std::string_view digits) {
  std::uint64_t half = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), half, 16);
  if (digits.size() != kHalf || error != std::errc() || end != digits.data() + digits.size())
    throw Error("the database has a machine instruction that is not 32 hexadecimal digits: record the run again");
  return half;
}

std::string FramesAsJson(const std::vector<SourceFrame>& frames) {
  std::string json = "[";
  for (const SourceFrame& frame : frames) {
    if (json.size() > 1) json += ',';
    json += fmt::format("[{},{}]", JsonString(frame.file), frame.line);
  }
  return json + ']';
}

// The key of this code in files. Never change how it is computed, or stored code is not found again.
std::string ListingOf(const MachineCode& code) {
  if (code.instructions.empty()) return {};
  std::uint64_t hash = kFnvBasis;
  for (const MachineInstruction& i : code.instructions)
    hash = Fnv1a(
        fmt::format("{} {} {} {} {} {} {} {}\n{}\n{}\n", i.pc_offset, EncodingText(i), i.stall_cycles, i.yield,
                    i.write_scoreboard, i.read_scoreboard, i.wait_mask, FramesAsJson(i.frames), i.opcode, i.operands),
        hash);
  return fmt::format("{:016x}", hash);
}

class Storing {
 public:
  explicit Storing(Connection& connection) : connection_(connection) {}

  void Store(std::int64_t code, const MachineInstruction& i) {
    const std::int64_t instruction = RowWith(connection_, "machine_instruction", EncodingText(i), Fields(i)).id;
    InsertRow(connection_, "code_instruction", code, i.pc_offset, instruction, ChainOf(i.frames));
  }

 private:
  std::optional<std::int64_t> ChainOf(const std::vector<SourceFrame>& frames) {
    if (frames.empty()) return std::nullopt;
    const std::string json = FramesAsJson(frames);
    const auto [known, is_new] = chains_.try_emplace(json, 0);
    if (is_new) {
      for (const SourceFrame& frame : frames) AsStored(frame.line, &RangeOf("line_chain", "source_line"));
      const SourceFrame& own = *FindOwnLine(frames);
      known->second = RowWith(connection_, "line_chain", own.file, own.line, json).id;
    }
    return known->second;
  }

  Connection& connection_;
  std::unordered_map<std::string, std::int64_t> chains_;  // by frames
};

using Chains = std::unordered_map<std::int64_t, std::vector<SourceFrame>>;

Chains LoadChains(Connection& connection, std::int64_t code) {
  Lease row = connection.Prepared(
      "SELECT line_chain.id, json_extract(frame.value, '$[0]'), json_extract(frame.value, '$[1]') FROM line_chain "
      "CROSS JOIN json_each(frames) AS frame WHERE line_chain.id IN (SELECT line_chain_id FROM code_instruction WHERE "
      "code_id = ?) ORDER BY line_chain.id, frame.key");
  row.Bind(code);
  Chains chains;
  try {
    while (row.Step())
      chains[row.Integer(0)].push_back({row.Text(1), row.Int(2, RangeOf("line_chain", "source_line"))});
  } catch (const SQLite::Exception& e) {
    if ((e.getErrorCode() & 0xff) != SQLITE_ERROR) throw;
    throw Error(
        "the database has places of machine instructions that are no list of files and lines: record the run "
        "again");
  }
  return chains;
}

}  // namespace

std::int64_t StoreCode(Connection& connection, const MachineCode& code) {
  const FoundRow row = RowWith(connection, "code", code.function, code.digest, ListingOf(code));
  if (!row.is_new) return row.id;
  Storing storing(connection);
  std::set<std::int64_t> offsets;
  for (const MachineInstruction& i : code.instructions) {
    if (!offsets.insert(i.pc_offset).second)
      throw Error(fmt::format("cannot store two instructions at {:#x} of {}", i.pc_offset, code.function));
    storing.Store(row.id, i);
  }
  return row.id;
}

MachineCode LoadCode(Connection& connection, std::int64_t id) {
  MachineCode code;
  {
    Lease row = connection.Prepared("SELECT function, digest FROM code WHERE id = ?");
    row.Bind(id).NeedRow("machine code");
    code.function = row.Text(0);
    code.digest = row.Text(1);
  }
  const Chains chains = LoadChains(connection, id);
  Lease row = connection.Prepared(
      "SELECT encoding, opcode, operands, stall_cycles, yield, write_scoreboard, read_scoreboard, wait_mask, "
      "pc_offset, line_chain_id FROM code_instruction CROSS JOIN machine_instruction ON machine_instruction.id = "
      "machine_instruction_id WHERE code_id = ? ORDER BY pc_offset");
  row.Bind(id);
  while (row.Step()) {
    MachineInstruction& i = code.instructions.emplace_back();
    const std::string encoding = row.Text(0);
    i.high = HalfOf(std::string_view(encoding).substr(0, kHalf));
    i.low = HalfOf(std::string_view(encoding).substr(std::min(kHalf, encoding.size())));
    row.Read(i);
    i.pc_offset = row.Integer(8, RangeOf("code_instruction", "pc_offset"));
    if (const auto chain = chains.find(row.Integer(9)); chain != chains.end()) i.frames = chain->second;
  }
  return code;
}

void CheckListings(Connection& connection, std::string_view name) {
  std::map<std::int64_t, std::string> listings;
  {
    Lease row = connection.Prepared("SELECT id, listing FROM code");
    while (row.Step()) listings[row.Integer(0)] = row.Text(1);
  }
  for (const auto& [id, listing] : listings) {
    const MachineCode code = LoadCode(connection, id);
    if (ListingOf(code) != listing)
      throw Error(
          fmt::format("{}: the instructions of '{}' are not those that its listing names, which no recording "
                      "writes",
                      name, code.function));
  }
}

}  // namespace culprit
