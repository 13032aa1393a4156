// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/recordings.h"

#include <gtest/gtest.h>

#include <fstream>

#include "db/error.h"

namespace culprit::testing {
namespace {

std::string Write(const std::string& text) {
  const std::string path =
      ::testing::TempDir() + "recordings_" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
  std::ofstream(path) << text;
  return path;
}

constexpr char kHeader[] = "device,kernel,variant,process,sample,time_us,clock_mhz,low_clock\n";

TEST(Recordings, AreReadByKernelVariantAndProcess) {
  const auto recordings = ReadRecordings(Write(std::string(kHeader) + "H100,noise_fma,base,0,0,100.5,1980.25,0\n"
                                                                      "H100,noise_fma,base,0,1,101,,1\n"
                                                                      "H100,noise_fma,base,1,0,99,1970,0\n"
                                                                      "H100,noise_fma,slower,1,0,102,1970,0\n"));
  ASSERT_EQ(recordings.size(), 3u);
  ASSERT_EQ(recordings[0].samples.size(), 2u);
  EXPECT_EQ(recordings[0].kernel, "noise_fma");
  EXPECT_DOUBLE_EQ(recordings[0].samples[0].time_us, 100.5);
  EXPECT_DOUBLE_EQ(*recordings[0].samples[0].clock_mhz, 1980.25);
  EXPECT_FALSE(recordings[0].samples[1].clock_mhz);
  EXPECT_TRUE(recordings[0].samples[1].low_clock);
  EXPECT_EQ(recordings[1].process, 1);
  EXPECT_EQ(recordings[2].variant, "slower");
}

TEST(Recordings, OfAnotherFormatAreRefusedWithTheLine) {
  const std::string path = Write(std::string(kHeader) + "H100,noise_fma,base,0,0,fast,1980,0\n");
  try {
    ReadRecordings(path);
    FAIL() << "a time that is no number was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), path + ":2: 'fast' is not a number");
  }
  EXPECT_THROW(ReadRecordings(Write("kernel,time_us\nnoise_fma,100\n")), Error);
}

}  // namespace
}  // namespace culprit::testing
