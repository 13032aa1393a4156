// SPDX-License-Identifier: Apache-2.0
#include "bench/program/library_versions.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

namespace culprit {
namespace {

namespace fs = std::filesystem;

struct Watched {
  std::string_view name;     // as reports have it
  std::string_view folder;   // below site-packages; empty: of no Python package
  std::string_view package;  // how its .dist-info begins; the name may go on, as cupy_cuda13x does
  std::string_view library;  // how the library's name begins; empty: any in the folder
};
// The first row that fits a library counts.
constexpr std::array kWatched = {
    Watched{"torch", "torch/", "torch", ""},
    Watched{"triton", "triton/", "triton", ""},
    Watched{"triton", "triton/", "pytorch_triton", ""},
    Watched{"cupy", "cupy/", "cupy", ""},
    Watched{"jax", "jaxlib/", "jaxlib", ""},
    Watched{"tensorflow", "tensorflow/", "tensorflow", ""},
    Watched{"vllm", "vllm/", "vllm", ""},
    Watched{"cudnn", "nvidia/", "nvidia_cudnn", "libcudnn"},
    Watched{"cuda", "nvidia/", "nvidia_cuda_runtime", "libcudart"},
    Watched{"cublas", "nvidia/", "nvidia_cublas", "libcublas"},
    Watched{"nccl", "nvidia/", "nvidia_nccl", "libnccl"},
    Watched{"cudnn", "", "", "libcudnn."},
    Watched{"cuda", "", "", "libcudart."},
    Watched{"cublas", "", "", "libcublas."},
    Watched{"nccl", "", "", "libnccl."},
};

struct Place {
  std::string packages;  // ".../site-packages/"; empty: none
  std::string_view rest;
};

Place PlaceOf(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
    if (const std::size_t at = path.rfind(folder); at != path.npos)
      return {std::string(path.substr(0, at + folder.size())), path.substr(at + folder.size())};
  return {"", path};
}

// "torch-2.10.0+cu130.dist-info" of "torch" is "2.10.0+cu130". "torchvision-0.25.dist-info" is another package.
std::optional<std::string> VersionIn(const std::string& packages, std::string_view package) {
  constexpr std::string_view kEnd = ".dist-info";
  std::optional<std::string> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(packages, ignored)) {
    const std::string name = entry.path().filename();
    const std::size_t dash = name.find('-');
    if (!name.ends_with(kEnd) || dash == std::string::npos || !name.starts_with(package)) continue;
    const bool goes_on = dash > package.size() && name[package.size()] != '_';
    if (dash < package.size() || goes_on) continue;
    std::string version = name.substr(dash + 1, name.size() - kEnd.size() - dash - 1);
    if (!found || dash == package.size()) found = std::move(version);
  }
  return found;
}

// "libcudnn.so.9.10.2" is "9.10.2".
std::optional<std::string> VersionAtEnd(std::string_view file) {
  constexpr std::string_view kMark = ".so.";
  const std::size_t at = file.find(kMark);
  if (at == file.npos) return std::nullopt;
  return std::string(file.substr(at + kMark.size()));
}

}  // namespace

std::vector<LibraryVersion> VersionsOfLibraries(const std::set<std::string>& libraries) {
  std::map<std::string_view, std::string> versions;
  for (const std::string& path : libraries) {
    const Place place = PlaceOf(path);
    const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
    for (const Watched& watched : kWatched) {
      if (versions.contains(watched.name) || !file.starts_with(watched.library)) continue;
      // With an empty folder, a path without packages.
      if (watched.folder.empty() != place.packages.empty() || !place.rest.starts_with(watched.folder)) continue;
      const std::optional<std::string> version =
          watched.folder.empty() ? VersionAtEnd(file) : VersionIn(place.packages, watched.package);
      if (version) versions.emplace(watched.name, *version);
    }
  }
  std::vector<LibraryVersion> found;
  for (const auto& [name, version] : versions) found.push_back({std::string(name), version});
  return found;
}

}  // namespace culprit
