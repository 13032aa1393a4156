// SPDX-License-Identifier: Apache-2.0
// Pairs the lines of two codes. An edit can move a line, and another kernel can have the same work in another place.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "db/code.h"

namespace culprit {

// A source line, described by its instructions.
struct CodeLine {
  SourceFrame place;
  std::map<std::string, int> content;  // the number of instructions with each mnemonic
  int depth = 0;                       // the loop depth of most of these instructions; 0: in no loop
  double cost_us = 0;                  // pairs of costly lines are given priority; never negative
  // The share of the kernel's time that warps waited for it, 0..1, by operation (KeyOf).
  std::map<std::string, double> shares = {};
};

struct LinePair {
  int base = -1, candidate = -1;  // indices; -1: there is none on that side
  bool operator==(const LinePair&) const = default;
};

// Every line of both codes is in exactly one pair. Pairs keep the order of lines where possible. `same_source`: both
// were compiled from the same files, so lines of the same place always form a pair.
std::vector<LinePair> PairLines(std::span<const CodeLine> base, std::span<const CodeLine> candidate, bool same_source);

}  // namespace culprit
