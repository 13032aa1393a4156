// SPDX-License-Identifier: Apache-2.0
#include "profiler/loaded_modules.h"

#include <cupti.h>
#include <fmt/format.h>

#include <exception>
#include <string_view>
#include <utility>

#include "db/error.h"
#include "profiler/code_modules.h"
#include "profiler/cupti_call.h"
#include "profiler/launch_calls.h"

namespace culprit {
namespace {

// Modules of libraries have many megabytes and no lines. The user's modules are small even without -lineinfo.
constexpr std::size_t kSmall = std::size_t{4} << 20;

}  // namespace

struct LoadedModules::Impl {
  explicit Impl(Keep k) : keep(k) {
    if (cuptiSubscribe(&subscriber, OnCall, this) != CUPTI_SUCCESS) {
      subscriber = nullptr;
      return;
    }
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  }
  ~Impl() {
    if (subscriber != nullptr) LogFailure(cuptiUnsubscribe(subscriber), "stop watching modules");
  }
  Impl(const Impl&) = delete;

  void BeforeLaunchOf(const std::string& wanted, const std::function<void()>& what, const std::function<void()>& work) {
    if (subscriber == nullptr) throw Error("another tool watches this process: its launches cannot be told apart");
    symbol = wanted;
    before = what;
    const auto watch = [&](unsigned on) {
      for (const CUpti_CallbackId id : kLaunchCalls)
        cuptiEnableCallback(on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
    };
    watch(1);
    try {
      work();
    } catch (...) {
      watch(0);
      before = nullptr;
      throw;
    }
    watch(0);
    if (std::exchange(before, nullptr)) throw Error(fmt::format("no launch of {} was seen", wanted));
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
  }

  void OnLaunch(const CUpti_CallbackData& call) {
    if (call.callbackSite != CUPTI_API_ENTER || !before || call.symbolName == nullptr || symbol != call.symbolName)
      return;
    const std::function<void()> what = std::exchange(before, nullptr);
    try {
      what();
    } catch (...) {  // nothing may be thrown through CUDA
      thrown = std::current_exception();
    }
  }

  static void CUPTIAPI OnCall(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (data != nullptr && domain == CUPTI_CB_DOMAIN_DRIVER_API)
      static_cast<Impl*>(self)->OnLaunch(*static_cast<const CUpti_CallbackData*>(data));
    else
      OnModule(self, domain, id, data);
  }

  // CUDA calls this while it loads a module, on the thread that needs it. CUPTI's bytes are gone when it returns.
  static void CUPTIAPI OnModule(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED || data == nullptr) return;
    const auto* module =
        static_cast<const CUpti_ModuleResourceData*>(static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
    if (module == nullptr || module->pCubin == nullptr) return;
    const std::string_view image(module->pCubin, module->cubinSize);
    auto& impl = *static_cast<Impl*>(self);
    if (impl.keep == Keep::kOwn && image.size() > kSmall && image.find(".debug_line") == image.npos) return;
    try {
      impl.modules.Keep({reinterpret_cast<const unsigned char*>(image.data()), image.size()});
    } catch (...) {  // out of memory: nothing may be thrown through CUDA, and lines are optional
    }
  }

  const Keep keep;
  CUpti_SubscriberHandle subscriber = nullptr;
  CodeModules modules;
  std::string symbol;            // the kernel before whose launch `before` is called
  std::function<void()> before;  // empty: nothing to do, or done
  std::exception_ptr thrown;     // by `before`
};

LoadedModules::LoadedModules(Keep keep) : impl_(std::make_unique<Impl>(keep)) {}
LoadedModules::~LoadedModules() = default;
LoadedModules::LoadedModules(LoadedModules&&) noexcept = default;
LoadedModules& LoadedModules::operator=(LoadedModules&&) noexcept = default;

std::optional<SourceFrame> LoadedModules::Find(const std::string& function, std::int64_t pc_offset) const {
  return impl_->modules.Line(function, pc_offset, [&](const CodeModules::Module& module) {
    return InnermostLineOf(module.image, function, pc_offset);
  });
}

std::string LoadedModules::Opcode(const std::string& function, std::int64_t pc_offset) const {
  return std::string(impl_->modules.Opcode(function, pc_offset));
}

std::optional<MachineCode> LoadedModules::Code(const std::string& function) const {
  return impl_->modules.Code(function);
}

void LoadedModules::BeforeLaunchOf(const std::string& symbol, const std::function<void()>& before,
                                   const std::function<void()>& work) {
  impl_->BeforeLaunchOf(symbol, before, work);
}

}  // namespace culprit
