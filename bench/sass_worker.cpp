// SPDX-License-Identifier: Apache-2.0
#include "bench/sass_worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "bench/sass_report.h"
#include "profiler/device_info.h"
#include "profiler/sass_collector.h"

namespace culprit {
namespace {

// Starting CUDA is mostly time in the driver, under locks: more than a few processes at once only wait for each other.
constexpr std::size_t kMostWorkers = 6;

struct Worker {
  Job* job = nullptr;
  pid_t pid = 0;
  int out = -1;  // read end of the worker's stdout
  std::string text = {};
  int status = 0;  // as waitpid gives it
};

Worker Start(Job& job, int argc, char** argv) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe for a counting process: too many open files");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<std::string> words(argv, argv + argc);
  // The option's value names the job as Job::Name does: it is unique among the workloads that these arguments make.
  words.push_back("--culprit-sass-worker=" + job.Name());
  std::vector<char*> args;
  for (std::string& w : words) args.push_back(w.data());
  args.push_back(nullptr);
  Worker worker{&job, 0, ends[0]};
  const int failed = posix_spawn(&worker.pid, "/proc/self/exe", &actions, nullptr, args.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    throw Error("cannot start a counting process of this program: is /proc mounted?");
  }
  return worker;
}

// Stores what the worker reported; without a report every metric is kFailed.
void Store(const Worker& worker, const std::string& chip, Recorder& recorder, CollectorCost& cost) {
  const auto metrics = MetricsOf(MetricSource::kSass, MetricSet::kFull, chip);
  const auto report = ParseSassReport(worker.text, metrics);
  if (!report) {
    std::vector<Reading> readings;
    for (const MetricDefinition& m : metrics) readings.push_back({m, std::nullopt, ReadingStatus::kFailed});
    recorder.StoreReadings(*worker.job, readings);
    const std::string how = WIFSIGNALED(worker.status) ? fmt::format("by signal {}", WTERMSIG(worker.status))
                                                       : fmt::format("with status {}", WEXITSTATUS(worker.status));
    recorder.Warn({"sass_failed", "the process that reads exact counts ended " + how + " and without a report"},
                  worker.job);
    return;
  }
  recorder.StoreReadings(*worker.job, report->readings);
  recorder.StoreInstructions(*worker.job, report->instructions);
  if (report->trouble) recorder.Warn(*report->trouble, worker.job);
  if (!report->function.empty() && !worker.job->record.kernel.empty() && report->function != worker.job->record.kernel)
    recorder.Warn({"sass_other_kernel",
                   fmt::format("exact counts are of {}, the first kernel that the launch starts", report->function)},
                  worker.job);
  cost.launch_s += report->seconds;
  ++cost.launches;
}

void Finish(Worker& worker) {
  close(worker.out);
  waitpid(worker.pid, &worker.status, 0);
}

}  // namespace

CollectorCost RunSassWorkers(const std::vector<Job*>& jobs, const std::string& chip, Recorder& recorder, int argc,
                             char** argv) {
  CollectorCost cost;
  const std::size_t most = std::min<std::size_t>(kMostWorkers, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Worker> running;
  std::size_t next = 0, done = 0;
  while (next < jobs.size() || !running.empty()) {
    while (next < jobs.size() && running.size() < most) running.push_back(Start(*jobs[next++], argc, argv));
    std::vector<pollfd> waits;
    for (const Worker& w : running) waits.push_back({w.out, POLLIN, 0});
    poll(waits.data(), waits.size(), -1);
    for (std::size_t i = waits.size(); i-- > 0;) {
      if (waits[i].revents == 0) continue;
      char buffer[1 << 16];  // a pipe's whole room: reports of large kernels are megabytes
      const ssize_t got = read(running[i].out, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got > 0) {
        running[i].text.append(buffer, static_cast<std::size_t>(got));
        continue;
      }
      Finish(running[i]);
      Store(running[i], chip, recorder, cost);
      std::fprintf(stderr, "culprit: exact counts %zu/%zu %s\n", ++done, jobs.size(), running[i].job->Name().c_str());
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  cost.passes = 1;
  return cost;
}

void ReportSassCounts(Job& job, std::ostream& out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody reads the report of a worker whose parent was killed
  const auto begin = std::chrono::steady_clock::now();
  SassCollector collector(MetricSet::kFull, ChipName());
  const Counted work{job.workload.set_up, [&] { job.workload.launch(nullptr); }};
  SassReport report;
  report.readings = collector.Collect({&work, 1}).front();
  report.instructions = collector.Instructions();
  report.function = collector.Function();
  report.trouble = collector.Trouble();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out << ToJsonLine(report) << std::endl;
}

}  // namespace culprit
