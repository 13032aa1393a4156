// SPDX-License-Identifier: Apache-2.0
// Two-dimensional thread tiles: 8x8 results per thread as a sum of outer products, k outermost.
// Idea     for one k, 8 values of A and 8 of B give 64 products: the source names each operand at each use and relies
//          on the compiler to load it once.
// Expect   shared loads per FFMA fall from 48/128 (sgemm_tile_1d) to 10/64: nvcc 13.0 loads each operand once a k,
//          though the source names it 8 times (smsp__inst_executed_op_shared_ld: 335,544,320 at 4096).
// Not yet  loads are 32 bits wide in the source (sgemm_float4).
#include "kernels/sgemm/tile_2d_gemm.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_tile_2d(culprit::GemmProblem p) { culprit::Tile2dGemm<culprit::Operands::kShared>(p); }

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_tile_2d", ::sgemm_tile_2d, Tile2dConfig(p.shape), p, stream);
}
}  // namespace

Stage SgemmTile2dStage() {
  return {.id = "sgemm_tile_2d",
          .family = "ladder",
          .parent = "sgemm_tile_1d",
          .idea = "8x8 results per thread, by outer products",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .a_tile_layout = "row-major",
                                   .loop_nest = "k->m->n",
                                   .shared_buffers = "1, two barriers a tile"}
                         .Named(),
          .source_file = "kernels/sgemm/sgemm_tile_2d.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_tile_2d),
          .config = Tile2dConfig,
          .shared_accesses = ScalarTileAccesses<Tile>(1, 4),
          .launch = Launch};
}
}  // namespace culprit
