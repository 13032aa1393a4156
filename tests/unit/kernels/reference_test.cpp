// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference.h"

#include <cuda_fp16.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "db/error.h"
#include "kernels/uniform.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// What a correct single-precision kernel does: one fused multiply-add a term, in order, leaving out term `lost`.
std::vector<float> Fp32Gemm(const GemmInputs& in, int lost = -1) {
  const auto [m, n, k] = in.shape;
  std::vector<float> out(in.c.size());
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int i = 0; i < k; ++i) {
        if (i == lost) continue;
        sum = std::fma(in.a[std::size_t(row) * k + i], in.b[std::size_t(i) * n + column], sum);
      }
      float& c = out[std::size_t(row) * n + column];
      c = in.alpha * sum;
      if (in.beta != 0) c += in.beta * in.c[std::size_t(row) * n + column];
    }
  }
  return out;
}

// Cut towards 0 to a multiple of `unit`, a power of two.
double Cut(double value, double unit) { return std::trunc(value / unit) * unit; }

// What tensor cores are granted to do: `per_step` products at a time are aligned with the sum so far to 24 bits of the
// largest, and as many more as `extra_bits`, cut, added, and cut to 24 bits again.
std::vector<float> TensorGemm(const GemmInputs& in, int per_step, int lost = -1, int extra_bits = 0) {
  const auto [m, n, k] = in.shape;
  std::vector<float> out(in.c.size());
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int first = 0; first < k; first += per_step) {
        std::vector<double> addends{sum};
        for (int i = first; i < std::min(first + per_step, k); ++i) {
          if (i == lost) continue;
          addends.push_back(double{in.a[std::size_t(row) * k + i]} * in.b[std::size_t(i) * n + column]);
        }
        double largest = 0;
        for (const double addend : addends) largest = std::fmax(largest, std::fabs(addend));
        if (largest == 0) continue;
        double step = 0;
        for (const double addend : addends) step += Cut(addend, std::ldexp(1.0, std::ilogb(largest) - 23 - extra_bits));
        sum = step == 0 ? 0 : Cut(step, std::ldexp(1.0, std::ilogb(step) - 23));
      }
      float& c = out[std::size_t(row) * n + column];
      c = in.alpha * static_cast<float>(sum);
      if (in.beta != 0) c += in.beta * in.c[std::size_t(row) * n + column];
    }
  }
  return out;
}

// Rounded to TF32's 10 fraction bits.
float Tf32(float value) {
  const float scale = std::ldexp(1.0f, 11 - std::ilogb(value == 0 ? 1.0f : value) - 1);
  return std::nearbyint(value * scale) / scale;
}

TEST(FillUniform, StaysBetweenMinusOneAndOneWithMeanZero) {
  std::vector<float> values(100000);
  FillUniform(values, 1);
  const auto [low, high] = std::ranges::minmax(values);
  EXPECT_GE(low, -1.0f);
  EXPECT_LT(high, 1.0f);
  EXPECT_NEAR(low, -1, 1e-3);
  EXPECT_NEAR(high, 1, 1e-3);
  // Five standard deviations of the mean of 100,000 values.
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / values.size(), 0,
              5 / std::sqrt(3.0 * values.size()));
}

TEST(FillUniform, DependsOnSeedAndPositionAlone) {
  std::vector<float> two(2), three(3), other(3);
  FillUniform(two, 42);
  FillUniform(three, 42);
  FillUniform(other, 43);
  EXPECT_EQ(two[0], three[0]);
  EXPECT_EQ(two[1], three[1]);
  EXPECT_NE(three[0], other[0]);
  EXPECT_NE(three[0], three[1]);
}

TEST(RandomInputs, PoisonCWhenItMustNotBeRead) {
  for (const float value : RandomInputs({2, 3, 4}, 1, 0, 7).c) EXPECT_TRUE(std::isnan(value));
  for (const float value : RandomInputs({2, 3, 4}, 1, 0.5f, 7).c) EXPECT_FALSE(std::isnan(value));
}

TEST(Float64Expected, MultipliesByHand) {
  const GemmInputs in{{2, 2, 3}, 2.0f, 0.5f, {1, 2, 3, 4, 5, 6}, {1, 0, 0, 1, 1, 1}, {10, 20, 30, 40}};
  // A*B = {1+3, 2+3; 4+6, 5+6}
  EXPECT_THAT(Float64Expected(in).value, ElementsAre(13, 20, 35, 42));
}

TEST(Float64Expected, DoesNotReadCWhenBetaIsZero) {
  const GemmInputs in{{1, 2, 1}, 1.0f, 0.0f, {3}, {4, 5}, {kNan, kNan}};
  EXPECT_THAT(Float64Expected(in).value, ElementsAre(12, 15));
}

TEST(Float64Expected, ScalesCWhenThereAreNoTerms) {
  const GemmInputs in{{1, 2, 0}, 3.0f, 0.5f, {}, {}, {4, -8}};
  EXPECT_THAT(Float64Expected(in).value, ElementsAre(2, -4));
}

TEST(Compare, PassesACorrectKernel) {
  for (const GemmShape shape : {GemmShape{1, 1, 1}, {7, 5, 3}, {33, 17, 64}, {16, 16, 512}, {8, 8, 4096}, {3, 4, 0}}) {
    for (const auto& [alpha, beta] : {std::pair{1.0f, 0.0f}, {2.5f, -0.75f}, {0.0f, 1.0f}, {-1.0f, 1.0f}}) {
      const GemmInputs in = RandomInputs(shape, alpha, beta, 3);
      const Verification v = Compare(Float64Expected(in), Fp32Gemm(in));
      EXPECT_TRUE(v.passed) << v.message;
      EXPECT_LE(v.error_over_bound, 0.5) << "k = " << shape.k;
      EXPECT_THAT(v.message, IsEmpty());
    }
  }
}

TEST(Compare, NoticesALostTermOfATypicalSize) {
  const GemmInputs in = RandomInputs({4, 4, 4096}, 1, 0, 11);
  const Expected right = Float64Expected(in);
  for (int lost = 0; lost < 4096; lost += 5) {
    double largest = 0;
    for (int row = 0; row < 4; ++row) {
      for (int column = 0; column < 4; ++column) {
        largest = std::fmax(largest, std::fabs(in.a[row * 4096 + lost] * in.b[lost * 4 + column]));
      }
    }
    if (largest < 0.05) continue;
    EXPECT_FALSE(Compare(right, Fp32Gemm(in, lost)).passed) << lost;
  }
}

TEST(Compare, NoticesTheLastTermOfALongSum) {
  const GemmInputs in = RandomInputs({8, 8, 4096}, 1, 0, 5);
  const Verification v = Compare(Float64Expected(in), Fp32Gemm(in, 4095));
  EXPECT_FALSE(v.passed);
  EXPECT_GT(v.error_over_bound, 10);
  EXPECT_THAT(v.message, HasSubstr("the error bound is"));
}

TEST(Compare, NoticesTf32Arithmetic) {
  for (const int k : {64, 512, 4096}) {
    const GemmInputs in = RandomInputs({16, 16, k}, 1, 0, 13);
    GemmInputs rounded = in;
    for (float& value : rounded.a) value = Tf32(value);
    for (float& value : rounded.b) value = Tf32(value);
    EXPECT_FALSE(Compare(Float64Expected(in), Fp32Gemm(rounded)).passed) << k;
  }
}

TEST(Compare, FailsOnAnUntouchedElementAndSaysWhere) {
  const GemmInputs in = RandomInputs({3, 4, 5}, 1, 0, 1);
  std::vector<float> out = Fp32Gemm(in);
  out[2 * 4 + 1] = in.c[2 * 4 + 1];  // still the poison
  const Verification v = Compare(Float64Expected(in), out);
  EXPECT_FALSE(v.passed);
  EXPECT_TRUE(std::isinf(v.error_over_bound));
  EXPECT_EQ(v.row, 2);
  EXPECT_EQ(v.column, 1);
  EXPECT_THAT(v.message, HasSubstr("1 of 12 elements are wrong, first (2, 1): got nan"));
}

TEST(Compare, FailsOnInfinity) {
  const GemmInputs in = RandomInputs({2, 2, 2}, 1, 0, 1);
  std::vector<float> out = Fp32Gemm(in);
  out[0] = -std::numeric_limits<float>::infinity();
  EXPECT_FALSE(Compare(Float64Expected(in), out).passed);
}

TEST(Compare, AllowsNoErrorWhereNothingIsRounded) {
  const Expected zero = Float64Expected({{1, 1, 0}, 1.0f, 0.0f, {}, {}, {kNan}});
  EXPECT_TRUE(Compare(zero, std::vector{0.0f}).passed);
  EXPECT_FALSE(Compare(zero, std::vector{1e-30f}).passed);
}

TEST(Compare, RefusesAPieceOfC) {
  EXPECT_THROW(Compare(Float64Expected(RandomInputs({2, 2, 2}, 1, 0, 1)), std::vector{1.0f}), Error);
}

TEST(RandomInputs, ForHalfStagesAreHalves) {
  const GemmInputs in = RandomInputs({16, 16, 64}, 1, 0.5f, 7, ElementType::kHalf);
  for (const auto* values : {&in.a, &in.b})
    for (const float value : *values) EXPECT_EQ(__half2float(__float2half_rn(value)), value);
  EXPECT_NE(in.a, RandomInputs({16, 16, 64}, 1, 0.5f, 7).a);
  EXPECT_EQ(in.c, RandomInputs({16, 16, 64}, 1, 0.5f, 7).c) << "C is single precision for every stage";
}

TEST(Compare, AcceptsTensorCoresOnHalfInputs) {
  for (const int k : {1, 16, 64, 65, 128, 512, 4096}) {
    for (const int per_step : {4, 8, 16}) {
      for (const int extra_bits : {0, 2, 24}) {  // more keep more of the products, so that cutting the sum loses more
        for (const auto& [alpha, beta] : {std::pair{1.0f, 0.0f}, {2.5f, -0.75f}}) {
          const GemmInputs in = RandomInputs({16, 16, k}, alpha, beta, 3, ElementType::kHalf);
          const Verification v = Compare(Float64Expected(in), TensorGemm(in, per_step, -1, extra_bits));
          EXPECT_TRUE(v.passed) << v.message;
          EXPECT_LE(v.error_over_bound, k > 64 ? 0.3 : 0.75)  // up to 64 terms any single rounding may be the worst
              << "k = " << k << ", " << per_step << " products a step, " << extra_bits << " bits more";
        }
      }
    }
  }
}

TEST(Compare, NoticesResultsRoundedToHalf) {
  for (const int k : {64, 512, 2048, 4096}) {
    const GemmInputs in = RandomInputs({32, 32, k}, 1, 0, 5, ElementType::kHalf);
    std::vector<float> out = TensorGemm(in, 8);
    for (float& value : out) value = __half2float(__float2half_rn(value));
    const Verification v = Compare(Float64Expected(in), out);
    EXPECT_FALSE(v.passed) << k;
    EXPECT_GT(v.error_over_bound, 1.5) << k;
  }
}

TEST(Compare, NoticesALostTermOfTensorCores) {
  const GemmInputs in = RandomInputs({8, 8, 4096}, 1, 0, 5, ElementType::kHalf);
  const Expected right = Float64Expected(in);
  for (const int lost : {0, 1, 2048, 4095}) {
    const Verification v = Compare(right, TensorGemm(in, 8, lost));
    EXPECT_FALSE(v.passed) << lost;
    EXPECT_GT(v.error_over_bound, 5) << lost;
  }
}

TEST(Compare, NoticesAccumulationInHalfPrecision) {
  for (const int k : {64, 512, 4096}) {
    const GemmInputs in = RandomInputs({8, 8, k}, 1, 0, 5, ElementType::kHalf);
    std::vector<float> out(64);
    for (int at = 0; at < 64; ++at) {
      float sum = 0;
      for (int i = 0; i < k; ++i)
        sum =
            __half2float(__float2half_rn(sum + in.a[at / 8 * std::size_t(k) + i] * in.b[i * std::size_t(8) + at % 8]));
      out[at] = sum;
    }
    EXPECT_FALSE(Compare(Float64Expected(in), out).passed) << k;
  }
}

// sqrt(k Q) >= sum|a b| = P (Cauchy-Schwarz): with all P in one term, aligning and cutting lose at most 2^-23 P each of
// k products and n sums.
TEST(ErrorBound, OfTensorCoresCoversAnyDataUpTo64Terms) {
  for (int k = 1; k <= 64; ++k) {
    const double sum_of_squares = 1.0 / k;  // so P = 1 at most
    EXPECT_GE(ErrorBound(ElementType::kHalf, k, 1, sum_of_squares, 0, 0), 0x1p-23 * (k + (k + 3) / 4)) << k;
  }
}

// Of 4096^2 results of standard deviation sqrt(k / 9) many lie above 64, where halves are 1/16 apart (32 and 1/32 for
// k = 2048); cuBLAS, with which so large ones are compared, is granted its own error.
TEST(ErrorBound, OfTensorCoresIsFarBelowTheSpacingOfHalves) {
  for (const auto& [k, spacing] : {std::pair{4096, 1.0 / 16}, {2048, 1.0 / 32}})
    EXPECT_LT(
        ErrorBound(ElementType::kHalf, k, 1, k / 9.0, 0, 0) + ErrorBound(ElementType::kFloat, k, 1, k / 9.0, 0, 0),
        0.5 * spacing / 2)
        << k;
}

TEST(ErrorBound, GrowsWithK) {
  EXPECT_GT(ErrorBound(ElementType::kFloat, 4096, 1, 4096 / 9.0, 0, 0),
            ErrorBound(ElementType::kFloat, 512, 1, 512 / 9.0, 0, 0));
}

TEST(ErrorBound, IsSmallerThanATypicalProductAt4096) {
  EXPECT_LT(2 * ErrorBound(ElementType::kFloat, 4096, 1, 4096 / 9.0, 0, 0), 0.25 / 20);
}

}  // namespace
}  // namespace culprit
