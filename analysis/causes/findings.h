// SPDX-License-Identifier: Apache-2.0
// What holds one kernel back. A rule is a pure function of a kernel's facts; the table in findings.cpp lists them all.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel/kernel_view.h"

namespace culprit {

// What a rule says when it speaks.
//
// weight_us orders findings and is one of two things, which `text` tells apart:
//   stall time     the part T_r of the stall stack that this cause can explain
//   resource time  what a saturated unit needs at its peak for the work of this kernel
// access_shares.h says how both are shared out among causes. A weight is no prediction of a gain, and weights overlap:
// one stall can be named by two findings.
struct Opinion {
  std::string text;  // one sentence with its numbers
  std::optional<double> weight_us;
  std::string brief;  // the same in about 60 characters, for one line per kernel
};

struct FindingRule {
  std::string_view id;                  // stable; printed in JSON
  std::vector<std::string_view> needs;  // ids for KernelView; the engine calls `judge` only when all of them are there
  std::optional<Opinion> (*judge)(const KernelView&);
  std::vector<std::string_view> also = {};  // shown as evidence where present
};

struct Evidence {
  std::string id;  // of KernelView
  double value = 0;
  std::string unit;  // the catalogue's
};

struct Finding {
  std::string id;
  std::string text;
  std::optional<double> weight_us;
  std::vector<Evidence> evidence;
  std::string brief;
};

struct NotJudged {
  std::string id;  // of the rule
  struct Missing {
    std::string id;
    Absence why;
  };
  std::vector<Missing> missing;
};

struct Findings {
  std::vector<Finding> findings;  // heaviest first; those without a weight last, in the table's order
  std::vector<NotJudged> not_judged;
  // Rules that had all they need and nothing to say, or nothing that matters: less than a hundredth of the time.
  int silent = 0;
};

std::span<const FindingRule> FindingRules();
const FindingRule* FindFindingRule(std::string_view id);

Findings JudgeKernel(const KernelView& kernel);
Findings JudgeKernel(const KernelView& kernel, std::span<const FindingRule> rules);

}  // namespace culprit
