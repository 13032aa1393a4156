// SPDX-License-Identifier: Apache-2.0
// One function for each kind of advice: what the code of a function gives rise to.
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

}  // namespace culprit::advice
