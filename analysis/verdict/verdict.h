// SPDX-License-Identifier: Apache-2.0
// Whether one kernel is slower than another, from samples alone. First whether, then why.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/machine/machine.h"
#include "analysis/verdict/shift.h"
#include "db/database.h"

namespace culprit {

enum class Speed { kSlower, kFaster, kSame, kAmbiguous };

// Slower or faster: there is something to explain.
bool IsDifference(Speed speed);

inline constexpr double kVerdictConfidence = 0.99;

// Whether the two were recorded apart, or by processes that took turns: what changes from hour to hour and from machine
// to machine then changed for both.
enum class Recorded { kApart, kInTurns };
// In turns: one run, or two of which each began before the other ended, as `culprit versus --processes` records them.
Recorded HowRecorded(const RunSummary& base, const RunSummary& candidate);

struct Verdict {
  Speed speed = Speed::kAmbiguous;
  // Each with its interval at kVerdictConfidence, which holds the scatter of the samples and the noise floor: a second
  // recording of the two kernels lies in it as well. None with too few samples for an interval. `time` includes what
  // the clock does from launch to launch, `cycles` (time x clock of each sample) does not, and has none without clocks.
  std::optional<Shift> time;
  std::optional<Shift> cycles;
  NoiseFloor floor;   // `change` is that of processes in turns where they took turns
  int processes = 0;  // of the side that has fewer, where both have several and each counts as one value
  std::optional<ProgramSource> source;  // whose samples they are; none: a benchmark's of ours
  std::string reason;                   // one sentence: why this speed and no other
};

// Slower or faster: the interval of the cycles excludes 0 and the time agrees. Same: it does not. Where the clock
// changed more than it usually does between launches, time and cycles must say the same, else the verdict is ambiguous,
// as it is when the samples are too few or so wide that a large difference could hide in them. Without clocks the time
// decides alone. docs/noise.md has how often this is wrong.
//
// Where both sides were timed by several processes, the values are the medians of each process' samples, never the
// samples: a mode that stays for a process, as addresses or a clock can, makes all its samples wrong together. It takes
// 5 processes a side for an interval at all. Chosen from three by simulation (docs/noise.md): the interval of Moses
// over the processes is wrong in at most 1 % whatever sticks or drifts, where one of normal theory is in up to 3.4 %,
// and one of pairs in up to 88 % where the two take turns in one order and the clock drifts. How many processes a side
// find a slow-down in 90 of 100 cases, at a floor of 0.35 % (in turns):
//
//                                                1 %        2 %        5 %
//   processes differ by 0.07 % (as on H100)        5          5          5
//   processes differ by 0.5 %                     14          5          5
//   a mode of 1.6 % in every other process     above 32       5          5
//   a mode of 5 % in every other process       above 32   above 32      16
//   a drift of 3 % over the session               20          8          5
//   a mode of 1.6 % and a drift of 2 %         above 32      10          5
//
// Apart, at a floor of 1 %: 1 % is found in half of the cases at best, 2 % by 5 processes, with a mode of 1.6 % by 8.
//
// With one process on a side nothing that stays for a process can be seen: a difference that is no larger than such a
// mode is said with that.
//
// Antisymmetric: exchanging the two turns kSlower into kFaster and every shift s into 1 / (1 + s) - 1. Samples marked
// low_clock are left out, and so are times and clocks that are not positive and finite: the reason then says so.
// `source` says how there would be more samples.
Verdict VerdictOn(std::span<const Sample> base, std::span<const Sample> candidate, NoiseFloor floor,
                  Recorded recorded = Recorded::kApart, std::optional<ProgramSource> source = {});

// Of a kernel's run.
std::optional<ProgramSource> SourceOf(const RunRecord& run);

// By how many processes samples that can be used were taken.
int ProcessesOf(std::span<const Sample> samples);

// Slower or faster by its cycles, while the interval of the time leaves open whether anyone would notice: whoever says
// the verdict says this in the same sentence.
bool TimeContains0(const Verdict& verdict);

std::string_view ToText(Speed speed);  // "slower" | "faster" | "same" | "ambiguous"

}  // namespace culprit
