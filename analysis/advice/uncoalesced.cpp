// SPDX-License-Identifier: Apache-2.0
// Accesses to global memory whose lanes meet many more sectors than would hold what they ask for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/advice/kinds.h"
#include "analysis/advice/strides.h"

namespace culprit::advice {
namespace {

// Twice what would do: a warp whose first address is no multiple of a sector meets one more and no more.
constexpr double kScattered = 2;

struct Met {
  double met = 0, needed = 0;
  bool certain = false;
  bool IsScattered() const { return needed > 0 && met >= kScattered * needed && met >= needed + 2; }
};

// Of one execution.
Met SectorsMet(const AdviceCode& code, int i, int lanes) {
  const auto met = code.Each(i, "sass_global_sectors"), needed = code.Each(i, "sass_global_sectors_ideal");
  if (met && needed) return {*met, *needed, true};
  const LaneValue& address = code.AddressAt(i);
  if (!address.IsKnown() || address.IsShared()) return {};
  Sectors sectors = SectorsOf(address, code.At(i).access_bytes, lanes);
  // Lanes as far apart as a number that only the launch knows: a sector each, unless it is a small one.
  if (address.scaled) sectors.met = std::max(sectors.met, lanes);
  return {static_cast<double>(sectors.met), static_cast<double>(sectors.needed),
          !address.scaled && !code.At(i).guarded};
}

std::string Finding(const AdviceCode& code, int i, int lanes) {
  const Met sectors = SectorsMet(code, i, lanes);
  return fmt::format("{}: a warp's access {} {:.3g} sectors of 32 bytes where {:.3g} would hold what it asks for",
                     StrideText(code.AddressAt(i), lanes), sectors.certain ? "meets" : "may meet", sectors.met,
                     sectors.needed);
}

}  // namespace

std::vector<Advice> Uncoalesced(const AdviceCode& code) {
  const BlockShape& block = code.question().block;
  const int threads = block.x * block.y * block.z;
  const int lanes = threads > 0 ? std::min(threads, kWarpLanes) : kWarpLanes;
  // Accesses of one kind, on whichever lines, are one piece of advice.
  std::map<std::pair<std::string, std::string>, std::vector<int>> by_finding;
  for (int i = 0; i < code.Size(); ++i) {
    const Operation operation = code.OperationAt(i);
    if (operation != Operation::kGlobalLoad && operation != Operation::kGlobalStore) continue;
    if (code.At(i).access_bytes == 0 || !SectorsMet(code, i, lanes).IsScattered()) continue;
    by_finding[{code.LineOf(i).file, Finding(code, i, lanes)}].push_back(i);
  }
  std::vector<Advice> all;
  for (const auto& [finding, accesses] : by_finding) {
    Advice advice = code.About("uncoalesced", accesses);
    const int heaviest = *std::ranges::max_element(accesses, {}, [&](int i) { return code.BlamedUs(i); });
    const LaneValue& address = code.AddressAt(heaviest);
    advice.certain = SectorsMet(code, heaviest, lanes).certain;
    advice.finding = finding.second;
    if (!address.IsKnown()) {
      advice.certain = false;
      advice.action =
          "where the algorithm allows it, let neighbouring lanes take neighbouring elements (sort the indices, or lay "
          "out together what is asked for together)";
    } else if (address.scaled) {
      advice.action =
          "let neighbouring lanes walk along a row: exchange the roles of the thread's axes, or bring a tile through "
          "shared memory";
    } else {
      advice.action =
          "let neighbouring lanes take neighbouring elements: each field in an array of its own, or a tile through "
          "shared "
          "memory";
    }
    all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace culprit::advice
