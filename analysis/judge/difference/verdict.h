// SPDX-License-Identifier: Apache-2.0
// Whether one kernel is slower than another, from samples alone. A verdict comes before any cause.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/judge/difference/shift.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/launch/machine.h"
#include "db/database.h"

namespace culprit {

enum class Speed { kSlower, kFaster, kSame, kAmbiguous };

// True for slower and faster.
bool IsDifference(Speed speed);

// The verdict of an interval that includes the noise `floor`. Slower or faster: it excludes 0. Same: it contains 0, and
// is too narrow for a large difference. Ambiguous: a large difference is possible, or the ends are not numbers.
Speed SpeedIn(const Shift& shift, double floor);

inline constexpr double kVerdictConfidence = 0.99;

// Recorded one after the other, or by processes that took turns, so that drifts affected both sides alike.
enum class Recorded { kApart, kInTurns };
// In turns: the two are one run, or each began before the other ended, as with `culprit versus --processes`.
Recorded HowRecorded(const RunSummary& base, const RunSummary& candidate);

struct Verdict {
  Speed speed = Speed::kAmbiguous;
  // Each has an interval at kVerdictConfidence. It includes the scatter of the samples and the noise floor, so that
  // a second recording lies within it, too. None if there are too few samples for an interval. `time` includes changes
  // of the clock from launch to launch. `cycles` (time x clock of each sample) does not, and is empty without clocks.
  std::optional<Shift> time;
  std::optional<Shift> cycles;
  NoiseFloor floor;   // `change` is `in_turns` if processes took turns
  int processes = 0;  // of the side with fewer, if both have several and each process counts as one value
  std::optional<ProgramSource> source;  // who took the samples; none: our own benchmark
  std::string reason;                   // one sentence: the reason for this verdict
  // Slower or faster because the clock changed: the kernel takes as many cycles as before. Such a difference says
  // nothing about the code.
  bool by_clock = false;
};

// Slower or faster: the interval of the cycles excludes 0, and the time agrees. Same: the interval contains 0. If the
// clock changed more than usual between launches and the cycles did not, a difference in time is one `by_clock`. If the
// cycles changed and the time did not follow, the verdict is ambiguous. It is also ambiguous if there are too few
// samples, or if they scatter so widely that a large difference could hide in them. Without clocks, the verdict rests
// on the time alone. docs/evidence/noise.md says how often verdicts are wrong.
//
// If several processes timed both sides, each process counts as one value, its median, because addresses or a clock can
// shift all samples of a process together. An interval then needs 5 processes per side. We chose among three intervals
// by simulation (docs/evidence/noise.md). Moses' interval over the processes is wrong in at most 1 % of the cases. One
// of normal theory is wrong in up to 3.4 %, and one of pairs in up to 88 % (if the order of turns is fixed and the
// clock drifts). The table shows how many processes per side find a slow-down in 90 of 100 cases, at a floor of 0.35 %
// (in turns):
//
//                                                1 %        2 %        5 %
//   processes differ by 0.07 % (as on H100)        5          5          5
//   processes differ by 0.5 %                     14          5          5
//   a mode of 1.6 % in every other process     above 32       5          5
//   a mode of 5 % in every other process       above 32   above 32      16
//   a drift of 3 % over the session               20          8          5
//   a mode of 1.6 % and a drift of 2 %         above 32      10          5
//
// For runs recorded apart the floor is 1 %. A slow-down of 1 % is then found in at most half of the cases. One of 2 %
// takes 5 processes, or 8 with a mode of 1.6 %.
//
// With one process per side, effects that last as long as a process cannot be seen. If a difference is no larger than
// such effects, the reason says so.
//
// Antisymmetric: exchanging the two turns kSlower into kFaster and every shift s into 1 / (1 + s) - 1. Samples marked
// low_clock are left out, and so are times and clocks that are not positive and finite; the reason then says so.
// `source` lets the reason say how to get more samples.
Verdict VerdictOn(std::span<const Sample> base, std::span<const Sample> candidate, NoiseFloor floor,
                  Recorded recorded = Recorded::kApart, std::optional<ProgramSource> source = {});

// The verdict on two recorded kernels, the same in every report: VerdictOn their samples, at the larger noise floor of
// the two recordings. Ambiguous if the medians contradict the samples as a whole. A difference if single launches
// profiled by Nsight Compute lie far apart.
Verdict VerdictOnPair(const KernelView& base, const KernelView& candidate);

// The number of processes with usable samples.
int ProcessesOf(std::span<const Sample> samples);

// Whether the kernel is slower or faster by cycles only: the interval of the time contains 0. Every report then says so
// next to the verdict.
bool TimeContains0(const Verdict& verdict);

std::string_view ToText(Speed speed);  // "slower" | "faster" | "same" | "ambiguous"

}  // namespace culprit
