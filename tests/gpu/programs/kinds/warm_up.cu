// SPDX-License-Identifier: Apache-2.0
#include "kinds.h"

namespace kinds {
namespace {

__global__ void Nothing() {}

}  // namespace

void WarmUp(cudaStream_t stream) {
  Nothing<<<1, 32, 0, stream>>>();
  Check(cudaGetLastError());
  Check(cudaStreamSynchronize(stream));
}

}  // namespace kinds
