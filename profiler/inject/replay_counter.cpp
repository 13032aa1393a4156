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
  std::unique_ptr<RangeSession> session;
};

ReplayCounter::ReplayCounter(MetricSet set) : set_(set) {}
ReplayCounter::~ReplayCounter() = default;

ReplayCounter::Armed& ReplayCounter::ArmedFor(CUcontext context) {
  std::unique_ptr<Armed>& armed = armed_[context];
  if (armed != nullptr) return *armed;
  Check(InitializeProfiler(), "initialise CUPTI's profiler");
  const std::string chip = ChipName();
  auto made = std::make_unique<Armed>(Armed{MetricsOf(MetricSource::kRange, set_, chip), nullptr});
  const auto make = [&](bool ask) {
    made->session =
        std::make_unique<RangeSession>(context, made->metrics, chip, RangesOf::kKernels, Replay::kByCupti, 1, ask);
  };
  try {
    make(false);
  } catch (const CuptiError& e) {
    if (StatusOf(e.code()) == ReadingStatus::kDenied) throw;
    make(true);
  }
  return *(armed = std::move(made));
}

void ReplayCounter::Begin(CUcontext context) {
  counting_ = &ArmedFor(context);
  counting_->session->Prepare();
  counting_->session->Start();
}

LaunchCounts ReplayCounter::End() {
  if (counting_ == nullptr) return {};
  Armed& armed = *std::exchange(counting_, nullptr);
  armed.session->Stop();
  armed.session->Decode();
  const std::vector<double> values = armed.session->Read(0);
  if (std::ranges::none_of(values, [](double v) { return std::isfinite(v); })) return {};
  std::vector<Reading> readings;
  for (const MetricDefinition& metric : armed.metrics)
    readings.push_back({metric, std::nullopt, ReadingStatus::kUnsupported});
  for (std::size_t i = 0; i < values.size(); ++i) {
    // CUPTI returns NaN for a counter that it scheduled but could not read.
    Reading& reading = readings[armed.session->metrics()[i]];
    if (std::isfinite(values[i]))
      reading = {reading.metric, values[i], ReadingStatus::kOk};
    else
      reading.status = ReadingStatus::kFailed;
  }
  return {readings};
}

void ReplayCounter::Close() {
  counting_ = nullptr;
  armed_.clear();
}

void ReplayCounter::Forget(CUcontext context) {
  const auto found = armed_.find(context);
  if (found == armed_.end()) return;
  if (found->second.get() == counting_) counting_ = nullptr;
  armed_.erase(found);
}

}  // namespace culprit
