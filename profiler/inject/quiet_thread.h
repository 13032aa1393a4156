// SPDX-License-Identifier: Apache-2.0
// Threads of ours in somebody else's program.
#pragma once
#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace culprit {

// Signals are the program's: one that it has blocked, to wait for it, must not end it on a thread that has not. Throws
// std::system_error where there are no more threads.
template <class Work>
void StartQuietThread(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct Restored {
    const sigset_t& mask;
    ~Restored() { pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const restored{before};
  std::thread(std::move(work)).detach();
}

}  // namespace culprit
