// SPDX-License-Identifier: Apache-2.0
#include "analysis/bank_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/bank_layout.h"
#include "analysis/bank_map.h"

namespace culprit {
namespace {

Cell Count(double value) { return Number{value, Unit::kCount}; }
Cell Bytes(double value) { return Number{value, Unit::kInteger}; }
Cell None() { return Number{Measured::Missing(Absence::kUndefined), Unit::kCount}; }

std::string Wavefronts(int n) { return fmt::format("{} wavefront{}", n, n == 1 ? "" : "s"); }

// For programs: the drawing shows people the same.
ReportTable LaneTable(const SharedAccess& access, const BankCost& cost) {
  ReportTable table{
      "lanes",
      "",
      {{"lane", "Lane"}, {"address", "Address"}, {"bank", "Bank"}, {"group", "Group"}, {"wavefront", "Wavefront"}},
      {},
      {},
      0};
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const std::int64_t address = access.address[lane];
    if (address == kInactiveLane) continue;
    table.rows.push_back({Bytes(lane), Bytes(static_cast<double>(address)), Bytes(BankOf(address)),
                          Bytes(cost.group_of_lane[lane]), Bytes(cost.wavefront_of_lane[lane])});
  }
  return table;
}

Section AccessSection(const SharedAccess& access) {
  const BankCost cost = Model(access);
  std::string rows = access.row_bytes > 0 ? fmt::format(", rows of {} bytes", access.row_bytes) : "";
  Section section;
  section.key = "accesses";
  section.repeated = true;
  section.title = fmt::format("{}: {} of {} bytes per lane{}", access.name, OpName(access.op), access.lane_bytes, rows);
  section.facts = {{"name", "", access.name},
                   {"array", "", access.array},
                   {"op", "", std::string(OpName(access.op))},
                   {"lane_bytes", "", Bytes(access.lane_bytes)},
                   {"row_bytes", "", Bytes(access.row_bytes)},
                   {"wavefronts", "wavefronts", Count(cost.wavefronts)},
                   {"ideal", "ideal", Count(cost.ideal)},
                   {"excess", "excess", Count(cost.excess())},
                   {"least", "", Count(cost.least)},
                   {"hardware_wavefronts", "", Count(cost.hardware)}};
  if (cost.excess() != cost.conflicts())
    section.notes.push_back(fmt::format(
        "Ideal is what the bytes of the active lanes would fill; the groups in which lanes are served need {} whatever "
        "the layout.",
        Wavefronts(cost.least)));
  if (cost.hardware != cost.wavefronts)
    section.notes.push_back(fmt::format(
        "These are the numbers of the SASS metric, which works on the addresses; the hardware's own counter "
        "says {}.",
        Wavefronts(cost.hardware)));
  section.drawings = {DrawBanks(access, cost)};
  section.tables = {LaneTable(access, cost)};
  return section;
}

std::string PaddingText(const LayoutProposals& proposals, int row_bytes) {
  if (row_bytes == 0) return "not tried: the array's rows are not known (a pattern's --row-bytes)";
  if (!proposals.padding) return fmt::format("none of less than {} bytes per row helps", kWavefrontBytes);
  const auto& [padding, cost] = *proposals.padding;
  const std::string what =
      fmt::format("{} bytes per row, so rows of {} bytes", padding.bytes, row_bytes + padding.bytes);
  if (cost.conflicts() == 0) return what + ": no conflict";
  return fmt::format("none avoids every conflict; the best, {}, leaves {} too many", what,
                     Wavefronts(cost.conflicts()));
}

std::string SwizzleText(const LayoutProposals& proposals) {
  if (!proposals.swizzle) return "none helps that keeps the bytes of a lane together";
  const auto& [swizzle, cost, moved] = *proposals.swizzle;
  if (cost.conflicts() == 0) return swizzle.Expression() + ": no conflict, no extra memory";
  return fmt::format("none avoids every conflict; the best, {}, leaves {} too many", swizzle.Expression(),
                     Wavefronts(cost.conflicts()));
}

void AddSwizzleNotes(const LayoutProposals::Swizzled& swizzled, int row_bytes, Section& section) {
  const Swizzle& s = swizzled.swizzle;
  section.notes.push_back(fmt::format(
      "offset: the byte offset into the array, the same at every store and load. In CuTe's words {} on bytes, "
      "{} on floats, {} on halves.",
      s.Name(), Swizzle{s.bits, s.base - 2, s.shift}.Name(), Swizzle{s.bits, s.base - 1, s.shift}.Name()));
  if (row_bytes == 0 || row_bytes % s.Block() != 0)
    section.notes.push_back(
        fmt::format("The swizzle permutes blocks of {} bytes: the array must have a multiple of that.", s.Block()));
  if (swizzled.moved_conflicts && *swizzled.moved_conflicts > swizzled.cost.conflicts())
    section.notes.push_back(
        fmt::format("Moved down by 1 to {} rows, the accesses take up to {} too many with this swizzle: check it with "
                    "the addresses of other iterations.",
                    kRowsTried, Wavefronts(*swizzled.moved_conflicts)));
}

Section ArraySection(const std::string& array, const std::vector<SharedAccess>& accesses) {
  const LayoutProposals proposals = ProposeLayouts(accesses);
  const int row_bytes = accesses.front().row_bytes;
  const auto& [now, padding, swizzle] = proposals;
  Section section;
  section.key = "arrays";
  section.repeated = true;
  section.title = fmt::format("Layout of {}", array);
  section.facts = {{"array", "", array},
                   {"row_bytes", "", Bytes(row_bytes)},
                   {"conflicts", "", Count(now.conflicts())},
                   {"padding_bytes", "", padding ? Bytes(padding->padding.bytes) : None()},
                   {"padded_conflicts", "", padding ? Count(padding->cost.conflicts()) : None()},
                   {"swizzle_bits", "", swizzle ? Bytes(swizzle->swizzle.bits) : None()},
                   {"swizzle_base", "", swizzle ? Bytes(swizzle->swizzle.base) : None()},
                   {"swizzle_shift", "", swizzle ? Bytes(swizzle->swizzle.shift) : None()},
                   {"swizzle_expression", "", swizzle ? Cell(swizzle->swizzle.Expression()) : None()},
                   {"swizzled_conflicts", "", swizzle ? Count(swizzle->cost.conflicts()) : None()},
                   {"swizzled_conflicts_rows_down", "",
                    swizzle && swizzle->moved_conflicts ? Count(*swizzle->moved_conflicts) : None()}};
  if (now.conflicts() == 0) {
    section.notes.push_back("No bank conflict: neither a padding nor a swizzle is needed.");
    return section;
  }
  section.facts.push_back({"padding", "padding", PaddingText(proposals, row_bytes)});
  section.facts.push_back({"swizzle", "swizzle", SwizzleText(proposals)});
  ReportTable table{
      "costs",
      "",
      {{"access", "Wavefronts of"}, {"least", "least"}, {"now", "now"}, {"padded", "padded"}, {"swizzled", "swizzled"}},
      {},
      {}};
  for (std::size_t i = 0; i < accesses.size(); ++i)
    table.rows.push_back({accesses[i].name, Count(now.accesses[i].least), Count(now.accesses[i].wavefronts),
                          padding ? Count(padding->cost.accesses[i].wavefronts) : None(),
                          swizzle ? Count(swizzle->cost.accesses[i].wavefronts) : None()});
  section.tables.push_back(std::move(table));
  if (swizzle) AddSwizzleNotes(*swizzle, row_bytes, section);
  return section;
}

// NULL is a number that makes no sense there.
Measured Real(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return Measured::Missing(Absence::kUndefined);
}

}  // namespace

std::string_view OpName(SharedOp op) {
  switch (op) {
    case SharedOp::kLoad:
      return "ld";
    case SharedOp::kStore:
      return "st";
    case SharedOp::kLoadMatrix:
      return "ldmatrix";
    case SharedOp::kStoreMatrix:
      return "stmatrix";
  }
  return "";
}

void AddBankSections(std::span<const SharedAccess> accesses, std::string_view only, Report& report) {
  std::vector<std::string> arrays;
  for (const SharedAccess& access : accesses) {
    if (!only.empty() && access.name != only) continue;
    report.sections.push_back(AccessSection(access));
    if (std::find(arrays.begin(), arrays.end(), access.array) == arrays.end()) arrays.push_back(access.array);
  }
  for (const std::string& array : arrays) {
    std::vector<SharedAccess> of_array;
    std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(of_array),
                 [&](const SharedAccess& access) { return access.array == array; });
    report.sections.push_back(ArraySection(array, of_array));
  }
}

std::string_view MeasuredWavefrontsSql() {
  return "SELECT CASE WHEN source_line > 0 THEN source_file || ':' || source_line ELSE function END, op, width_bits, "
         "count(*), sum(executed), wavefronts_per_request, sum(wavefronts_ideal) / sum(executed) "
         "FROM shared_instruction WHERE launch_id = :launch AND wavefronts > 0 "
         "GROUP BY 1, op, width_bits, wavefronts_per_request ORDER BY min(function), min(pc_offset)";
}

void AddMeasuredWavefronts(const Table& rows, Report& report) {
  ReportTable table{"instructions",
                    "",
                    {{"source", "Source"},
                     {"op", "Kind"},
                     {"width_bits", "Bits"},
                     {"instructions", "Instructions"},
                     {"executed", "Executed"},
                     {"wavefronts_per_request", "Wavefronts each"},
                     {"ideal_per_request", "Ideal each"}},
                    {},
                    {}};
  for (const auto& row : rows.rows)
    table.rows.push_back({std::get<std::string>(row[0]), std::get<std::string>(row[1]),
                          Number{Real(row[2]), Unit::kInteger}, Number{Real(row[3]), Unit::kCount},
                          Number{Real(row[4]), Unit::kCount}, Number{Real(row[5]), Unit::kRatio},
                          Number{Real(row[6]), Unit::kRatio}});
  Section section{"measured", "Measured", {}, {}, {}, {}};
  if (table.rows.empty()) {
    table.shown = 0;
    section.notes.push_back(
        "No instruction of this launch was counted by itself: 'gemm_bench --profile=full' does it.");
  } else {
    section.notes.push_back("Exact counts of all warps and iterations of the launch; the maps above are of one warp.");
  }
  section.tables.push_back(std::move(table));
  report.sections.push_back(std::move(section));
}

}  // namespace culprit
