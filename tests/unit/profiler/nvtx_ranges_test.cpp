// SPDX-License-Identifier: Apache-2.0
// NVTX as CUPTI tells it, without CUPTI.
#include "profiler/inject/nvtx_ranges.h"

#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>
// After it: it needs its types.
#include <generated_nvtx_meta.h>

#include <string>
#include <thread>

namespace culprit {
namespace {

template <class Params>
void Call(CUpti_CallbackId id, const Params& params, const void* returned = nullptr) {
  OnNvtxCall(id, CUpti_NvtxData{"", &params, returned});
}

nvtxDomainHandle_t Domain(std::size_t number) { return reinterpret_cast<nvtxDomainHandle_t>(number); }

void Push(const char* name) { Call(CUPTI_CBID_NVTX_nvtxRangePushA, nvtxRangePushA_params{name}); }
void Pop() { Call(CUPTI_CBID_NVTX_nvtxRangePop, 0); }
void Push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t& attributes) {
  Call(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, nvtxDomainRangePushEx_params{domain, {&attributes}});
}
void Push(nvtxDomainHandle_t domain, const char* name) {
  nvtxEventAttributes_t attributes{};
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  Push(domain, attributes);
}
void PushRegistered(nvtxDomainHandle_t domain, std::size_t handle) {
  nvtxEventAttributes_t attributes{};
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = reinterpret_cast<nvtxStringHandle_t>(handle);
  Push(domain, attributes);
}
void Pop(nvtxDomainHandle_t domain) { Call(CUPTI_CBID_NVTX_nvtxDomainRangePop, nvtxDomainRangePop_params{domain}); }

// Ranges are of a thread: each test has one of its own.
template <class Test>
void InThread(Test test) {
  std::thread(test).join();
}

TEST(NvtxRanges, ADomainPopsWhatItPushed) {
  InThread([] {
    Push("step");
    Push(Domain(1), "library/call");
    Push("forward");
    EXPECT_EQ(NvtxPath(), "step/library|call/forward");
    Pop(Domain(1));
    EXPECT_EQ(NvtxPath(), "step/forward");
    Pop(Domain(1));
    Pop(Domain(2));
    EXPECT_EQ(NvtxPath(), "step/forward") << "it has none left";
    Pop();
    EXPECT_EQ(NvtxPath(), "step");
    Pop();
    EXPECT_EQ(NvtxPath(), "");
    Pop();
    EXPECT_EQ(NvtxPath(), "");
  });
}

TEST(NvtxRanges, TheDomainThatIsNoneIsThatOfCallsWithoutOne) {
  InThread([] {
    Push(nullptr, "a");
    Pop();
    EXPECT_EQ(NvtxPath(), "");
  });
}

TEST(NvtxRanges, RegisteredStringsHaveTheirText) {
  InThread([] {
    const auto narrow = reinterpret_cast<nvtxStringHandle_t>(std::size_t{77}),
               wide = reinterpret_cast<nvtxStringHandle_t>(std::size_t{78});
    Call(CUPTI_CBID_NVTX_nvtxDomainRegisterStringA, nvtxDomainRegisterStringA_params{Domain(1), "gather"}, &narrow);
    Call(CUPTI_CBID_NVTX_nvtxDomainRegisterStringW,
         nvtxDomainRegisterStringW_params{Domain(1), reinterpret_cast<const char*>(L"scatter")}, &wide);
    Call(CUPTI_CBID_NVTX_nvtxDomainRegisterStringA, nvtxDomainRegisterStringA_params{Domain(1), "unsaid"});
    PushRegistered(Domain(1), 77), PushRegistered(Domain(1), 78), PushRegistered(Domain(1), 79);
    EXPECT_EQ(NvtxPath(), "gather/scatter/?");
    for (int i = 0; i < 3; ++i) Pop(Domain(1));
  });
}

}  // namespace
}  // namespace culprit
