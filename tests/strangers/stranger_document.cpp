// SPDX-License-Identifier: Apache-2.0
#include "tests/strangers/stranger_document.h"

#include <string>

namespace culprit::testing {
namespace {

constexpr const char* kHead = R"(<!-- written by stranger_test with CULPRIT_UPDATE_GOLDEN=1 -->

# Kernels that nobody had looked at

`tests/strangers/programs/` is a program of eight kernels, of kinds that are not among the planted ones. Each kernel has two planted changes, and each
change makes it slower. The changes and their lines were written down (`tests/strangers/answers.csv`) before the program first ran on a GPU. `culprit record --profile full`
recorded its builds on an H200 (driver 580.159.04, CUDA 13.0): without a change, with one, with the other, with both, and once more without. `tests/recorded/strangers/` has the recordings.

- Lines are right if no line grew more than the planted one (with two changes: more than either).
- Causes are right if the planted one comes first (with two changes: if both come first).
- A kernel that became less than 5 % slower does not count: there is nothing to find.
- "Not counted" means that counters of one of the two versions were not read.

## By size of the change

How often `culprit why` named the planted causes first at first sight, by how much slower the kernel became:

| slower by | first program | second program |
|---|---:|---:|
| 100 % and more | 3 of 9 | 11 of 11 |
| 50 to 100 % | 5 of 6 | 8 of 9 |
| 20 to 50 % | 2 of 4 | 4 of 4 |
| 5 to 20 % | 2 of 4 | 2 of 2 |

## The first program at first sight

This is what Culprit said when the recording was first read, on 23 November 2026, before anything was changed because of it. Of 23 pairs 18 had the planted lines first (13
by samples alone) and 12 the planted causes. Eight kernels were recorded again without a change, and none was said to differ. Only these figures and those of
the second program are for kernels that no rule had seen, and they are never updated (`tests/strangers/first_sight.md`). The `-nan %` belongs to two recordings that took equally
long to the last digit; today Culprit says that there is no difference.

In 8 of the 23 pairs one side was not counted, because `record` counted only the kernels that have 95 % of a program's time: six, six, four and five of eight. These pairs have no
cause. Of the other 15, 12 causes and all 15 lines are right. All five misses of lines are among the 8.

)";

constexpr const char* kMended = R"(
## What was looked into

In this order:

1. *Which kernels are counted.* If a program has few kernels (up to eight), all are counted now, however little time they take. `shade_histogram` had 2 % of the base's time and took nine times
   as long in the next build.
2. *`l2_traffic` beside atomics* (`turn_and_total`) was wrong. Sectors that atomics send from L1 to L2 were counted twice: for the atomics, and as requests of other accesses. Two
   held-out pairs of the planted set lost the same false part.
3. *A store blamed for standing in a queue* (`solve_small`). A warp that waits until a store has read its registers waits for the queue in front of the store. Uncoalesced loads of
   other warps fill that queue.
4. *`histogram.cu:16`* (`shade_histogram`). Warps wait for this load, but the load is not the reason. Reductions to one address fill the way to L2, and no warp waits for their result, so samples
   alone cannot blame them. The answer, line 21, is right. With counters the load was blamed too (`exposed_latency`): the rule looked for these reductions at the end of warps, where
   they do not show. Now atomics are blamed if warps wait for a load more than twice as long as a load takes when device memory is fully loaded, and the other kernel sends less
   than half as many atomics.
5. *A part without evidence* (`star_stencil`: `instruction_count` 109 % and `local_memory_array` 52 % against -61 %). Local accesses took over part of the traffic to device memory.
   Global accesses then seemed to use device memory less and were credited with the waiting that vanished. But their bytes had not changed, so this waiting belongs to no cause. It
   now counts as hidden behind the waiting that grew: 69 % and 33 %. Four planted pairs and six steps of the ladder gained by it, up to 27 % of a change.
6. *42 % unexplained beside `barrier`* (`pull_bodies`). The same multiplications waited longer for each other. Between two barriers fewer of them are independent, and neither the
   compiler nor a warp moves any across a barrier. The barriers now get that waiting, at most 23 cycles a visit. Three planted pairs had up to 24 % unexplained because of it.

Not mended:

* *`instruction_count` before `local_memory_array`* (`star_stencil`). The kernel issues 16 % more instructions: a quarter of them load and store the array, most of the rest compute its
  index. It is bound by issue slots: `not_selected` grew by as much as the difference. `why` names the mechanism first and the array second, on one line. This counts as wrong.
* *`global_access_width`* of `softmax_rows` with both changes. Alone it is 2 to 3 % of the time, which is noise beside the other change. `exposed_latency` of `sparse_product` is also noise:
  2 % of the time on top of the other change. Its line grew by 2.7 us of warps' time, the kernel by 1.0 us.

## The same recording today

Rules were changed with these kernels in sight, so this does not test unseen kernels.

)";

constexpr const char* kSecond = R"(
## Recorded again, with counters of all eight

The same builds were recorded again the same day on an H200, by the `record` that counts all eight kernels. When this recording was first read, the first three points above were mended: 21
of 23 pairs had the planted lines first (16 by samples alone) and 18 the planted causes. `histogram.cu:16` was mended after that, on this recording. Today's answers:

)";

constexpr const char* kSecondProgram = R"(
## The second program at first sight

Another eight kernels (`tests/strangers/second`: attention with `ldmatrix`, a radix sort's pass, a hash table, a Monte Carlo of paths, a Fourier transform in registers, colours,
the gradient of a norm, a step of breadth-first search) with two changes each were written after all changes that the first program had led to. Causes and lines were written down and
committed before the program first ran, on 24 November 2026 (H200, driver 580.159.04, CUDA 13.0; `tests/recorded/strangers/h200_sxm_cuda13.0_2026-11-24_second.sql.zst`). Nothing was
changed because of it.

Of 26 pairs that are at least 5 % slower, 25 had the planted causes first. In 25 the change is on a line, and all of them had the planted lines first (21 by samples alone). Eight
kernels were recorded again, and eight compute the same with other code (six are written otherwise, two are not); none was said to differ. The miss: `convert_pixels` with both
changes has `instruction_count` 14 % before `fp64_pipe` 13 %.

How hard the test was: the author knew the list of causes and planted one of them in each place, so mechanisms outside the list do not occur. Six of the 32 comparisons are less than 5 %
slower and do not count. An answer may be several lines: spills in `fourier_rows` have eight possible lines.

)";

constexpr const char* kByDefault = R"(<!-- written by stranger_test with CULPRIT_UPDATE_GOLDEN=1 -->

# Strangers recorded the cheap way

The two programs of [strangers](strangers.md), recorded anew on an H200 on 28 November 2026 (driver 580.159.04, CUDA 13.0) by `culprit record` as it is:
`PROFILE= script/record-strangers FILE.db [second]`. It sampled counters while the program was timed. The programs run for less than a second, so most
counters had no turn, and one more execution replayed three launches of each kernel; programs of three seconds and more need none. Nothing was counted
exactly, which takes an execution for each kernel. A build took four to five seconds instead of one to two minutes.

| program | recorded with | lines first | causes first | recorded again or written otherwise, and called different |
|---|---|---:|---:|---:|
| first | `--profile full`, at first sight | 18 of 23 | 12 of 23 | 0 |
| first | nothing | 18 of 23 | 19 of 23 | 0 |
| second | `--profile full`, at first sight | 25 of 26 | 25 of 26 | 0 |
| second | nothing | 26 of 26 | 27 of 27 | 0 |

The rules have learnt since the first sight, so this compares what users have today with what they had then. `sparse_product` was missed at first (18 of 23):
without `l1_throughput_pct`, what an excess sector costs at L1 was taken for two unknown numbers, one for each build. That was mended on this recording.

)";

constexpr const char* kBlind = R"(<!-- written by stranger_test with CULPRIT_UPDATE_GOLDEN=1 -->

# Programs by authors who do not know the rules

Three authors wrote ten CUDA programs each, independently, in fields of their own: simulation; machine learning and signals; data, graphs and finance. They were
told to write programs as people write them, and to make two everyday performance mistakes in each: one that should be clear, and one that should cost 2 to 10 %. They knew neither
Culprit's list of causes nor its rules, and had no GPU. `mistakes.csv` of each set has their own words: what was changed, where, and what in the hardware becomes slower. These words were
translated to causes (`answers.csv`) before anything was recorded or judged. Where the words name several mechanisms, each of them is right.

The rules were frozen at commit a594fe6b. One H100 recorded all builds on 28 November 2026 (driver 580.159.04, CUDA 13.0, `--profile full`), each in a process of its own, and the good one
once more. Each pair was judged once. This page is never updated; `tests/recorded/blind/` has the recordings.

| slower by | changes | called different | the mistake's cause first, of these |
|---|---:|---:|---:|
| 100 % and more | 14 | 14 | 14 |
| 50 to 100 % | 5 | 5 | 5 |
| 20 to 50 % | 7 | 7 | 5 |
| 5 to 20 % | 11 | 11 | 8 |
| 2 to 5 % | 7 | 7 | 7 |
| less than 2 % | 13 | 0 | - |
| faster | 3 | 3 | - |

- Of 44 slow-downs that were called different, 39 have the cause first (89 %), and 25 of the 30 below 100 %.
- Of the 37 that are at least 5 % slower, 29 have a line, and 27 of these have it first.
- The thirty good programs were recorded again. None was said to differ.
- Sixteen mistakes did not cost what their authors expected: thirteen cost less than 2 %, and three made the kernel faster.

The five misses:

- `lj_forces`, an exact division: 71 % `exposed_latency`. The division's branch keeps loads of later pairs from being issued early. The added instructions themselves are 5 %.
- `groupby_kernel`, 64-bit atomics of shared memory, which are loops of load, compare and swap: `shared_traffic` 44 % before `atomics` 43 %. Their loads count as traffic.
- `w4a16_gemv`, a float atomic of shared memory by all lanes: the same, `shared_traffic` 46 % before `atomics` 22 %.
- `spmv_dot`, one atomic per warp instead of one per block, all to one address: 71 % `imbalance_tail`. The atomics queue up when all warps end, and then most SMs are idle. That is what the author wrote, too;
  `atomics` have 18 %.
- `csv_scan_kernel`, sums of counters in each step: `divergence` 42 % before `instruction_count` 31 % and `atomics` 7 %. One lane of a warp does the additions.

How hard the test was: authors chose mistakes whose consequence they could name, so nearly all have a cause in Culprit's list, and an answer may name up to three causes (25 of 60 have several).
All pairs have exact counts and samples.

)";

}  // namespace

std::string ByDefaultDocument(std::span<const StrangerCase> first, std::span<const StrangerCase> second) {
  return kByDefault + ("## The first program\n\n" + StrangerReport(first)) + "\n## The second program\n\n" +
         StrangerReport(second);
}

std::string BlindDocument(std::span<const std::string> first_sights) {
  std::string text = kBlind;
  int set = 0;
  for (const std::string& report : first_sights) text += "## Set " + std::to_string(++set) + "\n\n" + report + "\n";
  return text;
}

std::string StrangerDocument(const FirstProgram& program, const std::string& second_first_sight) {
  return kHead + program.first_sight + kMended + StrangerReport(program.first) + kSecond +
         StrangerReport(program.all_counted) + kSecondProgram + second_first_sight;
}

}  // namespace culprit::testing
