// SPDX-License-Identifier: Apache-2.0
// Which of many launches are slower, so that the whole comparison keeps its rate of false alarms.
//
// The unit is the process, because it keeps its place in memory and its clock for its whole life. If nothing changed,
// the processes of both sides can be exchanged: every division of them into two sides is equally likely. The test
// makes all divisions (or many random ones) and notes the largest statistic of all launches in each. A launch counts
// as slower if few divisions reach its own statistic. This is the step-down maxT procedure of Westfall and Young
// ("Resampling-Based Multiple Testing", 1993, algorithm 4.1). It promises the same as Holm's: the probability of one
// or more false alarms among all launches is at most the level. It also needs no independence of the launches, which
// share processes, and no shape of the scatter.
//
// Holm's procedure on ranks would need more processes: ranks of 8 and 8 processes have no level below 1 / 12,870, and
// of 5 and 5 none below 1 / 252. So 5 processes per side could never show a slow-down of one launch among three, and 8
// never one among 65. Here 5 processes per side are enough for any number of launches, because the size of a change
// counts and not only its rank.
#pragma once
#include <map>
#include <span>
#include <vector>

namespace culprit {

// The share of comparisons without a slower launch in which a launch is called slower nevertheless. The work of a
// program has a test of its own (judge/program/work_verdict.h) at the same rate. Together they make at most 1 %.
inline constexpr double kFamilyAlarms = 0.005;

// With fewer processes per side, no division is rare enough: 4 and 4 have 70 divisions.
inline constexpr int kFewestProcesses = 5;

// One launch. Both sides are values by process: the same number on one side is the same process in all launches.
struct FamilyMember {
  std::map<int, double> base, candidate;  // positive
  // A slow-down of at most this share does not count as slower, because runs differ by it without a change of the code.
  double allowance = 0;
  // Values within a side scatter by at least this share, whatever a few processes show.
  double least_scatter = 0;
};

// The smallest level of the whole family at which each launch is slower: at most `level` if it can be shown at that
// level. 1 for a launch that too few processes timed.
std::vector<double> FamilyLevels(std::span<const FamilyMember> members);

}  // namespace culprit
