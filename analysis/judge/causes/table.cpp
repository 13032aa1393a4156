// SPDX-License-Identifier: Apache-2.0
// The list of all causes. docs/causes.md is generated from it.
#include <algorithm>
#include <array>

#include "analysis/judge/causes/rooms.h"

namespace culprit {

// Causes take demand and the rest of waiting in this order. Divergence takes from all others.
std::span<const Cause> Causes() {
  static const std::array causes = {
      LocalMemoryArray(),
      LocalMemorySpill(),
      LocalMemoryUnknown(),
      SharedBankConflicts(),
      SharedAccessWidth(),
      CopiesThroughL1(),
      SharedTraffic(),
      GlobalUncoalesced(),
      GlobalAccessWidth(),
      L2Traffic(),
      DramTraffic(),
      HostMemory(),
      L2Camping(),
      Atomics(),
      MemoryFence(),
      BulkCopySize(),
      ExposedLatency(),
      ExposedProducts(),
      OccupancyBlock(),
      OccupancyRegisters(),
      OccupancyShared(),
      ImbalanceTail(),
      Barrier(),
      ExposedShared(),
      InstructionCount(),
      Fp64Pipe(),
      Fp16Pipe(),
      SfuPipe(),
      FmaPipe(),
      TensorPipe(),
      RegisterBankDispatch(),
      InstructionCache(),
      ConstantCache(),
      Divergence(),
      Clock(),
      Launch(),
  };
  return causes;
}

const Cause* FindCause(std::string_view id) {
  const auto found = std::ranges::find(Causes(), id, &Cause::id);
  return found == Causes().end() ? nullptr : &*found;
}

const Cause& CauseOf(Factor factor) { return *std::ranges::find(Causes(), std::optional(factor), &Cause::factor); }

bool SampledAt::Covers(Operation operation, std::string_view reason) const {
  if (std::ranges::find(own, operation) != own.end()) return true;
  const bool for_products = reason == "warpgroup_arrive" || reason == "barrier";
  if (products && operation == Operation::kTensor && for_products) return true;
  const auto is_among = [](const auto& list, const auto& what) {
    return list.empty() || std::ranges::find(list, what) != list.end();
  };
  return is_among(operations, operation) && is_among(reasons, reason);
}

}  // namespace culprit
