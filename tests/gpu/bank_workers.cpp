// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/bank_workers.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <future>
#include <map>
#include <sstream>
#include <string>

#include "db/error.h"
#include "tests/gpu/bank_measurement.h"

namespace culprit::testing {
namespace {

// The driver makes contexts one after the other (docs/evidence/cupti.md).
constexpr std::size_t kMostWorkers = 4;

// What this program prints when it is started with `arguments`.
std::string OutputOfWorker(const std::string& arguments) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  FILE* pipe = popen(("'" + program + "' " + arguments).c_str(), "re");
  if (pipe == nullptr) throw Error("cannot start a process that counts: too many are running.");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), got);
  if (pclose(pipe) != 0)
    throw Error("the process '" + program + " " + arguments + "' failed; what it wrote above says why.");
  return text;
}

void AddCounter(std::vector<MeasuredPattern>& rows) {
  std::map<std::string, std::string> by_name;
  std::istringstream lines(OutputOfWorker(std::string(kCounterWorker)));
  for (std::string name, value; std::getline(lines, name, '\t') && std::getline(lines, value);) by_name[name] = value;
  for (MeasuredPattern& row : rows)
    if (const auto found = by_name.find(row.pattern.access.name); found != by_name.end())
      row.counter = std::stod(found->second);
}

}  // namespace

std::vector<MeasuredPattern> MeasureInProcesses(bool counter) {
  const std::size_t batches = Batches(BankPatterns()).size();
  std::vector<MeasuredPattern> rows;
  for (std::size_t first = 0; first < batches; first += kMostWorkers) {
    std::vector<std::future<std::string>> workers;
    for (std::size_t batch = first; batch < std::min(batches, first + kMostWorkers); ++batch)
      workers.push_back(
          std::async(std::launch::async, OutputOfWorker, std::string(kBatchWorker) + " " + std::to_string(batch)));
    for (auto& worker : workers) {
      std::istringstream text(worker.get());
      for (MeasuredPattern& row : ReadMeasured(text, "what a worker printed")) rows.push_back(std::move(row));
    }
  }
  if (counter) AddCounter(rows);
  return rows;
}

void WorkOnBatch(std::size_t batch, std::ostream& out) {
  const std::vector<BankBatch> batches = Batches(BankPatterns());
  if (batch >= batches.size()) throw Error("there are " + std::to_string(batches.size()) + " batches of patterns.");
  WriteHeader(out);
  for (const MeasuredPattern& row : MeasureBatch(batches[batch])) WriteRow(row, out);
}

void WorkOnCounter(std::ostream& out) {
  const std::vector<BankPattern> patterns = BankPatterns();
  const std::vector<std::optional<double>> wavefronts = ReadCounter(patterns);
  for (std::size_t i = 0; i < patterns.size(); ++i)
    if (wavefronts[i]) out << patterns[i].access.name << '\t' << *wavefronts[i] << '\n';
}

}  // namespace culprit::testing
