// SPDX-License-Identifier: Apache-2.0
// Accesses to global memory that touch many more sectors than their bytes need.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/judge/advice/kinds.h"
#include "profiler/code/strides.h"

namespace culprit::advice {
namespace {

// Twice the sectors that the access's bytes need. A misaligned first address adds only one sector.
constexpr double kScattered = 2;

struct Met {
  double met = 0, needed = 0;
  bool certain = false;
  bool IsScattered() const { return needed > 0 && met >= kScattered * needed && met >= needed + 2; }
};

// The sectors per execution.
Met SectorsMet(const AdviceCode& code, int i, int lanes) {
  const auto met = code.Each(i, "sass_global_sectors"), needed = code.Each(i, "sass_global_sectors_ideal");
  if (met && needed) return {*met, *needed, true};
  const LaneValue& address = code.AddressAt(i);
  if (!address.IsKnown() || address.IsShared()) return {};
  Sectors sectors = SectorsOf(address, code.At(i).access_bytes, lanes);
  // The distance between lanes is a multiple of a number that only the launch knows. Each lane touches its own sector,
  // unless the number is small.
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
  const int lanes = code.Lanes();
  const auto find = [&](int i) -> std::optional<std::string> {
    const Operation operation = code.OperationAt(i);
    const bool global = operation == Operation::kGlobalLoad || operation == Operation::kGlobalStore;
    if (!global || code.At(i).access_bytes == 0 || !SectorsMet(code, i, lanes).IsScattered()) return std::nullopt;
    return Finding(code, i, lanes);
  };
  std::vector<Advice> all;
  for (const auto& [finding, accesses] : code.ByFinding(find)) {
    Advice advice = code.About(accesses);
    const int heaviest = code.Heaviest(accesses);
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
