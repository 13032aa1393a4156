// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_data.h"

#include <cuda_runtime_api.h>

#include <optional>

#include "kernels/verifier.h"
#include "profiler/cuda_context.h"

namespace culprit {
namespace {

// Values that neither vanish nor are powers of two, so that a kernel which drops or swaps them is wrong.
constexpr float kAlpha = 0.75f, kBeta = -1.25f;

class DeviceMatrix {
 public:
  explicit DeviceMatrix(std::size_t elements) : bytes_(elements * sizeof(float)) {
    if (bytes_ > 0) CheckCuda(cudaMalloc(reinterpret_cast<void**>(&data_), bytes_), "allocate a matrix on the device");
  }
  ~DeviceMatrix() { cudaFree(data_); }
  DeviceMatrix(const DeviceMatrix&) = delete;
  void Fill(const std::vector<float>& from) {
    if (bytes_ > 0)
      CheckCuda(cudaMemcpy(data_, from.data(), bytes_, cudaMemcpyHostToDevice), "copy a matrix to the device");
  }
  float* data() const { return data_; }

 private:
  float* data_ = nullptr;
  std::size_t bytes_;
};

std::size_t Elements(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

}  // namespace

struct GemmData::Impl {
  Impl(const GemmShape& s, std::uint64_t seed_)
      : shape(s),
        seed(seed_),
        timed(RandomInputs(s, 1.0f, 0.0f, seed_)),
        a(Elements(s.m, s.k)),
        b(Elements(s.k, s.n)),
        c(Elements(s.m, s.n)) {
    a.Fill(timed.a);
    b.Fill(timed.b);
    c.Fill(timed.c);
  }

  Verification Check(const Stage& stage, const GemmInputs& inputs, std::optional<Verifier>& verifier) {
    if (!verifier) verifier.emplace(inputs);
    c.Fill(inputs.c);
    stage.launch({shape, inputs.alpha, a.data(), b.data(), inputs.beta, c.data()}, nullptr);
    return verifier->CheckDevice(c.data());
  }

  GemmShape shape;
  std::uint64_t seed;
  GemmInputs timed, general;  // general is made when something is verified
  DeviceMatrix a, b, c;
  std::optional<Verifier> timed_verifier, general_verifier;
};

GemmData::GemmData(const GemmShape& shape, std::uint64_t seed) : impl_(std::make_unique<Impl>(shape, seed)) {}
GemmData::~GemmData() = default;

GemmData& GemmData::For(const GemmShape& shape, std::uint64_t seed) {
  static std::unique_ptr<GemmData> held;
  if (!held || held->impl_->shape != shape || held->impl_->seed != seed) {
    held.reset();  // before the next allocation: two large shapes need not fit together
    held.reset(new GemmData(shape, seed));
  }
  return *held;
}

GemmProblem GemmData::Timed() const {
  return {impl_->shape, 1.0f, impl_->a.data(), impl_->b.data(), 0.0f, impl_->c.data()};
}

Verdict GemmData::Verify(const Stage& stage) {
  Impl& d = *impl_;
  if (d.general.c.empty()) {
    // The same a and b as on the device; only c, alpha and beta differ.
    d.general = RandomInputs(d.shape, kAlpha, kBeta, d.seed);
  }
  Verification worst = d.Check(stage, d.timed, d.timed_verifier);
  if (worst.passed) {
    const Verification general = d.Check(stage, d.general, d.general_verifier);
    if (!general.passed || general.error_over_bound > worst.error_over_bound) worst = general;
  }
  return {worst.passed, worst.error_over_bound, worst.reference, worst.message};
}

}  // namespace culprit
