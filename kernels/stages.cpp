// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kernels/stage.h"

// id's CamelCase, parent before child; each is defined at the end of the file that holds its kernel.
#define CULPRIT_STAGES(X) \
  X(SgemmNaive)           \
  X(SgemmNaiveSwapped)    \
  X(SgemmSmem)            \
  X(SgemmSmemSwapped)     \
  X(SgemmSmemNoUnroll)    \
  X(SgemmTile1d)          \
  X(SgemmTile2d)          \
  X(SgemmTile2dKinner)    \
  X(SgemmTile2dReg)       \
  X(SgemmFloat4)          \
  X(SgemmPadded)          \
  X(SgemmQuadrants)       \
  X(SgemmZorder)          \
  X(SgemmDoubleBuffer)    \
  X(SgemmPingpong)        \
  X(SgemmAsync)           \
  X(SgemmSnake)           \
  X(SgemmTile16x8)        \
  X(SgemmSmallTile)       \
  X(SgemmSplitK)          \
  X(SgemmSplitSmall)      \
  X(SgemmSplit8)          \
  X(SgemmSplitFine)       \
  X(SgemmTma)             \
  X(SgemmStreamK)         \
  X(SgemmFed)             \
  X(SgemmFedSliced)       \
  X(SgemmFedSmall)        \
  X(SgemmBest)            \
  X(Sgemm3xtf32)          \
  X(Sgemm3xtf32Wgmma)     \
  X(V2)                   \
  X(V19)                  \
  X(V18)                  \
  X(V17)                  \
  X(V171)                 \
  X(V172)                 \
  X(V16)                  \
  X(V161)                 \
  X(V163)                 \
  X(V164)                 \
  X(V1)                   \
  X(V0)                   \
  X(ViewNaive)            \
  X(ViewBlockV1)          \
  X(ViewBlockV132)        \
  X(ViewBlockV2)          \
  X(ViewBlockV3)          \
  X(ViewBlockV4)          \
  X(HgemmWmma)            \
  X(HgemmWmmaPadded)      \
  X(HgemmMma)             \
  X(HgemmMmaSwizzle)      \
  X(HgemmWgmma)           \
  X(HgemmTmaRing)         \
  X(HgemmSpecialised)     \
  X(HgemmPersistent)      \
  X(HgemmGrouped)         \
  X(HgemmCluster)         \
  X(HgemmTmaStore)        \
  X(HgemmDrained)         \
  X(HgemmPingpong)        \
  X(HgemmPingpong128)     \
  X(HgemmPingpongBoxes)   \
  X(HgemmSmallTile)       \
  X(HgemmBest)            \
  X(CublasSgemm)          \
  X(CublasHgemm)

namespace culprit {

#define CULPRIT_DECLARE(name) Stage name##Stage();
CULPRIT_STAGES(CULPRIT_DECLARE)

std::span<const Stage> AllStages() {
#define CULPRIT_CALL(name) name##Stage(),
  static const std::array stages{CULPRIT_STAGES(CULPRIT_CALL)};
  return stages;
}

}  // namespace culprit
