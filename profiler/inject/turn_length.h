// SPDX-License-Identifier: Apache-2.0
// Decides how long a list of sampled counters has its turn: until kernels ran for its time, however long the program waits
// between them. It is told what each fetch of records found.
#pragma once
#include <chrono>

namespace culprit {

struct Fetched {
  bool launched = false;                               // the program launched something since the last fetch
  bool any = false;                                    // there are records that can be used
  bool kernels_ran = false;                            // in one of them
  std::chrono::steady_clock::duration with_kernels{};  // the length of those in which kernels ran
};

class TurnLength {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Next { kFetch, kRest, kEnd };

  // `tells_kernels`: the list counts something of every kernel, so that its records tell when none ran. Other lists may
  // count nothing of a kernel that does run.
  TurnLength(Clock::duration time, bool tells_kernels, Clock::time_point began);

  // kRest: nothing was launched and no kernel ran for 3 s, so the records of an idle GPU are not worth a core.
  Next After(const Fetched& fetched, Clock::time_point now);

  // When the next fetch begins to count. `was_closed`: the window was closed since After(), which is no time of the turn.
  void GoOn(Clock::time_point now, bool was_closed);

  // A fetch that takes longer ends the turn.
  Clock::time_point latest() const { return since_ + time_; }

 private:
  const Clock::duration time_;
  const bool tells_kernels_;
  Clock::time_point began_, since_, asked_, active_;  // active_: something was launched or ran
  Clock::duration counted_{}, with_kernels_{};        // with_kernels_: of fetches in which kernels ran
};

}  // namespace culprit
