// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/findings.h"
#include "tests/support/kernel_builder.h"

namespace culprit::testing {

// The finding of one rule about a kernel. Fails the test if the rule could not be judged, because then the absence of a
// finding proves nothing.
inline std::optional<Finding> Judge(std::string_view rule, const KernelBuilder& kernel) {
  const Cause* found = FindCause(rule);
  if (found == nullptr || found->finding.judge == nullptr) {
    ADD_FAILURE() << "there is no finding for " << rule;
    return std::nullopt;
  }
  const KernelView view(kernel.record);
  Findings findings = JudgeKernel(view, *found);
  for (const NotJudged& n : findings.not_judged) ADD_FAILURE() << rule << " lacks " << n.missing.front().id;
  if (findings.findings.empty()) return std::nullopt;
  return std::move(findings.findings.front());
}

}  // namespace culprit::testing
