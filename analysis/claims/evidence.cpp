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
  const std::string name = fmt::format("{}.{}.{}", stage, KeyOf(which), id);
  const KernelView* kernel = At(stage);
  if (!kernel) return Note(name, {}, Unit::kCount, true);
  return Note(name, SumOf(*kernel, recording_->Instructions(*kernel), which, id), UnitOf(*kernel, id), false);
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
