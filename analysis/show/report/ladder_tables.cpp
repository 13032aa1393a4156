// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/ladder_tables.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "analysis/judge/causes/findings.h"
#include "analysis/judge/difference/verdict.h"
#include "analysis/launch/stall_stack.h"
#include "analysis/number/format.h"
#include "analysis/show/render/tabulate.h"
#include "db/stage_input.h"

namespace culprit {
namespace {

using enum Unit;

struct Reference {
  std::string_view input, stage;
};
constexpr Reference kReferences[] = {{kSinglePrecision, "cublas_sgemm"}, {"fp16", "cublas_hgemm"}};

std::string StageId(const Rung& rung) { return rung.kernel->stage.id; }
std::string Message(const Rung& rung) { return rung.kernel->launch.message; }

Cell TopStallCell(const KernelView& view) {
  const StallStackResult result = MakeStallStack(view);
  const StallPart* top = result.stack ? TopStall(*result.stack) : nullptr;
  if (top) return fmt::format("{} {}", top->reason, Format(100 * top->share, kPercent));
  const Measured warps = view.Get("warps_active");
  return Number{warps ? Measured() : warps};
}

const KernelRecord* ParentOf(const KernelView& view, const Ladder& ladder) {
  const auto found = std::ranges::find_if(ladder.kernels, [&](const KernelRecord& k) {
    return k.stage.id == view.record().stage.parent && k.launch.state == LaunchState::kOk;
  });
  return found == ladder.kernels.end() ? nullptr : &*found;
}

// "same", as `study` and `why` say it, where the two cannot be told apart.
Cell OverParentCell(const Rung& rung) {
  if (IsAsFastAsParent(rung.view, *rung.ladder)) return ToText(Speed::kSame);
  return Format(Number{OverParent(rung.view, *rung.ladder), kSlowdown});
}

}  // namespace

std::string_view ReferenceStage(std::string_view input) {
  const auto found = std::ranges::find(kReferences, input, &Reference::input);
  return found == std::end(kReferences) ? "" : found->stage;
}

std::string Input(const KernelRecord& kernel) { return InputOf(kernel.stage.factors); }

bool IsProduct(const KernelRecord& kernel) {
  static const RE2 kThree(R"((\d+)x(\d+)x(\d+))");
  double m = 0, n = 0, k = 0;
  return RE2::FullMatch(kernel.launch.shape, kThree, &m, &n, &k) && kernel.launch.flop == 2 * m * n * k;
}

bool IsReference(const KernelRecord& kernel) { return kernel.stage.id == ReferenceStage(Input(kernel)); }

Measured ReferenceGflops(const Ladder& ladder, const std::string& input) {
  for (const KernelRecord& k : ladder.kernels)
    if (IsReference(k) && Input(k) == input && k.launch.state == LaunchState::kOk)
      return MakeRoofline(KernelView(k)).achieved_gflops;
  return {};
}

Measured OverParent(const KernelView& view, const Ladder& ladder) {
  if (view.record().stage.parent.empty()) return Measured::Missing(Absence::kUndefined);
  const KernelRecord* parent = ParentOf(view, ladder);
  return parent == nullptr ? Measured() : view.Get("time_us") / KernelView(*parent).Get("time_us");
}

bool IsAsFastAsParent(const KernelView& view, const Ladder& ladder) {
  const KernelRecord* parent = ParentOf(view, ladder);
  return parent != nullptr && VerdictOnPair(KernelView(*parent), view).speed == Speed::kSame;
}

ReportTable LadderTable(const Rungs& rungs, bool timed, bool shapes_differ) {
  const bool products = std::ranges::any_of(rungs, [](const Rung& r) { return IsProduct(*r.kernel); });
  const auto get = [](const char* id) { return [id](const Rung& r) { return r.view.Get(id); }; };
  const auto quartile = [](Measured Distribution::*figure) {
    return [figure](const Rung& r) {
      const auto& time = r.view.time().time_us;
      return time ? (*time).*figure : Measured();
    };
  };
  std::vector<ColumnOf<Rung>> columns = {
      {"stage", "Kernel", StageId},
      {"median_us", "Median", kTimeUs, get("time_us"), !timed},
      {"q1_us", "", kTimeUs, quartile(&Distribution::q1), true},
      {"q3_us", "", kTimeUs, quartile(&Distribution::q3), true},
      {"vs_parent", "vs parent", OverParentCell, !timed},
      {"time_over_parent", "", kSlowdown, [](const Rung& r) { return OverParent(r.view, *r.ladder); }, true},
      {"gflops", "Speed", kGflops, [](const Rung& r) { return r.roof.achieved_gflops; }, !timed},
      {"ffma_peak_pct", "of FFMA", kPercent, [](const Rung& r) { return r.roof.compute_pct; }, !timed},
      {"cublas_pct", "cuBLAS", kPercent,
       [](const Rung& r) { return Measured(100) * r.roof.achieved_gflops / ReferenceGflops(*r.ladder, r.roof.input); },
       !timed || !products},
      {"registers", "Regs", kCount, get("registers")},
      {"stack_frame_bytes", "Stack", kCapacity, get("stack_frame_bytes")},
      {"achieved_occupancy_pct", "Warps", kPercent, get("achieved_occupancy_pct")},
      {"top_stall", "Top stall", [](const Rung& r) { return TopStallCell(r.view); }}};
  if (shapes_differ)
    columns.insert(columns.begin() + 1,
                   ColumnOf<Rung>("shape", "Shape", [](const Rung& r) { return r.ladder->shape; }));
  return Tabulate<Rung>("ladder", "", rungs, columns);
}

ReportTable FailedTable(const Rungs& rungs) {
  const auto error = [](const Rung& r) { return r.kernel->launch.verify_error_over_bound; };
  return Tabulate<Rung>(
      "failed", "Failed: left out of every ranking", rungs,
      {{"stage", "Kernel", StageId}, {"error_over_bound", "Error/bound", kRatio, error}, {"message", "Why", Message}});
}

ReportTable RefusedTable(const Rungs& rungs) {
  return Tabulate<Rung>("refused", "Refused", rungs, {{"stage", "Kernel", StageId}, {"message", "Why", Message}});
}

Item TopFinding(const KernelView& view) {
  Item item{.key = view.record().stage.id, .weight = {{}, kTimeUs}};
  const Findings findings = JudgeKernel(view);
  const std::size_t open = findings.not_judged.size();
  if (!view.Get("time_us")) {
    item.brief = "not judged: it was not timed, and a cause weighs what it costs.";
  } else if (!findings.findings.empty()) {
    const Finding& top = findings.findings.front();  // a good one stands here only where there is no other
    if (!top.good) item.weight.value = top.weight_us;
    item.brief = (top.good ? "nothing stands out; " : top.id + ": ") + top.brief;
    item.text = top.good ? item.brief : top.id + ": " + top.text;
  } else if (findings.silent == 0) {
    item.brief = "not judged: its counters were not measured.";
  } else {
    item.brief = open == 0 ? "nothing stands out in what was measured."
                           : fmt::format("nothing stands out, but {} of {} rules lack their metrics.", open,
                                         open + findings.silent);
  }
  if (item.text.empty()) item.text = item.brief;
  return item;
}

std::vector<std::string> MissingReferences(const Ladder& ladder) {
  std::set<std::string_view> missing;
  for (const KernelRecord& k : ladder.kernels)
    if (k.launch.state == LaunchState::kOk && IsProduct(k) && !ReferenceGflops(ladder, Input(k)))
      missing.insert(ReferenceStage(Input(k)));
  missing.erase("");
  std::vector<std::string> notes;
  for (const std::string_view stage : missing)
    notes.push_back(fmt::format("{} was not measured in this run, so there is nothing to compare with.", stage));
  return notes;
}

}  // namespace culprit
