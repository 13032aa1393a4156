// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/profiler_start.h"

#include <chrono>
#include <utility>

#include "profiler/cupti_call.h"
#include "profiler/inject/quiet_thread.h"

namespace culprit {
namespace {

// It takes 0.1 s (docs/evidence/cupti.md).
constexpr std::chrono::seconds kPatience{2};

}  // namespace

void ProfilerStart::Begin() {
  const std::lock_guard lock(mutex_);
  if (done_.valid()) return;
  std::promise<void> loaded;
  done_ = loaded.get_future().share();
  StartQuietThread([loaded = std::move(loaded)]() mutable {
    InitializeProfiler();  // who needs it calls this again, and reports a failure
    loaded.set_value();
  });
}

void ProfilerStart::Await() {
  const std::shared_future<void> done = [this] {
    const std::lock_guard lock(mutex_);
    return done_;
  }();
  if (done.valid()) done.wait_for(kPatience);
}

}  // namespace culprit
