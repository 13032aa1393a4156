// SPDX-License-Identifier: Apache-2.0
// Atomics that a warp, or a thread, could combine before it sends them.
#include <algorithm>
#include <optional>
#include <string>

#include "analysis/judge/advice/kinds.h"

namespace culprit::advice {
namespace {

bool IsAtomic(const AdviceCode& code, int i) {
  return code.OperationAt(i) == Operation::kGlobalAtomic || code.OperationAt(i) == Operation::kSharedAtomic;
}

// Whether no trip of its loop changes its address.
bool StaysInItsLoop(const AdviceCode& code, int i) {
  const int loop = code.LoopOf(i);
  const std::vector<RegisterRange> address = code.AddressRegisters(i);
  if (loop < 0 || address.empty()) return false;
  return std::ranges::none_of(address, [&](const RegisterRange& r) {
    return std::ranges::any_of(code.Writers(i, r), [&](int writer) { return code.IsIn(writer, loop); });
  });
}

constexpr const char* kSameAddress = "every trip of the loop adds to the address of the one before";
constexpr const char* kOneAddress = "all lanes of a warp update one address";

// No advice if lanes compute their addresses from loaded data (a histogram), because they may be spread well enough.
std::optional<std::string> Finding(const AdviceCode& code, int i) {
  if (!IsAtomic(code, i)) return std::nullopt;
  if (StaysInItsLoop(code, i)) return kSameAddress;
  return code.AddressAt(i).IsShared() ? std::optional<std::string>(kOneAddress) : std::nullopt;
}

}  // namespace

std::vector<Advice> Atomics(const AdviceCode& code) {
  std::vector<Advice> all;
  for (const auto& [finding, atomics] : code.ByFinding([&](int i) { return Finding(code, i); })) {
    Advice advice = code.About(atomics);
    advice.finding = finding.second;
    advice.action = finding.second == kSameAddress
                        ? "combine the trips in a register, and send one atomic behind the loop"
                        : "combine within the warp and the block first, so that one lane sends one atomic";
    all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace culprit::advice
