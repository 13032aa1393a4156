// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_data.h"

#include <optional>

#include "kernels/device_inputs.h"
#include "kernels/device_memory.h"
#include "kernels/verifier.h"

namespace culprit {
namespace {

// Values that neither vanish nor are powers of two, so that a kernel which drops or swaps them is wrong.
constexpr float kAlpha = 0.75f, kBeta = -1.25f;

}  // namespace

struct GemmData::Impl {
  Impl(const GemmShape& shape, ElementType element, std::uint64_t seed_)
      : seed(seed_),
        timed(RandomInputs(shape, 1.0f, 0.0f, seed_, element)),
        device(timed),
        c(timed.c.size() * sizeof(float)) {
    c.Upload(timed.c);
  }

  bool Is(const GemmShape& shape, ElementType element, std::uint64_t other_seed) const {
    return timed.shape == shape && timed.element == element && seed == other_seed;
  }

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

GemmData& GemmData::For(const GemmShape& shape, ElementType element, std::uint64_t seed) {
  static std::unique_ptr<GemmData> held;
  if (!held || !held->impl_->Is(shape, element, seed)) {
    held.reset();  // before the next allocation: two large shapes need not fit together
    held.reset(new GemmData(shape, element, seed));
  }
  return *held;
}

void GemmData::LaunchTimed(const Stage& stage, cudaStream_t stream) const {
  impl_->device.Launch(stage, impl_->timed.alpha, impl_->timed.beta, impl_->c.As<float>(), stream);
}

Verdict GemmData::Verify(const Stage& stage) {
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
