// SPDX-License-Identifier: Apache-2.0
#include "analysis/blame/passes.h"

#include <algorithm>
#include <optional>

#include "analysis/kernel/operation.h"

namespace culprit {
namespace {

constexpr double kBankBytes = 4, kSpecialPasses = 2, kSectorBytes = 32, kWarp = 32;

// Of one execution.
std::optional<double> Each(const InstructionRecord* counted, const char* metric) {
  if (counted == nullptr) return std::nullopt;
  const auto executed = counted->counts.find("sass_inst"), found = counted->counts.find(metric);
  if (executed == counted->counts.end() || found == counted->counts.end() || !(executed->second > 0))
    return std::nullopt;
  return found->second / executed->second;
}

}  // namespace

double PassesOf(const SassInstruction& instruction, const InstructionRecord* counted) {
  const double narrowest = std::max(1.0, instruction.access_bytes / kBankBytes);
  switch (FindOperation(instruction.mnemonic).operation) {
    case Operation::kSharedLoad:
    case Operation::kSharedStore:
    case Operation::kSharedAtomic:
      return std::max(1.0, Each(counted, "sass_shared_wavefronts").value_or(narrowest));
    case Operation::kGlobalLoad:
    case Operation::kGlobalStore:
    case Operation::kGlobalAtomic:
    case Operation::kGenericLoad:
    case Operation::kGenericStore:
    case Operation::kAsyncCopy: {
      const auto sectors = Each(counted, "sass_global_sectors"), ideal = Each(counted, "sass_global_sectors_ideal");
      return sectors && ideal ? narrowest + std::max(0.0, *sectors - *ideal) : narrowest;
    }
    case Operation::kLocalLoad:
    case Operation::kLocalStore: {
      const auto sectors = Each(counted, "sass_local_sectors");
      return sectors ? narrowest + std::max(0.0, *sectors - kWarp * narrowest * kBankBytes / kSectorBytes) : narrowest;
    }
    case Operation::kSpecialFunction:
    case Operation::kConversion:
      return kSpecialPasses;
    default:
      return 1;
  }
}

}  // namespace culprit
