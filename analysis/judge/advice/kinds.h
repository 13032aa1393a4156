// SPDX-License-Identifier: Apache-2.0
// One function for each kind of advice, and one for each cause with more to show in the code than lines.
#pragma once
#include <vector>

#include "analysis/judge/advice/code.h"

namespace culprit::advice {

std::vector<Advice> LocalArrays(const AdviceCode& code);
std::vector<Advice> Spills(const AdviceCode& code);
std::vector<Advice> BankConflicts(const AdviceCode& code);
std::vector<Advice> Uncoalesced(const AdviceCode& code);
std::vector<Advice> NarrowNeighbours(const AdviceCode& code);
std::vector<Advice> NarrowElements(const AdviceCode& code);
std::vector<Advice> Doubles(const AdviceCode& code);
std::vector<Advice> EarlyLoads(const AdviceCode& code);
std::vector<Advice> LoadChains(const AdviceCode& code);
std::vector<Advice> Barriers(const AdviceCode& code);
std::vector<Advice> Atomics(const AdviceCode& code);

// Facts about a cause that the code shows:
//   exposed_latency, exposed_shared   how many loads are in flight at once, and whether one needs another's result
//   barrier                           the loop of each barrier
//   divergence                        the lines at which lanes separate
//   instruction_count                 where predicates switch lanes off
//   fp64_pipe                         the lines with a literal of type double, and where values become double
//   sfu_pipe                          the instructions that the XU pipe executes
std::vector<ShownCode> LoadsUnderWay(const AdviceCode& code);
std::vector<ShownCode> SharedLoadsUnderWay(const AdviceCode& code);
std::vector<ShownCode> MetBarriers(const AdviceCode& code);
std::vector<ShownCode> LanesApart(const AdviceCode& code);
std::vector<ShownCode> WhereDoublesBegin(const AdviceCode& code);
std::vector<ShownCode> OfTheXuPipe(const AdviceCode& code);

}  // namespace culprit::advice
