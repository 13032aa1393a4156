// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_data.h"

#include <cuda_fp16.h>

#include <map>
#include <memory>

namespace culprit {
namespace {

// Values that neither vanish nor are powers of two, so that a kernel which drops or swaps them is wrong.
constexpr float kAlpha = 0.75f, kBeta = -1.25f;

// Bytes of matrices that any GPU has to spare; up to 8192 x 8192.
constexpr double kMostBeside = 2.0 * (1 << 30);

}  // namespace

GemmData::GemmData(const GemmShape& shape, ElementType element, std::uint64_t seed)
    : seed_(seed),
      timed_(RandomInputs(shape, 1.0f, 0.0f, seed, element)),
      device_(timed_),
      c_(timed_.c.size() * sizeof(float)) {
  c_.Upload(timed_.c);
}

Verification GemmData::Check(const Stage& stage, const GemmInputs& inputs, std::optional<Verifier>& verifier) {
  if (!verifier) verifier.emplace(inputs);
  c_.Upload(inputs.c);
  device_.Launch(stage, inputs.alpha, inputs.beta, c_.As<float>(), nullptr);
  return verifier->CheckDevice(c_.As<float>());
}

bool GemmData::BothAreHeld(const GemmShape& shape) {
  const double m = shape.m, n = shape.n, k = shape.k;
  return (sizeof(float) + sizeof(half)) * (m * k + k * n) + 2 * sizeof(float) * m * n <= kMostBeside;
}

GemmData& GemmData::For(const GemmShape& shape, ElementType element, std::uint64_t seed) {
  static std::map<ElementType, std::unique_ptr<GemmData>> held;
  if (const auto found = held.find(element); found != held.end() && found->second->Is(shape, seed))
    return *found->second;
  // Before the next allocation: two large shapes need not fit together.
  std::erase_if(held, [&](const auto& other) {
    return other.first == element || !other.second->Is(shape, seed) || !BothAreHeld(shape);
  });
  return *(held[element] = std::unique_ptr<GemmData>(new GemmData(shape, element, seed)));
}

void GemmData::LaunchTimed(const Stage& stage, cudaStream_t stream) const {
  device_.Launch(stage, timed_.alpha, timed_.beta, c_.As<float>(), stream);
}

VerifyResult GemmData::Verify(const Stage& stage) {
  if (general_.c.empty()) {
    // The same a and b as on the device; only c, alpha and beta differ.
    general_ = RandomInputs(timed_.shape, kAlpha, kBeta, seed_, timed_.element);
  }
  Verification worst = Check(stage, timed_, timed_verifier_);
  if (worst.passed) {
    const Verification general = Check(stage, general_, general_verifier_);
    if (!general.passed || general.error_over_bound > worst.error_over_bound) worst = general;
  }
  return {worst.passed, worst.error_over_bound, worst.reference, worst.message};
}

}  // namespace culprit
