// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/bench/foreign/invented_trace.h"

#include <fmt/format.h>

#include <cmath>

#include "tests/support/raw_sqlite.h"

namespace culprit {
namespace {

// A call comes so long before the work that it launches.
constexpr double kAhead = 6;

std::vector<std::string> PartsOf(const std::string& range) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < range.size();) {
    const std::size_t end = std::min(range.find('/', begin), range.size());
    parts.push_back(range.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// What the parts of a kernel's range last: the outermost begins first and ends last.
struct Part {
  std::string name;
  double start_us, us;
};
std::vector<Part> RangesAround(const InventedTrace::Kernel& kernel) {
  std::vector<Part> around;
  const std::vector<std::string> parts = PartsOf(kernel.range);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double margin = 0.1 * static_cast<double>(parts.size() - i);
    around.push_back({parts[i], kernel.start_us - kAhead - margin, 1 + 2 * margin});
  }
  return around;
}

std::string ListOf(const std::vector<std::string>& events) { return fmt::format("{}", fmt::join(events, ",\n")); }

std::int64_t Ns(double us) { return std::llround(us * 1000); }

}  // namespace

InventedTrace StepsOf(int steps, double softmax_us, double gap_us) {
  InventedTrace trace;
  for (int step = 1; step <= steps; ++step) {
    const double at = 100 + 200.0 * step;
    const std::string range = fmt::format("step {}", step);
    trace.copies.push_back({"HtoD", at, 10, 4096});
    trace.kernels.push_back({"ampere_sgemm_128x64_tn", 128, 256, at + 10, 50, range + "/aten::mm"});
    trace.kernels.push_back({"void softmax_warp_forward<float, 4>(float*, float const*, int)", 64, 128, at + 60,
                             softmax_us, range + "/aten::softmax"});
    trace.copies.push_back({"DtoH", at + 60 + softmax_us + gap_us, 4, 4});
  }
  return trace;
}

InventedTrace Training(bool in_double) {
  constexpr double kScatterUs[] = {0, 0.3, -0.2, 0.6, -0.4, 0.1};
  InventedTrace trace;
  double at = 300;
  for (int step = 1; step <= 12; ++step) {
    const std::string range = fmt::format("step {}", step);
    const double scatter = kScatterUs[step % 6];
    const auto run = [&](const char* name, unsigned blocks, double us, const char* op) {
      trace.kernels.push_back({name, blocks, 256, at, us + scatter, fmt::format("step {}/{}", step, op)});
      at += us + scatter + 1;
    };
    trace.copies.push_back({"HtoD", at, 10, 1 << 20});
    at += 11;
    run("ampere_sgemm_128x64_tn", 1024, 180, "aten::mm");
    if (in_double) run("void copy_kernel<double, float>(double*, float const*, int)", 4096, 24, "aten::to");
    run(in_double ? "void softmax_forward<double>(double*, double const*, int)"
                  : "void softmax_forward<float>(float*, float const*, int)",
        2048, in_double ? 71 : 38, "aten::softmax");
    trace.copies.push_back({"DtoH", at, 4, 4});
    at += 60;
  }
  return trace;
}

std::string PytorchTrace(const InventedTrace& trace) {
  std::vector<std::string> events;
  int correlation = 0;
  const auto call = [&](const char* name, double start_us) {
    ++correlation;
    events.push_back(fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"{}","pid":42,"tid":42,"ts":{:.3f},"dur":0.5,"args":{{"cbid":211,"correlation":{}}}}})",
        name, start_us - kAhead, correlation));
  };
  for (const auto& k : trace.kernels) {
    call("cudaLaunchKernel", k.start_us);
    for (const Part& part : RangesAround(k))
      events.push_back(fmt::format(
          R"({{"ph":"X","cat":"{}","name":"{}","pid":42,"tid":42,"ts":{:.3f},"dur":{:.3f},"args":{{"External id":{}}}}})",
          part.name.starts_with("step") ? "user_annotation" : "cpu_op", part.name, part.start_us, part.us,
          1000 + correlation));
    events.push_back(fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{:.3f},"dur":{:.3f},"args":{{"External id":{},"queued":0,"device":0,"context":1,"stream":7,"correlation":{},"registers per thread":40,"shared memory":1024,"blocks per SM":1.0,"grid":[{},1,1],"block":[{},1,1]}}}})",
        k.name, k.start_us, k.us, 1000 + correlation, correlation, k.blocks, k.threads));
  }
  for (const auto& c : trace.copies) {
    call("cudaMemcpyAsync", c.start_us);
    const bool is_set = c.kind == "set";
    events.push_back(fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":7,"ts":{:.3f},"dur":{:.3f},"args":{{"device":0,"context":1,"stream":7,"correlation":{},"bytes":{}}}}})",
        is_set ? "gpu_memset" : "gpu_memcpy", is_set ? "Memset (Device)" : "Memcpy " + c.kind + " (Device -> Device)",
        c.start_us, c.us, correlation, c.bytes));
  }
  // What is no work of a GPU, and no range of a thread.
  events.push_back(
      R"({"ph":"X","cat":"gpu_user_annotation","name":"step 1","pid":0,"tid":7,"ts":1,"dur":900,"args":{}})");
  events.push_back(
      R"J({"ph":"X","cat":"Trace","ts":1,"dur":900,"pid":"Spans","tid":"PyTorch Profiler","name":"P (0)"})J");
  events.push_back(R"({"name":"process_name","ph":"M","ts":0,"pid":0,"tid":0,"args":{"name":"python"}})");
  return fmt::format(R"({{
"schemaVersion": 1,
"deviceProperties": [
  {{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 84929347584, "computeMajor": 9, "computeMinor": 0,
    "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536, "warpSize": 32,
    "sharedMemPerBlock": 49152, "numSms": 132, "regsPerMultiprocessor": 65536, "sharedMemPerMultiprocessor": 233472}}
],
"cupti_version": 26, "cuda_runtime_version": 13000, "cuda_driver_version": 13000,
"distributedInfo": {{"backend": "nccl", "rank": 3, "world_size": 8}},
"displayTimeUnit": "ms", "baseTimeNanoseconds": 1795000000000000000,
"traceEvents": [
{}
], "traceName": "t.json"
}}
)",
                     ListOf(events));
}

std::string JaxTrace(const InventedTrace& trace) {
  std::vector<std::string> events{
      R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}})",
      R"({"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}})",
      R"J({"ph":"M","pid":1,"tid":13,"name":"thread_name","args":{"name":"Stream #13(Kernel,MemcpyD2D)"}})J",
      R"({"ph":"M","pid":1,"tid":99,"name":"thread_name","args":{"name":"XLA Ops"}})"};
  const char* details = "regs:40 static_shared:0 dynamic_shared:1024 grid:{},1,1 block:{},1,1 occ_pct:50";
  for (const auto& k : trace.kernels)
    for (const int row : {13, 99})  // XLA repeats the work in a row of its own
      events.push_back(fmt::format(
          R"({{"ph":"X","pid":1,"tid":{},"ts":{:.3f},"dur":{:.3f},"name":"{}","args":{{"context_id":"1","correlation_id":"5","hlo_module":"jit_step","kernel_details":"{}","name":"{}"}}}})",
          row, k.start_us, k.us, k.name, fmt::format(fmt::runtime(details), k.blocks, k.threads), k.range));
  for (const auto& c : trace.copies) {
    const std::string name = c.kind == "set" ? "Memset" : "Memcpy" + c.kind.substr(0, 1) + "2" + c.kind.substr(3);
    events.push_back(fmt::format(
        R"({{"ph":"X","pid":1,"tid":13,"ts":{:.3f},"dur":{:.3f},"name":"{}","args":{{"{}":"kind_src:pinned kind_dst:device size:{} dest:0 async:1"}}}})",
        c.start_us, c.us, name, c.kind == "set" ? "memset_details" : "memcpy_details", c.bytes));
  }
  events.push_back(R"({"ph":"X","pid":701,"tid":2,"ts":1,"dur":5,"name":"PjRtExecute","args":{}})");
  events.push_back("{}");
  return fmt::format(
      "{{\"displayTimeUnit\":\"ns\",\"metadata\":{{\"highres-ticks\":true}},\n\"traceEvents\":[\n{}\n]}}\n",
      ListOf(events));
}

void WriteNsysExport(const InventedTrace& trace, const std::filesystem::path& file) {
  RawSqlite sqlite(file);
  sqlite.Execute(R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, isDiscrete INTEGER,
  l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, uuid TEXT,
  chipName TEXT, cuDevice INTEGER, maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, threadsPerWarp INTEGER,
  maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, computeMajor INTEGER, computeMinor INTEGER);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT,
  numMultiprocessors INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER,
  registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
  blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
  dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
  copyKind INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL,
  bytes INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, text TEXT,
  globalTid INTEGER, textId INTEGER, domainId INTEGER);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.11.0');
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1795000000000000000, '', '');
INSERT INTO TARGET_INFO_GPU VALUES (0, 5, 'NVIDIA H100 80GB HBM3', '0000:01:00.0', 1, 52428800, 84929347584, 3352320000000,
  1980000000, 132, '', 'GH100', 0, 233472, 65536, 32, 64, 32, 9, 0);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (5, 0, 42, 'GPU-01234567-89ab-cdef-0123-456789abcdef', 132);
)");
  constexpr std::int64_t kProcess = (std::int64_t{1} << 48) | (std::int64_t{42} << 24), kThread = kProcess | 43;
  sqlite.Execute(fmt::format("INSERT INTO PROCESSES VALUES ({}, 42, '/usr/bin/python3')", kProcess));
  int correlation = 0, string = 0;
  const auto text = [&](const std::string& value) {
    sqlite.Execute(fmt::format("INSERT INTO StringIds VALUES ({}, '{}')", ++string, value));
    return string;
  };
  const auto call = [&](double start_us) {
    sqlite.Execute(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, 0, 0, NULL)",
                               Ns(start_us - kAhead), Ns(start_us - kAhead + 0.5), kThread, ++correlation));
  };
  sqlite.Execute("BEGIN");
  for (const auto& k : trace.kernels) {
    call(k.start_us);
    bool as_text = true;  // nsys writes either the text itself or its number
    for (const Part& part : RangesAround(k)) {
      const std::string named = as_text ? fmt::format("'{}', {}, NULL", part.name, kThread)
                                        : fmt::format("NULL, {}, {}", kThread, text(part.name));
      sqlite.Execute(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, NULL, {}, 0)", Ns(part.start_us),
                                 Ns(part.start_us + part.us), named));
      as_text = !as_text;
    }
    const int demangled = text(k.name), brief = text(k.name.substr(0, 5));
    sqlite.Execute(fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, 0, 1, NULL, 7, {}, {}, {}, {}, NULL, 1, 40, {}, 1, "
        "1, {}, 1, 1, 0, 1024, NULL)",
        Ns(k.start_us), Ns(k.start_us + k.us), correlation, kProcess, demangled, brief, k.blocks, k.threads));
  }
  for (const auto& c : trace.copies) {
    call(c.start_us);
    const std::string common =
        fmt::format("{}, {}, 0, 1, 7, {}, {}", Ns(c.start_us), Ns(c.start_us + c.us), correlation, kProcess);
    if (c.kind == "set")
      sqlite.Execute(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES ({}, 0, {})", common, c.bytes));
    else
      sqlite.Execute(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({}, {}, {})", common, c.bytes,
                                 c.kind == "HtoD"   ? 1
                                 : c.kind == "DtoH" ? 2
                                 : c.kind == "DtoD" ? 8
                                                    : 10));
  }
  // A mark is no range around a call.
  sqlite.Execute(fmt::format("INSERT INTO NVTX_EVENTS VALUES (0, NULL, 34, NULL, 'mark', {}, NULL, 0)", kThread));
  sqlite.Execute("COMMIT");
}

}  // namespace culprit
