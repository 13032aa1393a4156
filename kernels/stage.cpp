// SPDX-License-Identifier: Apache-2.0
#include "kernels/stage.h"

#include <algorithm>
#include <array>
#include <limits>

namespace culprit {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": grid extents y and z.
constexpr unsigned kMaxGridY = 65535;

// Kernels step by whole tiles of at most 128 and compute the end of a step with int.
constexpr int kMaxExtent = std::numeric_limits<int>::max() - 128;

struct Rule {
  char name;
  int extent;
  int multiple;
};

std::array<Rule, 3> Rules(const ShapeConstraint& c, const GemmShape& s) {
  return {{{'m', s.m, c.m_multiple}, {'n', s.n, c.n_multiple}, {'k', s.k, c.k_multiple}}};
}

// 90 as "9.0".
std::string Version(int compute_capability) {
  return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

}  // namespace

ElementType ElementOf(const Stage& stage) {
  return std::holds_alternative<LaunchOf<__half>>(stage.launch) ? ElementType::kHalf : ElementType::kFloat;
}

std::string Describe(const ShapeConstraint& constraint) {
  std::string text;
  for (const Rule& rule : Rules(constraint, {})) {
    if (rule.multiple == 1) continue;
    if (!text.empty()) text += ", ";
    text += std::string(1, rule.name) + " % " + std::to_string(rule.multiple) + " == 0";
  }
  return text.empty() ? "any size" : text;
}

std::string Refusal(const Stage& stage, const GemmShape& shape) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 0) {
    return stage.id + " needs m >= 1, n >= 1 and k >= 0: give it a shape with an output.";
  }
  if (std::max({shape.m, shape.n, shape.k}) > kMaxExtent) {
    return stage.id + " takes m, n and k up to " + std::to_string(kMaxExtent) + ": choose a smaller shape.";
  }
  for (const Rule& rule : Rules(stage.constraint, shape)) {
    if (rule.extent % rule.multiple == 0) continue;
    return stage.id + " has no bounds checks and takes only " + Describe(stage.constraint) + ": choose " + rule.name +
           " as a multiple of " + std::to_string(rule.multiple) + " instead of " + std::to_string(rule.extent) + ".";
  }
  if (stage.config != nullptr && stage.config(shape).grid.y > kMaxGridY) {
    return stage.id + " would need " + std::to_string(stage.config(shape).grid.y) +
           " blocks along grid y, where CUDA allows " + std::to_string(kMaxGridY) + ": choose a smaller m or n.";
  }
  return "";
}

namespace {

std::string DeviceRefusal(std::string_view name, const DeviceConstraint& d, int compute_capability) {
  if (compute_capability >= d.least && (!d.no_other || compute_capability == d.least)) return "";
  return std::string(name) + " runs on GPUs of compute capability " + Version(d.least) +
         (d.no_other ? " alone" : " or later") + ", and this one has " + Version(compute_capability) +
         ": leave it out, or use one that has what it needs.";
}

}  // namespace

std::string DeviceRefusal(const Stage& stage, int compute_capability) {
  return DeviceRefusal(stage.id, stage.device, compute_capability);
}

std::string DeviceRefusal(std::string_view name, const DeviceConstraint& constraint) {
  if (constraint.least == 0) return "";
  int device = 0, major = 0, minor = 0;
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess) {
    return DeviceRefusal(name, constraint, 10 * major + minor);
  }
  cudaGetLastError();  // the next launch must not report it
  return "";
}

std::string DeviceRefusal(const Stage& stage) { return DeviceRefusal(stage.id, stage.device); }

const Stage* FindStage(std::string_view id) {
  const std::span<const Stage> stages = AllStages();
  const auto found = std::ranges::find(stages, id, &Stage::id);
  return found == stages.end() ? nullptr : &*found;
}

}  // namespace culprit
