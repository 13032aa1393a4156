// SPDX-License-Identifier: Apache-2.0
// What goes away with a cause; gain.h makes a time of it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/kernel/kernel_view.h"

namespace culprit {

// Every number but `warps` is a share of what there is, 0 to 1.
struct Removal {
  std::map<std::string, double, std::less<>> waiting;  // by stall reason; without one `barrier` shrinks with the others
  double instructions = 0;                             // warp instructions
  double arithmetic = 0;                               // of the work of the arithmetic pipes
  double fp64 = 0, xu = 0, lsu = 0;                    // of the instructions of that pipe
  double shared = 0, l1 = 0, l2 = 0, dram = 0;         // of the unit's busy time
  double idle_sms = 0;                                 // of the time that SMs are without a block
  double warps = 1;                                    // resident warps, times as many
};

class Sharing;

struct GainRule {
  std::string_view assumption = {};  // continues "if "
  // nullopt: its shares were not counted. Null: the cause cannot be taken away.
  std::optional<Removal> (*removal)(const Sharing&) = nullptr;
  // How large the cause is in a kernel, to see on another whether it went away, with what that is for people.
  std::string_view size_title = {};
  Measured (*size)(const KernelView&) = nullptr;
  // The assumption leaves out what would take the cause's place: the estimate is the most that can be had, "at most".
  bool is_bound = false;
};

}  // namespace culprit
