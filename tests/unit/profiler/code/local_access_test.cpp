// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/local_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum LocalPlace;

constexpr int kR1 = 1;

SassInstruction Access(const char* mnemonic, int base, std::int64_t offset, int bytes = 4) {
  SassInstruction i;
  i.mnemonic = mnemonic;
  i.address = SassAddress{base, -1, offset};
  i.access_bytes = bytes;
  return i;
}
SassInstruction Load(int base, std::int64_t offset, int bytes = 4) { return Access("LDL", base, offset, bytes); }
SassInstruction Store(int base, std::int64_t offset, int bytes = 4) { return Access("STL", base, offset, bytes); }

std::vector<LocalPlace> PlacesOf(const std::vector<SassInstruction>& code) {
  std::vector<LocalPlace> places;
  for (const LocalAccess& access : LocalAccesses(code)) places.push_back(access.place);
  return places;
}

TEST(LocalAccesses, AreThoseOfLocalMemoryAlone) {
  EXPECT_THAT(LocalAccesses(std::vector{Access("LDG", 2, 0), Access("LDS", kR1, 0), Access("LD", 2, 0)}), IsEmpty());
  EXPECT_THAT(LocalAccesses(std::vector{Access("LDG", 2, 0), Store(kR1, 8, 16), Load(2, 32)}),
              ElementsAre(LocalAccess{1, kElement, true, 16, 8}, LocalAccess{2, kComputed, false, 4, std::nullopt}));
}

TEST(LocalAccesses, AtConstantOffsetsAreSpillsWhereNoneIsComputed) {
  EXPECT_THAT(PlacesOf({Store(kR1, 0), Store(kR1, 4), Load(kR1, 0)}), ElementsAre(kSpill, kSpill, kSpill));
}

// As ptxas for sm_90 lays out a function with an array of 64 floats and spilled registers.
TEST(LocalAccesses, TellElementsThatAreFilledFromSpillsInOneFrame) {
  EXPECT_THAT(
      PlacesOf({Store(kR1, 0, 16), Store(kR1, 16, 16), Store(kR1, 0x100), Load(2, 0), Load(kR1, 0x100), Store(2, 0)}),
      ElementsAre(kElement, kElement, kSpill, kComputed, kSpill, kComputed));
  // An array that computed stores fill and constant loads empty.
  EXPECT_THAT(PlacesOf({Store(3, 0), Load(kR1, 4)}), ElementsAre(kComputed, kElement));
}

TEST(LocalAccesses, MeetWhereTheirBytesDo) {
  // Two registers spilled at once, one of them read back.
  EXPECT_THAT(PlacesOf({Load(2, 0), Store(kR1, 0x60, 8), Load(kR1, 0x64)}), ElementsAre(kComputed, kSpill, kSpill));
  EXPECT_THAT(PlacesOf({Load(2, 0), Store(kR1, 0x60, 8), Load(kR1, 0x68)}), ElementsAre(kComputed, kElement, kElement));
  EXPECT_THAT(PlacesOf({Load(2, 0), Store(kR1, 5, 1), Load(kR1, 6, 1)}), ElementsAre(kComputed, kSpill, kSpill));
}

TEST(LocalAccesses, AreComputedWhereAnyPartOfTheAddressIsNoConstant) {
  SassInstruction uniform = Load(kR1, 4);
  uniform.address->uniform_base = 4;
  SassInstruction unknown = Store(kR1, 0);
  unknown.address.reset();
  EXPECT_THAT(PlacesOf({uniform, unknown}), ElementsAre(kComputed, kComputed));
}

// An access of which only the name is known is one of a word.
TEST(LocalAccesses, OfUnknownWidthTakeAWord) {
  EXPECT_THAT(LocalAccesses(std::vector{Store(kR1, 4, 0)}), ElementsAre(LocalAccess{0, kSpill, true, 4, 4}));
}

}  // namespace
}  // namespace culprit
