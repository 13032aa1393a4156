// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/shared_sampler.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <stdexcept>
#include <string>
#include <thread>

namespace culprit {
namespace {

using namespace std::chrono_literals;

// What was called, in order: "+" Start, "-" Stop, "!" a Stop that failed, "~" its end.
struct Fake {
  explicit Fake(std::string& its_log) : log(its_log) {}
  ~Fake() { log += '~'; }
  Fake(const Fake&) = delete;
  void Start() { log += '+'; }
  void Stop() {
    if (failing > 0) {
      --failing;
      log += '!';
      throw std::runtime_error("cannot stop");
    }
    log += '-';
  }
  std::string& log;
  int failing = 0;
};

class SharedSamplerTest : public ::testing::Test {
 protected:
  std::string log_;
  SharedSampler<Fake> sampler_;
};

TEST_F(SharedSamplerTest, IsStoppedOnce) {
  sampler_.Make(log_);
  sampler_.Stop();
  EXPECT_TRUE(sampler_.Start());
  sampler_.Stop();
  sampler_.Stop();
  EXPECT_TRUE(sampler_.Close(1s));
  sampler_.Drop();
  EXPECT_EQ(log_, "+-~");
}

TEST_F(SharedSamplerTest, AnotherThreadStopsItWhileItIsRead) {
  sampler_.Make(log_);
  sampler_.Start();
  Fake& read = *sampler_.operator->();  // reading needs no lock
  std::thread([&] { EXPECT_TRUE(sampler_.Close(1s)); }).join();
  EXPECT_EQ(read.log, "+-");
}

TEST_F(SharedSamplerTest, DoesNotStartAfterItWasClosed) {
  EXPECT_TRUE(sampler_.Close(1s)) << "there is no sampler yet";
  sampler_.Make(log_);
  EXPECT_FALSE(sampler_.Start());
  sampler_.Drop();
  EXPECT_EQ(log_, "~");
}

TEST_F(SharedSamplerTest, TheThreadThatReadsTriesAgain) {
  sampler_.Make(log_);
  sampler_.Start();
  sampler_->failing = 2;
  EXPECT_FALSE(sampler_.Close(1s));
  EXPECT_THROW(sampler_.Stop(), std::runtime_error);
  sampler_.Stop();
  EXPECT_EQ(log_, "+!!-");
}

TEST_F(SharedSamplerTest, AClosingThreadNeverTouchesADestroyedOne) {
  sampler_.Make(log_);
  sampler_.Start();
  sampler_.Drop();
  EXPECT_TRUE(sampler_.Close(1s));
  EXPECT_EQ(log_, "+~");
}

// Its Start lasts until it is told to return.
struct Stuck {
  Stuck(std::mutex& m, std::condition_variable& c, int& s) : mutex(m), changed(c), step(s) {}
  void Start() {
    std::unique_lock lock(mutex);
    step = 1;
    changed.notify_all();
    changed.wait(lock, [this] { return step == 2; });
  }
  void Stop() { step = 3; }
  std::mutex& mutex;
  std::condition_variable& changed;
  int& step;
};

TEST(SharedSampler, AClosingThreadDoesNotWaitForOneThatIsStuck) {
  std::mutex mutex;
  std::condition_variable changed;
  int step = 0;
  SharedSampler<Stuck> sampler;
  sampler.Make(mutex, changed, step);
  std::thread reads([&] {
    EXPECT_TRUE(sampler.Start());
    EXPECT_FALSE(sampler.Start()) << "it was closed meanwhile";
    sampler.Stop();
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return step == 1; });
  }
  EXPECT_FALSE(sampler.Close(1ms));
  {
    const std::lock_guard lock(mutex);
    step = 2;
    changed.notify_all();
  }
  reads.join();
  EXPECT_EQ(step, 3);
}

}  // namespace
}  // namespace culprit
