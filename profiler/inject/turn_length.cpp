// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/turn_length.h"

namespace culprit {
namespace {

constexpr std::chrono::seconds kQuiet{3};
// A turn ends after so many times its time. A list that does not tell kernels may count nothing of a kernel that takes
// minutes. For a list that does, only fetches with kernels count here: kernels may be short and rare.
constexpr int kLongest = 10;

}  // namespace

TurnLength::TurnLength(Clock::duration time, bool tells_kernels, Clock::time_point began)
    : time_(time), tells_kernels_(tells_kernels), began_(began), since_(began), asked_(began), active_(began) {}

TurnLength::Next TurnLength::After(const Fetched& fetched, Clock::time_point now) {
  asked_ = now;
  const bool is_told = tells_kernels_ && fetched.any;
  const bool ran = fetched.kernels_ran || (fetched.launched && !is_told);
  if (ran) {
    counted_ += is_told ? fetched.with_kernels : now - since_;
    with_kernels_ += now - since_;
  }
  if (ran || fetched.launched) active_ = now;
  const bool is_quiet = now - active_ >= kQuiet;
  const bool is_long = (tells_kernels_ ? with_kernels_ : now - began_) >= kLongest * time_;
  if (counted_ >= time_ || is_long || (is_quiet && !tells_kernels_)) return Next::kEnd;
  return is_quiet ? Next::kRest : Next::kFetch;
}

void TurnLength::GoOn(Clock::time_point now, bool was_closed) {
  since_ = now;
  if (!was_closed) return;
  active_ += now - asked_;
  began_ += now - asked_;
}

}  // namespace culprit
