// SPDX-License-Identifier: Apache-2.0
// Makes the inputs of many kernels.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "db/error.h"

namespace culprit::testing {

// Calls Make() of each job, on all processors: the host makes the inputs, which takes longer than anything else in these
// programs. Jobs of which IsMade() is not true then are left out. If Make() throws culprit::Error, stderr says why.
template <class Job>
void MakeAll(std::vector<Job>& jobs) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (std::size_t job; (job = next++) < jobs.size();) try {
          jobs[job].Make();
        } catch (const Error& error) {
          std::fprintf(stderr, "%s is left out: %s\n", jobs[job].Name().c_str(), error.what());
        }
    });
  threads.clear();  // waits
  std::erase_if(jobs, [](const Job& job) { return !job.IsMade(); });
}

}  // namespace culprit::testing
