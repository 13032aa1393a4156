// SPDX-License-Identifier: Apache-2.0
// sgemm_tile_2d with register fragments: the source itself loads each operand once.
// Idea     for each k a thread copies its 8 values of A and its 8 of B to registers and computes with those.
// Expect   nothing where the compiler reuses loads by itself (nvcc 13.0 on sm_90: 10 shared loads for 64 FFMA in
//          sgemm_tile_2d too); else smsp__inst_executed_op_shared_ld falls.
// Not yet  loads are 32 bits wide (sgemm_float4).
// A thread loads one column of A's tile and one row of B's, so the tile's K extent equals both block extents.
#include "kernels/sgemm/tile_2d_gemm.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_tile_2d_reg(culprit::GemmProblem p) {
  culprit::Tile2dGemm<culprit::Operands::kFragments>(p);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_tile_2d_reg", ::sgemm_tile_2d_reg, Tile2dConfig(p.shape), p, stream);
}
}  // namespace

Stage SgemmTile2dRegStage() {
  return {.id = "sgemm_tile_2d_reg",
          .family = "ladder",
          .parent = "sgemm_tile_2d",
          .idea = "keep the 8 values of A and of B for one k in registers",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .a_tile_layout = "row-major",
                                   .loop_nest = "k->m->n",
                                   .fragments = "registers",
                                   .shared_buffers = "1, two barriers a tile"}
                         .Named(),
          .source_file = "kernels/sgemm/sgemm_tile_2d_reg.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_tile_2d_reg),
          .config = Tile2dConfig,
          .shared_accesses = ScalarTileAccesses<Tile>(1, 4),
          .launch = Launch};
}
}  // namespace culprit
