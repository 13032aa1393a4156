// SPDX-License-Identifier: Apache-2.0
// What was measured by changing one thing about a kernel, as a section of its report.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/launch/occupancy_sweep.h"
#include "analysis/number/format.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/kernel_report.h"

namespace culprit {
namespace {

// Three times the noise floor of times (docs/evidence/noise.md): what a few launches can tell.
constexpr double kMatters = 0.03;
bool Matters(double times) { return times > 1 + kMatters || times < 1 - kMatters; }

std::string Times(double times) { return Format(times, Unit::kTimes); }
std::string Blocks(const SweepPoint& p) { return Format(p.blocks, Unit::kCount); }

const InterventionRecord* Find(const KernelRecord& kernel, InterventionKind kind, double setting) {
  const auto found =
      std::ranges::find_if(kernel.interventions, [&](const auto& i) { return i.kind == kind && i.setting == setting; });
  return found == kernel.interventions.end() ? nullptr : &*found;
}

// What the others of its kind are compared with.
double Unchanged(InterventionKind kind) { return kind == InterventionKind::kCarveout ? kCarveoutAsItIs : 0; }

Measured Relative(const KernelRecord& kernel, const InterventionRecord& i) {
  const InterventionRecord* unchanged = Find(kernel, i.kind, Unchanged(i.kind));
  return unchanged == nullptr ? Measured() : Measured(i.time_us / unchanged->time_us);
}

std::string What(const InterventionRecord& i) {
  switch (i.kind) {
    case InterventionKind::kOccupancy:
      return i.resident_blocks && i.resident_warps
                 ? fmt::format("{} blocks, {} warps on an SM", *i.resident_blocks, *i.resident_warps)
                 : "fewer blocks on an SM";
    case InterventionKind::kCarveout:
      return i.setting == kCarveoutAsItIs   ? "L1 and shared memory as they are"
             : i.setting == kCarveoutMostL1 ? "most L1"
                                            : "most shared memory";
    case InterventionKind::kL2:
      return i.setting != 0 ? "L2 flushed" : "L2 warm";
  }
  return {};
}

void AddSweepNote(const KernelRecord& kernel, Section& section) {
  const OccupancySweep sweep(kernel);
  const auto& points = sweep.points();
  if (points.size() == 1 && points.front().blocks == 1)
    section.notes.push_back("One block is on an SM: there is none to take away.");
  if (points.size() < 2) return;
  const SweepPoint &all = points.front(), &one = points.back();
  const auto enough = std::find_if(points.rbegin(), points.rend(), [](const auto& p) { return !Matters(p.slowdown); });
  if (!Matters(one.slowdown))
    section.notes.push_back(fmt::format("Fewer warps do not matter: {} of {} blocks take {}.", Blocks(one), Blocks(all),
                                        Times(one.slowdown)));
  else if (enough->blocks < all.blocks)
    section.notes.push_back(fmt::format("{} of {} blocks are as good as all, so more would not help; {} take {}.",
                                        Blocks(*enough), Blocks(all), Blocks(one), Times(one.slowdown)));
  else if (points[1].slowdown < 1)
    section.notes.push_back(fmt::format("Fewer warps are better: {} of {} blocks take {}.", Blocks(points[1]),
                                        Blocks(all), Times(points[1].slowdown)));
  else
    section.notes.push_back(fmt::format(
        "Warps matter: {} of {} blocks take {}{}.", Blocks(points[1]), Blocks(all), Times(points[1].slowdown),
        points.size() == 2 ? "" : fmt::format(", {} take {}", Blocks(one), Times(one.slowdown))));
}

void AddCarveoutNotes(const KernelRecord& kernel, Section& section) {
  for (const int carveout : {kCarveoutMostL1, kCarveoutMostShared})
    if (const auto* i = Find(kernel, InterventionKind::kCarveout, carveout))
      if (const Measured times = Relative(kernel, *i); times && Matters(*times))
        section.notes.push_back(
            fmt::format("With {} it takes {}{}.", What(*i), Times(*times),
                        *times < 1 ? ": cudaFuncAttributePreferredSharedMemoryCarveout asks for it" : ""));
}

void AddL2Note(const KernelRecord& kernel, Section& section) {
  const auto* flushed = Find(kernel, InterventionKind::kL2, 1);
  const Measured times = flushed == nullptr ? Measured() : Relative(kernel, *flushed);
  if (!times) return;
  section.notes.push_back(
      Matters(*times)
          ? fmt::format("With L2 flushed it takes {}: the launch before left there what this one reads.", Times(*times))
          : "What the launch before left in L2 does not matter.");
}

}  // namespace

Section MakeInterventionSection(const KernelRecord& kernel) {
  Section section{"interventions", "Measured by intervention"};
  const auto relative = [&](const InterventionRecord& i) { return Relative(kernel, i); };
  const auto count = [](const std::optional<int>& n) { return n ? Measured(*n) : Measured(); };
  section.tables.push_back(Tabulate<InterventionRecord>(
      "settings", "", kernel.interventions,
      {{"kind", "", [](const InterventionRecord& i) { return std::string(NameOf(i.kind)); }, true},
       {"setting", "", Unit::kCount, &InterventionRecord::setting, true},
       {"what", "Changed", What},
       {"resident_blocks", "", Unit::kCount, [&](const InterventionRecord& i) { return count(i.resident_blocks); },
        true},
       {"resident_warps", "", Unit::kCount, [&](const InterventionRecord& i) { return count(i.resident_warps); }, true},
       {"time_us", "Time", Unit::kTimeUs, &InterventionRecord::time_us},
       {"relative", "Relative", Unit::kTimes, relative},
       {"least_us", "", Unit::kTimeUs, &InterventionRecord::least_us, true},
       {"most_us", "", Unit::kTimeUs, &InterventionRecord::most_us, true},
       {"clock_mhz", "", Unit::kMhz, &InterventionRecord::clock_mhz, true},
       {"samples", "Launches", Unit::kCount, &InterventionRecord::samples}}));
  AddSweepNote(kernel, section);
  AddCarveoutNotes(kernel, section);
  AddL2Note(kernel, section);
  for (const Warning& w : kernel.warnings)
    if (w.code == kInterventionsLeftOut && !w.launch.empty()) section.notes.push_back("Left out: " + w.text + ".");
  return section;
}

}  // namespace culprit
