// SPDX-License-Identifier: Apache-2.0
// Descriptions and launches of the wgmma stages.
#pragma once
#include <algorithm>
#include <string_view>
#include <type_traits>

#include "kernels/hgemm/stage_parts.h"
#include "kernels/hgemm/wgmma_pingpong.cuh"
#include "kernels/hgemm/wgmma_specialised.cuh"
#include "kernels/launch.h"
#include "kernels/tensor_map.h"

namespace culprit {

// The TMA checks bounds; rows of A and B must be multiples of 16 bytes.
inline constexpr ShapeConstraint kWgmmaShapes{1, 8, 8};
inline constexpr DeviceConstraint kWgmmaDevice{.least = 90, .no_other = true};

inline LaunchConfig WgmmaConfig(int blocks, int threads, int shared_bytes) {
  return {dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)),
          static_cast<std::size_t>(shared_bytes)};
}

template <int kBuffers>
LaunchConfig WgmmaBlockConfig(const GemmShape& s) {
  return WgmmaConfig(static_cast<int>(Tiles(s.m, kWgmmaTileM) * Tiles(s.n, kWgmmaTileN)), kWarpgroups * kWarpgroup,
                     WgmmaShared<kBuffers>::kBytes);
}

// One block per tile, or as many as run at once when blocks take several tiles; whole clusters.
template <Specialised kWhat>
LaunchConfig SpecialisedConfig(const GemmShape& s) {
  int clusters = static_cast<int>(Tiles(s.m, kWgmmaTileM * kWhat.cluster) * Tiles(s.n, kWgmmaTileN));
  if (kWhat.persistent) clusters = std::min(clusters, Multiprocessors() / kWhat.cluster);
  return WgmmaConfig(clusters * kWhat.cluster, kSpecialisedThreads, SpecialisedShared<kWhat>::kBytes);
}

template <PingPong kWhat>
LaunchConfig PingPongConfig(const GemmShape& s) {
  const int tiles = static_cast<int>(Tiles(s.m, kWgmmaTileM) * Tiles(s.n, kWhat.tile_n));
  return WgmmaConfig(std::min(tiles, Multiprocessors()), kSpecialisedThreads, PingPongShared<kWhat>::kBytes);
}

template <int kTileM = kWgmmaTileM, class Element>
void EnqueueTma(std::string_view stage, void (*kernel)(TmaProblemOf<Element>), const LaunchConfig& config,
                const GemmProblemOf<Element>& p, cudaStream_t stream) {
  RequireAlignment(stage, p.a, p.b, p.c, 16);
  constexpr TensorElement kElement = std::is_same_v<Element, __half> ? TensorElement::kHalf : TensorElement::kBfloat16;
  const auto [m, n, k] = p.shape;
  TmaProblemOf<Element> argument{
      TensorMapOf({p.a, kElement, m, k, kTileM, kBoxColumns, TensorSwizzle::k128Bytes}),
      TensorMapOf({p.b, kElement, k, n, kWgmmaTileK, kBoxColumns, TensorSwizzle::k128Bytes}),
      TensorMapOf({p.c, TensorElement::kFloat, m, n, kCBoxRows, kCBoxColumns, TensorSwizzle::k128Bytes}), p};
  void* arguments[] = {&argument};
  EnqueueWithArguments(stage, reinterpret_cast<const void*>(kernel), config, arguments, stream);
}

// Common factors of all of them; each stage of the chain adds its own.
inline constexpr HgemmChoice kWgmmaChoice{.block_tile = "128x256x64",
                                          .warp_tile = "64x256 for 4 warps",
                                          .api = "wgmma m64n256k16 from shared memory",
                                          .permutation = "128-byte swizzle",
                                          .copies = "TMA"};

constexpr HgemmChoice SpecialisedChoice(const Specialised& what) {
  HgemmChoice c = kWgmmaChoice;
  c.buffers = "4";
  c.copied_by = "a warpgroup of their own";
  if (what.persistent) c.blocks = "one for each SM";
  if (what.order == TileOrder::kGroups) c.order = "groups of 8 rows";
  if (what.cluster == 2) c.cluster = "2, sharing B";
  if (what.tma_store) c.c_stores = "TMA, from shared memory";
  if (what.drained_later) c.c_waits = "no tile";
  return c;
}

// Describes a stage by its tile width and number of buffers.
constexpr HgemmChoice PingPongChoice(const char* block_tile, const char* warp_tile, const char* api,
                                     const char* buffers) {
  HgemmChoice c = SpecialisedChoice({.persistent = true, .order = TileOrder::kGroups, .tma_store = true});
  c.block_tile = block_tile;
  c.warp_tile = warp_tile;
  c.api = api;
  c.buffers = buffers;
  c.c_waits = "no tile";
  return c;
}

}  // namespace culprit
