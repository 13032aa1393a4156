// SPDX-License-Identifier: Apache-2.0
// Table rows of `culprit report` and the largest finding of each stage.
#pragma once
#include <list>
#include <string>
#include <vector>

#include "analysis/launch/kernel_view.h"
#include "analysis/launch/roofline.h"
#include "analysis/show/report/ladder_report.h"

namespace culprit {

// A launch and the launches of the same shape.
struct Rung {
  Rung(const KernelRecord& of, const Ladder& in) : kernel(&of), ladder(&in), view(of), roof(MakeRoofline(view)) {}

  const KernelRecord* kernel;
  const Ladder* ladder;
  KernelView view;
  Roofline roof;
};
using Rungs = std::list<Rung>;  // a list, because a view cannot be moved

std::string Input(const KernelRecord& kernel);

// True for a shape like "4096x4096x4096" with the flop of a matrix product. Only then does a library do the same job.
bool IsProduct(const KernelRecord& kernel);
bool IsReference(const KernelRecord& kernel);
// GFLOP/s of the reference for that input, at the ladder's shape.
Measured ReferenceGflops(const Ladder& ladder, const std::string& input);

// Time / the parent's time at the same shape in the same run.
Measured OverParent(const KernelView& view, const Ladder& ladder);
// Whether the verdict on the two is "same".
bool IsAsFastAsParent(const KernelView& view, const Ladder& ladder);

// `shapes_differ`: each row has its own shape.
ReportTable LadderTable(const Rungs& rungs, bool timed, bool shapes_differ = false);
ReportTable FailedTable(const Rungs& rungs);
ReportTable RefusedTable(const Rungs& rungs);
Item TopFinding(const KernelView& view);

// One sentence for each input whose stages have no reference.
std::vector<std::string> MissingReferences(const Ladder& ladder);

}  // namespace culprit
