// SPDX-License-Identifier: Apache-2.0
// Whether slow-downs are shown or only suspected, with all launches of a comparison in view.
//
// Of 180 unchanged launches, some look slower by chance, and an effect that lasts as long as a process looks like a
// change. So a slow-down is shown only by several processes on each side, and only if it stands out among all launches
// (family.h). A slow-down that one process per side shows is a suspicion.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/gate/run_noise.h"
#include "analysis/judge/difference/verdict.h"
#include "db/database.h"

namespace culprit {

struct ComparedLaunch {
  const KernelRecord *base, *candidate;
  const Verdict* verdict;
};

enum class Standing {
  kShown,       // by several processes per side, with kFamilyAlarms for all launches together
  kOneProcess,  // fewer than kFewestProcesses on a side, and larger than the noise between runs
  kChance,      // by several processes, but not shown at the level of the whole family
  kRunNoise,    // by one process per side, and no larger than the noise between runs
};

struct WeighedLaunch {
  Standing standing = Standing::kRunNoise;
  // The slow-down with an interval that includes the noise between runs; equals the verdict's if that is wider, or if
  // there are several processes. None if the verdict has no interval.
  std::optional<Shift> time;
  std::string why;  // one sentence: why the slow-down is not shown; empty: it is
};

// One entry per launch. It tells something only about launches whose verdict is slower.
std::vector<WeighedLaunch> WeighEvidence(std::span<const ComparedLaunch> launches, const MeasuredRunNoise& noise);

// How to confirm a suspicion, one sentence. `program`: the runs are of programs, not of benchmarks.
std::string HowToConfirm(bool program);

}  // namespace culprit
