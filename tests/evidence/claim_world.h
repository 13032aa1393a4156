// SPDX-License-Identifier: Apache-2.0
// An invented recording in which every claim of the seeds holds. Tests change one value at a time. Times follow what
// the documents published; every other number is invented. Nothing here was measured.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/kernel_builder.h"
#include "tests/support/recording.h"

namespace culprit::testing {

inline constexpr int kWorldSize = 4096;

class ClaimWorld {
 public:
  ClaimWorld();

  KernelBuilder& At(const std::string& stage, int size = kWorldSize);
  ClaimWorld& Gflops(const std::string& stage, double gflops, int size = kWorldSize);
  ClaimWorld& Ms(const std::string& stage, double ms, int size);
  ClaimWorld& Set(const std::string& stage, const std::string& metric, double value, int size = kWorldSize);
  ClaimWorld& Attribute(const std::string& stage, const std::string& name, double value);

  // One machine instruction that touches shared memory. `kind`: "lds", "sts", "ldsm"; bits per thread; wavefronts and
  // ideal ones of each execution. A second one of the same kind and width replaces the first.
  ClaimWorld& Shared(const std::string& stage, const std::string& kind, int bits, double executed, double wavefronts,
                     double ideal);

  // A barrier of a block, with the number of executions by all warps together.
  ClaimWorld& Barriers(const std::string& stage, double executed);

  // The layout as the author of the stage declares it.
  ClaimWorld& RowBytesOfA(const std::string& stage, int bytes);

  void Remove(const std::string& stage);
  void DenyCounters();
  void ForgetInstructions() { instructions_.clear(); }
  // As in a recording without the machine code.
  void ForgetOpcodes();
  // Everything at 4096 happens at this shape instead.
  void MoveTo(const std::string& shape);

  culprit::Recording Recording() const;
  // The same as a database with one complete run.
  void Write(const std::filesystem::path& file) const;

 private:
  using Key = std::pair<std::string, int>;

  InstructionRecord& Instruction(const std::string& stage, const std::string& kind, int bits);
  // The whole kernel is the sum of its instructions.
  void AddUp(const std::string& stage);

  std::map<Key, KernelBuilder> kernels_;
  std::map<std::string, std::map<std::pair<std::string, int>, InstructionRecord>> instructions_;
};

}  // namespace culprit::testing
