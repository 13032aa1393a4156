// SPDX-License-Identifier: Apache-2.0
// Starts our threads inside the recorded program.
#pragma once
#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace culprit {

// True on a thread of ours, and on any thread during our own CUDA calls: these are not the program's.
inline thread_local bool is_our_call = false;

// Blocks all signals on the new thread, because they belong to the program. Without this, a signal that the program
// blocks and waits for could end it. Throws std::system_error when no thread can be started.
template <class Work>
void StartQuietThread(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct Restored {
    const sigset_t& mask;
    ~Restored() { pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const restored{before};
  std::thread([work = std::move(work)]() mutable {
    is_our_call = true;
    work();
  }).detach();
}

}  // namespace culprit
