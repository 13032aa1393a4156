// SPDX-License-Identifier: Apache-2.0
#include "analysis/banks/address_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "db/error.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The compiler itself says what C makes of the same text.
#define EXPECT_AS_IN_C(expression)               \
  for (std::int64_t lane = 0; lane < 32; ++lane) \
  EXPECT_EQ(EvaluateAddress(#expression, static_cast<int>(lane)), std::int64_t{expression}) << "lane " << lane

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"  // precedence without parentheses is the point
#pragma GCC diagnostic ignored "-Wbool-operation"
TEST(AddressExpression, HasTheValueThatCGivesIt) {
  EXPECT_AS_IN_C(lane / 8 * 512 + (lane % 8 ^ lane / 8 % 8) * 16);
  EXPECT_AS_IN_C(lane | 3 ^ lane & 5 << 1);
  EXPECT_AS_IN_C(lane & 1 == 0);
  EXPECT_AS_IN_C(lane << 2 + 1 >> 1);
  EXPECT_AS_IN_C(lane - 5 - 3 - (2 - 9));
  EXPECT_AS_IN_C((lane - 16) / 3 * 100 + (lane - 16) % 3);
  EXPECT_AS_IN_C(-lane >> 1);
  EXPECT_AS_IN_C(~lane & 0x1F);
  EXPECT_AS_IN_C(- -lane + !lane);
  EXPECT_AS_IN_C(lane < 8 == 1 <= lane);
  EXPECT_AS_IN_C(lane < 4 ? 1 : lane < 8 ? 2 : 3);
  EXPECT_AS_IN_C(lane > 2 && lane != 7 || lane >= 30);
  EXPECT_AS_IN_C(2 * lane % 7 / 2 * 3);
}

TEST(AddressExpression, DoesNotEvaluateWhatCDoesNot) {
  EXPECT_AS_IN_C(lane == 0 ? -1 : 64 / lane);
  EXPECT_AS_IN_C(lane == 0 || 64 / lane > 3);
  EXPECT_AS_IN_C(lane != 0 && 64 % lane == 0);
  EXPECT_AS_IN_C(lane ? 64 / lane : lane ? 1 / lane : 7);
}
#pragma GCC diagnostic pop

TEST(AddressExpression, TakesBlanksOrNone) {
  EXPECT_EQ(EvaluateAddress("lane*4+1", 3), 13);
  EXPECT_EQ(EvaluateAddress("\t( lane )\n* 4 ", 3), 12);
}

std::string Repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

void ExpectRefused(const std::string& text, const char* why, const char* place) {
  EXPECT_THAT([&] { EvaluateAddress(text, 0); }, ThrowsMessage<Error>(AllOf(HasSubstr(why), HasSubstr(place)))) << text;
}

TEST(AddressExpression, PointsAtWhatItDoesNotUnderstand) {
  ExpectRefused("lane * * 4", "expected a number, 'lane' or '('", "\n  lane * * 4\n         ^");
  ExpectRefused("", "expected a number", "\n  \n  ^");
  ExpectRefused("(lane + 1", "expected ')'", "\n           ^");
  ExpectRefused("lane ? 1", "expected ':'", "\n          ^");
  ExpectRefused("lane 4", "expected an operator", "\n       ^");
  ExpectRefused("lane = 4", "expected an operator", "\n       ^");
  ExpectRefused("tid * 4", "expected a number, 'lane'", "\n  ^");
  ExpectRefused("4u", "this is not a number", "\n  ^");
  ExpectRefused("0x", "this is not a number", "\n  ^");
  ExpectRefused("lane + 010", "octal", "\n         ^");
  ExpectRefused("99999999999999999999", "does not fit", "\n  ^");
  ExpectRefused(std::string(100000, '('), "too deeply nested", "^");
  ExpectRefused(Repeated("1?", 65500) + "1" + Repeated(":1", 65500), "too deeply nested", "^");
  ExpectRefused(Repeated("1?1:", 65500) + "1", "too deeply nested", "^");
  ExpectRefused(Repeated("lane?(", 65500), "too deeply nested", "^");
  ExpectRefused(std::string(100000, '!') + "1", "too deeply nested", "^");
}

TEST(AddressExpression, TakesAsManyConditionsAsAWarpHasLanes) {
  std::string text;
  for (int lane = 0; lane < 32; ++lane)
    text += "lane == " + std::to_string(lane) + " ? " + std::to_string(7 * lane) + " : ";
  EXPECT_EQ(EvaluateAddress(text + "0", 31), 217);
}

TEST(AddressExpression, RefusesWhatCLeavesUndefined) {
  ExpectRefused("1 / lane", "division by zero", "\n    ^");
  ExpectRefused("1 % lane", "lane 0: division by zero", "\n    ^");
  ExpectRefused("1 << 64", "a shift by", "\n    ^");
  ExpectRefused("1 >> -1", "a shift by", "\n    ^");
  ExpectRefused("1 << 63", "does not fit", "\n    ^");
  ExpectRefused("9223372036854775807 + 1", "does not fit", "^");
  ExpectRefused("(-9223372036854775807 - 1) / -1", "does not fit", "^");
  ExpectRefused("-(-9223372036854775807 - 1)", "does not fit", "^");
}

}  // namespace
}  // namespace culprit
