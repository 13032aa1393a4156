// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/unit.h"

namespace culprit {
namespace {

// An SM has as many, and one data pipe.
constexpr double kSubPartitions = 4;

// Of memory one level alone, in cycles of its own, and no latency.
struct Level {
  double l1 = 0, l2 = 0, dram = 0;
};
Askers At(Level level, Askers pair) {
  for (Asker* a : {&pair.base, &pair.candidate}) {
    a->of_unit = true;
    a->local_request = a->global_request = 0.0;
    a->at_l1 *= level.l1;
    a->at_l2 *= level.l2;
    a->at_dram *= level.dram;
  }
  return pair;
}

struct NamedPipe {
  Pipe pipe;
  std::string_view unit;
};
constexpr NamedPipe kPipes[] = {
    {Pipe::kFma, "FMA pipe"},   {Pipe::kAlu, "ALU pipe"}, {Pipe::kFp16, "half-precision pipe"},
    {Pipe::kFp64, "FP64 pipe"}, {Pipe::kXu, "XU pipe"},   {Pipe::kTensor, "tensor pipe"}};

// Each instruction of a pipe is some cause's, so what they ask for is all of it.
UnitWork WorkOf(const NamedPipe& named, Askers pair) {
  pair.base.pipe = pair.candidate.pipe = named.pipe;
  Movement m = MovementOf(Wait::kPipe, pair);
  const Range base = m.from(), candidate = m.to();
  return {named.unit, std::move(m), 1, base, candidate};
}

// All that a unit works for a kernel.
using Total = Range (*)(const Asker&);
UnitWork Work(std::string_view unit, Wait wait, const Askers& pair, double cycles, Total total) {
  return {unit, MovementOf(wait, pair), cycles, total(pair.base), total(pair.candidate)};
}

}  // namespace

std::vector<UnitWork> WorkOf(const Askers& pair) {
  std::vector<UnitWork> work;
  work.push_back(Work("issue slots", Wait::kIssue, pair, 1, [](const Asker& a) { return a.demand.issued; }));
  for (const NamedPipe& pipe : kPipes) work.push_back(WorkOf(pipe, pair));
  work.push_back(Work("data pipe", Wait::kResult, At({.l1 = 1}, pair), kSubPartitions, [](const Asker& a) {
    return Max(a.demand.shared_all, a.demand.shared) + a.demand.shared_atomic +
           (a.demand.sectors_l1 + (a.excess_at_l1 - 1.0) * a.demand.excess_l1) * a.HeldUp();
  }));
  // Atomics work L2 too.
  work.push_back(Work("L2", Wait::kMemory, At({.l2 = 1}, pair), 1, [](const Asker& a) {
    return a.at_l2 * (a.demand.sectors_l2 + a.demand.atomic_sectors + a.demand.atomic_l2_cycles);
  }));
  work.push_back(Work("device memory", Wait::kMemory, At({.dram = 1}, pair), 1,
                      [](const Asker& a) { return a.at_dram * a.demand.sectors_dram; }));
  return work;
}

}  // namespace culprit
