// SPDX-License-Identifier: Apache-2.0
// What a refusal of CUPTI becomes: a status for the readings and a sentence for the user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/cupti_call.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

CuptiError Thrown(CUptiResult code) {
  try {
    Check(code, "read counters");
  } catch (const CuptiError& e) {
    return e;
  }
  ADD_FAILURE() << "Check let " << code << " pass";
  return {code, ""};
}

Warning Explained(CUptiResult code) { return Explain(Thrown(code)); }

TEST(CuptiErrors, AreDeniedWhenTheUserMayNotReadCounters) {
  for (const CUptiResult code :
       {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES}) {
    EXPECT_EQ(StatusOf(code), ReadingStatus::kDenied) << code;
    EXPECT_EQ(Explained(code).code, "counters_denied") << code;
    EXPECT_THAT(Explained(code).text, AllOf(HasSubstr("root"), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
  }
}

TEST(CuptiErrors, AreDeniedWhenAnotherProfilerHoldsTheCounters) {
  for (const CUptiResult code : {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, CUPTI_ERROR_HARDWARE_BUSY}) {
    EXPECT_EQ(StatusOf(code), ReadingStatus::kDenied) << code;
    EXPECT_EQ(Explained(code).code, "second_profiler") << code;
    EXPECT_THAT(Explained(code).text, AllOf(HasSubstr("another profiler"), HasSubstr("stop it"))) << code;
  }
}

TEST(CuptiErrors, AreUnsupportedWhenTheChipIsUnknown) {
  EXPECT_EQ(StatusOf(CUPTI_ERROR_INVALID_CHIP_NAME), ReadingStatus::kUnsupported);
  EXPECT_EQ(Explained(CUPTI_ERROR_INVALID_CHIP_NAME).code, "unknown_chip");
  EXPECT_THAT(Explained(CUPTI_ERROR_INVALID_CHIP_NAME).text, HasSubstr("newer CUDA Toolkit"));
}

TEST(CuptiErrors, AreUnsupportedWhereTheMachineOffersNoCounters) {
  for (const CUptiResult code :
       {CUPTI_ERROR_NOT_SUPPORTED, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED,
        CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED,
        CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED}) {
    EXPECT_EQ(StatusOf(code), ReadingStatus::kUnsupported) << code;
    EXPECT_EQ(Explained(code).code, "counters_unsupported") << code;
    EXPECT_THAT(Explained(code).text,
                AllOf(HasSubstr("cannot read counters"), HasSubstr("times and static attributes")))
        << code;
  }
}

TEST(CuptiErrors, AreFailuresWhenTheyAreNeitherDeniedNorUnsupported) {
  for (const CUptiResult code : {CUPTI_ERROR_UNKNOWN, CUPTI_ERROR_NOT_INITIALIZED, CUPTI_ERROR_OUT_OF_MEMORY,
                                 CUPTI_ERROR_INVALID_OPERATION, CUPTI_ERROR_INVALID_PARAMETER}) {
    EXPECT_EQ(StatusOf(code), ReadingStatus::kFailed) << code;
    EXPECT_EQ(Explained(code).code, "counters_failed") << code;
    EXPECT_THAT(Explained(code).text, AllOf(StartsWith("cannot read counters: "), HasSubstr("were not read"))) << code;
  }
}

TEST(CuptiErrors, SayWhatWasTriedCuptisWordsAndTheLine) {
  const CuptiError e = Thrown(CUPTI_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(e.code(), CUPTI_ERROR_OUT_OF_MEMORY);
  EXPECT_THAT(e.what(), AllOf(StartsWith("cannot read counters: "), HasSubstr("OUT_OF_MEMORY"),
                              HasSubstr("(" + std::to_string(CUPTI_ERROR_OUT_OF_MEMORY) + ")"),
                              HasSubstr("[cupti_error_test.cpp:")));
}

TEST(CuptiErrors, AreNotMadeOfSuccess) { EXPECT_NO_THROW(Check(CUPTI_SUCCESS, "read counters")); }

TEST(CuptiErrors, AreSentencesOfOneLine) {
  for (int code = 1; code < 64; ++code) {
    const Warning w = Explained(static_cast<CUptiResult>(code));
    EXPECT_FALSE(w.code.empty()) << code;
    EXPECT_GT(w.text.size(), 20u) << code;
    EXPECT_EQ(w.text.find('\n'), w.text.npos) << code;
  }
}

TEST(CuptiErrors, OfADestructorAreWrittenAndNotThrown) {
  testing::internal::CaptureStderr();
  LogFailure(CUPTI_ERROR_UNKNOWN, "disable range profiling");
  LogFailure(CUPTI_SUCCESS, "do something that worked");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "culprit: cannot disable range profiling: CUPTI error " + std::to_string(CUPTI_ERROR_UNKNOWN) + "\n");
}

}  // namespace
}  // namespace culprit
