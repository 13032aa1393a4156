// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/replay_counter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/device_info.h"
#include "profiler/range_session.h"

namespace culprit {

struct ReplayCounter::Armed {
  std::vector<MetricDefinition> metrics;
  Replay replay;
  std::size_t room;
  std::unique_ptr<RangeSession> session;
};

ReplayCounter::ReplayCounter(MetricSet set) : set_(set) {}
ReplayCounter::~ReplayCounter() = default;

ReplayCounter::Armed& ReplayCounter::ArmedFor(CUcontext context, std::size_t kernels, Replay replay) {
  std::unique_ptr<Armed>& armed = armed_[context];
  if (armed != nullptr && armed->replay == replay && armed->room >= kernels) return *armed;
  armed.reset();  // a context has one at a time
  Check(InitializeProfiler(), "initialise CUPTI's profiler");
  const std::string chip = ChipName();
  auto made = std::make_unique<Armed>(Armed{MetricsOf(MetricSource::kRange, set_, chip), replay, kernels, nullptr});
  const auto make = [&](bool ask) {
    made->session =
        std::make_unique<RangeSession>(context, made->metrics, chip, RangesOf::kKernels, replay, kernels, ask);
  };
  try {
    make(false);
  } catch (const CuptiError& e) {
    if (StatusOf(e.code()) == ReadingStatus::kDenied) throw;
    make(true);
  }
  return *(armed = std::move(made));
}

void ReplayCounter::Begin(CUcontext context, std::size_t kernels) {
  counting_ = &ArmedFor(context, kernels, Replay::kByCupti);
  counting_->session->Prepare();
  counting_->session->Start();
}

std::vector<std::vector<Reading>> ReplayCounter::End() {
  counting_->session->Stop();
  return Readings();
}

void ReplayCounter::BeginPass(CUcontext context, std::size_t kernels, bool first) {
  counting_ = &ArmedFor(context, kernels, Replay::kByUs);
  if (first) counting_->session->Prepare();
  counting_->session->Start();
}

bool ReplayCounter::EndPass() { return counting_->session->Stop(); }

std::size_t ReplayCounter::passes() const { return counting_ != nullptr ? counting_->session->passes() : 0; }

std::vector<std::vector<Reading>> ReplayCounter::Readings() {
  Armed& armed = *counting_;
  armed.session->Decode();
  std::vector<std::vector<Reading>> kernels;
  for (std::size_t range = 0; range < armed.room; ++range) {
    const std::vector<double> values = armed.session->Read(range);
    if (std::ranges::none_of(values, [](double v) { return std::isfinite(v); })) break;
    std::vector<Reading>& readings = kernels.emplace_back();
    for (const MetricDefinition& metric : armed.metrics)
      readings.push_back({metric, std::nullopt, ReadingStatus::kUnsupported});
    for (std::size_t i = 0; i < values.size(); ++i) {
      // CUPTI answers NaN for a counter that it scheduled but could not read.
      Reading& reading = readings[armed.session->metrics()[i]];
      if (std::isfinite(values[i]))
        reading = {reading.metric, values[i], ReadingStatus::kOk};
      else
        reading.status = ReadingStatus::kFailed;
    }
  }
  return kernels;
}

void ReplayCounter::Close() {
  counting_ = nullptr;
  armed_.clear();
}

void ReplayCounter::Forget(CUcontext context) {
  if (const auto found = armed_.find(context); found != armed_.end() && found->second.get() == counting_)
    counting_ = nullptr;
  armed_.erase(context);
}

}  // namespace culprit
