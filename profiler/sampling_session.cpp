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

// The most stall reasons per instruction: GH100 has 40.
constexpr std::size_t kMostReasons = 128;
// A large library kernel has 10,000 instructions. CUPTI keeps the rest until the next read.
constexpr std::size_t kInstructions = 16'384;
// Enough for about 175,000 instructions by CUPTI's manual (1 MB per 5,500).
constexpr std::size_t kScratchBytes = std::size_t{32} << 20;
// CUPTI's threads wake every 100 ms. After an empty read, wait for them once.
constexpr std::chrono::milliseconds kWake{120};
// Ends the loop in any case.
constexpr int kMostReads = 1000;

template <class T>
T SizedParams(std::size_t size, CUcontext context) {
  T p{};
  p.size = size;
  p.ctx = context;
  return p;
}

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
  cuptiPCSamplingDisable(&p);  // CUPTI may have done so already when the context is destroyed
}

SamplingSession::SamplingSession(CUcontext context, int period, std::size_t hardware_bytes)
    : own_(kInstructions), read_(kInstructions), context_(context) {
  enabled_.emplace(context);
  AskForReasons();
  Configure(period, hardware_bytes);
}

SamplingSession::~SamplingSession() = default;

void SamplingSession::AskForReasons() {
  std::size_t number = 0;
  auto ask =
      SizedParams<CUpti_PCSamplingGetNumStallReasonsParams>(CUpti_PCSamplingGetNumStallReasonsParamsSize, context_);
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
  auto list = SizedParams<CUpti_PCSamplingGetStallReasonsParams>(CUpti_PCSamplingGetStallReasonsParamsSize, context_);
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

void SamplingSession::Configure(int period, std::size_t hardware_bytes) {
  std::vector<CUpti_PCSamplingConfigurationInfo> values;
  std::vector<const char*> names;
  const auto attribute = [&](CUpti_PCSamplingConfigurationAttributeType type, const char* name) -> auto& {
    names.push_back(name);
    values.push_back({});
    values.back().attributeType = type;
    return values.back().attributeData;
  };
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE, "collection mode")
      .collectionModeData.collectionMode = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD, "period").samplingPeriodData.samplingPeriod =
      static_cast<std::uint32_t>(period);
  auto& reasons = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON, "reasons to stall").stallReasonData;
  reasons.stallReasonCount = reason_numbers_.size();
  reasons.pStallReasonIndex = reason_numbers_.data();
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE, "size of the scratch buffer")
      .scratchBufferSizeData.scratchBufferSize = kScratchBytes;
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE, "size of the hardware's buffer")
      .hardwareBufferSizeData.hardwareBufferSize = hardware_bytes;
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL, "start and stop")
      .enableStartStopControlData.enableStartStopControl = 1;
  attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER, "buffer for instructions")
      .samplingDataBufferData.samplingDataBuffer = &own_.data();
  auto p = SizedParams<CUpti_PCSamplingConfigurationInfoParams>(CUpti_PCSamplingConfigurationInfoParamsSize, context_);
  p.numAttributes = values.size();
  p.pPCSamplingConfigurationInfo = values.data();
  const CUptiResult result = cuptiPCSamplingSetConfigurationAttribute(&p);
  // The call may succeed although CUPTI refused one attribute.
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].attributeStatus != CUPTI_SUCCESS)
      Check(result != CUPTI_SUCCESS ? result : values[i].attributeStatus,
            fmt::format("set up sampling of instructions ({})", names[i]));
  Check(result, "set up sampling of instructions");
}

void SamplingSession::Start() {
  auto p = SizedParams<CUpti_PCSamplingStartParams>(CUpti_PCSamplingStartParamsSize, context_);
  Check(cuptiPCSamplingStart(&p), "start sampling of instructions");
  is_running_ = true;
}

void SamplingSession::Stop() {
  auto p = SizedParams<CUpti_PCSamplingStopParams>(CUpti_PCSamplingStopParamsSize, context_);
  Check(cuptiPCSamplingStop(&p), "stop sampling of instructions");
  is_running_ = false;
}

std::size_t SamplingSession::AddInstructions(const CUpti_PCSamplingData& data, SampleSums& sums) const {
  // CUPTI's structs are packed, so copy their members instead of taking references.
  const std::size_t told = data.totalNumPcs, instructions = std::min(told, kInstructions);
  for (std::size_t i = 0; i < instructions; ++i) {
    const CUpti_PCSamplingPCData& at = data.pPcData[i];
    // Skip an instruction without a function name. Names are shared with other records, so do not free them.
    const std::string function = at.functionName != nullptr ? at.functionName : "";
    if (function.empty()) continue;
    const std::size_t reasons = at.stallReasonCount;
    for (std::size_t r = 0; r < std::min(reasons, kMostReasons); ++r) {
      const std::uint32_t number = at.stallReason[r].pcSamplingStallReasonIndex;
      if (const auto reason = reasons_.find(number); reason != reasons_.end())
        sums.Add(function, Signed(at.pcOffset), reason->second, at.stallReason[r].samples);
    }
  }
  return instructions;
}

bool SamplingSession::ReadOnce(SampleSums& sums) {
  read_.Clear();
  CUpti_PCSamplingData& data = read_.data();
  auto p = SizedParams<CUpti_PCSamplingGetDataParams>(CUpti_PCSamplingGetDataParamsSize, context_);
  p.pcSamplingData = &data;
  const CUptiResult result = cuptiPCSamplingGetData(&p);
  const bool is_full = result == CUPTI_ERROR_OUT_OF_MEMORY || data.hardwareBufferFull != 0;
  was_full_ = was_full_ || is_full;
  if (!is_full) Check(result, "fetch samples of instructions");
  const std::size_t instructions = AddInstructions(data, sums);
  has_read_ = has_read_ || instructions > 0;
  const SampleTotals now{Signed(data.totalSamples), Signed(data.droppedSamples),
                         Signed(data.nonUsrKernelsTotalSamples)};
  // The manual does not say whether a call returns its own numbers or running totals. Own numbers fall back to 0 in the
  // empty calls that end every Read. For running totals only the increase is added.
  const bool is_sum = now.total >= seen_.total && seen_.total > 0;
  sums.Add(is_sum ? SampleTotals{now.total - seen_.total, now.dropped - seen_.dropped, now.other - seen_.other} : now);
  seen_ = now;
  return instructions > 0 || data.remainingNumPcs > 0;
}

void SamplingSession::Read(SampleSums& sums) {
  const std::int64_t before = sums.samples();
  const auto read_all = [&] {
    // Stop after two empty reads, because CUPTI's threads may still deliver samples.
    for (int reads = 0, empty = 0; reads < kMostReads && empty < 2; ++reads) empty = ReadOnce(sums) ? 0 : empty + 1;
  };
  read_all();
  if (sums.samples() != before || was_full_ || is_running_) return;
  std::this_thread::sleep_for(kWake);
  read_all();
}

void SamplingSession::End(SampleSums& sums) {
  enabled_.reset();
  if (!has_read_) AddInstructions(own_.data(), sums);
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
