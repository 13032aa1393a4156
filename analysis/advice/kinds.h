// SPDX-License-Identifier: Apache-2.0
// One function for each kind of advice, and for each cause of which the code shows more than lines: what the code of a
// function gives rise to.
#pragma once
#include <vector>

#include "analysis/advice/code.h"

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

// What it shows of a cause: of exposed_latency and exposed_shared how many loads are under way at once, and whether one
// needs what another fetched; of barrier which loop each stands in; of divergence which lines lanes take apart, and of
// instruction_count where predicates switch lanes off; of fp64_pipe which lines hold a literal of type double, and
// where values become double; of sfu_pipe which instructions the XU pipe executes.
std::vector<ShownCode> LoadsUnderWay(const AdviceCode& code);
std::vector<ShownCode> SharedLoadsUnderWay(const AdviceCode& code);
std::vector<ShownCode> MetBarriers(const AdviceCode& code);
std::vector<ShownCode> LanesApart(const AdviceCode& code);
std::vector<ShownCode> WhereDoublesBegin(const AdviceCode& code);
std::vector<ShownCode> OfTheXuPipe(const AdviceCode& code);

}  // namespace culprit::advice
