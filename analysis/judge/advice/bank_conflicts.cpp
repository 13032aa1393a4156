// SPDX-License-Identifier: Apache-2.0
// Accesses to shared memory with bank conflicts, and the layouts that the bank model proposes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "analysis/banks/bank_layout.h"
#include "analysis/judge/advice/kinds.h"
#include "db/error.h"
#include "profiler/code/strides.h"

namespace culprit::advice {
namespace {

// An access gets advice if conflicts cause at least this share of its wavefronts.
constexpr double kManyConflicts = 0.25;

std::optional<SharedOp> OpOf(const AdviceCode& code, int i) {
  const std::string& mnemonic = code.At(i).mnemonic;
  if (mnemonic == "LDS") return SharedOp::kLoad;
  if (mnemonic == "STS") return SharedOp::kStore;
  return std::nullopt;  // lanes of matrix operations address rows of several matrices
}

// The access in the form of the bank model. Addresses are relative to the first lane's, because that only moves all
// lanes by the same number of banks.
std::optional<SharedAccess> AccessOf(const AdviceCode& code, int i, int lanes) {
  const LaneValue& address = code.AddressAt(i);
  const auto op = OpOf(code, i);
  const int bytes = code.At(i).access_bytes;
  if (!op || !address.IsKnown() || address.scaled || (bytes != 4 && bytes != 8 && bytes != 16)) return std::nullopt;
  SharedAccess access{.name = fmt::format("{}", i), .array = "array", .op = *op, .lane_bytes = bytes};
  const std::int64_t least = *std::min_element(address.lanes.begin(), address.lanes.begin() + lanes);
  for (int l = 0; l < kWarpLanes; ++l) access.address[l] = l < lanes ? address.lanes[l] - least : kInactiveLane;
  for (int l = 0; l < lanes; ++l)
    if (access.address[l] % bytes != 0) return std::nullopt;
  if (!FitsAnSm(access)) return std::nullopt;
  return access;
}

struct Wavefronts {
  double used = 0, needed = 0;
  bool certain = true;
  bool AreMany() const { return used - needed >= kManyConflicts * used && used - needed >= 0.5; }
};

// The wavefronts per execution. None if no conflict is known.
std::optional<Wavefronts> ConflictOf(const AdviceCode& code, int i, int lanes) {
  std::optional<Wavefronts> modelled;
  if (const auto access = AccessOf(code, i, lanes)) {
    const BankCost cost = Model(*access);
    modelled = Wavefronts{static_cast<double>(cost.wavefronts), static_cast<double>(cost.least)};
    // Even if conflicts were counted, no other layout has fewer.
    if (cost.conflicts() == 0) return std::nullopt;
  }
  const auto used = code.Each(i, "sass_shared_wavefronts"), needed = code.Each(i, "sass_shared_wavefronts_ideal");
  std::optional<Wavefronts> known = modelled;
  // The distance between lanes is a multiple of a number that only the launch knows, so all may lie in one bank.
  if (const LaneValue& address = code.AddressAt(i); address.IsKnown() && address.scaled && !address.IsShared())
    known = Wavefronts{static_cast<double>(lanes), 1, false};
  if (used && needed) known = Wavefronts{*used, *needed};
  // The active lanes of a guarded access are known only if they were counted.
  if (known && code.At(i).guarded && !(used && needed)) known->certain = false;
  return known && known->AreMany() ? known : std::nullopt;
}

std::string Words(int bytes) {
  return bytes % 4 == 0 && bytes > 0 ? fmt::format("{} bytes ({} word{})", bytes, bytes / 4, bytes == 4 ? "" : "s")
                                     : fmt::format("{} bytes", bytes);
}

// The bank model's proposal for rows of so many bytes. Empty if it has none.
std::string Proposal(std::span<const SharedAccess> accesses, std::int64_t row, const std::string& of, bool others) {
  try {
    const LayoutProposals proposals = ProposeLayouts(accesses);
    // Shorter rows would be correct only for these accesses.
    const bool can_pad = proposals.padding && proposals.padding->padding.bytes > 0;
    const bool can_permute = proposals.swizzle && proposals.swizzle->row_bytes == row;
    if (!can_pad && !can_permute) return "";
    const int padded = can_pad ? proposals.padding->cost.conflicts() : std::numeric_limits<int>::max();
    const int permuted = can_permute ? proposals.swizzle->cost.conflicts() : std::numeric_limits<int>::max();
    std::string text;
    if (padded <= permuted)
      text = fmt::format("leave {} free behind every {} of {}", Words(proposals.padding->padding.bytes), row, of);
    if (permuted <= padded)
      text += text.empty()
                  ? fmt::format("permute the byte offset into {}: {}", of, proposals.swizzle->swizzle.Expression())
                  : fmt::format(", or permute the byte offset into it: {}", proposals.swizzle->swizzle.Expression());
    if (others) text += " (it must suit the accesses that are not followed here, too)";
    return text + (std::min(padded, permuted) == 0 ? ", so that no lanes meet" : ", so that fewer lanes meet");
  } catch (const Error&) {
    return "";  // no layout fits these rows
  }
}

// For an access with unknown addresses: the layout of the array with a stated access of the same cost.
std::string StatedLayout(const AdviceCode& code, int i) {
  const bool matrix = code.At(i).mnemonic == "LDSM" || code.At(i).mnemonic == "STSM";
  const bool store = code.OperationAt(i) == Operation::kSharedStore;
  const auto used = code.Each(i, "sass_shared_wavefronts");
  if (!used) return "";
  for (const SharedAccess& stated : code.question().stated) {
    const bool is_store = stated.op == SharedOp::kStore || stated.op == SharedOp::kStoreMatrix;
    try {
      if (IsMatrix(stated.op) != matrix || is_store != store || stated.row_bytes == 0 ||
          Model(stated).sass_wavefronts != static_cast<int>(*used + 0.5))
        continue;
    } catch (const Error&) {
      continue;
    }
    std::vector<SharedAccess> array;
    for (const SharedAccess& access : code.question().stated)
      if (access.array == stated.array) array.push_back(access);
    return Proposal(array, stated.row_bytes, fmt::format("array '{}', as its kernel states it", stated.array), false);
  }
  return "";
}

// A layout of rows with fewer conflicts for the conflicting accesses and for those along rows.
std::string Layout(const AdviceCode& code, const std::vector<int>& conflicting, int heaviest, int lanes) {
  const auto row = RowOf(code.AddressAt(heaviest), code.At(heaviest).access_bytes, lanes);
  if (!code.AddressAt(heaviest).IsKnown()) return StatedLayout(code, heaviest);
  if (!row || *row > kMostSharedBytes || *row % code.At(heaviest).access_bytes != 0) return "";
  std::vector<SharedAccess> accesses;
  const auto add = [&](int i) {
    if (auto access = AccessOf(code, i, lanes)) {
      access->row_bytes = static_cast<int>(*row);
      if (std::ranges::none_of(accesses, [&](const SharedAccess& a) {
            return a.address == access->address && a.op == access->op && a.lane_bytes == access->lane_bytes;
          }))
        accesses.push_back(std::move(*access));
    }
  };
  for (const int i : conflicting)
    if (RowOf(code.AddressAt(i), code.At(i).access_bytes, lanes) == row) add(i);
  // Other accesses along a row, or down the same rows, must not get more conflicts.
  bool others = false;
  for (int i = 0; i < code.Size(); ++i) {
    const Operation operation = code.OperationAt(i);
    if (operation == Operation::kSharedLoad || operation == Operation::kSharedStore)
      others |= !code.AddressAt(i).IsKnown() || !OpOf(code, i);
  }
  for (int i = 0; i < code.Size(); ++i) {
    if (!OpOf(code, i) || !code.AddressAt(i).IsKnown() || code.AddressAt(i).IsShared()) continue;
    const auto stride = StrideOf(code.AddressAt(i), lanes);
    if (stride && *stride == code.At(i).access_bytes && *stride * lanes <= *row && *row % code.At(i).access_bytes == 0)
      add(i);
  }
  return accesses.empty() ? "" : Proposal(accesses, *row, "the array (its row, or what a lane takes of it)", others);
}

std::string Finding(const AdviceCode& code, int i, int lanes) {
  const Wavefronts wavefronts = *ConflictOf(code, i, lanes);
  const LaneValue& address = code.AddressAt(i);
  if (!address.IsKnown())
    return fmt::format("lanes meet in banks: {:.3g} wavefronts where {:.3g} would do", wavefronts.used,
                       wavefronts.needed);
  return fmt::format("{}, so that they {} in banks: {}{:.3g} wavefronts where {:.3g} would do",
                     StrideText(address, lanes), wavefronts.certain ? "meet" : "may meet",
                     wavefronts.certain ? "" : "up to ", wavefronts.used, wavefronts.needed);
}

}  // namespace

std::vector<Advice> BankConflicts(const AdviceCode& code) {
  const int lanes = code.Lanes();
  const auto find = [&](int i) -> std::optional<std::string> {
    const Operation operation = code.OperationAt(i);
    const bool shared = operation == Operation::kSharedLoad || operation == Operation::kSharedStore;
    return shared && ConflictOf(code, i, lanes) ? std::optional(Finding(code, i, lanes)) : std::nullopt;
  };
  std::vector<Advice> all;
  for (const auto& [finding, accesses] : code.ByFinding(find)) {
    Advice advice = code.About(accesses);
    const int heaviest = code.Heaviest(accesses);
    const LaneValue& address = code.AddressAt(heaviest);
    advice.certain = ConflictOf(code, heaviest, lanes)->certain;
    advice.finding = finding.second;
    advice.action = Layout(code, accesses, heaviest, lanes);
    if (advice.action.empty() && address.scaled) advice.action = "let neighbouring lanes take neighbouring words";
    if (advice.action.empty())
      advice.action =
          "pad or permute the rows of the array; 'culprit banks --pattern' draws an access that you describe, and "
          "proposes layouts";
    all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace culprit::advice
