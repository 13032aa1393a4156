// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/profiler_libraries.h"

#include <cupti.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

namespace culprit {
namespace {

// CUPTI itself loads this one only where there is a GPU.
constexpr const char* kLibrary = "libnvperf_target.so";

bool IsLoaded() {
  void* const loaded = dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded != nullptr) dlclose(loaded);
  return loaded != nullptr;
}

TEST(ProfilerLibraries, AreLoadedSoonFromTheFolderOfCupti) {
  Dl_info cupti{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&cuptiSubscribe), &cupti), 0);
  if (!std::filesystem::exists(std::filesystem::path(cupti.dli_fname).parent_path() / kLibrary))
    GTEST_SKIP() << "this CUDA Toolkit has no " << kLibrary << " beside CUPTI";
  ASSERT_FALSE(IsLoaded());
  LoadProfilerLibrariesEarly();
  constexpr int kTries = 600;
  for (int i = 0; i < kTries && !IsLoaded(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(IsLoaded());
}

}  // namespace
}  // namespace culprit
