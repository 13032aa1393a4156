// SPDX-License-Identifier: Apache-2.0
// Which line of one code is which line of another: after an edit lines move, in another kernel the same work stands
// elsewhere.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "db/code.h"

namespace culprit {

// A source line as its instructions show it.
struct CodeLine {
  SourceFrame place;
  std::map<std::string, int> content;  // how many instructions of each mnemonic
  int depth = 0;                       // of the innermost loop around the most of them; 0: none
  double cost_us = 0;                  // decides which of several likely pairs counts most; never negative
  // Of the kernel's time what warps waited for it, 0..1, by what its instructions do (KeyOf).
  std::map<std::string, double> shares = {};
};

// 0..1: by how much the two do the same, whatever their number of instructions: unrolling repeats them.
double Likeness(const CodeLine& a, const CodeLine& b);

// Whether both take much of their kernels' time by the same kind of work: such lines have one role, also where a fused
// line of one kernel does more besides than that of the other.
bool SameRole(const CodeLine& a, const CodeLine& b);

struct LinePair {
  int base = -1, candidate = -1;  // indices; -1: there is none on that side
  bool operator==(const LinePair&) const = default;
};

// Every line of both is in exactly one pair. Lines keep their order where they can. `same_source`: both were compiled
// from the same files, so that equal places are the same line, whatever became of it.
std::vector<LinePair> PairLines(std::span<const CodeLine> base, std::span<const CodeLine> candidate, bool same_source);

}  // namespace culprit
