// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void __launch_bounds__(64) one_kernel(float* out) {
  __shared__ float tile[32];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
