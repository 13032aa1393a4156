// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/nvtx_ranges.h"

#include <nvtx3/nvToolsExt.h>
// Must come after the header whose types it uses.
#include <generated_nvtx_meta.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace culprit {
namespace {

// Each domain has its own stack, so a library's pops match its own pushes.
struct Ranges {
  struct Open {
    nvtxDomainHandle_t domain;  // null: the default domain
    std::string name;
  };
  std::vector<Open> open;
  std::string path;

  NvtxTurn Push(nvtxDomainHandle_t domain, std::string name) {
    std::ranges::replace(name, '/', '|');
    open.push_back({domain, std::move(name)});
    Append(open.back().name);
    return {open.back().name, true};
  }
  std::optional<NvtxTurn> Pop(nvtxDomainHandle_t domain) {
    const auto last = std::ranges::find(open.rbegin(), open.rend(), domain, &Open::domain);
    if (last == open.rend()) return std::nullopt;
    NvtxTurn turn{std::move(last->name), false};
    open.erase(std::next(last).base());
    path.clear();
    for (const Open& range : open) Append(range.name);
    return turn;
  }

 private:
  void Append(const std::string& name) { path += (path.empty() ? "" : "/") + name; }
};

// Never destroyed: a thread's objects are destroyed before the program's, which may still push and launch.
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

// Strings that the program registered, by handle. Never destroyed, as above.
class Registered {
 public:
  static Registered& All() {
    static Registered* const all = new Registered;
    return *all;
  }
  void Add(const void* handle, std::string text) {
    const std::lock_guard lock(mutex_);
    texts_[handle] = std::move(text);
  }
  std::string Text(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = texts_.find(handle);
    return found != texts_.end() ? found->second : "?";  // registered before this library was loaded
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, std::string> texts_;
};

// Null where CUPTI does not report it.
const void* HandleOf(const CUpti_NvtxData& call) {
  const auto* const handle = static_cast<const nvtxStringHandle_t*>(call.functionReturnValue);
  return handle != nullptr ? *handle : nullptr;
}

std::string NameOf(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) return "?";
  if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII && attributes->message.ascii != nullptr)
    return attributes->message.ascii;
  if (attributes->messageType == NVTX_MESSAGE_TYPE_UNICODE) return Narrow(attributes->message.unicode);
  if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
    return Registered::All().Text(attributes->message.registered);
  return "?";
}

}  // namespace

std::optional<NvtxTurn> OnNvtxCall(CUpti_CallbackId id, const CUpti_NvtxData& call) {
  const void* const params = call.functionParams;
  switch (id) {
    case CUPTI_CBID_NVTX_nvtxRangePushA: {
      const char* const name = static_cast<const nvtxRangePushA_params*>(params)->message;
      return Mine().Push(nullptr, name != nullptr ? name : "?");
    }
    case CUPTI_CBID_NVTX_nvtxRangePushW:
      return Mine().Push(nullptr, Narrow(static_cast<const nvtxRangePushW_params*>(params)->message));
    case CUPTI_CBID_NVTX_nvtxRangePushEx:
      return Mine().Push(nullptr, NameOf(static_cast<const nvtxRangePushEx_params*>(params)->eventAttrib));
    case CUPTI_CBID_NVTX_nvtxDomainRangePushEx: {
      const auto& push = *static_cast<const nvtxDomainRangePushEx_params*>(params);
      return Mine().Push(push.domain, NameOf(push.core.eventAttrib));
    }
    case CUPTI_CBID_NVTX_nvtxRangePop:
      return Mine().Pop(nullptr);
    case CUPTI_CBID_NVTX_nvtxDomainRangePop:
      return Mine().Pop(static_cast<const nvtxDomainRangePop_params*>(params)->domain);
    case CUPTI_CBID_NVTX_nvtxDomainRegisterStringA:
    case CUPTI_CBID_NVTX_nvtxDomainRegisterStringW: {
      // The header declares the text of both as char, but the second one is wide.
      const char* const text = static_cast<const nvtxDomainRegisterStringA_params*>(params)->string;
      const void* const handle = HandleOf(call);
      if (text == nullptr || handle == nullptr) return std::nullopt;
      const bool is_narrow = id == CUPTI_CBID_NVTX_nvtxDomainRegisterStringA;
      Registered::All().Add(handle, is_narrow ? text : Narrow(reinterpret_cast<const wchar_t*>(text)));
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

const std::string& NvtxPath() { return Mine().path; }

}  // namespace culprit
