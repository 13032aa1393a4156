// SPDX-License-Identifier: Apache-2.0
#include "kernels/stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "db/error.h"
#include "tests/unit/kernels/changed_factors.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::set<std::string> FactorNames(const Stage& stage) {
  std::set<std::string> names;
  for (const auto& [name, value] : stage.factors) names.insert(name);
  return names;
}

TEST(Stages, HaveUniqueIds) {
  std::set<std::string> ids;
  for (const Stage& stage : AllStages()) EXPECT_TRUE(ids.insert(stage.id).second) << stage.id;
  for (const char* id : {"sgemm_naive",
                         "sgemm_naive_swapped",
                         "sgemm_smem",
                         "sgemm_tile_2d_reg",
                         "sgemm_float4",
                         "sgemm_zorder",
                         "v2",
                         "v1_8",
                         "v1_7",
                         "v1_6",
                         "v1_6_4",
                         "v0",
                         "sgemm_tma",
                         "sgemm_stream_k",
                         "sgemm_fed",
                         "sgemm_fed_sliced",
                         "sgemm_fed_small",
                         "cublas_sgemm",
                         "hgemm_wmma",
                         "hgemm_wmma_padded",
                         "hgemm_mma",
                         "hgemm_mma_swizzle",
                         "hgemm_wgmma",
                         "hgemm_tma_ring",
                         "hgemm_specialised",
                         "hgemm_persistent",
                         "hgemm_grouped",
                         "hgemm_cluster",
                         "hgemm_tma_store",
                         "hgemm_drained",
                         "hgemm_pingpong",
                         "hgemm_pingpong_128",
                         "hgemm_pingpong_boxes",
                         "hgemm_small_tile",
                         "hgemm_best",
                         "cublas_hgemm"}) {
    EXPECT_TRUE(ids.contains(id)) << id << " is a database key and may not go away";
  }
}

TEST(Stages, StandAfterTheirParentsInTheSameFamily) {
  std::map<std::string, std::string> family;
  for (const Stage& stage : AllStages()) {
    if (!stage.parent.empty()) {
      ASSERT_TRUE(family.contains(stage.parent)) << stage.id;
      EXPECT_EQ(family[stage.parent], stage.family) << stage.id;
    }
    family[stage.id] = stage.family;
  }
}

TEST(Stages, OfOneFamilyStateTheSameFactors) {
  std::map<std::string, std::set<std::string>> names;
  for (const Stage& stage : AllStages()) {
    const auto [first, is_new] = names.try_emplace(stage.family, FactorNames(stage));
    EXPECT_EQ(first->second, FactorNames(stage)) << stage.id;
    EXPECT_EQ(stage.factors.size(), first->second.size()) << stage.id << " names a factor twice";
  }
}

TEST(Stages, NameTheSourceLineOfTheirKernel) {
  for (const Stage& stage : AllStages()) {
    std::ifstream in(std::string(CULPRIT_SOURCE_DIR) + "/" + stage.source_file);
    ASSERT_TRUE(in.is_open()) << stage.source_file;
    std::string line;
    for (int i = 0; i < stage.source_line; ++i) ASSERT_TRUE(std::getline(in, line)) << stage.id;
    EXPECT_THAT(line, HasSubstr(stage.kernel == nullptr ? "void Launch(" : " " + stage.id + "(")) << stage.id;
  }
}

TEST(Stages, HaveOneIdeaAndAWayToLaunch) {
  for (const Stage& stage : AllStages()) {
    EXPECT_FALSE(stage.idea.empty()) << stage.id;
    std::visit([&](auto launch) { EXPECT_NE(launch, nullptr) << stage.id; }, stage.launch);
    EXPECT_EQ(stage.kernel == nullptr, stage.config == nullptr) << stage.id;
  }
}

TEST(Stages, CoverEveryElementOfALargeSquare) {
  for (const Stage& stage : AllStages()) {
    // Where warps have different work, threads are not what covers C; hgemm_tile_test.cpp looks at those stages.
    if (stage.config == nullptr || stage.device.no_other) continue;
    const LaunchConfig c = stage.config({4096, 4096, 4096});
    const std::size_t threads = std::size_t{c.grid.x} * c.grid.y * c.block.x * c.block.y;
    const std::size_t per_thread = 4096u * 4096u / threads;
    EXPECT_EQ(per_thread * threads, 4096u * 4096u) << stage.id;
    EXPECT_TRUE(std::has_single_bit(per_thread) && per_thread <= 128) << stage.id << ": " << per_thread;
  }
}

TEST(Ladder, SwapsXAndYInBlockAndGridAndNothingElse) {
  EXPECT_THAT(ChangedFactors("sgemm_naive_swapped"), ElementsAre("block mapping", "thread mapping"));
}

TEST(Describe, SaysAnySizeOrTheMultiples) {
  EXPECT_EQ(Describe({}), "any size");
  EXPECT_EQ(Describe({128, 128, 8}), "m % 128 == 0, n % 128 == 0, k % 8 == 0");
  EXPECT_EQ(Describe({1, 1, 16}), "k % 16 == 0");
}

TEST(Refusal, IsEmptyForShapesThatAStageTakes) {
  for (const char* any : {"sgemm_naive", "sgemm_naive_swapped", "sgemm_tile_2d_reg", "cublas_sgemm"}) {
    EXPECT_THAT(Refusal(*FindStage(any), {127, 129, 33}), IsEmpty()) << any;
    EXPECT_THAT(Refusal(*FindStage(any), {1, 1, 0}), IsEmpty()) << any;
  }
  for (const Stage& stage : AllStages()) EXPECT_THAT(Refusal(stage, {4096, 4096, 4096}), IsEmpty()) << stage.id;
}

TEST(Refusal, NamesTheExtentAndItsMultiple) {
  EXPECT_EQ(
      Refusal(*FindStage("v1_6"), {128, 200, 8}),
      "v1_6 has no bounds checks and takes only m % 128 == 0, n % 128 == 0, k % 8 == 0: choose n as a multiple of 128 "
      "instead of 200.");
  EXPECT_THAT(Refusal(*FindStage("sgemm_smem"), {32, 32, 33}), HasSubstr("choose k as a multiple of 32 instead of 33"));
}

TEST(Refusal, WantsAnOutput) {
  for (const Stage& stage : AllStages()) {
    EXPECT_THAT(Refusal(stage, {0, 128, 128}), HasSubstr("m >= 1")) << stage.id;
    EXPECT_THAT(Refusal(stage, {128, 128, -8}), HasSubstr("k >= 0")) << stage.id;
  }
}

// Past it, `k0 += tile` would leave the range of int.
TEST(Refusal, LeavesRoomForATileBehindTheLastElement) {
  const int largest = std::numeric_limits<int>::max() - 128;
  for (const char* any : {"sgemm_naive", "sgemm_tile_1d", "sgemm_tile_2d", "view_block_v4"}) {
    EXPECT_THAT(Refusal(*FindStage(any), {1, 1, largest}), IsEmpty()) << any;
    EXPECT_THAT(Refusal(*FindStage(any), {1, 1, largest + 1}), HasSubstr("up to 2147483519")) << any;
    EXPECT_THAT(Refusal(*FindStage(any), {1, largest + 1, 1}), HasSubstr("up to 2147483519")) << any;
  }
}

// Every pointer on its own; the error comes before CUDA is asked for anything.
template <class Element>
void ExpectAlignment(const Stage& stage, std::size_t bytes) {
  alignas(64) static char memory[128];
  for (const char name : {'A', 'B', 'C'}) {
    const auto at = [&](char pointer) { return memory + (pointer == name ? bytes / 2 : bytes); };
    const GemmProblemOf<Element> problem{{128, 128, 32},
                                         1.0f,
                                         reinterpret_cast<const Element*>(at('A')),
                                         reinterpret_cast<const Element*>(at('B')),
                                         0.0f,
                                         reinterpret_cast<float*>(at('C'))};
    try {
      std::get<LaunchOf<Element>>(stage.launch)(problem, nullptr);
      ADD_FAILURE() << stage.id << " took a misaligned " << name;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("aligned to " + std::to_string(bytes) + " bytes, and " + name + " is not"))
          << stage.id;
    }
  }
}

TEST(Launch, WantsPointersAlignedWhereSeveralElementsAreAccessedAtOnce) {
  for (const char* id : {"sgemm_float4", "sgemm_padded", "sgemm_quadrants", "sgemm_zorder", "sgemm_double_buffer",
                         "sgemm_pingpong", "v2"}) {
    ExpectAlignment<float>(*FindStage(id), 16);
  }
  for (const char* id : {"hgemm_mma", "hgemm_mma_swizzle", "hgemm_wgmma", "hgemm_tma_ring", "hgemm_specialised",
                         "hgemm_persistent", "hgemm_grouped", "hgemm_cluster", "hgemm_tma_store", "hgemm_drained",
                         "hgemm_pingpong", "hgemm_pingpong_128", "hgemm_pingpong_boxes", "hgemm_small_tile"})
    ExpectAlignment<__half>(*FindStage(id), 16);
  for (const char* id : {"hgemm_wmma", "hgemm_wmma_padded"}) ExpectAlignment<__half>(*FindStage(id), 32);
}

TEST(DeviceRefusal, ComparesWithTheLeastComputeCapability) {
  Stage stage;
  stage.id = "some";
  EXPECT_THAT(DeviceRefusal(stage, 75), IsEmpty());
  stage.device = {.least = 90};
  EXPECT_EQ(DeviceRefusal(stage, 89),
            "some runs on GPUs of compute capability 9.0 or later, and this one has 8.9: leave it out, or use one that "
            "has what it needs.");
  EXPECT_THAT(DeviceRefusal(stage, 90), IsEmpty());
  EXPECT_THAT(DeviceRefusal(stage, 120), IsEmpty());
}

TEST(DeviceRefusal, KnowsOfCodeForOneArchitectureAlone) {
  Stage stage;
  stage.id = "some";
  stage.device = {.least = 90, .no_other = true};
  EXPECT_THAT(DeviceRefusal(stage, 89), HasSubstr("9.0 alone, and this one has 8.9"));
  EXPECT_THAT(DeviceRefusal(stage, 90), IsEmpty());
  EXPECT_THAT(DeviceRefusal(stage, 100), HasSubstr("9.0 alone, and this one has 10.0"));
}

TEST(Refusal, KnowsTheLimitOfGridY) {
  EXPECT_THAT(Refusal(*FindStage("sgemm_naive"), {65535 * 32, 1, 1}), IsEmpty());
  EXPECT_THAT(Refusal(*FindStage("sgemm_naive"), {65535 * 32 + 1, 1, 1}), HasSubstr("65536 blocks along grid y"));
  EXPECT_THAT(Refusal(*FindStage("sgemm_naive_swapped"), {65535 * 32 + 1, 1, 1}), IsEmpty());
}

TEST(FindStage, IsNullForAnUnknownId) { EXPECT_EQ(FindStage("v9"), nullptr); }

}  // namespace
}  // namespace culprit
