// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/bank_measurement.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "db/error.h"
#include "profiler/cuda_context.h"
#include "profiler/device_info.h"
#include "profiler/range_collector.h"
#include "profiler/sass_collector.h"

namespace culprit::testing {
namespace {

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};

// Integers on the current device.
class DeviceInts {
 public:
  explicit DeviceInts(const std::vector<int>& values) {
    void* memory = nullptr;
    CheckCuda(cudaMalloc(&memory, values.size() * sizeof(int)), "allocate the addresses of access patterns");
    memory_.reset(memory);
    CheckCuda(cudaMemcpy(memory, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice),
              "copy the addresses of access patterns");
  }
  int* data() const { return static_cast<int*>(memory_.get()); }

 private:
  std::unique_ptr<void, Free> memory_;
};

BankInstruction InstructionOf(const BankPattern& pattern) {
  const SharedAccess& access = pattern.access;
  int matrices = 0;
  if (access.op == SharedOp::kLoadMatrix || access.op == SharedOp::kStoreMatrix)
    matrices = static_cast<int>(kWarpLanes - std::ranges::count(access.address, kInactiveLane)) / 8;
  return {access.op, access.lane_bytes, matrices, pattern.transposed};
}

void AppendAddresses(const BankPattern& pattern, std::vector<int>& addresses) {
  // All lanes enter a matrix instruction; those that name no row repeat one, as compilers do.
  const int matrices = InstructionOf(pattern).matrices;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const int from = matrices == 0 ? lane : lane % (8 * matrices);
    addresses.push_back(static_cast<int>(pattern.access.address[from]));
  }
}

// The launch of a batch: slot s is executed repeats[s] times.
class Slots {
 public:
  Slots(const BankInstruction& instruction, std::vector<int> addresses, std::vector<int> repeats)
      : instruction_(instruction),
        addresses_(Padded(std::move(addresses), kSlots * kWarpLanes)),
        repeats_(Padded(std::move(repeats), kSlots)),
        sink_(std::vector<int>(kWarpLanes)) {}
  void Launch() const {
    LaunchBankSlots(instruction_, addresses_.data(), repeats_.data(), reinterpret_cast<unsigned*>(sink_.data()),
                    nullptr);
  }

 private:
  static std::vector<int> Padded(std::vector<int> values, std::size_t size) {
    values.resize(size);
    return values;
  }
  BankInstruction instruction_;
  DeviceInts addresses_, repeats_, sink_;
};

Device DeviceHere() {
  std::string why;
  const auto device = CurrentDevice(&why);
  if (!device) throw Error("bank patterns are measured on a GPU: " + why);
  return *device;
}

bool Exists(const BankInstruction& instruction, const Device& device) {
  return !NeedsHopper(instruction) || device.cc_major >= 9;
}

double Count(const InstructionRecord& record, const char* metric) {
  const auto found = record.counts.find(metric);
  return found == record.counts.end() ? 0 : found->second;
}

// Counts of one execution, if they are whole numbers.
int PerExecution(double count, int executions, const std::string& name) {
  const int each = static_cast<int>(count) / executions;
  if (each * executions != count)
    throw Error("'" + name + "' was executed " + std::to_string(executions) + " times and counted " +
                std::to_string(count) +
                " in all, which is no whole number each; run it again without other profilers.");
  return each;
}

void CheckWidth(const InstructionRecord& record, const BankInstruction& instruction, int executions) {
  if (instruction.matrices != 0) return;
  const std::string metric = "sass_memory_" + std::to_string(8 * instruction.lane_bytes) + "b_inst";
  if (Count(record, metric.c_str()) != executions)
    throw Error("the compiler did not keep the width of " + std::to_string(instruction.lane_bytes) +
                " bytes; look at tests/gpu/bank_slots.cu with this compiler.");
}

}  // namespace

std::vector<BankBatch> Batches(const std::vector<BankPattern>& patterns) {
  std::vector<BankBatch> batches;
  for (const BankPattern& pattern : patterns) {
    const BankInstruction instruction = InstructionOf(pattern);
    if (batches.empty() || batches.back().instruction != instruction || batches.back().patterns.size() == kSlots)
      batches.push_back({instruction, {}});
    batches.back().patterns.push_back(pattern);
  }
  return batches;
}

std::vector<MeasuredPattern> MeasureBatch(const BankBatch& batch) {
  const Device device = DeviceHere();
  if (!Exists(batch.instruction, device)) return {};
  std::vector<int> addresses, repeats;
  for (const BankPattern& pattern : batch.patterns) {
    AppendAddresses(pattern, addresses);
    // A slot's number of executions names it: nothing rests on the order in which the compiler puts them.
    repeats.push_back(static_cast<int>(repeats.size()) + 1);
  }
  const Slots slots(batch.instruction, addresses, repeats);
  SassCollector collector(MetricSet::kFull, device.chip);
  const Counted work{{}, [&] { slots.Launch(); }};
  collector.Collect({&work, 1});
  if (collector.Trouble()) throw Error(collector.Trouble()->text);

  std::map<int, InstructionRecord> by_executions;
  for (const InstructionRecord& record : collector.Instructions()) {
    if (Count(record, "sass_shared_wavefronts") == 0) continue;  // slots that are not used, and all other instructions
    const int executions = static_cast<int>(Count(record, "sass_inst"));
    if (!by_executions.emplace(executions, record).second)
      throw Error("two shared instructions were executed " + std::to_string(executions) +
                  " times; look at tests/gpu/bank_slots.cu with this compiler.");
  }
  std::vector<MeasuredPattern> rows;
  for (std::size_t i = 0; i < batch.patterns.size(); ++i) {
    const std::string& name = batch.patterns[i].access.name;
    const auto found = by_executions.find(repeats[i]);
    if (found == by_executions.end()) {
      std::cerr << "CUPTI counted no wavefronts of '" << name << "': it is left out.\n";
      continue;
    }
    CheckWidth(found->second, batch.instruction, repeats[i]);
    MeasuredPattern row;
    row.pattern = batch.patterns[i];
    row.wavefronts = PerExecution(Count(found->second, "sass_shared_wavefronts"), repeats[i], name);
    row.ideal = PerExecution(Count(found->second, "sass_shared_wavefronts_ideal"), repeats[i], name);
    row.gpu = device.name;
    row.chip = device.chip;
    rows.push_back(row);
    by_executions.erase(found);
  }
  if (!by_executions.empty())
    throw Error("a shared instruction was executed " + std::to_string(by_executions.begin()->first) +
                " times, which none was asked to; look at tests/gpu/bank_slots.cu with this compiler.");
  return rows;
}

std::vector<std::optional<double>> ReadCounter(const std::vector<BankPattern>& patterns) {
  constexpr int kExecutions = 100;  // a stray wavefront does not pass for one of each
  const Device device = DeviceHere();
  std::vector<std::unique_ptr<Slots>> launches;
  std::vector<Counted> work;
  const auto add = [&](const BankInstruction& instruction, const std::vector<int>& addresses, int executions) {
    launches.push_back(std::make_unique<Slots>(instruction, addresses, std::vector{executions}));
    work.push_back({{}, [slots = launches.back().get()] { slots->Launch(); }});
  };
  // A launch has a few wavefronts of its own: each batch begins with one that executes nothing.
  std::vector<std::size_t> start_of_pattern, launch_of_pattern;
  for (const BankBatch& batch : Batches(patterns)) {
    const bool exists = Exists(batch.instruction, device);
    const std::size_t start = work.size();
    if (exists) add(batch.instruction, {}, 0);
    for (const BankPattern& pattern : batch.patterns) {
      start_of_pattern.push_back(start);
      launch_of_pattern.push_back(exists ? work.size() : start);
      std::vector<int> addresses;
      AppendAddresses(pattern, addresses);
      if (exists) add(batch.instruction, addresses, kExecutions);
    }
  }
  RangeCollector collector(MetricSet::kCore, device.chip);
  const auto readings = collector.Collect(work);
  if (collector.Trouble()) throw Error(collector.Trouble()->text);
  const auto counted = [&](std::size_t launch) -> std::optional<double> {
    for (const Reading& reading : readings[launch].front())
      if (reading.metric.id == "shared_wavefronts") return reading.value;
    return std::nullopt;
  };
  std::vector<std::optional<double>> wavefronts(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (launch_of_pattern[i] == start_of_pattern[i]) continue;  // this GPU does not have the instruction
    const auto start = counted(start_of_pattern[i]), all = counted(launch_of_pattern[i]);
    if (start && all) wavefronts[i] = (*all - *start) / kExecutions;
  }
  return wavefronts;
}

}  // namespace culprit::testing
