// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/bank_measured.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "analysis/banks/bank_model.h"
#include "analysis/number/format.h"
#include "analysis/number/name_in.h"
#include "analysis/show/render/tabulate.h"

namespace culprit {
namespace {

// NULL is a number that makes no sense there.
Measured Real(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return Measured::Missing(Absence::kUndefined);
}

std::string_view InstructionName(SharedOp op) {
  using enum SharedOp;
  return NameIn<SharedOp>({{kLoad, "ld"}, {kStore, "st"}, {kLoadMatrix, "ldsm"}, {kStoreMatrix, "stsm"}}, op);
}

bool HasConflicts(const MeasuredAccess& access) {
  return access.wavefronts && access.ideal && *access.wavefronts > *access.ideal;
}

// The words of banks --op and --bytes for it; empty where the model knows no such access.
std::string Options(const MeasuredAccess& access) {
  if (access.op == "ldsm") return "--op ldmatrix --bytes 16";
  if (access.op == "stsm") return "--op stmatrix --bytes 16";
  if ((access.op != "ld" && access.op != "st") || !access.width_bits || *access.width_bits < 32) return "";
  return fmt::format("--op {} --bytes {:.0f}", access.op, *access.width_bits / 8);
}

// Wavefronts are counted and addresses are not: what a stage that states none has to do for its map.
void AddWayToMap(std::span<const MeasuredAccess> measured, Section& section) {
  section.notes.push_back(
      "Exact counts of all warps and iterations of the launch. This kernel declares no address expression to draw a "
      "map of: describe an access with --pattern.");
  std::vector<const MeasuredAccess*> colliding;
  for (const MeasuredAccess& access : measured)
    if (HasConflicts(access) && !Options(access).empty()) colliding.push_back(&access);
  std::ranges::stable_sort(colliding, std::greater(), [](const MeasuredAccess* access) {
    return (*access->wavefronts - *access->ideal) * access->executed;
  });
  if (std::ranges::none_of(measured, HasConflicts))
    section.notes.push_back("None of them has a bank conflict: each takes as few wavefronts as its bytes need.");
  if (!colliding.empty())
    section.notes.push_back(
        fmt::format("To see the map of {}, where most conflicts are, and a padding for it, describe its address: "
                    "culprit banks {} --row-bytes BYTES --pattern 'C expression of lane'.",
                    colliding.front()->source, Options(*colliding.front())));
}

std::string Kind(const MeasuredAccess& access) {
  return access.width_bits ? fmt::format("{} of {} bits", access.op, *access.width_bits) : access.op;
}

}  // namespace

std::string_view MeasuredWavefrontsSql() {
  return "SELECT CASE WHEN source_line > 0 THEN source_file || ':' || source_line ELSE function END, op, width_bits, "
         "count(*), sum(executed), wavefronts_per_request, sum(wavefronts_ideal) / sum(executed) FROM "
         "shared_instruction WHERE launch_id = :launch AND wavefronts > 0 GROUP BY 1, op, width_bits, "
         "wavefronts_per_request ORDER BY min(function), min(pc_offset)";
}

std::vector<MeasuredAccess> ReadMeasuredAccesses(const Table& rows) {
  std::vector<MeasuredAccess> measured;
  for (const auto& row : rows.rows)
    measured.push_back({std::get<std::string>(row[0]), std::get<std::string>(row[1]), Real(row[2]), *Real(row[3]),
                        *Real(row[4]), Real(row[5]), Real(row[6])});
  return measured;
}

bool Explains(const SharedAccess& stated, const MeasuredAccess& measured) {
  if (measured.op != InstructionName(stated.op)) return false;
  if (!IsMatrix(stated.op) && !(measured.width_bits && *measured.width_bits == 8 * stated.lane_bytes)) return false;
  const BankCost cost = Model(stated);
  return measured.wavefronts && *measured.wavefronts == cost.sass_wavefronts && measured.ideal &&
         *measured.ideal == cost.ideal;
}

std::vector<double> Executions(std::span<const SharedAccess> stated, std::span<const MeasuredAccess> measured) {
  std::vector<double> executed(stated.size(), 0);
  for (const MeasuredAccess& instruction : measured) {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < stated.size(); ++i)
      if (Explains(stated[i], instruction)) candidates.push_back(i);
    for (const std::size_t i : candidates) executed[i] += instruction.executed / static_cast<double>(candidates.size());
  }
  return executed;
}

void AddMeasuredWavefronts(std::span<const MeasuredAccess> measured, std::span<const SharedAccess> stated,
                           Report& report) {
  using Row = MeasuredAccess;
  ReportTable table = Tabulate<Row>("instructions", "", measured,
                                    {{"source", "Source", &Row::source},
                                     {"op", "Kind", &Row::op},
                                     {"width_bits", "Bits", Unit::kInteger, &Row::width_bits},
                                     {"instructions", "Instructions", Unit::kCount, &Row::instructions},
                                     {"executed", "Executed", Unit::kCount, &Row::executed},
                                     {"wavefronts_per_request", "Wavefronts each", Unit::kRatio, &Row::wavefronts},
                                     {"ideal_per_request", "Ideal each", Unit::kRatio, &Row::ideal}});
  std::string unexplained;
  for (const Row& row : measured) {
    if (stated.empty() || !HasConflicts(row) ||
        std::ranges::any_of(stated, [&](const SharedAccess& access) { return Explains(access, row); }))
      continue;
    unexplained += fmt::format("{}{} at {} takes {} where {} is ideal", unexplained.empty() ? "" : ", ", Kind(row),
                               row.source, Format(*row.wavefronts, Unit::kRatio), Format(*row.ideal, Unit::kRatio));
  }
  if (!unexplained.empty())
    report.warnings.push_back("bank conflicts that no stated access explains, in wavefronts: " + unexplained +
                              "; the layouts below are judged without them");
  Section section{"measured", "Measured"};
  if (table.rows.empty()) {
    table.shown = 0;
    section.notes.push_back(
        "No instruction of this launch was counted by itself: a recording with --profile full does it.");
  } else if (stated.empty()) {
    AddWayToMap(measured, section);
  } else {
    section.notes.push_back("Exact counts of all warps and iterations of the launch; the maps above are of one warp.");
  }
  section.tables.push_back(std::move(table));
  report.sections.push_back(std::move(section));
}

}  // namespace culprit
