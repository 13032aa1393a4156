// SPDX-License-Identifier: Apache-2.0
// Stores and reads program-counter samples of launches.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "db/code_rows.h"
#include "db/database_impl.h"
#include "db/failure.h"
#include "db/read.h"
#include "db/rows.h"

namespace culprit {
namespace {

auto PlaceOf(const PcSample& row) { return std::tie(row.function, row.pc_offset, row.reason); }

// In storage order.
std::vector<const PcSample*> CheckedRows(const SamplingRecord& sampling) {
  std::vector<const PcSample*> rows;
  for (const PcSample& row : sampling.rows) rows.push_back(&row);
  std::ranges::sort(rows, [](const PcSample* a, const PcSample* b) { return PlaceOf(*a) < PlaceOf(*b); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PcSample& row = *rows[i];
    if (i > 0 && PlaceOf(row) == PlaceOf(*rows[i - 1]))
      throw Error(fmt::format("cannot store samples of the instruction at {:#x} of {} twice for {}: add them up first",
                              row.pc_offset, row.function, row.reason));
    if (row.not_issued > row.samples)
      throw Error(
          fmt::format("cannot store samples of the instruction at {:#x} of {}: of {} for {}, {} are said to be "
                      "in cycles without an issue",
                      row.pc_offset, row.function, row.samples, row.reason, row.not_issued));
  }
  return rows;
}

class Storing {
 public:
  Storing(Connection& connection, LaunchId launch) : connection_(connection), launch_(launch) {}

  void Store(const MachineCode& code) {
    if (codes_.contains(code.function))
      throw Error(fmt::format("cannot store two codes of {} for launch {}: its samples could be of either",
                              code.function, launch_));
    InsertRow(connection_, "sampled_code", launch_, StoreCode(connection_, code));
    codes_[code.function] = connection_.LastRowId();
  }

  void Store(const PcSample& row) {
    if (!codes_.contains(row.function)) Store(MachineCode{row.function, {}, {}});
    const auto [reason, is_new] = reasons_.try_emplace(row.reason, 0);
    if (is_new) reason->second = RowWith(connection_, "sample_reason", row.reason).id;
    InsertRow(connection_, "instruction_sample", codes_.at(row.function), row.pc_offset, reason->second, row.samples,
              row.not_issued);
  }

 private:
  Connection& connection_;
  LaunchId launch_;
  std::map<std::string, std::int64_t> codes_;    // by function: sampled_code.id
  std::map<std::string, std::int64_t> reasons_;  // by name
};

// A run's source quotes. Reads each file once, however many codes come from it.
class RunQuotes {
 public:
  RunQuotes(Connection& connection, RunId run) : connection_(connection), run_(run) {}

  // All launches of a run have the same build, so the first quote of a line is kept.
  void Store(const MachineCode& code) {
    for (const SourceQuote& quote : code.quotes) {
      if (Of(quote.at.file).try_emplace(quote.at.line, quote.text).second)
        InsertRow(connection_, "source_text", run_, quote.at.file, quote.at.line, quote.text);
    }
  }

  // Loads quotes of the files that the code comes from.
  void Load(MachineCode& code) {
    std::set<std::string> files;
    for (const MachineInstruction& instruction : code.instructions)
      for (const SourceFrame& frame : instruction.frames) files.insert(frame.file);
    for (const std::string& file : files)
      for (const auto& [line, text] : Of(file)) code.quotes.push_back({{file, line}, text});
  }

 private:
  using Lines = std::map<int, std::string>;

  Lines& Of(const std::string& file) {
    const auto [known, is_new] = files_.try_emplace(file);
    if (!is_new) return known->second;
    Lease row = connection_.Prepared("SELECT source_line, text FROM source_text WHERE run_id = ? AND source_file = ?");
    row.Bind(run_, file);
    while (row.Step()) known->second.emplace(row.Int(0, RangeOf("source_text", "source_line")), row.Text(1));
    return known->second;
  }

  Connection& connection_;
  RunId run_;
  std::map<std::string, Lines> files_;
};

void LoadRows(Connection& connection, std::int64_t sampled_code, const std::string& function,
              std::vector<PcSample>& rows) {
  Lease row = connection.Prepared(
      "SELECT pc_offset, name, samples, not_issued FROM instruction_sample CROSS JOIN sample_reason ON "
      "sample_reason.id = sample_reason_id WHERE sampled_code_id = ? ORDER BY pc_offset, name");
  row.Bind(sampled_code);
  while (row.Step()) {
    rows.push_back({function, row.Integer(0, RangeOf("instruction_sample", "pc_offset")), row.Text(1),
                    row.Integer(2, RangeOf("instruction_sample", "samples")),
                    row.Integer(3, RangeOf("instruction_sample", "not_issued"))});
    if (rows.back().not_issued > rows.back().samples)
      throw Error(
          fmt::format("the database has {} samples of {} at {:#x} without an issue, of {}: record the run again",
                      rows.back().not_issued, function, rows.back().pc_offset, rows.back().samples));
  }
}

}  // namespace

void Database::StoreSampling(LaunchId launch, const SamplingRecord& sampling) {
  const std::vector<const PcSample*> rows = CheckedRows(sampling);
  impl_->WriteOf(launch, "store the samples of instructions", [&](Connection& connection) {
    // Keeps code without launches, like every shared row: the next recording will reuse it.
    connection.Prepared("DELETE FROM sampling WHERE launch_id = ?").Bind(launch).Run();
    connection.Prepared("DELETE FROM sampled_code WHERE launch_id = ?").Bind(launch).Run();
    InsertRow(connection, "sampling", launch, Fields(sampling));
    Storing storing(connection, launch);
    RunQuotes quotes(connection, RunOf(connection, launch));
    for (const MachineCode& code : sampling.code) {
      storing.Store(code);
      quotes.Store(code);
    }
    for (const PcSample* row : rows) storing.Store(*row);
  });
}

std::optional<SamplingRecord> Database::Sampling(LaunchId launch) const {
  const RunId run = RunOf(impl_->connection, launch);
  const auto read = [&](Connection& connection) -> std::optional<SamplingRecord> {
    SamplingRecord sampling;
    {
      Lease row = connection.Prepared(SelectText("sampling") + " WHERE launch_id = ?");
      if (!row.Bind(launch).Step()) return std::nullopt;
      row.Read(sampling);
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> codes;  // sampled_code.id, code.id
    {
      Lease row = connection.Prepared(
          "SELECT sampled_code.id, code_id FROM sampled_code LEFT JOIN code ON code.id = code_id WHERE launch_id = ? "
          "ORDER BY function, digest, listing");
      row.Bind(launch);
      while (row.Step()) codes.emplace_back(row.Integer(0), row.Integer(1));
    }
    RunQuotes quotes(connection, run);
    for (const auto& [sampled_code, code_id] : codes) {
      MachineCode code = LoadCode(connection, code_id);
      LoadRows(connection, sampled_code, code.function, sampling.rows);
      quotes.Load(code);
      if (!code.digest.empty() || !code.instructions.empty()) sampling.code.push_back(std::move(code));
    }
    return sampling;
  };
  return impl_->Read(run, "read the samples of instructions", read);
}

}  // namespace culprit
