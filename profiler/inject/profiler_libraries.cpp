// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/profiler_libraries.h"

#include <cupti.h>
#include <dlfcn.h>

#include <filesystem>

#include "profiler/inject/quiet_thread.h"

namespace culprit {

void LoadProfilerLibrariesEarly() {
  Dl_info cupti{};
  if (dladdr(reinterpret_cast<void*>(&cuptiSubscribe), &cupti) == 0 || cupti.dli_fname == nullptr) return;
  // Beside CUPTI, where it looks for them. Whatever cannot be loaded here fails there, with a reason.
  StartQuietThread([folder = std::filesystem::path(cupti.dli_fname).parent_path()] {
    for (const char* const library : {"libnvperf_host.so", "libnvperf_target.so"})
      dlopen((folder / library).c_str(), RTLD_NOW | RTLD_LOCAL);
  });
}

}  // namespace culprit
