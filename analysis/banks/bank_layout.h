// SPDX-License-Identifier: Apache-2.0
// Other layouts of one shared array under which its accesses have fewer bank conflicts: longer rows, or permuted
// chunks. Every proposal is checked by the bank model on the addresses that it leads to.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/banks/bank_model.h"

namespace culprit {

// What several accesses cost together, in the hardware's wavefronts.
struct LayoutCost {
  std::vector<BankCost> accesses;  // in the order given
  // Each access counted once.
  int wavefronts() const;
  int conflicts() const;
  // Each as often as it is executed; once where `executed` is empty.
  double Weighed(std::span<const double> executed) const;
};
LayoutCost ModelAll(std::span<const SharedAccess> accesses);

// Rows moved apart, or together. The byte at (row, column) stays at (row, column), so that only the array's declaration
// changes.
struct Padding {
  int row_bytes = 0;  // before
  int bytes = 0;      // added to each row; negative: taken away from the padding that it has
  std::int64_t Apply(std::int64_t address) const { return address + address / row_bytes * bytes; }
};

// CuTe's Swizzle<B, M, S> on byte addresses: `bits` address bits from `base` on are XORed with those `shift` higher.
// With shift >= bits the source bits are not among those changed, so that applying it twice gives the address back: it
// is a permutation, of each block of Block() bytes in itself. Bits below `base` stay, and with them the alignment to
// 2^base bytes.
struct Swizzle {
  int bits = 0, base = 0, shift = 0;
  std::int64_t Mask() const { return ((std::int64_t{1} << bits) - 1) << base; }
  std::int64_t Block() const { return std::int64_t{1} << (base + bits); }
  std::int64_t Apply(std::int64_t address) const { return address ^ (address >> shift & Mask()); }
  // "offset ^ (offset >> 3 & 0x30)": C, for a byte offset into the array
  std::string Expression() const;
  // "Swizzle<2, 4, 3>"
  std::string Name() const;
  bool operator==(const Swizzle&) const = default;
};

// The accesses as they would be. Inactive lanes stay inactive.
std::vector<SharedAccess> Apply(const Padding& padding, std::span<const SharedAccess> accesses);
std::vector<SharedAccess> Apply(const Swizzle& swizzle, std::span<const SharedAccess> accesses);

// Bytes of a row that hold data, of rows that are padded: known when one access walks whole rows, two or more of them
// up to the same column, which no access passes. What it leaves out must be less than what it takes, else other warps
// may take as much beside it. That other warps and iterations walk likewise is an assumption.
std::optional<int> DataBytes(std::span<const SharedAccess> accesses);

// How many rows further down the accesses of a swizzle are tried as well: kernels walk their arrays. A padding needs no
// such trial, a move by whole rows only rotates the banks.
inline constexpr int kRowsTried = 31;

struct LayoutProposals {
  struct Padded {
    Padding padding;
    LayoutCost cost;
  };
  struct Swizzled {
    Swizzle swizzle;
    int row_bytes = 0;  // of which it is one: less than now where the padding that there is goes
    LayoutCost cost;
    // Most conflicts of all accesses when they move down by 1 to kRowsTried rows, as far as the shared memory of an SM
    // reaches; empty when the rows are not known or when it ends before the first of them.
    std::optional<int> moved_conflicts;
  };
  LayoutCost now;
  std::optional<int> data_bytes;  // DataBytes()
  // No layout needs more shared memory than an SM has. The shortest rows without any conflict; when there are none, the
  // shortest of those with the fewest conflicts, and nothing when that is no improvement, when the rows are not known
  // or when there is no conflict now.
  std::optional<Padded> padding;
  // Likewise, with the fewest bits, and where possible one that keeps its promise some rows down; of rows as they are,
  // unless rows without their padding are better.
  std::optional<Swizzled> swizzle;
};

// `accesses` are those of one array, at least one; `executed` says how often each of them is, or is empty: layouts with
// conflicts left are ranked by it. Throws culprit::Error when they disagree on the row, or when a row would not keep
// the alignment of the widest access or is longer than the shared memory of an SM.
LayoutProposals ProposeLayouts(std::span<const SharedAccess> accesses, std::span<const double> executed = {});

}  // namespace culprit
