// SPDX-License-Identifier: Apache-2.0
// The launches of one run by stage and shape, for reproduced tables and claims.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/kernel_view.h"
#include "db/database.h"

namespace culprit {

class Recording {
 public:
  using LoadInstructions = std::function<std::vector<InstructionRecord>(LaunchId)>;

  // Without `instructions`: none were counted.
  Recording(RunSummary run, std::vector<KernelRecord> kernels, LoadInstructions instructions = {});
  // Every launch of the run. The database must outlive the recording, which reads instructions from it later.
  static Recording Load(const Database& database, const RunSummary& run);
  // The same without repeats (Database::LoadKernels), for tools that read whole runs and do not resample.
  static Recording LoadBriefly(const Database& database, const RunSummary& run);

  const RunSummary& run() const { return run_; }
  // Null unless the stage ran at this shape with correct results, because other launches are no evidence.
  const KernelView* Find(std::string_view stage, std::string_view shape) const;
  // Empty if they were not counted.
  const std::vector<InstructionRecord>& Instructions(const KernelView& kernel) const;
  // Null when the run does not have the stage at any shape.
  const StageRecord* StageOf(std::string_view stage) const;
  // Shapes at which all of these stages ran correctly. The largest come first, and squares before others of the same
  // flop.
  std::vector<std::string> SharedShapes(std::span<const std::string> stages) const;
  // The shape at which most of these stages ran correctly. On a tie, `preferred`, or else the largest. Empty if none
  // ran.
  std::string BestShape(std::span<const std::string> stages, std::string_view preferred) const;

 private:
  struct Kernel {
    explicit Kernel(KernelRecord r) : record(std::move(r)), view(record) {}
    KernelRecord record;
    KernelView view;
    mutable std::unique_ptr<std::vector<InstructionRecord>> instructions;
  };

  RunSummary run_;
  LoadInstructions load_instructions_;
  std::vector<std::unique_ptr<Kernel>> kernels_;  // views point into records, which must not move
  std::map<std::pair<std::string, std::string>, const Kernel*, std::less<>> by_stage_and_shape_;
};

// "4096x4096x4096"
std::string SquareShape(int size);
// M, N, K of a shape "MxNxK". Empty for other text.
std::vector<double> Extents(std::string_view shape);

}  // namespace culprit
