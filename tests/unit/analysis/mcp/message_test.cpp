// SPDX-License-Identifier: Apache-2.0
#include "analysis/mcp/message.h"

#include <gtest/gtest.h>

namespace culprit::mcp {
namespace {

// The code that a line is refused with; 0: it is not.
int CodeOf(std::string_view line) {
  const Message message = ReadLine(line).messages.front();
  return message.error ? message.error->code : 0;
}

TEST(Message, ARequestHasAnIdAMethodAndParams) {
  const Line line = ReadLine(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}})");
  ASSERT_EQ(line.messages.size(), 1u);
  EXPECT_FALSE(line.is_batch);
  EXPECT_EQ(*line.messages[0].id, "a");
  EXPECT_EQ(line.messages[0].method, "m");
  EXPECT_EQ(line.messages[0].params["x"], 1);
  EXPECT_TRUE(line.messages[0].NeedsAnswer());
}

TEST(Message, ANotificationNeedsNoAnswer) {
  EXPECT_FALSE(ReadLine(R"({"jsonrpc":"2.0","method":"m"})").messages[0].NeedsAnswer());
  EXPECT_FALSE(ReadLine(R"({"jsonrpc":"2.0","method":"m","params":[1]})").messages[0].NeedsAnswer());
}

TEST(Message, AnAnswerOfTheClientNeedsNone) {
  EXPECT_FALSE(ReadLine(R"({"jsonrpc":"2.0","id":1,"result":{}})").messages[0].NeedsAnswer());
}

TEST(Message, WrongLinesHaveTheCodesOfJsonRpc) {
  for (const char* line : {"", "{", "nothing", "[1,", "{\"a\":1}}", "\xff", "{\"jsonrpc\":\"2.0\",\"id\":1e999}",
                           "{\"method\":\"\\ud800\"}"})
    EXPECT_EQ(CodeOf(line), kParseError) << line;
  for (const char* line :
       {"1", "\"text\"", "null", "[]", "[1]", "{}", R"({"jsonrpc":"1.0","id":1,"method":"m"})",
        R"({"id":1,"method":"m"})", R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"method":7})",
        R"({"jsonrpc":"2.0","id":null,"method":"m"})", R"({"jsonrpc":"2.0","id":1.5,"method":"m"})",
        R"({"jsonrpc":"2.0","id":{},"method":"m"})", R"({"jsonrpc":2.0,"id":1,"method":"m"})"})
    EXPECT_EQ(CodeOf(line), kInvalidRequest) << line;
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})"), kInvalidParams);
}

TEST(Message, NestingEndsAtItsLimit) {
  const auto nested = [](int levels) {
    return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"x":)" + std::string(levels, '[') +
           std::string(levels, ']') + "}}";
  };
  EXPECT_EQ(CodeOf(nested(kMostNesting - 2)), 0);
  EXPECT_EQ(CodeOf(nested(kMostNesting + 1)), kParseError);
  EXPECT_EQ(CodeOf(std::string(kMostBytesOfLine, '[')), kParseError);
}

TEST(Message, ALineEndsAtItsLimit) {
  std::string line = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"x":")";
  line += std::string(kMostBytesOfLine - line.size() - 3, 'x') + "\"}}";
  ASSERT_EQ(line.size(), kMostBytesOfLine);
  EXPECT_EQ(CodeOf(line), 0);
  EXPECT_EQ(CodeOf(line + ' '), kParseError);
}

TEST(Message, ABatchKeepsItsOrderAndItsLimit) {
  const Line line = ReadLine(R"([{"jsonrpc":"2.0","id":1,"method":"a"},2,{"jsonrpc":"2.0","method":"b"}])");
  ASSERT_TRUE(line.is_batch);
  ASSERT_EQ(line.messages.size(), 3u);
  EXPECT_EQ(line.messages[0].method, "a");
  EXPECT_EQ(line.messages[1].error->code, kInvalidRequest);
  EXPECT_FALSE(line.messages[2].NeedsAnswer());
  std::string many = "[1";
  for (std::size_t i = 0; i < kMostMessagesOfBatch; ++i) many += ",1";
  EXPECT_FALSE(ReadLine(many + "]").is_batch);
  EXPECT_EQ(CodeOf(many + "]"), kInvalidRequest);
}

TEST(Message, WhatIsWrittenIsOneLineThatNoTerminalObeys) {
  EXPECT_EQ(Written({{"a", "\x1b[31m\n\xe2\x80\xae"}}), R"({"a":"\u001b[31m\n\u202e"})");
  EXPECT_EQ(Written({{"a", "\xff"}}), "{\"a\":\"\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace culprit::mcp
