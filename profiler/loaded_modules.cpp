// SPDX-License-Identifier: Apache-2.0
#include "profiler/loaded_modules.h"

#include <cupti_callbacks.h>

#include <mutex>
#include <string_view>
#include <vector>

#include "profiler/cupti_call.h"
#include "profiler/function_code.h"
#include "profiler/sass/sass_opcode.h"

namespace culprit {
namespace {

// A library's modules are many megabytes and have no lines; one's own, compiled without -lineinfo, are small.
constexpr std::size_t kSmall = std::size_t{4} << 20;

}  // namespace

struct LoadedModules::Impl {
  struct Module {
    std::vector<unsigned char> image;
    std::optional<LineTable> lines = {};  // read when first asked for: while CUDA loads a module it waits

    std::optional<SourceLine> Find(const std::string& function, std::int64_t pc_offset) {
      if (!lines) lines.emplace(image);
      const auto found = OwnLine(lines->At(function, pc_offset));
      return found ? found : InnermostLineOf(image, function, pc_offset);
    }
  };

  explicit Impl(Keep k) : keep(k) {
    if (cuptiSubscribe(&subscriber, OnModule, this) != CUPTI_SUCCESS) {
      subscriber = nullptr;
      return;
    }
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  }
  ~Impl() {
    if (subscriber != nullptr) LogFailure(cuptiUnsubscribe(subscriber), "stop watching modules");
  }
  Impl(const Impl&) = delete;

  // Called by CUDA while it loads a module, on the thread that needs it. CUPTI's bytes are gone when it returns.
  static void CUPTIAPI OnModule(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED || data == nullptr) return;
    const auto* module =
        static_cast<const CUpti_ModuleResourceData*>(static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
    if (module == nullptr || module->pCubin == nullptr) return;
    const std::string_view image(module->pCubin, module->cubinSize);
    auto& impl = *static_cast<Impl*>(self);
    if (impl.keep == Keep::kOwn && image.size() > kSmall && image.find(".debug_line") == image.npos) return;
    try {
      const std::lock_guard lock(impl.mutex);
      impl.modules.push_back({{image.begin(), image.end()}});
    } catch (...) {  // no memory for a copy: nothing may be thrown through CUDA, and lines are not worth a failure
    }
  }

  const Keep keep;
  CUpti_SubscriberHandle subscriber = nullptr;
  mutable std::mutex mutex;
  std::vector<Module> modules;
};

LoadedModules::LoadedModules(Keep keep) : impl_(std::make_unique<Impl>(keep)) {}
LoadedModules::~LoadedModules() = default;
LoadedModules::LoadedModules(LoadedModules&&) noexcept = default;
LoadedModules& LoadedModules::operator=(LoadedModules&&) noexcept = default;

std::optional<SourceLine> LoadedModules::Find(const std::string& function, std::int64_t pc_offset) const {
  const std::lock_guard lock(impl_->mutex);
  std::optional<SourceLine> found;
  for (Impl::Module& module : impl_->modules) {
    const auto line = module.Find(function, pc_offset);
    if (!line) continue;
    if (found && *found != *line) return std::nullopt;
    found = line;
  }
  return found;
}

std::string LoadedModules::Opcode(const std::string& function, std::int64_t pc_offset) const {
  const std::lock_guard lock(impl_->mutex);
  std::string_view found;
  for (const Impl::Module& module : impl_->modules) {
    const std::string_view opcode = SassOpcodeAt(module.image, function, pc_offset);
    if (opcode.empty()) continue;
    if (!found.empty() && found != opcode) return {};
    found = opcode;
  }
  return std::string(found);
}

std::optional<MachineCode> LoadedModules::Code(const std::string& function) const {
  const std::lock_guard lock(impl_->mutex);
  for (Impl::Module& module : impl_->modules) {
    if (!module.lines) module.lines.emplace(module.image);
    if (auto code = FunctionCode(module.image, *module.lines, function)) return code;
  }
  return std::nullopt;
}

}  // namespace culprit
