// SPDX-License-Identifier: Apache-2.0
// What `culprit report` says of each stage: the rows of its tables, and the heaviest finding of each.
#pragma once
#include <list>
#include <string>
#include <vector>

#include "analysis/kernel/kernel_view.h"
#include "analysis/kernel/roofline.h"
#include "analysis/report/ladder_report.h"

namespace culprit {

// A launch, and those of its shape, which it is compared with.
struct Rung {
  Rung(const KernelRecord& of, const Ladder& in) : kernel(&of), ladder(&in), view(of), roof(MakeRoofline(view)) {}

  const KernelRecord* kernel;
  const Ladder* ladder;
  KernelView view;
  Roofline roof;
};
using Rungs = std::list<Rung>;  // a view cannot be moved

std::string Input(const KernelRecord& kernel);

// "4096x4096x4096" with the flop of a matrix product: only such a launch has a job that a library does as well.
bool IsProduct(const KernelRecord& kernel);
bool IsReference(const KernelRecord& kernel);
// Of the reference of that input, at the shape of the ladder.
Measured ReferenceGflops(const Ladder& ladder, const std::string& input);

// The ladder is about steps: time over the parent's at the same shape of the same run.
Measured OverParent(const KernelView& view, const Ladder& ladder);
// Whether the verdict on the two is "same".
bool IsAsFastAsParent(const KernelView& view, const Ladder& ladder);

// Where the shapes differ, each row says its own.
ReportTable LadderTable(const Rungs& rungs, bool timed, bool shapes_differ = false);
ReportTable FailedTable(const Rungs& rungs);
ReportTable RefusedTable(const Rungs& rungs);
Item TopFinding(const KernelView& view);

// One sentence for each input whose stages have nothing to be a share of.
std::vector<std::string> MissingReferences(const Ladder& ladder);

}  // namespace culprit
