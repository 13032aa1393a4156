// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/profiler_libraries.h"

#include <cupti.h>
#include <dlfcn.h>

#include "profiler/inject/quiet_thread.h"

namespace culprit {

std::filesystem::path CuptiLibrary() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&cuptiSubscribe), &library) == 0 || library.dli_fname == nullptr) return {};
  return library.dli_fname;
}

void LoadProfilerLibrariesEarly() {
  const std::filesystem::path cupti = CuptiLibrary();
  if (cupti.empty()) return;
  // Beside CUPTI, where it looks for them. Whatever cannot be loaded here fails there, with a reason.
  StartQuietThread([folder = cupti.parent_path()] {
    for (const char* const library : {"libnvperf_host.so", "libnvperf_target.so"})
      dlopen((folder / library).c_str(), RTLD_NOW | RTLD_LOCAL);
  });
}

}  // namespace culprit
