// SPDX-License-Identifier: Apache-2.0
// Samples of the instructions that a program runs, in every context that it makes. Launches of one kernel cannot be
// told apart: CUPTI says the function alone.
#pragma once
#include <cuda.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "db/trace.h"
#include "profiler/sampling_session.h"

namespace culprit {

class ProgramSampler {
 public:
  explicit ProgramSampler(int period) : period_(period) {}
  ProgramSampler(const ProgramSampler&) = delete;

  // The context is there, and nothing runs in it yet.
  void Begin(CUcontext context);
  // A kernel was launched: its samples are fetched now and then.
  void NoteLaunch(CUcontext context, const std::string& symbol);
  // A module goes: what was sampled in it is fetched before another one takes its addresses.
  void ReadAll();
  void Forget(CUcontext context);  // it goes
  void Close();                    // as if all went

  // After Close. `code`: of a function, where a module of it was kept.
  void Write(const std::function<std::optional<MachineCode>(const std::string&)>& code, TraceWriter& trace) const;

 private:
  void Fetch(SamplingSession& session, bool stop);

  const int period_;
  std::timed_mutex mutex_;
  std::map<CUcontext, std::unique_ptr<SamplingSession>> sessions_;
  std::map<std::string, std::int64_t> launches_;  // by symbol
  SampleSums sums_;
  bool was_full_ = false;
  std::optional<Warning> trouble_;  // the first
};

}  // namespace culprit
