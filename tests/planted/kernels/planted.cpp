// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/kernels/planted.h"

// id's CamelCase; each is defined at the end of the file that holds its kernels.
#define CULPRIT_PLANTED_PAIRS(X) \
  X(TransposePadding)            \
  X(ListWalk)                    \
  X(SmoothReserve)               \
  X(ColumnSumBlock)              \
  X(OscillatorTail)              \
  X(TriangleRows)                \
  X(LogisticUnroll)              \
  X(DragBranch)                  \
  X(ReactionSwitch)              \
  X(SeriesLiteral)               \
  X(PolynomialRule)              \
  X(GaussianGrid)                \
  X(ReservoirsUnroll)            \
  X(MaterialTable)               \
  X(ClipLaunches)                \
  X(AttractionRsqrt)             \
  X(FourierType)                 \
  X(ShardIndex)                  \
  X(ReductionStrided)            \
  X(SoftmaxRows)                 \
  X(FilterBankRing)              \
  X(RankFilterArray)             \
  X(PolynomialPoints)            \
  X(FilterEnergyTaps)            \
  X(HistogramWeighted)           \
  X(ScaleAxis)                   \
  X(ParticleLayout)              \
  X(DecimatePhases)              \
  X(BlendWidth)                  \
  X(BlurCached)                  \
  X(DistanceBarrier)             \
  X(HeatSweeps)                  \
  X(JacobiRegisters)             \
  X(NearestCentreWidth)          \
  X(NbodyRegisters)              \
  X(FourProducts)                \
  X(EmbeddingCopies)             \
  X(LogSumExpPasses)             \
  X(Activation)                  \
  X(ByteEnergyWidth)             \
  X(NormInFlight)                \
  X(RowFilterAhead)              \
  X(HistogramCopies)             \
  X(InsideTotals)                \
  X(SquareFence)                 \
  X(AxpyName)                    \
  X(ClampOrder)                  \
  X(RotationOrder)               \
  X(LaplaceHelper)               \
  X(OrbitUnit)                   \
  X(ProductConstants)            \
  X(PrefixCounter)               \
  X(EnergyLines)                 \
  X(CensusTypes)                 \
  X(MedianMacro)                 \
  X(OffsetConst)                 \
  X(VotesLambda)                 \
  X(SmoothShuffle)               \
  X(TallyType)                   \
  X(MomentAhead)                 \
  X(ReverseSlots)                \
  X(WeighColumns)                \
  X(SpringChecksum)              \
  X(CompressBranch)              \
  X(NegateBlock)                 \
  X(InvertReserve)               \
  X(RowPeakBarriers)             \
  X(PickArray)                   \
  X(BatchAccumulator)            \
  X(EliminateBlock)              \
  X(ProductBounds)               \
  X(GeluPacking)                 \
  X(ScanRestrict)                \
  X(ToneLiteral)                 \
  X(PermuteDivision)             \
  X(GatherBlock)                 \
  X(LinearizeBlocks)             \
  X(BlurPadding)                 \
  X(BallotTotals)                \
  X(ColumnTree)                  \
  X(LayernormPasses)             \
  X(TemperedSoftmax)             \
  X(DecayBarriers)               \
  X(DiagonalShare)               \
  X(PathAhead)                   \
  X(LatticeLayout)               \
  X(AxpyReserve)                 \
  X(AffineDoubleBlock)           \
  X(AffineChainsBlock)           \
  X(TablePivotRegisters)         \
  X(WindowsReserve)              \
  X(WellDepthType)               \
  X(RowsDotPadding)              \
  X(SpreadRows)                  \
  X(WavesCosines)                \
  X(SearchBounds)                \
  X(TotalOverflow)               \
  X(LevelLiteral)                \
  X(MagnitudeLoop)               \
  X(DampingLayout)               \
  X(PowersReserve)               \
  X(GeneratorsRegisters)         \
  X(TileCopiesWidth)             \
  X(TileCopiesAhead)             \
  X(TileWay)                     \
  X(TileRing)                    \
  X(TilePieces)                  \
  X(TileRows)                    \
  X(ProductsColumns)             \
  X(ProductsInFlight)            \
  X(TermsLinked)

#define CULPRIT_PLANTED_MIXTURES(X) \
  X(EnergyTypeRecords)              \
  X(MatchPaddingWidth)              \
  X(EchoRingRows)                   \
  X(RelaxRegistersRows)             \
  X(GaussTermsSaved)                \
  X(ErrandsReserveLists)            \
  X(RodBarriersWindow)              \
  X(VotesCopiesKinds)               \
  X(SpectraTableRolled)             \
  X(LagsCacheWidth)                 \
  X(GainsFenceDivision)             \
  X(RainBlockKinds)                 \
  X(DecayLaunchesSaved)             \
  X(TollRegistersType)              \
  X(HalvesPackingReserve)

namespace culprit {

#define CULPRIT_DECLARE(name) PlantedPair name##Pair();
CULPRIT_PLANTED_PAIRS(CULPRIT_DECLARE)

std::span<const PlantedPair> PlantedPairs() {
#define CULPRIT_CALL(name) name##Pair(),
  static const std::vector<PlantedPair> pairs{CULPRIT_PLANTED_PAIRS(CULPRIT_CALL)};
  return pairs;
}

#define CULPRIT_DECLARE_MIXTURE(name) PlantedMixture name##Mixture();
CULPRIT_PLANTED_MIXTURES(CULPRIT_DECLARE_MIXTURE)

std::span<const PlantedMixture> PlantedMixtures() {
#define CULPRIT_CALL_MIXTURE(name) name##Mixture(),
  static const std::vector<PlantedMixture> mixtures{CULPRIT_PLANTED_MIXTURES(CULPRIT_CALL_MIXTURE)};
  return mixtures;
}

}  // namespace culprit
