// SPDX-License-Identifier: Apache-2.0
#include "kernels/verifier.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "db/error.h"
#include "kernels/cublas.h"
#include "kernels/device_memory.h"

namespace culprit {
namespace {

void CheckCuda(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next launch does not report it again
  throw Error("cannot " + doing + ": " + cudaGetErrorString(status) +
              "; if memory is short choose a smaller shape, else run the stage alone under compute-sanitizer");
}

std::vector<float> Download(const float* from, std::size_t count) {
  std::vector<float> to(count);
  CheckCuda(cudaMemcpy(to.data(), from, count * sizeof(float), cudaMemcpyDeviceToHost),
            "copy a result from the device");
  return to;
}

std::vector<float> Squares(const std::vector<float>& values) {
  std::vector<float> out(values.size());
  std::ranges::transform(values, out.begin(), [](float value) { return value * value; });
  return out;
}

Expected CublasExpected(const GemmInputs& inputs) {
  DeviceMemory a(inputs.a.size() * sizeof(float)), b(inputs.b.size() * sizeof(float)),
      c(inputs.c.size() * sizeof(float));
  a.Upload(inputs.a);
  b.Upload(inputs.b);
  c.Upload(inputs.c);
  const auto multiply = [&](float alpha, float beta) {
    CublasSgemm({inputs.shape, alpha, a.As<float>(), b.As<float>(), beta, c.As<float>()}, nullptr);
    return Download(c.As<float>(), inputs.c.size());
  };
  const std::vector<float> value = multiply(inputs.alpha, inputs.beta);
  // Q of every element at once: the product of the matrices of squares. Its terms are positive, so its relative error
  // is at most k u, which is negligible for the bound.
  a.Upload(Squares(inputs.a));
  b.Upload(Squares(inputs.b));
  const std::vector<float> squares = multiply(1.0f, 0.0f);

  Expected out{"cublas", inputs.shape, {value.begin(), value.end()}, {}};
  out.bound.resize(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double c_before = inputs.beta == 0.0f ? 0.0 : inputs.c[i];
    const auto bound = [&](ElementType element) {
      return ErrorBound(element, inputs.shape.k, inputs.alpha, squares[i], inputs.beta, c_before);
    };
    out.bound[i] = bound(ElementType::kFloat) + bound(inputs.element);  // cuBLAS's error plus the kernel's
  }
  return out;
}

}  // namespace

Verifier::Verifier(const GemmInputs& inputs) : shape_(inputs.shape) {
  references_.push_back(CublasExpected(inputs));
  if (std::max({shape_.m, shape_.n, shape_.k}) <= kFloat64Extent) references_.push_back(Float64Expected(inputs));
}

Verification Verifier::Check(std::span<const float> out) const {
  Verification worst = Compare(references_.front(), out);
  for (const Expected& reference : std::span(references_).subspan(1)) {
    const Verification other = Compare(reference, out);
    const std::string both = worst.reference + "+" + other.reference;
    if (other.error_over_bound > worst.error_over_bound) worst = other;
    worst.reference = both;
  }
  return worst;
}

Verification Verifier::CheckDevice(const float* out) const {
  CheckCuda(cudaDeviceSynchronize(), "finish the stage's kernel");
  return Check(Download(out, static_cast<std::size_t>(shape_.m) * shape_.n));
}

}  // namespace culprit
