// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/bank_map.h"

#include <fmt/core.h>

#include <map>

namespace culprit {
namespace {

constexpr int kBankColumns = 3;  // characters: a lane of two digits and a gap
constexpr int kLabelColumns = 18;

// The lanes whose bytes begin at a bank in one wavefront: they all want the same.
using Cells = std::map<int, std::vector<int>>;

// A word of one bank has no room for more than one lane: "7+" is lane 7 and others.
std::string NarrowCell(const std::vector<int>& lanes) {
  return fmt::format("{:>2}{}", lanes.front(), lanes.size() > 1 ? '+' : ' ');
}

// "|0,2,4,6   " over the banks that a lane's bytes take.
std::string WideCell(const std::vector<int>& lanes, std::size_t columns) {
  std::string text = "|" + LaneRanges(lanes);
  if (text.size() > columns) {
    while (text.size() + 1 > columns) text.resize(text.find_last_of(",-"));
    text += '+';
  }
  text.resize(columns, ' ');
  return text;
}

std::vector<Span> Line(const Cells& cells, int lane_bytes) {
  const int banks = lane_bytes / kBankBytes;
  std::vector<Span> line;
  for (int bank = 0; bank < kBanks; bank += banks) {
    const auto cell = cells.find(bank);
    if (cell == cells.end()) {
      for (int i = 0; i < banks; ++i) line.push_back({" . "});
    } else {
      const auto& lanes = cell->second;
      line.push_back({banks == 1 ? NarrowCell(lanes) : WideCell(lanes, static_cast<std::size_t>(banks * kBankColumns)),
                      lanes.front() / 4});
    }
  }
  return line;
}

std::vector<Span> Head() {
  std::string banks = fmt::format("{:<{}}", "wavefront  lanes", kLabelColumns);
  for (int bank = 0; bank < kBanks; ++bank) banks += fmt::format("{:>2} ", bank);
  banks.pop_back();
  return {{banks}};
}

}  // namespace

std::string LaneRanges(const std::vector<int>& lanes) {
  std::string text;
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t last = i;
    while (last + 1 < lanes.size() && lanes[last + 1] == lanes[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(lanes[i]);
    if (last > i) text += (last == i + 1 ? "," : "-") + std::to_string(lanes[last]);
    i = last + 1;
  }
  return text;
}

Drawing DrawBanks(const SharedAccess& access, const BankCost& cost) {
  std::vector<Cells> cells(cost.wavefronts);
  std::vector<int> group_of_wavefront(cost.wavefronts);
  std::map<int, std::pair<int, int>> lanes_of_group;  // first and last
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const int wavefront = cost.wavefront_of_lane[lane], group = cost.group_of_lane[lane];
    if (wavefront < 0) continue;
    cells[wavefront][BankOf(access.address[lane])].push_back(lane);
    group_of_wavefront[wavefront] = group;
    lanes_of_group.try_emplace(group, lane, lane).first->second.second = lane;
  }
  Drawing drawing{{Head()}, kLabelColumns, kBankColumns * kBanks / 2};
  for (int wavefront = 0; wavefront < cost.wavefronts; ++wavefront) {
    const int group = group_of_wavefront[wavefront];
    const bool conflict = wavefront > 0 && group_of_wavefront[wavefront - 1] == group;
    const auto& [first, last] = lanes_of_group.at(group);
    std::vector<Span> line = {
        {fmt::format("{} {:<9}{:<{}}", conflict ? '!' : ' ', wavefront,
                     first == last ? std::to_string(first) : fmt::format("{}-{}", first, last), kLabelColumns - 11)}};
    for (Span& span : Line(cells[wavefront], access.lane_bytes)) line.push_back(std::move(span));
    std::string& end = line.back().text;
    end.erase(end.find_last_not_of(' ') + 1);
    drawing.lines.push_back(std::move(line));
  }
  return drawing;
}

}  // namespace culprit
