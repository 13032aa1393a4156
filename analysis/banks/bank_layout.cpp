// SPDX-License-Identifier: Apache-2.0
#include "analysis/banks/bank_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

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
  if (first.row_bytes > kMostSharedBytes)
    throw Error(fmt::format("a row of {} bytes is longer than the shared memory of any SM, {} bytes; give less.",
                            first.row_bytes, kMostSharedBytes));
  if (first.row_bytes % Widest(accesses) != 0)
    throw Error(fmt::format("rows of {} bytes do not keep accesses of {} bytes aligned; give a multiple of {}.",
                            first.row_bytes, Widest(accesses), Widest(accesses)));
}

bool FitAnSm(std::span<const SharedAccess> accesses) { return std::ranges::all_of(accesses, FitsAnSm); }

// Adding the full width of the banks to a row does not change conflicts.
std::optional<LayoutProposals::Padded> ProposePadding(std::span<const SharedAccess> accesses,
                                                      std::span<const double> executed, const LayoutProposals& known) {
  const int row_bytes = accesses.front().row_bytes, step = Widest(accesses);
  if (row_bytes == 0) return std::nullopt;
  std::optional<LayoutProposals::Padded> best;
  double least = known.now.Weighed(executed);
  const int shortest = known.data_bytes.value_or(row_bytes);
  for (int bytes = shortest - row_bytes; bytes < kWavefrontBytes && least > 0; bytes += step) {
    const Padding padding{row_bytes, bytes};
    const std::vector<SharedAccess> moved = Apply(padding, accesses);
    if (!FitAnSm(moved)) break;  // longer rows need even more
    LayoutCost cost = ModelAll(moved);
    if (cost.Weighed(executed) >= least) continue;
    least = cost.Weighed(executed);
    best = {padding, std::move(cost)};
  }
  return best;
}

std::optional<int> ConflictsRowsDown(const Swizzle& swizzle, std::span<const SharedAccess> accesses) {
  std::optional<int> worst;
  const std::int64_t row_bytes = accesses.front().row_bytes;
  if (row_bytes == 0) return worst;
  for (int row = 1; row <= kRowsTried; ++row) {
    const std::vector<SharedAccess> down = Transformed(RowsDown{row * row_bytes}, accesses);
    if (!FitAnSm(down)) break;
    worst = std::max(worst.value_or(0), ModelAll(Apply(swizzle, down)).conflicts());
  }
  return worst;
}

std::int64_t LargestAddress(std::span<const SharedAccess> accesses) {
  std::int64_t largest = 0;
  for (const SharedAccess& access : accesses)
    largest = std::max(largest, *std::max_element(access.address.begin(), access.address.end()));
  return largest;
}

// Every swizzle that changes bank bits and whose source bits differ between an access's lanes.
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

using Rank = std::pair<double, int>;  // weighted conflicts, conflicts some rows down

// True if better than `least`; then `least` becomes its rank.
std::optional<LayoutProposals::Swizzled> BetterSwizzle(std::span<const SharedAccess> accesses,
                                                       std::span<const double> executed, Rank& least) {
  std::optional<LayoutProposals::Swizzled> best;
  const int row_bytes = accesses.front().row_bytes;
  // Fewer bits come first and win ties.
  for (const Swizzle& swizzle : Swizzles(accesses)) {
    LayoutCost cost = ModelAll(Apply(swizzle, accesses));
    const double weighed = cost.Weighed(executed);
    if (weighed > least.first) continue;
    const std::optional<int> moved = ConflictsRowsDown(swizzle, accesses);
    const Rank found{weighed, moved.value_or(0)};
    if (found >= least) continue;
    least = found;
    best = {swizzle, row_bytes, std::move(cost), moved};
    if (found == Rank{0, 0}) break;
  }
  return best;
}

std::optional<LayoutProposals::Swizzled> ProposeSwizzle(std::span<const SharedAccess> accesses,
                                                        std::span<const double> executed,
                                                        const LayoutProposals& known) {
  if (known.now.conflicts() == 0) return std::nullopt;
  Rank least{known.now.Weighed(executed), -1};  // a swizzle must reduce conflicts
  std::optional<LayoutProposals::Swizzled> best = BetterSwizzle(accesses, executed, least);
  if (!known.data_bytes) return best;
  const int row_bytes = accesses.front().row_bytes;
  const auto bare = Apply(Padding{row_bytes, *known.data_bytes - row_bytes}, accesses);
  if (auto without_padding = BetterSwizzle(bare, executed, least)) best = std::move(without_padding);
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

double LayoutCost::Weighed(std::span<const double> executed) const {
  double sum = 0;
  for (std::size_t i = 0; i < accesses.size(); ++i)
    sum += accesses[i].conflicts() * (executed.empty() ? 1 : executed[i]);
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

std::optional<int> DataBytes(std::span<const SharedAccess> accesses) {
  const int row_bytes = accesses.front().row_bytes;
  if (row_bytes == 0) return std::nullopt;
  int data_bytes = 0;
  for (const SharedAccess& access : accesses)
    for (const std::int64_t address : access.address)
      if (address != kInactiveLane)
        data_bytes = std::max(data_bytes, static_cast<int>(address % row_bytes) + access.lane_bytes);
  if (data_bytes >= row_bytes || row_bytes - data_bytes >= data_bytes || data_bytes % Widest(accesses) != 0)
    return std::nullopt;
  const auto walks_whole_rows = [&](const SharedAccess& access) {
    std::map<std::int64_t, std::set<std::int64_t>> lanes_of_row;
    for (const std::int64_t address : access.address)
      if (address != kInactiveLane) lanes_of_row[address / row_bytes].insert(address % row_bytes);
    return lanes_of_row.size() > 1 && std::ranges::all_of(lanes_of_row, [&](const auto& row) {
             return static_cast<int>(row.second.size()) * access.lane_bytes == data_bytes;
           });
  };
  return std::ranges::any_of(accesses, walks_whole_rows) ? std::optional(data_bytes) : std::nullopt;
}

LayoutProposals ProposeLayouts(std::span<const SharedAccess> accesses, std::span<const double> executed) {
  CheckRows(accesses);
  LayoutProposals proposals;
  proposals.now = ModelAll(accesses);
  proposals.data_bytes = DataBytes(accesses);
  proposals.padding = ProposePadding(accesses, executed, proposals);
  proposals.swizzle = ProposeSwizzle(accesses, executed, proposals);
  return proposals;
}

}  // namespace culprit
