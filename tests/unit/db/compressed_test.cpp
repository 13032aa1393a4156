// SPDX-License-Identifier: Apache-2.0
#include "db/compressed.h"

#include <gmock/gmock.h>

#include "db/error.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMost = 1 << 20;

std::string SomeText() {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "INSERT INTO sample VALUES (" + std::to_string(i * i) + ");\n";
  return text;
}

TEST(Compressed, IsReadAsItWas) {
  for (const std::string& text : {std::string(), std::string("x"), std::string(1000, '\0'), SomeText()}) {
    const std::string bytes = Compressed(text);
    EXPECT_TRUE(IsCompressed(bytes));
    EXPECT_EQ(Decompressed(bytes, kMost), text);
  }
  EXPECT_LT(Compressed(SomeText()).size(), SomeText().size() / 4);
  EXPECT_FALSE(IsCompressed("-- culprit export, schema 14\n"));
  EXPECT_FALSE(IsCompressed(""));
}

TEST(Compressed, SeveralFramesAreOneText) {
  EXPECT_EQ(Decompressed(Compressed("a\n") + Compressed("") + Compressed("b\n"), kMost), "a\nb\n");
}

TEST(Compressed, WhatIsCutOrDamagedIsRefused) {
  const std::string bytes = Compressed(SomeText());
  for (std::size_t size = 4; size < bytes.size(); size += 97)
    EXPECT_THAT(ComplaintOf([&] { Decompressed(bytes.substr(0, size), kMost); }), HasSubstr("decompress")) << size;
  for (std::size_t at = 4; at < bytes.size(); at += 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::string text;
    const std::string complaint = ComplaintOf([&] { text = Decompressed(damaged, kMost); });
    EXPECT_TRUE(!complaint.empty() || text == SomeText()) << "at " << at;
  }
  EXPECT_NE(ComplaintOf([&] { Decompressed(bytes + "x", kMost); }), "");
}

TEST(Compressed, ALittleThatHoldsMuchIsNotUnpacked) {
  const std::string bomb = Compressed(std::string(64 << 20, '\0'));
  EXPECT_LT(bomb.size(), 10'000U);
  EXPECT_THAT(ComplaintOf([&] { Decompressed(bomb, kMost); }), HasSubstr("more than 1 MB"));
}

}  // namespace
}  // namespace culprit
