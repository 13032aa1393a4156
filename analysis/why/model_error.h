// SPDX-License-Identifier: Apache-2.0
// How far the share of a change that a cause gets lies from the truth: measured on planted kernels, whose truth is
// known.
#pragma once
#include <span>

#include "analysis/why/explain.h"

namespace culprit {

struct ModelError {
  double from = 0;        // of shares of this size, whatever their sign, up to the next row's
  double half_width = 0;  // so far from the truth at most were nine in ten of them
  int parts = 0;          // of how many
};

// Ascending. Made from the recordings of planted kernels, and held to them, by tests/planted.
std::span<const ModelError> ModelErrors();

// The row of a share, whatever its sign; `errors` is not empty and begins at 0.
const ModelError& RowOf(std::span<const ModelError> errors, double share);

// Between which values the truth lies in nine of ten parts of this size: the error of the model and, as squares, the
// scatter of the recording. `part_us` of a change by `delta_us`.
Scatter IntervalOf(double part_us, double delta_us, const Scatter& scatter);

}  // namespace culprit
