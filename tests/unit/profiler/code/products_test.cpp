// SPDX-License-Identifier: Apache-2.0
// A product of a warpgroup stands where the descriptors of its factors are put into place, whatever line it has.
#include "profiler/code/products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "analysis/judge/blame/costs.h"
#include "tests/support/assembled.h"

namespace culprit {
namespace {

using namespace testing;

constexpr int kLost = 99;  // the line of what stands before a product

Encoded Umov(int to, int line) { return Encoded(0x882).To(to).Number(64).Line(line); }

// HGMMA.64x8x16.F32 R24, gdesc[UR8], R24, as nvcc 13.0 writes it: its descriptors are in UR8 to UR11.
Encoded Product(int line) {
  Encoded product(0x9f0);
  product.low = 0x40000000'081879f0;
  product.high = 0x000fe200'08700818;
  return product.Line(line);
}

int LineOfProduct(const std::vector<Encoded>& code) {
  const KernelCosts costs = CostsOf(10, Sampled(code));
  const FunctionCosts& function = costs.functions.at(0);
  const auto product = std::ranges::find(function.decoded, "HGMMA", &SassInstruction::mnemonic);
  return function.code.instructions.at(static_cast<std::size_t>(product - function.decoded.begin())).frames.at(0).line;
}

TEST(Products, StandWhereMostOfTheirDescriptorsAreMade) {
  EXPECT_EQ(LineOfProduct({Umov(9, 4), Umov(11, 4), Umov(8, 16), Umov(10, 17), Fadd(4, 4, 4).Line(kLost),
                           Product(kLost), Exit().Line(30)}),
            4);
}

TEST(Products, StandWhereTheLastOfThemIsMadeOfAsMany) {
  EXPECT_EQ(LineOfProduct({Umov(8, 16), Umov(10, 16), Umov(9, 4), Umov(11, 4), Product(kLost), Exit().Line(30)}), 4);
  EXPECT_EQ(LineOfProduct({Umov(9, 4), Umov(11, 4), Umov(8, 16), Umov(10, 16), Product(kLost), Exit().Line(30)}), 16);
}

TEST(Products, TakeNoMakersThatOthersCameBehind) {
  EXPECT_EQ(LineOfProduct({Umov(8, 5), Umov(9, 5), Umov(10, 5), Umov(11, 5), Product(5), Umov(8, 6), Umov(9, 6),
                           Umov(10, 6), Umov(11, 6), Umov(8, 7), Umov(9, 7), Umov(10, 7), Exit().Line(30)}),
            5);
}

TEST(Products, FindWhatWasMadeBeforeTheirLoop) {
  EXPECT_EQ(LineOfProduct({Umov(8, 5), Umov(9, 4), Umov(10, 6), Umov(11, 4), Fadd(4, 4, 4).Line(kLost), Product(kLost),
                           BranchTo(6, 4, 0).Line(9), Exit().Line(30)}),
            4);
}

TEST(Products, KeepTheirLineWhereNothingMakesTheirDescriptors) {
  EXPECT_EQ(LineOfProduct({Fadd(4, 4, 4).Line(kLost), Product(kLost), Exit().Line(30)}), kLost);
}

}  // namespace
}  // namespace culprit
