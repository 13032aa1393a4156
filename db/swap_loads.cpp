// SPDX-License-Identifier: Apache-2.0
// For atomics of shared memory that the GPU lacks (on floating point, and most on 64 bits) ptxas writes a loop:
//
//   LDS.64 R12, [R17]; ...; ATOMS.CAST.64 R14, [R17], R12, R14; ...
//
// The third operand is what the memory must still hold, so it is the loop's own load. CUDA 13.0 writes this for sm_80, 90,
// 100 and 120, for sums of float, double, half2 and 64-bit integers, and for the maximum of the latter.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "db/read.h"

namespace culprit {
namespace {

using LoadPlace = std::pair<std::string, std::int64_t>;  // function, offset

// So far before the swap, in bytes: its load is a few instructions before it.
constexpr std::int64_t kFarthest = 64 * 16;
constexpr int kWordBytes = 4;

// "R12" of the third operand of "R14, [R17], R12, R14"; empty: there are fewer.
std::string_view OperandAt(std::string_view operands, int index) {
  for (; index > 0; --index) {
    const std::size_t comma = operands.find(", ");
    if (comma == operands.npos) return {};
    operands.remove_prefix(comma + 2);
  }
  return operands.substr(0, operands.find(", "));
}

struct SharedLoad {
  int words = 1;  // of each thread
  bool swaps = false;
};

struct SharedCode {
  std::map<LoadPlace, SharedLoad> loads;
  bool has_atomics = false;  // false: some code is missing, because the launch had shared atomics
};

SharedCode SharedCodeOf(Connection& connection, LaunchId launch) {
  Lease row = connection.Prepared(
      "SELECT function, pc_offset, opcode, operands FROM sampled_code JOIN code ON code.id = sampled_code.code_id "
      "JOIN code_instruction ON code_instruction.code_id = code.id "
      "JOIN machine_instruction ON machine_instruction.id = machine_instruction_id "
      "WHERE launch_id = ? AND (opcode = 'LDS' OR opcode LIKE 'LDS.%' OR opcode LIKE 'ATOMS%') "
      "ORDER BY function, pc_offset");
  row.Bind(launch);
  SharedCode code;
  std::map<std::string, std::int64_t> newest;  // by destination: the load's offset
  std::string function;
  while (row.Step()) {
    if (row.Text(0) != function) newest.clear();
    function = row.Text(0);
    const std::int64_t at = row.Integer(1, RangeOf("code_instruction", "pc_offset"));
    const std::string opcode = row.Text(2), operands = row.Text(3);
    if (opcode.starts_with("LDS")) {
      code.loads[{function, at}].words = opcode.ends_with(".128") ? 4 : opcode.ends_with(".64") ? 2 : 1;
      newest[std::string(OperandAt(operands, 0))] = at;
      continue;
    }
    code.has_atomics = true;
    const auto load = newest.find(std::string(OperandAt(operands, 2)));
    if (opcode.starts_with("ATOMS.CAST") && load != newest.end() && at - load->second <= kFarthest)
      code.loads[{function, load->second}].swaps = true;
  }
  return code;
}

// None: these loads were not counted one by one.
std::optional<SwapLoads> Counted(Connection& connection, LaunchId launch,
                                 const std::map<LoadPlace, SharedLoad>& loads) {
  Lease row = connection.Prepared(
      "SELECT function, pc_offset, key, value FROM instruction JOIN function_source ON function_source.id = "
      "function_source_id JOIN instruction_value ON instruction_id = instruction.id JOIN metric ON metric.id = "
      "metric_id WHERE launch_id = ? AND key IN ('sass_inst', 'sass_shared_wavefronts', "
      "'sass_shared_wavefronts_ideal')");
  row.Bind(launch);
  SwapLoads swaps;
  bool are_counted = false;
  while (row.Step()) {
    const auto load = loads.find({row.Text(0), row.Integer(1, RangeOf("instruction", "pc_offset"))});
    if (load == loads.end()) continue;
    are_counted = true;
    if (!load->second.swaps) continue;
    const std::string key = row.Text(2);
    const double value = row.Real(3, RangeOf("instruction_value", "value"));
    if (key == "sass_inst") {
      swaps.executions += value;
      swaps.bytes += value * kWordBytes * load->second.words;
    } else {
      (key == "sass_shared_wavefronts" ? swaps.wavefronts : swaps.ideal_wavefronts) += value;
    }
  }
  if (swaps.executions > 0) swaps.bytes /= swaps.executions;
  return are_counted ? std::optional(swaps) : std::nullopt;
}

// From samples of warps that issue. None: there are no samples of these loads.
std::optional<SwapLoads> Sampled(Connection& connection, LaunchId launch,
                                 const std::map<LoadPlace, SharedLoad>& loads) {
  Lease row = connection.Prepared(
      "SELECT function, pc_offset, samples FROM sampled_code JOIN code ON code.id = code_id JOIN instruction_sample "
      "ON sampled_code_id = sampled_code.id JOIN sample_reason ON sample_reason.id = sample_reason_id WHERE launch_id "
      "= ? AND name = 'selected'");
  row.Bind(launch);
  SwapLoads swaps{.is_exact = false};
  double words = 0;
  while (row.Step()) {
    const auto load = loads.find({row.Text(0), row.Integer(1, RangeOf("instruction_sample", "pc_offset"))});
    if (load == loads.end()) continue;
    const double samples = row.Real(2, RangeOf("instruction_sample", "samples"));
    swaps.samples += samples;
    words += samples * load->second.words;
    if (!load->second.swaps) continue;
    swaps.executions += samples;
    swaps.wavefronts += samples * load->second.words;
  }
  if (swaps.samples == 0) return std::nullopt;
  if (swaps.executions > 0) swaps.bytes = kWordBytes * swaps.wavefronts / swaps.executions;
  swaps.executions /= swaps.samples;
  swaps.wavefronts /= words;
  return swaps;
}

}  // namespace

std::optional<SwapLoads> LoadSwapLoads(Connection& connection, LaunchId launch) {
  const auto [loads, has_atomics] = SharedCodeOf(connection, launch);
  if (!has_atomics) return std::nullopt;
  if (std::ranges::none_of(loads, [](const auto& load) { return load.second.swaps; })) return SwapLoads{};
  const std::optional<SwapLoads> counted = Counted(connection, launch, loads);
  return counted ? counted : Sampled(connection, launch, loads);
}

}  // namespace culprit
