// SPDX-License-Identifier: Apache-2.0
// Barriers in loops, which warps meet in every trip.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/judge/advice/kinds.h"
#include "analysis/number/format.h"
#include "analysis/number/line_ranges.h"

namespace culprit::advice {
namespace {

// The waiting at each barrier.
std::map<int, double> WaitedAtBarriers(const AdviceCode& code) {
  std::map<int, double> waited;
  for (int i = 0; i < code.Size(); ++i)
    if (code.At(i).mnemonic == "BAR" && code.MetUs(i) > 0) waited[i] = code.MetUs(i);
  return waited;
}

// The time that is blamed on the barriers themselves.
double OwnUs(const AdviceCode& code, const std::vector<int>& bars) {
  double us = 0;
  for (const int bar : bars) us += code.BlamedUs(bar);
  return us;
}

// The lines at which warps that wait at these barriers are sampled: " (:31)", with the file if it is another one.
std::string LinesBehind(const AdviceCode& code, const std::vector<int>& bars) {
  std::vector<SourceFrame> behind;
  for (const int bar : bars) {
    if (bar + 1 == code.Size() || code.LineOf(bar + 1).line == 0) continue;
    behind.push_back(code.LineOf(bar + 1));
    if (behind.back().file == code.LineOf(bar).file) behind.back().file.clear();
  }
  return behind.empty() ? "" : fmt::format(" ({})", ToText(RangesOf(behind)));
}

}  // namespace

std::vector<Advice> Barriers(const AdviceCode& code) {
  std::map<int, std::vector<int>> by_loop;
  for (int i = 0; i < code.Size(); ++i)
    if (code.At(i).mnemonic == "BAR" && code.LoopOf(i) >= 0) by_loop[code.LoopOf(i)].push_back(i);
  if (by_loop.empty()) return {};
  const std::map<int, double> waited = WaitedAtBarriers(code);
  std::vector<Advice> all;
  for (const auto& [loop, bars] : by_loop) {
    Advice advice = code.About(bars);
    std::map<int, double> by_line;
    advice.waited_us = 0;
    for (const int bar : bars) {
      const auto found = waited.find(bar);
      const double us = found == waited.end() ? 0 : found->second;
      advice.waited_us += us;
      by_line[code.LineOf(bar).line] += us;
    }
    const auto most = std::ranges::max_element(by_line, {}, [](const auto& of) { return of.second; });
    advice.at = {code.LineOf(bars.front()).file, most->first};
    advice.also_lines.clear();
    for (const auto& [line, us] : by_line)
      if (line != most->first && line > 0) advice.also_lines.push_back(line);

    bool writes = false, reads = false;
    std::vector<int> writers;
    for (const int i : code.InstructionsOf(loop)) {
      switch (code.OperationAt(i)) {
        case Operation::kSharedStore:
        case Operation::kSharedAtomic:
        case Operation::kGlobalStore:
        case Operation::kGlobalAtomic:
        case Operation::kGenericStore:
        case Operation::kAsyncCopy:
          writes = true;
          break;
        case Operation::kSharedLoad:
        case Operation::kGlobalLoad:
        case Operation::kGenericLoad:
          reads = true;
          break;
        default:
          break;
      }
    }
    const BlockShape& block = code.question().block;
    const int threads = block.x * block.y * block.z;
    advice.finding = fmt::format(
        "all warps of the block meet in every trip of the loop; until the last one comes they wait {}{}, seen at the "
        "next instruction{}",
        Format(advice.waited_us, Unit::kTimeUs), bars.size() == 1 ? "" : " in all", LinesBehind(code, bars));
    if (advice.waited_us > 2 * OwnUs(code, bars))
      advice.finding += "; more than half of that is the cost of the lines that make warps late";
    if (!writes) {
      advice.finding += reads ? "; nothing in the loop writes memory that others read"
                              : "; nothing in the loop goes through memory that they share";
      advice.action = "take the barrier out of the loop";
      if (code.At(bars.front()).opcode.find(".RED") != std::string::npos) continue;
    } else if (threads > 0 && threads <= kWarpLanes) {
      advice.action = "a block of one warp needs no barrier: use __syncwarp()";
    } else if (bars.size() > 1) {
      advice.certain = false;
      advice.action =
          "one barrier a step may be enough where steps alternate between two buffers in shared memory; or let each "
          "step do more work";
    } else {
      advice.certain = false;
      advice.action =
          "more work between two barriers (several steps or a larger tile a trip) may hide them; where only the lanes "
          "of one warp exchange data, use __syncwarp()";
    }
    all.push_back(std::move(advice));
  }
  return all;
}

std::vector<ShownCode> MetBarriers(const AdviceCode& code) {
  std::vector<ShownCode> all;
  const std::map<int, double> waited = WaitedAtBarriers(code);
  std::map<std::tuple<std::string, int, int>, std::vector<int>> by_place;  // by line and loop
  for (const auto& [bar, us] : waited)
    by_place[{code.LineOf(bar).file, code.LineOf(bar).line, code.LoopOf(bar)}].push_back(bar);
  for (const auto& [place, bars] : by_place) {
    const auto& [file, line, loop] = place;
    ShownCode shown{"barrier", {file, line}};
    for (const int bar : bars) shown.us += waited.at(bar);
    shown.text = loop < 0 ? fmt::format("{} BAR outside of loops", bars.size()) : code.Describe(bars);
    if (const int depth = loop < 0 ? 0 : code.graph().loops[static_cast<std::size_t>(loop)].depth; depth > 1)
      shown.text += fmt::format(", which lies in {} other{}", depth - 1, depth == 2 ? "" : "s");
    all.push_back(std::move(shown));
  }
  return all;
}

}  // namespace culprit::advice
