// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/program_sampler.h"

#include <fmt/format.h>

#include <utility>

namespace culprit {
namespace {

// How long to wait for another thread that fetches samples.
constexpr std::chrono::seconds kPatience{1};

}  // namespace

void ProgramSampler::Follow() {
  if (HasFollowed()) return;
  const bool open = is_wanted_;
  try {
    for (auto& [context, session] : sessions_) open ? session->Start() : session->Stop();
  } catch (const std::exception& e) {
    if (!trouble_) trouble_ = NotSampled(e);
  }
  is_open_ = open;
  if (open) return;
  for (auto& [context, session] : sessions_) Fetch(*session, false);
}

void ProgramSampler::Begin(CUcontext context) {
  const std::unique_lock lock(mutex_, kPatience);
  if (!lock.owns_lock() || sessions_.contains(context)) return;
  Follow();
  try {
    auto session = StartSampling(context, period_);
    if (is_open_) session->Start();
    sessions_.emplace(context, std::move(session));
  } catch (const std::exception& e) {
    if (!trouble_) trouble_ = NotSampled(e);
  }
}

// CUPTI cannot stop while a context is destroyed; then this fetches what CUPTI has so far.
void ProgramSampler::Fetch(SamplingSession& session, bool stop) {
  const std::int64_t before = sums_.samples();
  std::optional<Warning> why;
  try {
    if (stop && is_open_) session.Stop();
  } catch (const std::exception& e) {
    why = NotSampled(e);
  }
  try {
    session.Read(sums_);
  } catch (const std::exception& e) {
    if (!why) why = NotSampled(e);
  }
  if (stop) session.End(sums_);
  if (stop && why && sums_.samples() == before && !trouble_) trouble_ = why;
  was_full_ = was_full_ || session.WasFull();
}

void ProgramSampler::NoteLaunch(CUcontext context, const std::string& symbol) {
  const std::unique_lock lock(mutex_, kPatience);
  if (!lock.owns_lock()) return;
  Follow();
  if (!is_open_) return;
  if (!symbol.empty()) ++launches_[symbol];
  if (const auto found = sessions_.find(context); found != sessions_.end() && found->second->IsFilling())
    Fetch(*found->second, false);
}

void ProgramSampler::ReadAll() {
  const std::unique_lock lock(mutex_, kPatience);
  if (!lock.owns_lock()) return;
  for (auto& [context, session] : sessions_) Fetch(*session, false);
}

void ProgramSampler::Forget(CUcontext context) {
  const std::unique_lock lock(mutex_, kPatience);
  if (!lock.owns_lock()) return;
  const auto found = sessions_.find(context);
  if (found == sessions_.end()) return;
  Fetch(*found->second, true);
  sessions_.erase(found);
}

void ProgramSampler::Close() {
  const std::unique_lock lock(mutex_, kPatience);
  if (!lock.owns_lock()) return;
  for (auto& [context, session] : sessions_) Fetch(*session, true);
  sessions_.clear();
}

void ProgramSampler::CloseElsewhere() {
  ReadAll();
  const std::unique_lock lock(mutex_, kPatience);
  // They end with the program.
  for (auto& [context, session] : sessions_) static_cast<void>(session.release());
  sessions_.clear();
}

void ProgramSampler::Write(const std::function<std::optional<MachineCode>(const std::string&)>& code,
                           TraceWriter& trace) const {
  std::map<std::string, SamplingRecord> records = sums_.RecordsByFunction();
  // The code of what was launched is of use without samples, too: they may be denied, and a short kernel may have none.
  for (const auto& [function, launches] : launches_) records.try_emplace(function);
  for (auto& [function, record] : records) {
    TracedSampling sampled{function, std::move(record)};
    sampled.sampling.period_cycles = std::int64_t{1} << period_;
    if (const auto known = launches_.find(function); known != launches_.end())
      sampled.sampling.launches = known->second;
    if (auto found = code(function)) sampled.sampling.code.push_back(*std::move(found));
    if (sampled.sampling.samples == 0 && sampled.sampling.code.empty()) continue;
    trace.Sampled(sampled);
  }
  if (trouble_) trace.Warn(*trouble_);
  if (was_full_)
    trace.Warn({"sampling_buffer_full",
                "a buffer of CUPTI's was full while instructions were sampled: what was in it is lost, so samples of "
                "some kernels are too few"});
  if (const SampleTotals& totals = sums_.totals(); totals.dropped > 0)
    trace.Warn({"samples_dropped",
                fmt::format("the hardware dropped {} of {} samples of instructions", totals.dropped, totals.total)});
}

}  // namespace culprit
