// SPDX-License-Identifier: Apache-2.0
// Proposes other layouts of a shared array with fewer bank conflicts: longer rows, or permuted chunks. The bank model
// checks every proposal on the resulting addresses.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/banks/bank_model.h"

namespace culprit {

// The total cost of several accesses, in hardware wavefronts.
struct LayoutCost {
  std::vector<BankCost> accesses;  // in the order given
  // Counts each access once.
  int wavefronts() const;
  int conflicts() const;
  // Weights each access by how often it is executed. If `executed` is empty, every weight is 1.
  double Weighed(std::span<const double> executed) const;
};
LayoutCost ModelAll(std::span<const SharedAccess> accesses);

// Changes the row length. Each element keeps its (row, column), so only the array's declaration changes.
struct Padding {
  int row_bytes = 0;  // before
  int bytes = 0;      // added to each row; negative: existing padding is shortened
  std::int64_t Apply(std::int64_t address) const { return address + address / row_bytes * bytes; }
};

// CuTe's Swizzle<B, M, S> on byte addresses: `bits` address bits from `base` on are XORed with the bits `shift` higher.
// With shift >= bits the source bits do not change, so applying it twice gives the original address. It permutes each
// block of Block() bytes. Bits below `base` do not change, so 2^base-byte alignment stays.
struct Swizzle {
  int bits = 0, base = 0, shift = 0;
  std::int64_t Mask() const { return ((std::int64_t{1} << bits) - 1) << base; }
  std::int64_t Block() const { return std::int64_t{1} << (base + bits); }
  std::int64_t Apply(std::int64_t address) const { return address ^ (address >> shift & Mask()); }
  // As C code for a byte offset in the array: "offset ^ (offset >> 3 & 0x30)".
  std::string Expression() const;
  // "Swizzle<2, 4, 3>"
  std::string Name() const;
  bool operator==(const Swizzle&) const = default;
};

// The accesses in the new layout. Inactive lanes stay inactive.
std::vector<SharedAccess> Apply(const Padding& padding, std::span<const SharedAccess> accesses);
std::vector<SharedAccess> Apply(const Swizzle& swizzle, std::span<const SharedAccess> accesses);

// Data bytes per row, without padding. Known when one access covers two or more rows up to the same column and no
// access goes beyond that column. The rest of a row must be shorter than this, because a long rest may be the data of
// other warps. Assumes that other warps and iterations access rows in the same way.
std::optional<int> DataBytes(std::span<const SharedAccess> accesses);

// Kernels walk through their arrays. So a swizzle is also tried with the accesses moved down by 1 to this many rows.
// Padding needs no such check, because moving by whole rows only rotates the banks.
inline constexpr int kRowsTried = 31;

struct LayoutProposals {
  struct Padded {
    Padding padding;
    LayoutCost cost;
  };
  struct Swizzled {
    Swizzle swizzle;
    int row_bytes = 0;  // length of a row; shorter than now when existing padding is removed
    LayoutCost cost;
    // The highest number of conflicts when all accesses are moved down by 1 to kRowsTried rows, within an SM's shared
    // memory. Empty when the rows are not known or no row below fits.
    std::optional<int> moved_conflicts;
  };
  LayoutCost now;
  std::optional<int> data_bytes;  // DataBytes()
  // The shortest rows without conflict that fit in an SM's shared memory. If every length has conflicts, the shortest
  // rows with the fewest conflicts. None if that is no improvement, if the rows are not known, or if there is no
  // conflict now.
  std::optional<Padded> padding;
  // The swizzle with the fewest conflicts and then the fewest bits. One that also works some rows down is preferred.
  // It applies to the present rows, or to rows without padding if these are better.
  std::optional<Swizzled> swizzle;
};

// `accesses`: all accesses to one array, at least one. `executed`: how often each is executed, or empty. It ranks
// layouts that keep some conflicts. Throws culprit::Error when accesses disagree on the row length, when a row breaks
// the alignment of the widest access, or when a row is longer than an SM's shared memory.
LayoutProposals ProposeLayouts(std::span<const SharedAccess> accesses, std::span<const double> executed = {});

}  // namespace culprit
