// SPDX-License-Identifier: Apache-2.0
#include "analysis/bank_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "db/error.h"

namespace culprit {
namespace {

template <class Layout>
std::vector<SharedAccess> Transformed(const Layout& layout, std::span<const SharedAccess> accesses) {
  std::vector<SharedAccess> moved(accesses.begin(), accesses.end());
  for (SharedAccess& access : moved)
    for (std::int64_t& address : access.address)
      if (address != kInactiveLane) address = layout.Apply(address);
  return moved;
}

struct RowsDown {
  std::int64_t bytes;
  std::int64_t Apply(std::int64_t address) const { return address + bytes; }
};

int Widest(std::span<const SharedAccess> accesses) {
  int widest = 0;
  for (const SharedAccess& access : accesses) widest = std::max(widest, access.lane_bytes);
  return widest;
}

void CheckRows(std::span<const SharedAccess> accesses) {
  if (accesses.empty()) throw Error("a layout needs at least one access; name one.");
  const SharedAccess& first = accesses.front();
  for (const SharedAccess& access : accesses) {
    CheckAccess(access);
    if (access.row_bytes != first.row_bytes)
      throw Error(fmt::format("'{}' says that a row has {} bytes and '{}' says {}; accesses of one array must agree.",
                              first.name, first.row_bytes, access.name, access.row_bytes));
  }
  if (first.row_bytes < 0)
    throw Error(fmt::format("a row of {} bytes is none; give a positive number.", first.row_bytes));
  if (first.row_bytes % Widest(accesses) != 0)
    throw Error(fmt::format("rows of {} bytes do not keep accesses of {} bytes aligned; give a multiple of {}.",
                            first.row_bytes, Widest(accesses), Widest(accesses)));
}

// Rows that grow by the whole width of the banks collide as before.
std::optional<LayoutProposals::Padded> ProposePadding(std::span<const SharedAccess> accesses, const LayoutCost& now) {
  const int row_bytes = accesses.front().row_bytes, step = Widest(accesses);
  if (row_bytes == 0) return std::nullopt;
  std::optional<LayoutProposals::Padded> best;
  int least = now.conflicts();
  for (int bytes = step; bytes < kWavefrontBytes && least > 0; bytes += step) {
    const Padding padding{row_bytes, bytes};
    LayoutCost cost = ModelAll(Apply(padding, accesses));
    if (cost.conflicts() >= least) continue;
    least = cost.conflicts();
    best = {padding, std::move(cost)};
  }
  return best;
}

int ConflictsRowsDown(const Swizzle& swizzle, std::span<const SharedAccess> accesses) {
  int worst = 0;
  for (int row = 1; row <= kRowsTried; ++row)
    worst = std::max(
        worst, ModelAll(Apply(swizzle, Transformed(RowsDown{std::int64_t{row} * accesses.front().row_bytes}, accesses)))
                   .conflicts());
  return worst;
}

std::int64_t LargestAddress(std::span<const SharedAccess> accesses) {
  std::int64_t largest = 0;
  for (const SharedAccess& access : accesses)
    largest = std::max(largest, *std::max_element(access.address.begin(), access.address.end()));
  return largest;
}

// Every swizzle whose targets choose among the banks and whose sources differ between the accesses' lanes.
std::vector<Swizzle> Swizzles(std::span<const SharedAccess> accesses) {
  const int bank_bits = std::countr_zero(static_cast<unsigned>(kWavefrontBytes));
  const int lowest = std::countr_zero(static_cast<unsigned>(Widest(accesses)));
  const int address_bits = std::bit_width(static_cast<std::uint64_t>(LargestAddress(accesses)));
  std::vector<Swizzle> swizzles;
  for (int bits = 1; lowest + bits <= bank_bits; ++bits)
    for (int base = lowest; base + bits <= bank_bits; ++base)
      for (int shift = bits; base + shift < address_bits; ++shift) swizzles.push_back({bits, base, shift});
  return swizzles;
}

std::optional<LayoutProposals::Swizzled> ProposeSwizzle(std::span<const SharedAccess> accesses, const LayoutCost& now) {
  std::optional<LayoutProposals::Swizzled> best;
  if (now.conflicts() == 0) return best;
  const bool rows_known = accesses.front().row_bytes > 0;
  std::tuple<int, int> least{now.conflicts(), 0};
  // Those with fewer bits come first and stay when a later one is no better.
  for (const Swizzle& swizzle : Swizzles(accesses)) {
    LayoutCost cost = ModelAll(Apply(swizzle, accesses));
    if (cost.conflicts() > std::get<0>(least) || (cost.conflicts() == now.conflicts())) continue;
    const int moved = rows_known ? ConflictsRowsDown(swizzle, accesses) : 0;
    const std::tuple found{cost.conflicts(), moved};
    if (best && found >= least) continue;
    least = found;
    best = {swizzle, std::move(cost), rows_known ? std::optional(moved) : std::nullopt};
    if (found == std::tuple{0, 0}) break;
  }
  return best;
}

}  // namespace

int LayoutCost::wavefronts() const {
  int sum = 0;
  for (const BankCost& cost : accesses) sum += cost.wavefronts;
  return sum;
}

int LayoutCost::conflicts() const {
  int sum = 0;
  for (const BankCost& cost : accesses) sum += cost.conflicts();
  return sum;
}

LayoutCost ModelAll(std::span<const SharedAccess> accesses) {
  LayoutCost cost;
  for (const SharedAccess& access : accesses) cost.accesses.push_back(Model(access));
  return cost;
}

std::string Swizzle::Expression() const { return fmt::format("offset ^ (offset >> {} & 0x{:x})", shift, Mask()); }

std::string Swizzle::Name() const { return fmt::format("Swizzle<{}, {}, {}>", bits, base, shift); }

std::vector<SharedAccess> Apply(const Padding& padding, std::span<const SharedAccess> accesses) {
  std::vector<SharedAccess> moved = Transformed(padding, accesses);
  for (SharedAccess& access : moved) access.row_bytes += padding.bytes;
  return moved;
}

std::vector<SharedAccess> Apply(const Swizzle& swizzle, std::span<const SharedAccess> accesses) {
  return Transformed(swizzle, accesses);
}

LayoutProposals ProposeLayouts(std::span<const SharedAccess> accesses) {
  CheckRows(accesses);
  LayoutProposals proposals;
  proposals.now = ModelAll(accesses);
  proposals.padding = ProposePadding(accesses, proposals.now);
  proposals.swizzle = ProposeSwizzle(accesses, proposals.now);
  return proposals;
}

}  // namespace culprit
