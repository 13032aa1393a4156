// SPDX-License-Identifier: Apache-2.0
// Both kernels of a planted pair compute the same: each is right, and right again when it is launched again.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "db/error.h"
#include "kernels/launch.h"
#include "kernels/planted/planted.h"
#include "profiler/device_info.h"

namespace culprit {
namespace {

class PlantedPairOnGpu : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { ASSERT_TRUE(CurrentDevice()) << "this test needs a GPU"; }
  const PlantedPair& pair() const { return PlantedPairs()[GetParam()]; }
  std::array<const PlantedKernel*, 2> kernels() const { return {&pair().base, &pair().candidate}; }
};

TEST_P(PlantedPairOnGpu, IsRightAndTheSameEachTime) {
  for (const PlantedKernel* kernel : kernels()) {
    const PlantedRun run = kernel->make(pair().sizes.front());
    const PlantedCheck first = run.check(), second = run.check();
    EXPECT_LE(first.error_over_bound, 1) << kernel->id << ": " << first.message;
    EXPECT_EQ(first.message, "") << kernel->id;
    EXPECT_EQ(second.error_over_bound, first.error_over_bound) << kernel->id << ": " << second.message;
    EXPECT_EQ(second.message, first.message) << kernel->id;
  }
}

TEST_P(PlantedPairOnGpu, NamesItsKernelsByTheirSymbols) {
  for (const PlantedKernel* kernel : kernels()) {
    const char* symbol = nullptr;
    ASSERT_EQ(cudaFuncGetName(&symbol, kernel->kernel), cudaSuccess) << kernel->id;
    EXPECT_EQ(kernel->id, symbol);
  }
}

TEST_P(PlantedPairOnGpu, SaysWhichKernelCouldNotBeLaunched) {
  constexpr unsigned kMoreThanAnyBlockTakes = 4096;
  for (const PlantedKernel* kernel : kernels()) {
    std::array<std::byte, 4096> zeros{};
    std::array<void*, 64> arguments;  // more and larger ones than any of the kernels takes
    arguments.fill(zeros.data());
    try {
      EnqueueWithArguments({}, kernel->kernel, {dim3(1), dim3(kMoreThanAnyBlockTakes), 0}, arguments.data(), nullptr);
      ADD_FAILURE() << kernel->id << " was launched";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(" " + kernel->id + ":"), std::string::npos) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlantedPairOnGpu, ::testing::Range<std::size_t>(0, PlantedPairs().size()),
                         [](const auto& index) { return PlantedPairs()[index.param].id; });

}  // namespace
}  // namespace culprit
