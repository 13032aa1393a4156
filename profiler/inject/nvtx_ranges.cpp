// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/nvtx_ranges.h"

#include <nvtx3/nvToolsExt.h>
// After it: it needs its types.
#include <generated_nvtx_meta.h>

#include <algorithm>
#include <vector>

namespace culprit {
namespace {

struct Ranges {
  std::vector<std::size_t> lengths;  // of the path before each push
  std::string path;

  void Push(std::string name) {
    lengths.push_back(path.size());
    std::ranges::replace(name, '/', '|');
    path += (path.empty() ? "" : "/") + name;
  }
  void Pop() {
    if (lengths.empty()) return;
    path.resize(lengths.back());
    lengths.pop_back();
  }
};

// Never destroyed: a thread's objects go before the program's, which may still push and launch.
Ranges& Mine() {
  static thread_local Ranges* ranges = nullptr;
  if (ranges == nullptr) ranges = new Ranges;
  return *ranges;
}

std::string Narrow(const wchar_t* wide) {
  std::string text;
  for (; wide != nullptr && *wide != 0; ++wide) text += *wide < 0x80 ? static_cast<char>(*wide) : '?';
  return text;
}

std::string NameOf(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) return "?";
  if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII && attributes->message.ascii != nullptr)
    return attributes->message.ascii;
  if (attributes->messageType == NVTX_MESSAGE_TYPE_UNICODE) return Narrow(attributes->message.unicode);
  return "?";  // registered strings: CUPTI does not say their text
}

}  // namespace

void OnNvtxCall(CUpti_CallbackId id, const CUpti_NvtxData& call) {
  const void* const params = call.functionParams;
  switch (id) {
    case CUPTI_CBID_NVTX_nvtxRangePushA: {
      const char* const name = static_cast<const nvtxRangePushA_params*>(params)->message;
      return Mine().Push(name != nullptr ? name : "?");
    }
    case CUPTI_CBID_NVTX_nvtxRangePushW:
      return Mine().Push(Narrow(static_cast<const nvtxRangePushW_params*>(params)->message));
    case CUPTI_CBID_NVTX_nvtxRangePushEx:
      return Mine().Push(NameOf(static_cast<const nvtxRangePushEx_params*>(params)->eventAttrib));
    case CUPTI_CBID_NVTX_nvtxDomainRangePushEx:
      return Mine().Push(NameOf(static_cast<const nvtxDomainRangePushEx_params*>(params)->core.eventAttrib));
    case CUPTI_CBID_NVTX_nvtxRangePop:
    case CUPTI_CBID_NVTX_nvtxDomainRangePop:
      return Mine().Pop();
    default:
      return;
  }
}

const std::string& NvtxPath() { return Mine().path; }

bool IsInRange(const std::string& path, const std::string& name) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (path.compare(begin, end - begin, name) == 0) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace culprit
