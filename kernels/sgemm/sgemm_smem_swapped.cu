// SPDX-License-Identifier: Apache-2.0
// sgemm_smem with threadIdx.x and y exchanged only in the two lines that copy the tiles.
// Idea     a_tile[x][y] = a[x][y] is as correct as a_tile[y][x] = a[y][x], because the whole block copies the whole
//          tile; but now the 32 lanes of a warp move down a column, on both sides of the copy.
// Expect   on the global side l1tex__t_sectors_pipe_lsu_mem_global_op_ld rises from 4 to 32 per load. On the shared
//          side each store has 32 lanes in one bank: 32 wavefronts instead of 1. Instructions and shared loads stay.
//          One exchange affects both sides, so this stage cannot separate them; its author saw the speed halve.
// Not yet  what sgemm_smem lacks.
#define CULPRIT_SMEM_UNROLL _Pragma("unroll")
#include "kernels/sgemm/smem_gemm.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_smem_swapped(culprit::GemmProblem p) {
  culprit::SmemGemm<culprit::CopyX::kAlongColumns>(p);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_smem_swapped", ::sgemm_smem_swapped, SmemConfig(p.shape), p, stream);
}
}  // namespace

Stage SgemmSmemSwappedStage() {
  return {.id = "sgemm_smem_swapped",
          .family = "ladder",
          .parent = "sgemm_smem",
          .idea = "exchange x and y where the tiles are copied: neighbouring threads copy down a column",
          .factors = LadderFactors{.block_mapping = "x along m",
                                   .shared_memory = "A and B tiles",
                                   .copy_mapping = "x along columns",
                                   .block_tile = "32x32x32",
                                   .a_tile_layout = "row-major",
                                   .unroll = "pragma",
                                   .shared_buffers = "1, two barriers a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = {32, 32, 32},
          .source_file = "kernels/sgemm/sgemm_smem_swapped.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_smem_swapped),
          .config = SmemConfig,
          .shared_accesses = SquareTileAccesses(SquareTile::StoreSwapped),
          .launch = Launch};
}
}  // namespace culprit
