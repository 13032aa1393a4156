// SPDX-License-Identifier: Apache-2.0
// Changes of everyday size, made of recordings: a kernel of which only a part of the work is what the candidate does.
#pragma once
#include <cstddef>
#include <cstdint>

#include "db/database.h"

namespace culprit::testing {

// A kernel that does all of `base` but for `part` of its work, and `part` of what `candidate` does, one after the other.
// So its counts and times are sums, and what makes it slower than `base` is what makes `candidate` slower. Its code and
// its attributes are the candidate's. Counters that one of the two lacks have no value.
KernelRecord Diluted(const KernelRecord& base, const KernelRecord& candidate, double part);

// The kernel as another recording of it might be. Each repetition of each counter is drawn anew, with the scatter of the
// recorded ones; counters that repeat exactly stay. Each second of its samples is kept, beginning with number `first` (0
// or 1). And the whole execution is slower or faster by chance: 99 of 100 pairs differ by less than `noise`. The
// additional cycles are waiting, in each state as much more as there is in it.
KernelRecord RecordedAgain(const KernelRecord& kernel, double noise, std::size_t first, std::uint64_t seed);

}  // namespace culprit::testing
