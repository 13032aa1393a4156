// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "analysis/why/explain.h"

namespace culprit {

// How a pair of kernels is explained: Explain, what adds other launches as evidence, or what a test has invented.
using Explainer = std::function<Explanation(const KernelView& base, const KernelView& candidate)>;

}  // namespace culprit
