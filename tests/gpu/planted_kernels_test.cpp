// SPDX-License-Identifier: Apache-2.0
// The kernels of a planted pair or mixture compute the same: each is right, and right again when it is launched again.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "db/error.h"
#include "kernels/launch.h"
#include "profiler/device_info.h"
#include "tests/planted/kernels/planted.h"

namespace culprit {
namespace {

// The kernels of a pair or a mixture, and the smallest size that they are made for.
struct Alike {
  std::string id;
  std::vector<const PlantedKernel*> kernels;
  int size = 0;
  DeviceConstraint device = {};
};

std::vector<Alike> EverythingPlanted() {
  std::vector<Alike> all;
  for (const PlantedPair& p : PlantedPairs()) all.push_back({p.id, {&p.base, &p.candidate}, p.sizes.front(), p.device});
  for (const PlantedMixture& m : PlantedMixtures())
    all.push_back({m.id, {&m.base, &m.a, &m.b, &m.both}, m.sizes.front()});
  return all;
}

class PlantedOnGpu : public ::testing::TestWithParam<Alike> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(CurrentDevice()) << "this test needs a GPU";
    if (const std::string why = DeviceRefusal(GetParam().id, GetParam().device); !why.empty()) GTEST_SKIP() << why;
  }
  const std::vector<const PlantedKernel*>& kernels() const { return GetParam().kernels; }
};

TEST_P(PlantedOnGpu, IsRightAndTheSameEachTime) {
  for (const PlantedKernel* kernel : kernels()) {
    const PlantedRun run = kernel->make(GetParam().size);
    const PlantedCheck first = run.check(), second = run.check();
    EXPECT_LE(first.error_over_bound, 1) << kernel->id << ": " << first.message;
    EXPECT_EQ(first.message, "") << kernel->id;
    EXPECT_EQ(second.error_over_bound, first.error_over_bound) << kernel->id << ": " << second.message;
    EXPECT_EQ(second.message, first.message) << kernel->id;
  }
}

TEST_P(PlantedOnGpu, NamesItsKernelsByTheirSymbols) {
  for (const PlantedKernel* kernel : kernels()) {
    const char* symbol = nullptr;
    ASSERT_EQ(cudaFuncGetName(&symbol, kernel->kernel), cudaSuccess) << kernel->id;
    EXPECT_EQ(kernel->id, symbol);
  }
}

TEST_P(PlantedOnGpu, SaysWhichKernelCouldNotBeLaunched) {
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

// A side of a mixture is an experiment about one factor, its diagonals are about two.
TEST(PlantedMixtures, DifferInOneFactorAlongEachSide) {
  const auto differences = [](const PlantedKernel& x, const PlantedKernel& y) {
    EXPECT_EQ(x.factors.size(), 2u) << x.id;
    EXPECT_EQ(y.factors.size(), 2u) << y.id;
    return (x.factors[0] != y.factors[0]) + (x.factors[1] != y.factors[1]);
  };
  for (const PlantedMixture& m : PlantedMixtures()) {
    EXPECT_EQ(differences(m.base, m.a), 1) << m.id;
    EXPECT_EQ(differences(m.base, m.b), 1) << m.id;
    EXPECT_EQ(differences(m.a, m.both), 1) << m.id;
    EXPECT_EQ(differences(m.b, m.both), 1) << m.id;
    EXPECT_EQ(differences(m.base, m.both), 2) << m.id;
    EXPECT_EQ(differences(m.a, m.b), 2) << m.id;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlantedOnGpu, ::testing::ValuesIn(EverythingPlanted()),
                         [](const auto& alike) { return alike.param.id; });

}  // namespace
}  // namespace culprit
