// SPDX-License-Identifier: Apache-2.0
#include "profiler/sampling_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "db/error.h"

namespace culprit {
namespace {

// Of an instruction there are as many as CUPTI has reasons: 40 on GH100.
constexpr std::size_t kMostReasons = 128;
// A large kernel of a library has 10,000 instructions; what does not fit stays with CUPTI until it is read.
constexpr std::size_t kInstructions = 16'384;
// CUPTI's own size, said aloud: 2^29 bytes hold what an H200 samples in a tenth of a second at the shortest period.
constexpr std::size_t kHardwareBytes = std::size_t{512} << 20;
// For some 175,000 instructions by CUPTI's manual (1 MB for 5,500).
constexpr std::size_t kScratchBytes = std::size_t{32} << 20;
// CUPTI's threads wake every 100 ms. Where a range has brought nothing, they are waited for once.
constexpr std::chrono::milliseconds kWake{120};
// No call of many brings nothing for ever.
constexpr int kMostReads = 1000;

template <class T>
T SizedParams(std::size_t size, CUcontext context) {
  T p{};
  p.size = size;
  p.ctx = context;
  return p;
}

struct Attribute {
  CUpti_PCSamplingConfigurationAttributeType type;
  const char* name;
};
constexpr std::array kAttributes = {
    Attribute{CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE, "collection mode"},
    Attribute{CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD, "period"},
    Attribute{CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON, "reasons to stall"},
    Attribute{CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE, "size of the scratch buffer"},
    Attribute{CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE, "size of the hardware's buffer"},
    Attribute{CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL, "start and stop"},
    Attribute{CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER, "buffer for instructions"}};

std::int64_t Signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

SamplingSession::Buffer::Buffer(std::size_t instructions)
    : reasons_(instructions * kMostReasons), instructions_(instructions) {
  Clear();
}

void SamplingSession::Buffer::Clear() {
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    instructions_[i] = {};
    instructions_[i].size = sizeof(CUpti_PCSamplingPCData);
    instructions_[i].stallReason = reasons_.data() + i * kMostReasons;
  }
  data_ = {};
  data_.size = sizeof(CUpti_PCSamplingData);
  data_.collectNumPcs = instructions_.size();
  data_.pPcData = instructions_.data();
}

SamplingSession::Enabled::Enabled(CUcontext c) : context(c) {
  auto p = SizedParams<CUpti_PCSamplingEnableParams>(CUpti_PCSamplingEnableParamsSize, context);
  Check(cuptiPCSamplingEnable(&p), "switch sampling of instructions on");
}

SamplingSession::Enabled::~Enabled() {
  auto p = SizedParams<CUpti_PCSamplingDisableParams>(CUpti_PCSamplingDisableParamsSize, context);
  cuptiPCSamplingDisable(&p);  // of a context that is going CUPTI may have done it
}

SamplingSession::SamplingSession(CUcontext context, int period)
    : own_(kInstructions), read_(kInstructions), enabled_(context) {
  AskForReasons();
  Configure(period);
}

SamplingSession::~SamplingSession() = default;

void SamplingSession::AskForReasons() {
  std::size_t number = 0;
  auto ask = SizedParams<CUpti_PCSamplingGetNumStallReasonsParams>(CUpti_PCSamplingGetNumStallReasonsParamsSize,
                                                                   enabled_.context);
  ask.numStallReasons = &number;
  Check(cuptiPCSamplingGetNumStallReasons(&ask), "ask how many reasons to stall there are");
  if (number == 0 || number > kMostReasons)
    throw Error(
        fmt::format("CUPTI names {} reasons to stall, where 1 to {} were expected: use the CUPTI that belongs "
                    "to this driver",
                    number, kMostReasons));
  reason_numbers_.resize(number);
  std::vector<std::array<char, CUPTI_STALL_REASON_STRING_SIZE>> texts(number);
  std::vector<char*> names;
  for (auto& text : texts) names.push_back(text.data());
  auto list =
      SizedParams<CUpti_PCSamplingGetStallReasonsParams>(CUpti_PCSamplingGetStallReasonsParamsSize, enabled_.context);
  list.numStallReasons = number;
  list.stallReasonIndex = reason_numbers_.data();
  list.stallReasons = names.data();
  Check(cuptiPCSamplingGetStallReasons(&list), "list the reasons to stall");
  for (std::size_t i = 0; i < number; ++i) {
    texts[i].back() = '\0';
    if (auto reason = StallReasonOf(texts[i].data())) reasons_.emplace(reason_numbers_[i], *std::move(reason));
  }
  if (reasons_.empty())
    throw Error(
        fmt::format("CUPTI names its reasons to stall in a way that is not known here ('{}')", texts[0].data()));
}

void SamplingSession::Configure(int period) {
  std::array<CUpti_PCSamplingConfigurationInfo, kAttributes.size()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].attributeType = kAttributes[i].type;
    auto& data = values[i].attributeData;
    switch (kAttributes[i].type) {
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE:
        data.collectionModeData.collectionMode = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
        break;
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD:
        data.samplingPeriodData.samplingPeriod = static_cast<std::uint32_t>(period);
        break;
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON:
        data.stallReasonData.stallReasonCount = reason_numbers_.size();
        data.stallReasonData.pStallReasonIndex = reason_numbers_.data();
        break;
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE:
        data.scratchBufferSizeData.scratchBufferSize = kScratchBytes;
        break;
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE:
        data.hardwareBufferSizeData.hardwareBufferSize = kHardwareBytes;
        break;
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL:
        data.enableStartStopControlData.enableStartStopControl = 1;
        break;
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER:
        data.samplingDataBufferData.samplingDataBuffer = &own_.data();
        break;
      default:
        break;
    }
  }
  auto p = SizedParams<CUpti_PCSamplingConfigurationInfoParams>(CUpti_PCSamplingConfigurationInfoParamsSize,
                                                                enabled_.context);
  p.numAttributes = values.size();
  p.pPCSamplingConfigurationInfo = values.data();
  const CUptiResult result = cuptiPCSamplingSetConfigurationAttribute(&p);
  // The call may succeed where one of them was refused.
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].attributeStatus != CUPTI_SUCCESS)
      Check(result != CUPTI_SUCCESS ? result : values[i].attributeStatus,
            fmt::format("set up sampling of instructions ({})", kAttributes[i].name));
  Check(result, "set up sampling of instructions");
}

void SamplingSession::Start() {
  auto p = SizedParams<CUpti_PCSamplingStartParams>(CUpti_PCSamplingStartParamsSize, enabled_.context);
  Check(cuptiPCSamplingStart(&p), "start sampling of instructions");
}

void SamplingSession::Stop() {
  auto p = SizedParams<CUpti_PCSamplingStopParams>(CUpti_PCSamplingStopParamsSize, enabled_.context);
  Check(cuptiPCSamplingStop(&p), "stop sampling of instructions");
}

bool SamplingSession::ReadOnce(SampleSums& sums) {
  read_.Clear();
  CUpti_PCSamplingData& data = read_.data();
  auto p = SizedParams<CUpti_PCSamplingGetDataParams>(CUpti_PCSamplingGetDataParamsSize, enabled_.context);
  p.pcSamplingData = &data;
  const CUptiResult result = cuptiPCSamplingGetData(&p);
  const bool is_full = result == CUPTI_ERROR_OUT_OF_MEMORY || data.hardwareBufferFull != 0;
  was_full_ = was_full_ || is_full;
  if (!is_full) Check(result, "fetch samples of instructions");
  // CUPTI's structs are packed: their members are copied, not referred to.
  const std::size_t told = data.totalNumPcs, instructions = std::min(told, kInstructions);
  for (std::size_t i = 0; i < instructions; ++i) {
    const CUpti_PCSamplingPCData& at = data.pPcData[i];
    // Without a name an instruction is not known. Names are shared with other records: they are not freed.
    const std::string function = at.functionName != nullptr ? at.functionName : "";
    if (function.empty()) continue;
    const std::size_t reasons = at.stallReasonCount;
    for (std::size_t r = 0; r < std::min(reasons, kMostReasons); ++r) {
      const std::uint32_t number = at.stallReason[r].pcSamplingStallReasonIndex;
      if (const auto reason = reasons_.find(number); reason != reasons_.end())
        sums.Add(function, Signed(at.pcOffset), reason->second, at.stallReason[r].samples);
    }
  }
  const SampleTotals now{Signed(data.totalSamples), Signed(data.droppedSamples),
                         Signed(data.nonUsrKernelsTotalSamples)};
  // Whether a call says its own numbers or sums over all calls, the manual leaves open. Own numbers fall back to 0 in
  // the calls that bring nothing, with which every Read ends; of sums what is new is added.
  const bool is_sum = now.total >= seen_.total && seen_.total > 0;
  sums.Add(is_sum ? SampleTotals{now.total - seen_.total, now.dropped - seen_.dropped, now.other - seen_.other} : now);
  seen_ = now;
  return instructions > 0 || data.remainingNumPcs > 0;
}

void SamplingSession::Read(SampleSums& sums) {
  const std::int64_t before = sums.samples();
  const auto read_all = [&] {
    // Twice nothing: what CUPTI's threads work on may still come.
    for (int reads = 0, empty = 0; reads < kMostReads && empty < 2; ++reads) empty = ReadOnce(sums) ? 0 : empty + 1;
  };
  read_all();
  if (sums.samples() != before || was_full_) return;
  std::this_thread::sleep_for(kWake);
  read_all();
}

bool SamplingSession::IsFilling() const {
  return own_.data().totalNumPcs + own_.data().remainingNumPcs > kInstructions / 2;
}

std::unique_ptr<SamplingSession> StartSampling(CUcontext context, int period) {
  try {
    return std::make_unique<SamplingSession>(context, period);
  } catch (const Error&) {
    if (InitializeProfiler() != CUPTI_SUCCESS) throw;
  }
  return std::make_unique<SamplingSession>(context, period);
}

Warning NotSampled(const std::exception& error) {
  constexpr const char* kCode = "not_sampled";
  if (const auto* const cupti = dynamic_cast<const CuptiError*>(&error))
    if (const Warning why = Explain(*cupti); why.code != "counters_failed" && why.code != "counters_unsupported")
      return {kCode, "instructions were not sampled: " + why.text};
  return {kCode, fmt::format("{}: instructions were not sampled", error.what())};
}

}  // namespace culprit
