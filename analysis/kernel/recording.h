// SPDX-License-Identifier: Apache-2.0
// One run by stage and shape: what reproduced tables and claims read.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel/kernel_view.h"
#include "db/database.h"

namespace culprit {

class Recording {
 public:
  using LoadInstructions = std::function<std::vector<InstructionRecord>(LaunchId)>;

  // Without `instructions` none were counted.
  Recording(RunSummary run, std::vector<KernelRecord> kernels, LoadInstructions instructions = {});
  // Every launch of the run. Keeps a reference for the instructions: the database must outlive the recording.
  static Recording Load(const Database& database, const RunSummary& run);
  // The same without repeats (Database::LoadKernels): for what reads whole runs and draws nothing again.
  static Recording LoadBriefly(const Database& database, const RunSummary& run);

  const RunSummary& run() const { return run_; }
  // Null unless the stage ran at this shape and its results were right (nothing else is evidence for anything).
  const KernelView* Find(std::string_view stage, std::string_view shape) const;
  // Empty when they were not counted.
  const std::vector<InstructionRecord>& Instructions(const KernelView& kernel) const;
  // As the recording has it; null when the run does not know the stage at any shape.
  const StageRecord* StageOf(std::string_view stage) const;
  // Shapes at which all of these stages ran right: largest first, squares before others of the same flop.
  std::vector<std::string> SharedShapes(std::span<const std::string> stages) const;
  // Where most of these stages ran right; among equals `preferred`, else the largest. Empty when none ran.
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
  std::vector<std::unique_ptr<Kernel>> kernels_;  // views point into records: they must not move
  std::map<std::pair<std::string, std::string>, const Kernel*, std::less<>> by_stage_and_shape_;
};

// "3f2a91bc": enough to name a run.
std::string ShortUuid(const RunRecord& run);

// "4096x4096x4096"
std::string SquareShape(int size);
// M, N, K of a shape written "MxNxK"; empty when it is not one.
std::vector<double> Extents(std::string_view shape);

}  // namespace culprit
