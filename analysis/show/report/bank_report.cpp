// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/bank_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "analysis/banks/bank_layout.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/bank_map.h"

namespace culprit {
namespace {

using enum Unit;

Cell Count(double value) { return {value, kCount}; }
Cell Bytes(double value) { return {value, kInteger}; }
Cell None() { return {Measured::Missing(Absence::kUndefined), kCount}; }

std::string Wavefronts(int n) { return fmt::format("{} wavefront{}", n, n == 1 ? "" : "s"); }

std::vector<int> ActiveLanes(const SharedAccess& access) {
  std::vector<int> lanes;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    if (access.address[lane] != kInactiveLane) lanes.push_back(lane);
  return lanes;
}

// For programs: the drawing shows people the same.
ReportTable LaneTable(const SharedAccess& access, const BankCost& cost) {
  return ForPrograms<int>("lanes", ActiveLanes(access),
                          {{"lane", kInteger, std::identity()},
                           {"address", kInteger, [&](int lane) { return access.address[lane]; }},
                           {"bank", kInteger, [&](int lane) { return BankOf(access.address[lane]); }},
                           {"group", kInteger, [&](int lane) { return cost.group_of_lane[lane]; }},
                           {"wavefront", kInteger, [&](int lane) { return cost.wavefront_of_lane[lane]; }}});
}

// The same as a picture.
Chart BankChart(const SharedAccess& access, const BankCost& cost, std::string section) {
  const int bytes = IsMatrix(access.op) ? 16 : access.lane_bytes;
  ReportTable table =
      Tabulate<int>("", "", ActiveLanes(access),
                    {{"name", "Lane", [](int lane) { return fmt::format("lane {}", lane); }},
                     {"lane", kInteger, std::identity()},
                     {"address", "Address", kInteger, [&](int lane) { return access.address[lane]; }},
                     {"bank", "First bank", kInteger, [&](int lane) { return BankOf(access.address[lane]); }},
                     {"banks", "Banks", kInteger, [&](int) { return std::max(1, bytes / kBankBytes); }},
                     {"group", kInteger, [&](int lane) { return cost.group_of_lane[lane]; }},
                     {"wavefront", "Wavefront", kInteger, [&](int lane) { return cost.wavefront_of_lane[lane]; }}});
  return {.kind = ChartKind::kBankMap,
          .title = "Which lane meets which bank, and when",
          .text = fmt::format(
              "A box is a lane in the banks that it wants, a row is one wavefront: what memory does at once. These {} "
              "take {} instead of {}.",
              table.rows.size() == 1 ? "bytes of 1 lane" : fmt::format("bytes of {} lanes", table.rows.size()),
              Wavefronts(cost.wavefronts), cost.least),
          .section = std::move(section),
          .data = std::move(table)};
}

Section AccessSection(const SharedAccess& access, std::vector<Chart>& charts) {
  const BankCost cost = Model(access);
  std::string rows = access.row_bytes > 0 ? fmt::format(", rows of {} bytes", access.row_bytes) : "";
  Section section{.key = "accesses", .repeated = true};
  section.title = fmt::format("{}: {} of {} bytes per lane{}", access.name, OpName(access.op), access.lane_bytes, rows);
  section.facts = {{"name", "", access.name},
                   {"array", "", access.array},
                   {"op", "", OpName(access.op)},
                   {"lane_bytes", "", Bytes(access.lane_bytes)},
                   {"row_bytes", "", Bytes(access.row_bytes)},
                   {"wavefronts", "wavefronts", Count(cost.wavefronts)},
                   {"ideal", "ideal", Count(cost.ideal)},
                   {"excess", "excess", Count(cost.excess())},
                   {"least", "", Count(cost.least)},
                   {"sass_wavefronts", "", Count(cost.sass_wavefronts)}};
  if (cost.excess() != cost.conflicts())
    section.notes.push_back(
        fmt::format("Ideal is what the bytes of the active lanes would fill; the groups in which lanes are served need "
                    "{} whatever the layout.",
                    Wavefronts(cost.least)));
  if (cost.sass_wavefronts != cost.wavefronts)
    section.notes.push_back(
        fmt::format("This is what the hardware does; the SASS metric, which works on the addresses and to which ideal "
                    "and excess belong, will say {}.",
                    Wavefronts(cost.sass_wavefronts)));
  section.drawings = {DrawBanks(access, cost)};
  charts.push_back(BankChart(access, cost, section.title));
  section.tables = {LaneTable(access, cost)};
  return section;
}

std::string PaddingText(const LayoutProposals& proposals, int row_bytes) {
  if (row_bytes == 0) return "not tried: the array's rows are not known (a pattern's --row-bytes)";
  if (!proposals.padding) return fmt::format("none of less than {} bytes per row helps", kWavefrontBytes);
  const auto& [padding, cost] = *proposals.padding;
  const std::string what = fmt::format("{} bytes {}per row, so rows of {} bytes", std::abs(padding.bytes),
                                       padding.bytes < 0 ? "fewer " : "", row_bytes + padding.bytes);
  if (cost.conflicts() == 0) return what + ": no conflict";
  return fmt::format("none avoids every conflict; the best, {}, leaves {} too many", what,
                     Wavefronts(cost.conflicts()));
}

std::string SwizzleText(const LayoutProposals& proposals, int row_bytes) {
  if (!proposals.swizzle) return "none helps that keeps the bytes of a lane together";
  const auto& [swizzle, rows, cost, moved] = *proposals.swizzle;
  const std::string what =
      swizzle.Expression() + (rows == row_bytes ? "" : fmt::format(" of rows of {} bytes, without padding", rows));
  if (cost.conflicts() == 0) return what + ": no conflict, no extra memory";
  return fmt::format("none avoids every conflict; the best, {}, leaves {} too many", what,
                     Wavefronts(cost.conflicts()));
}

void AddSwizzleNotes(const LayoutProposals::Swizzled& swizzled, Section& section) {
  const Swizzle& s = swizzled.swizzle;
  section.notes.push_back(
      fmt::format("offset: the byte offset into the array, the same at every store and load. In CuTe's words {} on "
                  "bytes, {} on floats, {} on halves.",
                  s.Name(), Swizzle{s.bits, s.base - 2, s.shift}.Name(), Swizzle{s.bits, s.base - 1, s.shift}.Name()));
  if (swizzled.row_bytes == 0 || swizzled.row_bytes % s.Block() != 0)
    section.notes.push_back(
        fmt::format("The swizzle permutes blocks of {} bytes: the array must have a multiple of that.", s.Block()));
  if (swizzled.moved_conflicts && *swizzled.moved_conflicts > swizzled.cost.conflicts())
    section.notes.push_back(
        fmt::format("Moved down by 1 to {} rows, the accesses take up to {} too many with this swizzle: check it with "
                    "the addresses of other iterations.",
                    kRowsTried, Wavefronts(*swizzled.moved_conflicts)));
}

// A stage need not state all that it does.
std::string_view StatedOnly(const std::vector<SharedAccess>& accesses) {
  const auto stores = std::ranges::count_if(accesses, [](const SharedAccess& access) {
    return access.op == SharedOp::kStore || access.op == SharedOp::kStoreMatrix;
  });
  if (stores == 0) return " (loads only)";
  return stores == std::ssize(accesses) ? " (stores only)" : "";
}

Section ArraySection(const std::string& array, const std::vector<SharedAccess>& accesses,
                     const std::vector<double>& executed) {
  const LayoutProposals proposals = ProposeLayouts(accesses, executed);
  const int row_bytes = accesses.front().row_bytes;
  const auto& [now, data_bytes, padding, swizzle] = proposals;
  Section section{.key = "arrays", .title = fmt::format("Layout of {}", array), .repeated = true};
  section.facts = {{"array", "", array},
                   {"row_bytes", "", Bytes(row_bytes)},
                   {"conflicts", "", Count(now.conflicts())},
                   {"padding_bytes", "", padding ? Bytes(padding->padding.bytes) : None()},
                   {"padded_conflicts", "", padding ? Count(padding->cost.conflicts()) : None()},
                   {"swizzled_row_bytes", "", swizzle ? Bytes(swizzle->row_bytes) : None()},
                   {"swizzle_bits", "", swizzle ? Bytes(swizzle->swizzle.bits) : None()},
                   {"swizzle_base", "", swizzle ? Bytes(swizzle->swizzle.base) : None()},
                   {"swizzle_shift", "", swizzle ? Bytes(swizzle->swizzle.shift) : None()},
                   {"swizzle_expression", "", swizzle ? Cell(swizzle->swizzle.Expression()) : None()},
                   {"swizzled_conflicts", "", swizzle ? Count(swizzle->cost.conflicts()) : None()},
                   {"swizzled_conflicts_rows_down", "",
                    swizzle && swizzle->moved_conflicts ? Count(*swizzle->moved_conflicts) : None()}};
  if (now.conflicts() == 0) {
    section.notes.push_back(fmt::format(
        "No bank conflict of the stated accesses{}: they need neither a padding nor a swizzle.", StatedOnly(accesses)));
    return section;
  }
  section.facts.push_back({"padding", "padding", PaddingText(proposals, row_bytes)});
  section.facts.push_back({"swizzle", "swizzle", SwizzleText(proposals, row_bytes)});
  ReportTable table{"costs",
                    "",
                    {{"access", "Wavefronts of"},
                     {"least", "least"},
                     {"now", "now"},
                     {"padded", "padded"},
                     {"swizzled", "swizzled"}}};
  for (std::size_t i = 0; i < accesses.size(); ++i)
    table.rows.push_back({accesses[i].name, Count(now.accesses[i].least), Count(now.accesses[i].wavefronts),
                          padding ? Count(padding->cost.accesses[i].wavefronts) : None(),
                          swizzle ? Count(swizzle->cost.accesses[i].wavefronts) : None()});
  section.tables.push_back(std::move(table));
  if (accesses.size() > 1)
    section.notes.push_back(
        executed.empty()
            ? "Layouts are ranked with each stated access counted once: how often it is executed is not known."
            : "Layouts are ranked with each stated access counted as often as instructions of its kind and cost were "
              "executed; accesses that cannot be told apart share theirs evenly.");
  if ((padding && padding->padding.bytes < 0) || (swizzle && swizzle->row_bytes < row_bytes))
    section.notes.push_back(
        fmt::format("That {} of the {} bytes of a row hold data is read off the stated accesses, which walk whole rows "
                    "of that length; check that no other warp or iteration goes beyond.",
                    *data_bytes, row_bytes));
  if (swizzle) AddSwizzleNotes(*swizzle, section);
  return section;
}

}  // namespace

std::string_view OpName(SharedOp op) { return std::ranges::find(kOpNames, op, &OpWord::op)->word; }

void AddBankSections(std::span<const SharedAccess> accesses, std::string_view only, std::span<const double> executed,
                     Report& report) {
  std::vector<std::string> arrays;
  for (const SharedAccess& access : accesses) {
    if (!only.empty() && access.name != only) continue;
    report.sections.push_back(AccessSection(access, report.charts));
    if (std::ranges::find(arrays, access.array) == arrays.end()) arrays.push_back(access.array);
  }
  for (const std::string& array : arrays) {
    std::vector<SharedAccess> of_array;
    std::vector<double> executions;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      if (accesses[i].array != array) continue;
      of_array.push_back(accesses[i]);
      if (!executed.empty()) executions.push_back(executed[i]);
    }
    if (std::ranges::count(executions, 0) > 0) executions.clear();
    report.sections.push_back(ArraySection(array, of_array, executions));
  }
}

}  // namespace culprit
