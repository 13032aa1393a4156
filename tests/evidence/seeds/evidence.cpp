// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/evidence.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "analysis/number/format.h"

namespace culprit::claims {
namespace {

constexpr unsigned kWarpSize = 32;

// "m % 128 == 0, n % 128 == 0, k % 8 == 0": 8.
Measured SizeMultiple(std::string_view constraint) {
  if (constraint == "any size") return 1.0;
  int divisor = 0;
  for (auto at = constraint.find("% "); at != constraint.npos; at = constraint.find("% ", at + 1)) {
    int multiple = 0;
    std::from_chars(constraint.data() + at + 2, constraint.data() + constraint.size(), multiple);
    divisor = std::gcd(divisor, multiple);
  }
  return divisor ? Measured(divisor) : Measured();
}

constexpr std::string_view kRowBytesOf = "row_bytes_of_";

Measured RowBytes(const StageRecord& stage, std::string_view array) {
  for (const SharedAccess& access : stage.shared_accesses)
    if (access.array == array) return static_cast<double>(access.row_bytes);
  return {};
}

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
  if (id == "clock_mhz") return kernel.time().clock_mhz ? Measured(*kernel.time().clock_mhz) : Measured();
  if (id == "size_multiple") return SizeMultiple(kernel.record().stage.constraint);
  if (id.starts_with(kRowBytesOf)) return RowBytes(kernel.record().stage, id.substr(kRowBytesOf.size()));
  return kernel.Get(id);
}

Unit UnitOf(const KernelView& kernel, const std::string& id) {
  if (id == "error_over_bound") return Unit::kRatio;
  if (id == "clock_mhz") return Unit::kMhz;
  // A stack frame is compared to the byte.
  if (id.starts_with(kRowBytesOf)) return Unit::kCapacity;
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

Measured Evidence::MostEach(const std::string& stage, InstructionClass which, const std::string& id) {
  const std::string name = fmt::format("{}.{}.most_{}", stage, KeyOf(which), id);
  const KernelView* kernel = At(stage);
  if (!kernel) return Note(name, {}, Unit::kCount, true);
  // A value without an instruction, because of the reason why there is none.
  Measured most = SumOf(*kernel, recording_->Instructions(*kernel), which, id);
  if (most) most = Measured::Missing(Absence::kUndefined);
  for (const InstructionRecord& one : recording_->Instructions(*kernel)) {
    const Measured each = SumOf(*kernel, {&one, 1}, which, id) / SumOf(*kernel, {&one, 1}, which, "sass_inst");
    if (each && (!most || *each > *most)) most = each;
  }
  return Note(name, most, UnitOf(*kernel, id), false);
}

Measured Evidence::SameCode(const std::string& one, const std::string& other) {
  const std::string name = fmt::format("{}.same_code_as_{}", one, other);
  const KernelView *a = At(one), *b = At(other);
  if (!a || !b) return Note(name, {}, Unit::kCount, true);
  const std::string &ours = a->record().cubin_digest, &theirs = b->record().cubin_digest;
  const bool known = !ours.empty() && !theirs.empty() && a->record().launch.arch == b->record().launch.arch;
  return Note(name, known ? Measured(ours == theirs) : Measured(), Unit::kCount, false);
}

Measured Evidence::Undefined(const std::string& stage, const std::string& id) {
  return Note(stage + "." + id, Measured::Missing(Absence::kUndefined), Unit::kCount, false);
}

bool Evidence::HasClock(const std::string& stage, int size) const {
  const KernelView* kernel = recording_ ? recording_->Find(stage, size ? SquareShape(size) : shape_) : nullptr;
  return kernel && kernel->time().clock_mhz;
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

}  // namespace culprit::claims
