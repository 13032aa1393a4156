// SPDX-License-Identifier: Apache-2.0
// Copies by the Tensor Memory Accelerator, and barriers in shared memory that count their bytes. Each function is one
// PTX instruction (PTX ISA, "cp.async.bulk.tensor", "mbarrier"). Needs compute capability 9.0.
#pragma once
#include <cuda.h>

#include <cstdint>

namespace culprit {

using SharedAddress = std::uint32_t;

__device__ __forceinline__ SharedAddress SharedAddressOf(const void* in_shared) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(in_shared));
}

// A barrier is 8 bytes in shared memory. A phase ends with its last arrival and, when bytes are expected, their last
// one. Phases are numbered 0, 1, 0, 1... Waiting for the phase that is not in progress returns at once.
__device__ __forceinline__ void BarrierInit(SharedAddress barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Makes this thread's initialised barriers visible to the TMA and to the other blocks of the cluster.
__device__ __forceinline__ void PublishBarriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

// Arrives and states how many bytes the phase waits for.
__device__ __forceinline__ void BarrierExpect(SharedAddress barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void BarrierArrive(SharedAddress barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives at the same barrier of block `rank` of the cluster. Like the others it orders only this block's accesses:
// with .release.cluster, each arrival would wait until the whole cluster sees all earlier accesses.
__device__ __forceinline__ void BarrierArriveAt(SharedAddress barrier, int rank) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

// Waits until `phase` is over.
__device__ __forceinline__ void BarrierWait(SharedAddress barrier, int phase) {
  std::uint32_t over = 0;
  while (over == 0) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(over)
        : "r"(barrier), "r"(phase)
        : "memory");
  }
}

// Prefetches the descriptor of a matrix.
__device__ __forceinline__ void PrefetchMap(const CUtensorMap& matrix) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&matrix) : "memory");
}

// Copies `bytes` from global memory to `to`, all multiples of 16; `barrier` counts the bytes.
__device__ __forceinline__ void CopyBytes(SharedAddress to, const void* from, int bytes, SharedAddress barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

// Copies the box at (row, column) of the matrix to `to`; `barrier` counts its bytes.
__device__ __forceinline__ void LoadBox(SharedAddress to, const CUtensorMap& matrix, int row, int column,
                                        SharedAddress barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          to),
      "l"(&matrix), "r"(barrier), "r"(column), "r"(row)
      : "memory");
}

// The same for every block of the cluster with a set bit: to the same address there, counted by that block's barrier.
__device__ __forceinline__ void LoadBoxInto(std::uint16_t blocks, SharedAddress to, const CUtensorMap& matrix, int row,
                                            int column, SharedAddress barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%3, %4}], [%2], %5;" ::"r"(to),
      "l"(&matrix), "r"(barrier), "r"(column), "r"(row), "h"(blocks)
      : "memory");
}

// Makes this thread's earlier writes to shared memory visible to the TMA.
__device__ __forceinline__ void ShowToTma() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Stores with this policy leave L2 first: nobody reads C again, but A and B are.
__device__ __forceinline__ std::uint64_t LeavesL2First() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// Copies the box at `from` into the matrix at (row, column), in its own group.
__device__ __forceinline__ void StoreBox(const CUtensorMap& matrix, SharedAddress from, int row, int column,
                                         std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint [%0, {%2, %3}], [%1], %4;\n"
      "cp.async.bulk.commit_group;" ::"l"(&matrix),
      "r"(from), "r"(column), "r"(row), "l"(policy)
      : "memory");
}

// Waits until at most kGroups of this thread's stores have yet to read shared memory.
template <int kGroups>
__device__ __forceinline__ void AwaitStoresRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kGroups) : "memory");
}

// Waits until all of this thread's stores are done.
__device__ __forceinline__ void AwaitStores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

__device__ __forceinline__ int ClusterRank() {
  int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Waits for all threads of all blocks of the cluster. Warps must have converged.
__device__ __forceinline__ void ClusterSync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

}  // namespace culprit
