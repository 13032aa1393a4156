// SPDX-License-Identifier: Apache-2.0
// What the checks of planted kernels refuse. In place of a kernel the host writes the outputs.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "profiler/device_info.h"
#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"
#include "tests/planted/kernels/totals.h"

namespace culprit {
namespace {

class PlantedChecksOnGpu : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(CurrentDevice()) << "this test needs a GPU"; }
};

// Every third output is compared with 1, to half a unit; `written` are all of them.
PlantedCheck CheckOf(const std::vector<float>& written) {
  const auto launch = [&written](cudaStream_t stream, const float*, float* out) {
    Succeed(cudaMemcpyAsync(out, written.data(), written.size() * sizeof(float), cudaMemcpyHostToDevice, stream),
            "write the outputs");
  };
  const auto wanted = [](const std::vector<float>&, std::size_t) { return Wanted{1, 0.5}; };
  return PerElementRun({}, 7, 3, launch, wanted).check();
}

TEST_F(PlantedChecksOnGpu, TakeOutputsWithinTheBoundAndAnyNumberBetweenThoseCompared) {
  const PlantedCheck check = CheckOf({1, -9, 9, 1.25f, 0, 1e30f, 1});
  EXPECT_EQ(check.message, "");
  EXPECT_EQ(check.error_over_bound, 0.5);
}

TEST_F(PlantedChecksOnGpu, RefuseAnOutputBeyondTheBound) {
  const PlantedCheck check = CheckOf({1, 1, 1, 2, 1, 1, 1});
  EXPECT_EQ(check.error_over_bound, 2);
  EXPECT_EQ(check.message, "element 3 is 2, wanted 1, allowed error 0.5");
}

TEST_F(PlantedChecksOnGpu, RefuseInfinityAndNanAlsoWhereNothingIsCompared) {
  for (const float wrong : {INFINITY, -INFINITY, NAN})
    for (const std::size_t at : {std::size_t{3}, std::size_t{4}}) {
      std::vector<float> written(7, 1.0f);
      written[at] = wrong;
      const PlantedCheck check = CheckOf(written);
      EXPECT_EQ(check.error_over_bound, INFINITY) << wrong << " at " << at;
      EXPECT_NE(check.message, "") << wrong << " at " << at;
    }
}

TEST_F(PlantedChecksOnGpu, RefuseAnOutputThatNobodyWrote) {
  EXPECT_NE(CheckOf({1, 1, 1, 1, 1, 1}).message, "");  // the last is missing
}

TEST_F(PlantedChecksOnGpu, RefuseATotalThatIsOffByOne) {
  const std::vector<unsigned> copies{1, 2, 3, 4};  // two copies of two totals
  const auto totals = Uploaded(std::vector<unsigned>(copies.size()));
  const PlantedRun run{[&](cudaStream_t) { totals->Upload(copies); }, {}};
  EXPECT_EQ(CheckTotals(run, totals->As<unsigned>(), 2, std::vector<double>{4, 6}).message, "");
  EXPECT_EQ(CheckTotals(run, totals->As<unsigned>(), 2, std::vector<double>{4, 7}).message,
            "total 1 is 6, wanted 7 exactly");
}

}  // namespace
}  // namespace culprit
