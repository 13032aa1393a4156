// SPDX-License-Identifier: Apache-2.0
#include "analysis/claims/evidence.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/format.h"

namespace culprit {
namespace {

constexpr unsigned kWarpSize = 32;

Measured OfLaunch(const KernelView& kernel, const std::string& id) {
  const LaunchRecord& launch = kernel.record().launch;
  if (id == "warps") {
    const unsigned threads = launch.block_x * launch.block_y * launch.block_z;
    return kernel.Get("blocks") * Measured((threads + kWarpSize - 1) / kWarpSize);
  }
  if (id == "k_extent") {
    const std::vector<double> extents = Extents(launch.shape);
    return extents.size() == 3 ? Measured(extents.back()) : Measured::Missing(Absence::kUndefined);
  }
  if (id == "error_over_bound") {
    const auto& error = launch.verify_error_over_bound;
    return error ? Measured(*error) : Measured();
  }
  return kernel.Get(id);
}

Unit UnitOf(const KernelView& kernel, const std::string& id) {
  if (id == "error_over_bound") return Unit::kRatio;
  // A stack frame is compared to the byte.
  if (id.ends_with("_bytes") && !id.starts_with("dram_")) return Unit::kCapacity;
  return UnitFromCatalogue(kernel.UnitOf(id));
}

struct ClassOf {
  const char* key;
  std::vector<std::string> any_of;   // one of these counts is not zero
  std::vector<std::string> also;     // and all of these
  std::vector<std::string> none_of;  // and none of these
};

ClassOf Describe(InstructionClass which) {
  switch (which) {
    case InstructionClass::kSharedRead:
      return {"shared_read", {"sass_shared_load_inst", "sass_ldsm_inst"}, {}, {}};
    case InstructionClass::kSharedWrite:
      return {"shared_write", {"sass_shared_store_inst", "sass_stsm_inst", "sass_ldgsts_inst"}, {}, {}};
    case InstructionClass::kLds:
      return {"lds", {"sass_shared_load_inst"}, {}, {}};
    case InstructionClass::kLdsNarrow:
      return {"lds_narrow", {"sass_shared_load_inst"}, {}, {"sass_memory_128b_inst"}};
    case InstructionClass::kSts:
      return {"sts", {"sass_shared_store_inst"}, {}, {}};
    case InstructionClass::kSts32:
      return {"sts32", {"sass_shared_store_inst"}, {"sass_memory_32b_inst"}, {}};
    case InstructionClass::kSts128:
      return {"sts128", {"sass_shared_store_inst"}, {"sass_memory_128b_inst"}, {}};
  }
  return {};
}

double CountOf(const InstructionRecord& instruction, const std::string& id) {
  const auto found = instruction.counts.find(id);
  return found == instruction.counts.end() ? 0 : found->second;  // what is 0 for an instruction has no row
}

bool Matches(const InstructionRecord& instruction, const ClassOf& wanted) {
  const auto counted = [&](const std::string& id) { return CountOf(instruction, id) != 0; };
  return std::any_of(wanted.any_of.begin(), wanted.any_of.end(), counted) &&
         std::all_of(wanted.also.begin(), wanted.also.end(), counted) &&
         std::none_of(wanted.none_of.begin(), wanted.none_of.end(), counted);
}

// Zero rows are left out, so only the launch's own reading says whether a count was taken at all.
Measured SumOf(const KernelView& kernel, const std::vector<InstructionRecord>& instructions, const ClassOf& wanted,
               const std::string& id) {
  std::vector<std::string> needed = {id, wanted.any_of.front()};
  needed.insert(needed.end(), wanted.also.begin(), wanted.also.end());
  needed.insert(needed.end(), wanted.none_of.begin(), wanted.none_of.end());
  for (const std::string& metric : needed)
    if (const Measured whole = kernel.Get(metric); !whole) return whole;
  if (instructions.empty()) return {};
  double sum = 0;
  for (const InstructionRecord& instruction : instructions)
    if (Matches(instruction, wanted)) sum += CountOf(instruction, id);
  return sum;
}

}  // namespace

Measured Evidence::Get(const std::string& stage, const std::string& id) {
  return Read(At(stage), stage + "." + id, id);
}

Measured Evidence::GetAt(const std::string& stage, const std::string& id, int size) {
  sized_.emplace(stage, size);
  return Read(recording_ ? recording_->Find(stage, SquareShape(size)) : nullptr,
              fmt::format("{}@{}.{}", stage, size, id), id);
}

Measured Evidence::Sum(const std::string& stage, InstructionClass which, const std::string& id) {
  const ClassOf wanted = Describe(which);
  const std::string name = fmt::format("{}.{}.{}", stage, wanted.key, id);
  const KernelView* kernel = At(stage);
  if (!kernel) return Note(name, {}, Unit::kCount, true);
  return Note(name, SumOf(*kernel, recording_->Instructions(*kernel), wanted, id), UnitOf(*kernel, id), false);
}

const KernelView* Evidence::At(const std::string& stage) {
  if (std::find(stages_.begin(), stages_.end(), stage) == stages_.end()) stages_.push_back(stage);
  return recording_ ? recording_->Find(stage, shape_) : nullptr;
}

Measured Evidence::Read(const KernelView* kernel, const std::string& name, const std::string& id) {
  if (!kernel) return Note(name, {}, Unit::kCount, true);
  return Note(name, OfLaunch(*kernel, id), UnitOf(*kernel, id), false);
}

Measured Evidence::Note(std::string name, Measured value, Unit unit, bool no_launch) {
  const auto known = [&](const Fact& fact) { return fact.key == name; };
  if (std::any_of(facts_.begin(), facts_.end(), known)) return value;
  if (!value) missing_.push_back({name, value.absence(), no_launch});
  facts_.push_back({name, name, Number{value, unit}});
  return value;
}

}  // namespace culprit
