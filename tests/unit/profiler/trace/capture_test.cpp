// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/capture.h"

#include <gtest/gtest.h>

#include "db/error.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

TEST(ParseCapture, TakesTimesInAnyOrder) {
  for (const char* text : {"delay:5,duration:2.5", "duration:2.5,delay:5"}) {
    const Capture capture = ParseCapture(text);
    EXPECT_EQ(capture.kind, CaptureKind::kTime);
    EXPECT_EQ(capture.delay_s, 5);
    EXPECT_EQ(capture.duration_s, 2.5);
    EXPECT_TRUE(capture.EndsByItself());
  }
  EXPECT_EQ(ParseCapture("delay:0.5").delay_s, 0.5);
  EXPECT_FALSE(ParseCapture("delay:0.5").EndsByItself());
  EXPECT_EQ(ParseCapture("duration:60").delay_s, 0);
  EXPECT_EQ(ParseCapture("duration:60").duration_s, 60);
}

TEST(ParseCapture, TakesARangeWithWhateverIsInItsName) {
  const Capture capture = ParseCapture("nvtx:decode: a,b");
  EXPECT_EQ(capture.kind, CaptureKind::kRange);
  EXPECT_EQ(capture.range, "decode: a,b");
}

TEST(ParseCapture, TakesTheProfilerApi) { EXPECT_EQ(ParseCapture("profiler-api").kind, CaptureKind::kProfilerApi); }

TEST(ParseCapture, RefusesWhatItDoesNotKnowAndSaysWhatItTakes) {
  for (const char* text :
       {"", ",", "delay", "delay:", "delay:x", "delay:-1", "delay:nan", "delay:inf", "delay:1,", "delay:1,delay:2",
        "duration:0", "delay:1 ,duration:2", "nvtx:", "nvtx", "profiler", "delay:1e9", "delay:99999999999"}) {
    try {
      ParseCapture(text);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("delay:S,duration:S"), std::string::npos);
      EXPECT_NE(std::string(e.what()).find("not '" + std::string(text) + "'"), std::string::npos);
    }
  }
}

TEST(CaptureFolder, TellsProcessesApart) {
  const Scratch scratch;
  EXPECT_FALSE(IsCaptureStopped(scratch.path()));
  StopCapture(scratch.path());
  EXPECT_TRUE(IsCaptureStopped(scratch.path()));
  NoteCaptured(scratch.path(), 17);
  EXPECT_TRUE(HasCaptured(scratch.path(), 17));
  EXPECT_FALSE(HasCaptured(scratch.path(), 7));
}

}  // namespace
}  // namespace culprit
