// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/python_frames.h"

#include <re2/re2.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "bench/foreign/builder.h"

namespace culprit {
namespace {

// PyTorch cuts the folders of packages off.
bool IsOfLibrary(std::string_view file) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
    if (const auto at = file.rfind(folder); at != file.npos) file.remove_prefix(at + folder.size());
  for (const std::string_view start :
       {"torch/", "triton/", "<frozen ", "<eval_with_key>", "contextlib.py", "threading.py", "runpy.py"})
    if (file.starts_with(start)) return true;
  // Code that PyTorch's compiler writes.
  return file.find("/lib/python3") != file.npos || file.find("/torchinductor_") != file.npos;
}

}  // namespace

void PythonFrames::Add(const OpenRanges::Thread& thread, std::int64_t start_ns, std::int64_t end_ns,
                       const std::string& name) {
  static const RE2 kFunction(R"((?s)(.+)\((\d{1,9})\): (.+))");
  PythonFrame frame;
  if (!RE2::FullMatch(name, kFunction, &frame.file, &frame.line, &frame.function)) return;
  // Triton compiles a function of this name for each kernel.
  const bool is_launcher = frame.file == "<string>" && frame.function == "launcher";
  if (frame.line < 1 || is_launcher || IsOfLibrary(frame.file)) return;
  const auto [at, is_new] = known_.try_emplace(name, frames_.size());
  if (is_new) {
    frame.file = Storable(frame.file);
    frame.function = Storable(frame.function);
    frames_.push_back(std::move(frame));
  }
  threads_[thread].push_back({start_ns, end_ns, at->second});
}

std::vector<std::vector<PythonFrame>> PythonFrames::Around(std::span<const Call> calls) const {
  std::vector<std::vector<PythonFrame>> found(calls.size());
  std::map<OpenRanges::Thread, std::vector<std::size_t>> by_thread;
  for (std::size_t i = 0; i < calls.size(); ++i) by_thread[calls[i].thread].push_back(i);
  for (auto& [thread, of_thread] : by_thread) {
    const auto functions = threads_.find(thread);
    if (functions == threads_.end()) continue;
    std::vector<Running> all = functions->second;
    std::ranges::stable_sort(all, {}, [](const Running& r) { return std::tuple(r.start_ns, -r.end_ns); });
    std::ranges::stable_sort(of_thread, {}, [&](std::size_t i) { return calls[i].at_ns; });
    std::vector<Running> open;  // each within the one before, since a function returns before its caller
    const auto close = [&](std::int64_t at_ns) {
      while (!open.empty() && open.back().end_ns < at_ns) open.pop_back();
    };
    auto next = all.begin();
    for (const std::size_t i : of_thread) {
      for (; next != all.end() && next->start_ns <= calls[i].at_ns; ++next) {
        close(next->start_ns);
        open.push_back(*next);
      }
      close(calls[i].at_ns);
      for (auto of = open.rbegin(); of != open.rend() && found[i].size() < kMost; ++of)
        found[i].push_back(frames_[of->frame]);
    }
  }
  return found;
}

}  // namespace culprit
