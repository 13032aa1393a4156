// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/nsys_target.h"

#include <charconv>
#include <vector>

#include "analysis/launch/machine.h"
#include "bench/foreign/builder.h"
#include "bench/foreign/trace_builder.h"
#include "bench/program/shell_words.h"

namespace culprit {
namespace {

void ReadGpus(const ForeignSqlite& sqlite, NsysTarget& target) {
  constexpr const char* kGpu[] = {"id",
                                  "name",
                                  "chipName",
                                  "computeMajor",
                                  "computeMinor",
                                  "smCount",
                                  "totalMemory",
                                  "l2CacheSize",
                                  "clockRate",
                                  "memoryBandwidth",
                                  "maxShmemPerSm",
                                  "maxRegistersPerSm",
                                  "maxWarpsPerSm",
                                  "maxBlocksPerSm",
                                  "uuid"};
  sqlite.ForEach("TARGET_INFO_GPU", kGpu, [&](ForeignSqlite::Row row) {
    const std::int64_t id = WholeIn(row[0], -1);
    if (id < 0 || id > 1'000'000) return;
    TracedDevice& gpu = target.gpus[static_cast<int>(id)];
    Device& device = gpu.device;
    device.name = Storable(TextIn(row[1]));
    device.chip = Storable(TextIn(row[2]));
    device.cc_major = static_cast<int>(Within(row[3], 1000));
    device.cc_minor = static_cast<int>(Within(row[4], 1000));
    device.sm_count = static_cast<int>(Within(row[5], 1e6));
    device.memory_bytes = static_cast<std::int64_t>(Within(row[6], 1e18));
    device.l2_bytes = static_cast<std::int64_t>(Within(row[7], 1e18));
    device.sm_clock_mhz = Within(row[8], 1e12) / 1e6;  // Hz
    device.dram_bytes_per_s = Within(row[9], 1e18);
    device.shared_bytes_per_sm = static_cast<std::int64_t>(Within(row[10], 1e18));
    device.registers_per_sm = static_cast<std::int64_t>(Within(row[11], 1e18));
    device.max_threads_per_sm = 32 * static_cast<int>(Within(row[12], 1e5));
    device.max_blocks_per_sm = static_cast<int>(Within(row[13], 1e6));
    device.fp32_lanes_per_sm = static_cast<int>(KnownMachine(device).fp32);
    gpu.uuid = Storable(TextIn(row[14]));
  });
  constexpr const char* kDevice[] = {"gpuId", "cudaId", "pid", "uuid"};
  sqlite.ForEach("TARGET_INFO_CUDA_DEVICE", kDevice, [&](ForeignSqlite::Row row) {
    const std::int64_t gpu = WholeIn(row[0], -1), ordinal = WholeIn(row[1], -1);
    if (gpu < 0 || ordinal < 0 || ordinal > 1'000'000) return;
    const auto known = target.gpus.find(static_cast<int>(gpu));
    if (gpu > 1'000'000 || known == target.gpus.end()) return;
    TracedDevice device = known->second;
    if (std::string uuid = TextIn(row[3]); !uuid.empty()) device.uuid = Storable(uuid);
    target.devices[{WholeIn(row[2]), static_cast<int>(ordinal)}] = std::move(device);
  });
}

std::string CommandLine(const ForeignSqlite& sqlite) {
  constexpr const char* kColumns[] = {"name", "value"};
  constexpr std::string_view kCommand = "PROCESS_0:COMMAND", kArgument = "PROCESS_0:ARGUMENT_";
  constexpr int kMostArguments = 100'000;
  std::map<int, std::string> words;  // by place; -1: the command
  sqlite.ForEach("META_DATA_CAPTURE", kColumns, [&](ForeignSqlite::Row row) {
    const std::string name = TextIn(row[0]);
    int argument = -1;
    if (name.starts_with(kArgument))
      std::from_chars(name.data() + kArgument.size(), name.data() + name.size(), argument);
    if (name == kCommand || (argument >= 0 && argument < kMostArguments))
      words.try_emplace(name == kCommand ? -1 : argument, TextIn(row[1]));
  });
  std::vector<std::string> line;
  for (const auto& [place, word] : words) line.push_back(word);
  return words.contains(-1) ? Storable(ShellLine(line)) : "";
}

Toolchain VersionsIn(const ForeignSqlite& sqlite) {
  constexpr const char* kColumns[] = {"name", "value"};
  Toolchain toolchain;
  sqlite.ForEach("TARGET_INFO_SYSTEM_ENV", kColumns, [&](ForeignSqlite::Row row) {
    const std::string name = TextIn(row[0]), value = TextIn(row[1]);
    double number = 0;
    if (name == "NvDriverVersion") toolchain.driver = Storable(value);
    if (name == "CudaDriverVersion" &&
        std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc())
      toolchain.cuda_driver_api = CudaVersionOf(number);
  });
  return toolchain;
}

std::int64_t StartedNs(const ForeignSqlite& sqlite) {
  constexpr const char* kColumns[] = {"utcEpochNs"};
  std::int64_t started_ns = 0;
  sqlite.ForEach("TARGET_INFO_SESSION_START_TIME", kColumns,
                 [&](ForeignSqlite::Row row) { started_ns = WholeIn(row[0]); });
  return started_ns;
}

}  // namespace

NsysTarget ReadNsysTarget(const ForeignSqlite& sqlite) {
  NsysTarget target;
  ReadGpus(sqlite, target);
  target.toolchain = VersionsIn(sqlite);
  target.command_line = CommandLine(sqlite);
  target.started_ns = StartedNs(sqlite);
  return target;
}

}  // namespace culprit
