// SPDX-License-Identifier: Apache-2.0
// Kernels of which it is known what they do, to hold counters and timers against. Each launch throws culprit::Error
// when CUDA refuses it.
#pragma once
#include <cuda_runtime_api.h>

namespace culprit {

// Every thread of `blocks` blocks of kKnownThreads: 1 global load, 1 shared store, a barrier, 1 shared load free of
// bank conflicts, kKnownFfma FFMAs, 1 global store, all of 4 bytes and coalesced. `in` and `out` hold a value per
// thread.
inline constexpr int kKnownThreads = 128;
inline constexpr int kKnownFfma = 64;
void LaunchKnown(int blocks, const float* in, float* out, cudaStream_t stream, std::size_t dynamic_shared_bytes = 0);

// Every warp of `blocks` blocks of one warp transposes a square of kWarpSquare x kWarpSquare floats through shared
// memory: kWarpSquare stores of one instruction, each of 4 bytes and all lanes in one bank, then as many loads free of
// conflicts. Global accesses are coalesced. `in` and `out` hold blocks squares.
inline constexpr int kWarpSquare = 32;
void LaunchStrided(int blocks, const float* in, float* out, cudaStream_t stream);
// Where small_kernels.cu has the strided store.
int StridedStoreLine();

// An empty kernel with a grid and a block of several dimensions.
void LaunchShaped(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, cudaStream_t stream);

// `blocks` blocks of 256 threads, all of which repeat `rounds` times: 1 shared load, 1 global load from a window of
// kBusyWindow floats, 16 dependent FFMAs. `out` holds a value per thread.
inline constexpr int kBusyThreads = 256;
inline constexpr int kBusyWindow = 1 << 16;
void LaunchBusy(int blocks, int rounds, const float* in, float* out, cudaStream_t stream);

// One block of one warp on each of `blocks` SMs, until `cycles` of the SM's clock have passed.
void LaunchSpin(int blocks, long long cycles, cudaStream_t stream);

// `blocks` blocks of kChaseThreads, each warp of which follows `next` from its own start, `rounds` loads from L2 one
// after the other; all lanes load the same. Waits for latency alone. Writes where each warp ends, one per warp.
inline constexpr int kChaseThreads = 128;
inline constexpr int kChaseWindow = 1 << 16;  // of `next`, which holds indices below it
void LaunchChase(int blocks, int rounds, const int* next, int* out, cudaStream_t stream);

// `blocks` blocks of 256 threads, each with eight chains of `rounds` FFMAs: two warps of a scheduler keep the FMA pipe
// full. `out` holds a value per thread.
void LaunchFullPipe(int blocks, int rounds, float* out, cudaStream_t stream);

// One thread that writes how much dynamic shared memory its block has; as <<<>>> launches it, and as cudaLaunchKernelEx
// does, with an attribute that means nothing, cooperatively, or in a cluster of two blocks.
enum class LaunchWay { kPlain, kExtended, kCooperative, kCluster };
void LaunchSharedSize(LaunchWay way, std::size_t dynamic_shared_bytes, int* out, cudaStream_t stream);

// Reads `count` floats once.
void LaunchRead(const float* in, int count, float* out, cudaStream_t stream);

}  // namespace culprit
