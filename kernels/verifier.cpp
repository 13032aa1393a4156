// SPDX-License-Identifier: Apache-2.0
#include "kernels/verifier.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <string>

#include "db/error.h"
#include "kernels/cublas.h"

namespace culprit {
namespace {

void CheckCuda(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // reported here; the next launch must not report it again
  throw Error("cannot " + doing + ": " + cudaGetErrorString(status) +
              "; if memory is short choose a smaller shape, else run the stage alone under compute-sanitizer");
}

struct CudaFree {
  void operator()(float* memory) const { cudaFree(memory); }
};
using DeviceFloats = std::unique_ptr<float, CudaFree>;

// At least one element, so that an empty matrix has an address too.
DeviceFloats Allocate(std::size_t count) {
  void* memory = nullptr;
  CheckCuda(cudaMalloc(&memory, std::max<std::size_t>(count, 1) * sizeof(float)), "get device memory for verification");
  return DeviceFloats(static_cast<float*>(memory));
}

void Upload(const DeviceFloats& to, std::span<const float> from) {
  CheckCuda(cudaMemcpy(to.get(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice), "copy to the device");
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
  const DeviceFloats a = Allocate(inputs.a.size()), b = Allocate(inputs.b.size()), c = Allocate(inputs.c.size());
  Upload(a, inputs.a);
  Upload(b, inputs.b);
  Upload(c, inputs.c);
  CublasSgemm({inputs.shape, inputs.alpha, a.get(), b.get(), inputs.beta, c.get()}, nullptr);
  const std::vector<float> value = Download(c.get(), inputs.c.size());
  // Q of every element at once: the product of the matrices of squares. Its terms are positive, so its own relative
  // error is at most k u, which no bound notices.
  Upload(a, Squares(inputs.a));
  Upload(b, Squares(inputs.b));
  CublasSgemm({inputs.shape, 1.0f, a.get(), b.get(), 0.0f, c.get()}, nullptr);
  const std::vector<float> squares = Download(c.get(), inputs.c.size());

  Expected out{"cublas", inputs.shape, {value.begin(), value.end()}, {}};
  out.bound.resize(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double c_before = inputs.beta == 0.0f ? 0.0 : inputs.c[i];
    out.bound[i] = 2 * ErrorBound(inputs.shape.k, inputs.alpha, squares[i], inputs.beta, c_before);
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
