// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_data.h"

#include <cuda_fp16.h>

#include <map>
#include <optional>

#include "kernels/device_inputs.h"
#include "kernels/device_memory.h"
#include "kernels/verifier.h"

namespace culprit {
namespace {

// Values that neither vanish nor are powers of two, so that a kernel which drops or swaps them is wrong.
constexpr float kAlpha = 0.75f, kBeta = -1.25f;

// Bytes of matrices that any GPU has to spare; up to 8192 x 8192.
constexpr double kMostBeside = 2.0 * (1 << 30);

}  // namespace

struct GemmData::Impl {
  Impl(const GemmShape& shape, ElementType element, std::uint64_t seed_)
      : seed(seed_),
        timed(RandomInputs(shape, 1.0f, 0.0f, seed_, element)),
        device(timed),
        c(timed.c.size() * sizeof(float)) {
    c.Upload(timed.c);
  }

  bool Is(const GemmShape& shape, std::uint64_t other_seed) const { return timed.shape == shape && seed == other_seed; }

  Verification Check(const Stage& stage, const GemmInputs& inputs, std::optional<Verifier>& verifier) {
    if (!verifier) verifier.emplace(inputs);
    c.Upload(inputs.c);
    device.Launch(stage, inputs.alpha, inputs.beta, c.As<float>(), nullptr);
    return verifier->CheckDevice(c.As<float>());
  }

  std::uint64_t seed;
  GemmInputs timed, general;  // general is made when something is verified
  DeviceInputs device;
  DeviceMemory c;
  std::optional<Verifier> timed_verifier, general_verifier;
};

GemmData::GemmData(const GemmShape& shape, ElementType element, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(shape, element, seed)) {}
GemmData::~GemmData() = default;

bool GemmData::BothAreHeld(const GemmShape& shape) {
  const double m = shape.m, n = shape.n, k = shape.k;
  return (sizeof(float) + sizeof(half)) * (m * k + k * n) + 2 * sizeof(float) * m * n <= kMostBeside;
}

GemmData& GemmData::For(const GemmShape& shape, ElementType element, std::uint64_t seed) {
  static std::map<ElementType, std::unique_ptr<GemmData>> held;
  if (const auto found = held.find(element); found != held.end() && found->second->impl_->Is(shape, seed))
    return *found->second;
  // Before the next allocation: two large shapes need not fit together.
  std::erase_if(held, [&](const auto& other) {
    return other.first == element || !other.second->impl_->Is(shape, seed) || !BothAreHeld(shape);
  });
  return *(held[element] = std::unique_ptr<GemmData>(new GemmData(shape, element, seed)));
}

void GemmData::LaunchTimed(const Stage& stage, cudaStream_t stream) const {
  impl_->device.Launch(stage, impl_->timed.alpha, impl_->timed.beta, impl_->c.As<float>(), stream);
}

Verification GemmData::Verify(const Stage& stage) {
  Impl& d = *impl_;
  if (d.general.c.empty()) {
    // The same a and b as on the device; only c, alpha and beta differ.
    d.general = RandomInputs(d.timed.shape, kAlpha, kBeta, d.seed, d.timed.element);
  }
  Verification worst = d.Check(stage, d.timed, d.timed_verifier);
  if (worst.passed) {
    const Verification general = d.Check(stage, d.general, d.general_verifier);
    if (!general.passed || general.error_over_bound > worst.error_over_bound) worst = general;
  }
  return {worst.passed, worst.error_over_bound, worst.reference, worst.message};
}

}  // namespace culprit
