// SPDX-License-Identifier: Apache-2.0
#include "bench/program/library_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "profiler/trace/libraries.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LibraryVersions : public testing::Test {
 protected:
  void Install(const std::string& distribution) {
    std::filesystem::create_directories(packages / (distribution + ".dist-info"));
  }
  std::vector<LibraryVersion> Of(const std::set<std::string>& files) {
    std::set<std::string> paths;
    for (const std::string& file : files) paths.insert(packages / file);
    return VersionsOfLibraries(paths);
  }

  const Scratch scratch;
  const std::filesystem::path packages = scratch / "lib/python3.12/site-packages";
};

TEST_F(LibraryVersions, AreThoseOfThePackagesBesideThem) {
  for (const char* one : {"torch-2.10.0+cu130", "torchvision-0.25.0", "triton-3.6.0", "cupy_cuda13x-13.6.0",
                          "nvidia_cudnn_cu13-9.15.1.9", "nvidia_cuda_runtime-13.0.96", "jaxlib-0.8.0"})
    Install(one);
  EXPECT_THAT(Of({"torch/lib/libtorch_cuda.so", "triton/_C/libtriton.so", "cupy/_core/core.cpython-312.so",
                  "nvidia/cudnn/lib/libcudnn.so.9", "nvidia/cu13/lib/libcudart.so.13"}),
              ElementsAre(LibraryVersion{"cuda", "13.0.96"}, LibraryVersion{"cudnn", "9.15.1.9"},
                          LibraryVersion{"cupy", "13.6.0"}, LibraryVersion{"torch", "2.10.0+cu130"},
                          LibraryVersion{"triton", "3.6.0"}));
}

TEST_F(LibraryVersions, AreNotThoseOfPackagesThatWereNotLoaded) {
  Install("torch-2.10.0");
  Install("triton-3.6.0");
  EXPECT_THAT(Of({"triton/_C/libtriton.so", "torchvision/_C.so", "tensorrt/torch/x.so"}),
              ElementsAre(LibraryVersion{"triton", "3.6.0"}));
  EXPECT_THAT(Of({"jaxlib/xla.so"}), IsEmpty());  // no package beside it: not known
}

TEST_F(LibraryVersions, OfOtherLibrariesStandInTheirNames) {
  EXPECT_THAT(VersionsOfLibraries({"/usr/lib/x86_64-linux-gnu/libcudnn.so.9.10.2", "/usr/lib/libcudnn_graph.so.9.11.0",
                                   "/usr/local/cuda/lib64/libcudart.so.13.0.88", "/opt/libcublas.so"}),
              ElementsAre(LibraryVersion{"cuda", "13.0.88"}, LibraryVersion{"cudnn", "9.10.2"}));
}

TEST_F(LibraryVersions, ComeFromAllProcessesOfAProgram) {
  const std::filesystem::path folder = scratch / "traces";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "7.libraries") << "/a/site-packages/torch/lib/x.so\n";
  std::ofstream(folder / "8.libraries") << "/a/site-packages/torch/lib/x.so\n/b/libcudnn.so.9\n";
  std::ofstream(folder / "7-0.trace") << "/c/libcublas.so.13\n";
  EXPECT_THAT(LibrariesIn(folder), ElementsAre("/a/site-packages/torch/lib/x.so", "/b/libcudnn.so.9"));
  NoteLibraries(folder, 9);  // this process has none that counts
  EXPECT_TRUE(std::filesystem::exists(folder / "9.libraries"));
  EXPECT_EQ(LibrariesIn(folder).size(), 2u);
  EXPECT_THAT(LibrariesIn(scratch / "nowhere"), IsEmpty());
}

}  // namespace
}  // namespace culprit
