// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/samples_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "bench/program/executed_code.h"
#include "bench/program/instruction_kinds.h"

namespace culprit::testing {
namespace {

constexpr const char* kHead = R"(<!-- written by samples_as_counters_test with CULPRIT_UPDATE_GOLDEN=1 -->

# Samples of instructions in place of counters

Samples say in which state warps were, and at which instruction. `bench/program/counters_of_samples.h` makes counters of them, with two totals: warp-cycles
(`warps_active`) and executed instructions (`inst_executed`). This page compares the result with counters of the same launches. All recordings here that have
both are used. All cards are of compute capability 9.0, so for others only the method is known.

## What the sampler does

- *It samples time, not warps.* A launch's samples times their period are the active cycles of its SMs: one warp a period and SM, however many are resident. A warp
  beside which few others are resident is seen too often. So samples have too many warps that drain, and too many stores at the ends of kernels.
- *Behind a jump it is one instruction late.* When a warp has jumped, its next issue is seen at the instruction behind the jump, not at the target. So the first instruction of a
  loop is never seen issuing, and the one behind the loop as often as the loop jumps back, although it runs once. The last table shows it. No block's first instruction counts here;
  its neighbours in the block say how often it ran. A block of one instruction lies between what its predecessors and successors leave for it.
- *Else `selected` has no favourites.* Every instruction is seen issuing in proportion to its executions, also if a predicate switches it off, as the counters of
  instructions count it. `BSYNC`, `WARPSYNC` and `EXIT` are executed once for each part of a diverged warp.

The library therefore pools the samples of a block. It knows without samples how often warps run code that all paths pass and no loop holds: once. All other code shares the
remaining executed instructions.

What did not help: to weigh samples by how often their block must have run (shares of states became worse); to scale by the nearest code that each warp runs once (better
for stores, wrong by up to four times where warps of a block do different work).

)";

double Quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

std::string Percent(double part, int digits = 1) { return fmt::format("{:.{}f} %", 100 * part, digits); }

double PartOf(std::span<const Compared> all, bool (*is)(const Compared&)) {
  return all.empty() ? 0 : static_cast<double>(std::ranges::count_if(all, is)) / static_cast<double>(all.size());
}

bool IsState(const Compared& c) { return c.sampled.id.starts_with("stall_"); }
bool IsExact(const Compared& c) { return c.sampled.error == 0; }
const InstructionKind* KindOf(const Compared& c) {
  const auto kind = std::ranges::find(InstructionKinds(), c.sampled.id, &InstructionKind::id);
  return kind == InstructionKinds().end() ? nullptr : &*kind;
}
bool FollowsFromTotals(const Compared& c) { return !IsState(c) && KindOf(c) == nullptr; }

// The amount of which the counter is a part.
double WholeOf(const Compared& c) {
  const std::string& id = c.sampled.id;
  if (IsState(c)) return c.launch->Counter("warps_active");
  if (const InstructionKind* kind = KindOf(c); kind && kind->threads) return c.launch->Counter("thread_inst_executed");
  if (id.find("sectors") != id.npos || id == "l2_atomic_cycles")
    return c.launch->Counter("l1_sectors_hit") + c.launch->Counter("l1_sectors_miss");
  if (id.find("wavefronts") != id.npos) return c.launch->Counter("shared_wavefronts");
  if (id == "threads_per_inst") return 32;
  return c.launch->Counter("inst_executed");
}

// Relative to the counter, or to a hundredth of the whole if the counter is smaller.
double Off(const Compared& c) { return std::abs(c.sampled.value - c.counted) / std::max(c.counted, 0.01 * WholeOf(c)); }

std::vector<double> Offs(std::span<const Compared> all) {
  std::vector<double> offs;
  for (const Compared& c : all) offs.push_back(Off(c));
  return offs;
}

std::string Recordings(std::span<const StudiedLaunch> launches) {
  struct Row {
    std::string gpu;
    int launches = 0;
    std::set<std::int64_t> periods;
    std::vector<double> samples;
  };
  std::map<std::string, Row> rows;
  for (const StudiedLaunch& launch : launches) {
    Row& row = rows[launch.recording];
    row.gpu = launch.gpu;
    ++row.launches;
    row.periods.insert(launch.sampling.period_cycles);
    row.samples.push_back(static_cast<double>(launch.sampling.samples));
  }
  std::string text =
      "## Recordings\n\n| recording | GPU | launches | periods | samples of a launch, median "
      "|\n|---|---|---:|---|---:|\n";
  for (const auto& [name, row] : rows)
    text += fmt::format("| {} | {} | {} | {} | {:.0f} |\n", name, row.gpu, row.launches, fmt::join(row.periods, ", "),
                        Quantile(row.samples, 0.5));
  return text;
}

using ById = std::map<std::string, std::vector<Compared>>;

// States with more than 1 % of the warp-cycles.
ById LargeStates(std::span<const Compared> compared) {
  ById by_id;
  for (const Compared& c : compared)
    if (IsState(c) && c.counted > 0.01 * WholeOf(c)) by_id[c.sampled.id].push_back(c);
  return by_id;
}

double HoldingPart(std::span<const Compared> all) {
  return PartOf(all, [](const Compared& c) { return c.Holds(); });
}

std::string States(std::span<const Compared> compared) {
  std::string text =
      "| state | launches | bias, median | error, median | error, 90 % | within the 90 % interval |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  for (const auto& [id, all] : LargeStates(compared)) {
    std::vector<double> bias;
    for (const Compared& c : all) bias.push_back(c.sampled.value / c.counted - 1);
    text +=
        fmt::format("| {} | {} | {:+.1f} % | {} | {} | {} |\n", id, all.size(), 100 * Quantile(bias, 0.5),
                    Percent(Quantile(Offs(all), 0.5)), Percent(Quantile(Offs(all), 0.9)), Percent(HoldingPart(all), 0));
  }
  return text;
}

// What counters_of_totals.h says.
std::string OfTotals(std::span<const Compared> compared) {
  std::map<std::string, std::vector<Compared>> by_id;
  for (const Compared& c : compared)
    if (FollowsFromTotals(c) && !c.sampled.id.starts_with("sass_") && (c.counted > 0 || c.sampled.value > 0))
      by_id[c.sampled.id].push_back(c);
  std::string text =
      "\n## What follows from totals\n\nWith other totals that a GPU can sample (`db/sampled_counters.cpp`), here "
      "without "
      "their errors: active lanes from lanes that no predicate switches off; sectors of global memory and atomics from "
      "look-ups in L1; wavefronts that conflicts add from the hardware's count of conflicts; excess sectors from the "
      "bytes that the code names. Launches in which both are 0 are left out; errors are relative to the counter or to "
      "a hundredth of its whole (look-ups, wavefronts, instructions).\n\n"
      "| id | launches | error, median | error, 90 % | error, 97 % | within the 90 % interval |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  for (const auto& [id, all] : by_id)
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", id, all.size(), Percent(Quantile(Offs(all), 0.5)),
                        Percent(Quantile(Offs(all), 0.9)), Percent(Quantile(Offs(all), 0.97)),
                        Percent(HoldingPart(all), 0));
  text += "\n| share | launches | off by, median | 90 % | 97 % |\n|---|---:|---:|---:|---:|\n";
  for (const auto& [what, all, needed] :
       {std::tuple("of shared wavefronts that conflicts add", "sass_shared_wavefronts", "sass_shared_wavefronts_ideal"),
        std::tuple("of global sectors beyond those needed", "sass_global_sectors", "sass_global_sectors_ideal")}) {
    std::map<const StudiedLaunch*, double> sampled;  // the part that is needed
    for (const Compared& c : compared)
      if (c.sampled.id == all && c.sampled.value > 0) sampled[c.launch] = 1 / c.sampled.value;
    for (const Compared& c : compared)
      if (c.sampled.id == needed && sampled.contains(c.launch)) sampled[c.launch] *= c.sampled.value;
    std::vector<double> off;
    for (const auto& [launch, part] : sampled)
      if (const double counted = launch->Counter(all); counted > 0)
        off.push_back(std::abs(part - launch->Counter(needed) / counted));
    text += fmt::format("| {} | {} | {} | {} | {} |\n", what, off.size(), Percent(Quantile(off, 0.5)),
                        Percent(Quantile(off, 0.9)), Percent(Quantile(off, 0.97)));
  }
  return text;
}

std::string Draining(std::span<const StudiedLaunch> launches) {
  std::vector<double> bias;
  for (const StudiedLaunch& launch : launches) {
    double samples = 0, draining = 0;
    for (const PcSample& row : launch.sampling.rows) {
      samples += static_cast<double>(row.samples);
      if (row.reason == "drain") draining += static_cast<double>(row.samples);
    }
    const double share = launch.Counter("stall_drain") / launch.Counter("warps_active");
    if (share > 0.01) bias.push_back(draining / samples / share - 1);
  }
  return fmt::format(
      "\nSamples have too much of `stall_drain` ({:+.0f} % in the median of {} launches), so three quarters of them "
      "count, "
      "with a wide error.\n",
      100 * Quantile(bias, 0.5), bias.size());
}

std::string ByUnevenness(std::span<const Compared> compared) {
  std::string text =
      "\nErrors grow with unevenness: |ln| of the ratio of `selected` among samples to `inst_executed` among "
      "warp-cycles. Counters tell it, so the library widens its errors by it. Errors (median, 90 %) by the state's "
      "share:\n\n| unevenness | launches | 1 to 5 % | 5 to 20 % | above 20 % | within the 90 % interval |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  constexpr double kUneven[] = {0, 0.01, 0.03, 0.1, 0.3, 10}, kShares[] = {0.01, 0.05, 0.2, 1.01};
  const ById by_id = LargeStates(compared);
  for (std::size_t u = 0; u + 1 < std::size(kUneven); ++u) {
    std::set<const StudiedLaunch*> launches;
    std::vector<Compared> row;
    for (const auto& [id, all] : by_id)
      for (const Compared& c : all) {
        const double uneven = c.launch->Uneven();
        if (id == "stall_selected" || uneven < kUneven[u] || uneven >= kUneven[u + 1]) continue;
        row.push_back(c);
        launches.insert(c.launch);
      }
    text += u + 2 < std::size(kUneven) ? fmt::format("| {} to {} | {} |", kUneven[u], kUneven[u + 1], launches.size())
                                       : fmt::format("| above {} | {} |", kUneven[u], launches.size());
    for (std::size_t s = 0; s + 1 < std::size(kShares); ++s) {
      std::vector<double> offs;
      for (const Compared& c : row)
        if (c.counted >= kShares[s] * WholeOf(c) && c.counted < kShares[s + 1] * WholeOf(c)) offs.push_back(Off(c));
      text += fmt::format(" {}, {} |", Percent(Quantile(offs, 0.5)), Percent(Quantile(offs, 0.9), 0));
    }
    text += fmt::format(" {} |\n", Percent(HoldingPart(row), 0));
  }
  return text;
}

// Of one instruction: how often it ran by its own samples and by those of its group, against patched code's count.
struct Single {
  double alone = 0, pooled = 0;
};

std::string SampledOpcode(const SassInstruction& i) {
  return i.opcode.starts_with("HFMA2.MMA") ? "HFMA2.MMA" : i.mnemonic;
}

struct Instructions {
  std::map<std::string, std::vector<Single>> counted;
  struct Ratio {
    int instructions = 0;
    double seen = 0, expected = 0;
  };
  std::map<std::string, Ratio> beside;  // by opcode: samples, and those of its neighbours
  int once = 0, not_once = 0;           // counted in code that each warp runs once; of those, counted otherwise
};

// Executed by each part of a diverged warp.
bool Gathers(const SassInstruction& i) {
  return i.mnemonic == "BSYNC" || i.mnemonic == "WARPSYNC" || i.mnemonic == "EXIT";
}

Instructions Compare(std::span<const StudiedLaunch> launches) {
  Instructions all;
  for (const StudiedLaunch& launch : launches) {
    if (!launch.warps) continue;
    const double executed = launch.Counter("inst_executed");
    const auto executions = ExecutedCodeOf(launch.sampling, executed, launch.warps, launch.Uneven());
    if (!executions) continue;
    std::map<std::int64_t, double> selected;
    double sum = 0;
    for (const PcSample& row : launch.sampling.rows)
      if (row.reason == "selected") {
        selected[row.pc_offset] += static_cast<double>(row.samples);
        sum += static_cast<double>(row.samples);
      }
    constexpr double kEnough = 20;
    for (const RunTogether& group : executions->groups) {
      double seen = 0;
      for (const SassInstruction& i : group.code) seen += selected[i.pc_offset];
      for (const SassInstruction& i : group.code) {
        const auto exact = launch.exact.find(i.pc_offset);
        if (group.known && exact != launch.exact.end() && !Gathers(i)) {
          ++all.once;
          all.not_once += std::abs(exact->second - group.executions) > 0.5;
        }
        if (exact != launch.exact.end() && exact->second / executed * sum >= kEnough)
          all.counted[SampledOpcode(i)].push_back(
              {selected[i.pc_offset] / sum * executed / exact->second, group.executions / exact->second});
        // Only code that loops evenly: elsewhere neighbours run beside other numbers of warps.
        const double others = static_cast<double>(group.code.size()) - 1;
        const double mean = others > 0 ? (seen - selected[i.pc_offset]) / others : 0;
        constexpr double kLeastNeighbours = 15, kLeastMean = 15;
        if (group.known || others < kLeastNeighbours || mean < kLeastMean) continue;
        const auto add = [&](const std::string& name, std::int64_t at) {
          auto& ratio = all.beside[name];
          ++ratio.instructions;
          ratio.seen += selected[at];
          ratio.expected += mean;
        };
        if (&i != &group.code.front()) {
          add(SampledOpcode(i) + (i.guarded ? ", guarded" : ""), i.pc_offset);
        } else if (const SassInstruction& last = group.code.back(); last.target == i.pc_offset) {
          add("(first of a loop)", i.pc_offset);
          constexpr std::int64_t kInstruction = 16;
          add("(behind a loop)", last.pc_offset + kInstruction);
        }
      }
    }
  }
  return all;
}

std::string InstructionTables(std::span<const StudiedLaunch> launches) {
  const Instructions all = Compare(launches);
  std::string text = fmt::format(
      "\n## Executions of one instruction\n\nOf {} counted instructions in code that each warp runs once, {} have "
      "another count.\n\n",
      all.once, all.not_once);
  text +=
      "Of instructions that patched code counted, with at least 20 samples expected: estimated executions over counted "
      "ones, at 5 %, 50 % and "
      "95 % of the instructions. Alone: by the samples `selected` of this instruction. Pooled: as the library "
      "does.\n\n| opcode | instructions | alone | pooled |\n|---|---:|---|---|\n";
  for (const auto& [opcode, singles] : all.counted) {
    constexpr std::size_t kFew = 10;
    if (singles.size() < kFew) continue;
    std::vector<double> alone, pooled;
    for (const Single& s : singles) {
      alone.push_back(s.alone);
      pooled.push_back(s.pooled);
    }
    text += fmt::format("| {} | {} | {:.2f}, {:.2f}, {:.2f} | {:.2f}, {:.2f}, {:.2f} |\n", opcode, singles.size(),
                        Quantile(alone, 0.05), Quantile(alone, 0.5), Quantile(alone, 0.95), Quantile(pooled, 0.05),
                        Quantile(pooled, 0.5), Quantile(pooled, 0.95));
  }
  text +=
      "\n`BRA`, `SYNCS` and instructions of loops that wait run as often as they have to wait, which differs from "
      "launch to launch.\n\nIs an opcode seen issuing more often than its "
      "neighbours in the same block of a loop? Samples `selected` over those of its neighbours, for opcodes with at "
      "least 300 samples:\n\n| opcode | instructions | ratio | two standard "
      "errors |\n|---|---:|---:|---:|\n";
  for (const auto& [opcode, ratio] : all.beside) {
    constexpr double kEnough = 300;
    if (ratio.expected < kEnough) continue;
    text += fmt::format("| {} | {} | {:.3f} | {:.3f} |\n", opcode, ratio.instructions, ratio.seen / ratio.expected,
                        2 / std::sqrt(ratio.expected));
  }
  return text;
}

std::vector<Compared> CompareAll(std::span<const StudiedLaunch> launches, bool with_warps) {
  std::vector<Compared> all;
  for (const StudiedLaunch& launch : launches) {
    const std::vector<Compared> of = Compare(launch, with_warps);
    all.insert(all.end(), of.begin(), of.end());
  }
  return all;
}

// The kind by the samples of its own instructions alone.
double Naive(const Compared& c) {
  double sum = 0, of_kind = 0;
  std::map<std::pair<std::string, std::int64_t>, double> selected;
  for (const PcSample& row : c.launch->sampling.rows)
    if (row.reason == "selected") {
      selected[{row.function, row.pc_offset}] += static_cast<double>(row.samples);
      sum += static_cast<double>(row.samples);
    }
  const InstructionKind* const kind = KindOf(c);
  for (const MachineCode& code : c.launch->sampling.code) {
    const int architecture = ArchitectureOf(code.instructions);
    for (const MachineInstruction& i : code.instructions)
      if (const auto seen = selected.find({code.function, i.pc_offset}); seen != selected.end())
        of_kind += seen->second * PartCounted(*kind, DecodeSass(i.low, i.high, i.pc_offset, architecture));
  }
  const double of_threads = kind->threads ? c.launch->Counter("threads_per_inst") : 1;
  return of_kind / sum * c.launch->Counter("inst_executed") * of_threads;
}

std::string Kinds(std::span<const StudiedLaunch> launches, std::span<const Compared> compared,
                  std::span<const Compared> without_warps) {
  std::map<std::string, std::vector<Compared>> by_id;
  std::map<std::string, std::vector<double>> blind;
  std::map<std::string, int> zeros, asked;
  for (const StudiedLaunch& launch : launches)
    for (const InstructionKind& kind : InstructionKinds())
      asked[std::string(kind.id)] += launch.counters.contains(std::string(kind.id));
  for (const Compared& c : compared) {
    if (KindOf(c) == nullptr) continue;
    if (IsExact(c))
      ++zeros[c.sampled.id];
    else
      by_id[c.sampled.id].push_back(c);
  }
  for (const Compared& c : without_warps)
    if (KindOf(c) != nullptr && !IsExact(c)) blind[c.sampled.id].push_back(Off(c));
  std::string text =
      "| id | launches | zero | given | error, median | error, 90 % | within 5 % | within 10 % | within the 90 % "
      "interval "
      "| alone, 90 % | blind, 90 % |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const auto& [id, all] : by_id) {
    std::vector<double> alone;
    for (const Compared& c : all) {
      Compared naive = c;
      naive.sampled.value = Naive(c);
      alone.push_back(Off(naive));
    }
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", id, asked[id], zeros[id],
                        all.size(), Percent(Quantile(Offs(all), 0.5)), Percent(Quantile(Offs(all), 0.9)),
                        Percent(PartOf(all, [](const Compared& c) { return Off(c) < 0.05; }), 0),
                        Percent(PartOf(all, [](const Compared& c) { return Off(c) < 0.1; }), 0),
                        Percent(PartOf(all, [](const Compared& c) { return c.Holds(); }), 0),
                        Percent(Quantile(alone, 0.9)), Percent(Quantile(blind[id], 0.9)));
  }
  return text;
}

std::string LeftOut(std::span<const Compared> compared) {
  return fmt::format(
      "\nOf the exact zeros {} are wrong. Left out, because opcodes do not tell them: `pipe_cbu_inst`, "
      "`pipe_adu_inst`; "
      "because warps retry them: `tma_load_inst`. Counts of threads (`..._thread_inst`) are executions times the "
      "active "
      "lanes of the kernel's instructions on average.\n",
      std::ranges::count_if(compared, [](const Compared& c) {
        return IsExact(c) && KindOf(c) != nullptr && !KindOf(c)->threads && c.sampled.value == 0 && c.counted > 0;
      }));
}

std::string BySamples(std::span<const StudiedLaunch> launches) {
  std::string text =
      "\n## How many samples\n\nEach launch with fewer of its samples, chosen at random. Counts of kinds that are not "
      "zeros:\n\n| samples | given | error, median | error, 90 % | within 5 % | "
      "within 10 % | within the 90 % interval | states: error, median | states: within the 90 % interval "
      "|\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const double samples : {40'000.0, 10'000.0, 5'000.0, 2'000.0, 1'000.0}) {
    std::vector<Compared> states, kinds;
    std::vector<StudiedLaunch> thinned;
    for (const StudiedLaunch& launch : launches) thinned.push_back(Thinned(launch, samples));
    for (const Compared& c : CompareAll(thinned, true)) {
      if (IsState(c) && c.sampled.id != "stall_selected" && c.counted > 0.01 * WholeOf(c)) states.push_back(c);
      if (KindOf(c) != nullptr && !IsExact(c)) kinds.push_back(c);
    }
    text += fmt::format("| {:.0f} | {} | {} | {} | {} | {} | {} | {} | {} |\n", samples, kinds.size(),
                        Percent(Quantile(Offs(kinds), 0.5)), Percent(Quantile(Offs(kinds), 0.9)),
                        Percent(PartOf(kinds, [](const Compared& c) { return Off(c) < 0.05; }), 0),
                        Percent(PartOf(kinds, [](const Compared& c) { return Off(c) < 0.1; }), 0),
                        Percent(PartOf(kinds, [](const Compared& c) { return c.Holds(); }), 0),
                        Percent(Quantile(Offs(states), 0.5)),
                        Percent(PartOf(states, [](const Compared& c) { return c.Holds(); }), 0));
  }
  return text;
}

}  // namespace

std::string SamplesDocument(std::span<const StudiedLaunch> launches, std::span<const StudiedLaunch> others) {
  const std::vector<Compared> compared = CompareAll(launches, true), compared_others = CompareAll(others, true);
  return kHead + Recordings(launches) +
         "\n## States of warps\n\nLaunches in which the state has more than 1 % of the warp-cycles. `stall_selected` "
         "is "
         "`inst_executed`.\n\n" +
         States(compared) + Draining(launches) + ByUnevenness(compared) +
         "\n## Instructions by kind\n\nErrors are relative to the counter, or to 1 % of all executed instructions if "
         "the "
         "counter is smaller. Zero: the code has no such instruction. Given: the error is below the value, or "
         "below a tenth of all instructions. Alone: by the samples of these instructions, without pooling. Blind: "
         "the "
         "number of warps is not told.\n\n" +
         Kinds(launches, compared, CompareAll(launches, false)) + LeftOut(compared) + OfTotals(compared) +
         BySamples(launches) +
         fmt::format(
             "\n## Kernels with counters from another recording\n\n{} launches of planted kernels "
             "(`tests/recorded/planted`). Their samples (`lines/`, mostly at a period of 256 cycles) and their "
             "counters are "
             "from different recordings of the same code. Kinds and method were made with the launches above. These "
             "showed "
             "two faults, since mended (what is seen behind a jump, and what runs behind a guarded `EXIT`). After "
             "that, "
             "errors were set so that intervals hold in both.\n\n",
             others.size()) +
         States(compared_others) + "\n" + Kinds(others, compared_others, CompareAll(others, false)) +
         OfTotals(compared_others) + InstructionTables(launches);
}

}  // namespace culprit::testing
