// SPDX-License-Identifier: Apache-2.0
#include "profiler/static_collector.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "db/error.h"
#include "profiler/code/cubin.h"
#include "profiler/code/resource_report.h"
#include "profiler/code/static_attributes.h"
#include "profiler/occupancy.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

std::vector<char> ReadFile(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw Error(path.string() + " is not a file: remove it, and build the kernels again.");
  std::ifstream in(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw Error("cannot read " + path.string() + ": build the kernels again.");
  return bytes;
}

using Key = std::pair<std::string, int>;  // kernel, architecture number: sm_90 sorts before sm_100
Key KeyOf(const BuildRecord& build) {
  int number = 0;
  const std::string digits = build.arch.substr(3);
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size())
    throw Error("no GPU has the architecture " + build.arch + " of kernel " + build.kernel +
                " in the compiler's report: build the kernels again.");
  return {build.kernel, number};
}

void AddDirectory(const fs::path& directory, std::map<Key, BuildRecord>& into) {
  std::error_code error;
  std::vector<fs::path> cubins;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".cubin") cubins.push_back(entry.path());
  }
  if (error)
    throw Error("cannot list " + directory.string() + ": build the kernels through culprit_keep_cubins first.");
  std::map<Key, BuildRecord> reported;
  if (const fs::path report = directory / "report.txt"; fs::exists(report)) {
    const std::vector<char> text = ReadFile(report);
    for (BuildRecord& build : ReadResourceReport({text.data(), text.size()})) {
      const Key key = KeyOf(build);
      reported.insert_or_assign(key, std::move(build));
    }
  }
  for (const fs::path& cubin : cubins) {
    const std::vector<char> bytes = ReadFile(cubin);
    const auto* const first = reinterpret_cast<const unsigned char*>(bytes.data());
    for (BuildRecord& build : ReadCubin(cubin.string(), {first, bytes.size()})) {
      const Key key = KeyOf(build);
      if (const auto known = reported.find(key); known != reported.end()) {
        build.attributes.insert(build.attributes.end(), known->second.attributes.begin(),
                                known->second.attributes.end());
      }
      const std::optional<double> registers = FindAttribute(build, "registers", "cubin");
      if (registers && !FindAttribute(build, "max_threads")) {
        AddAttribute(build, "max_threads", "model", MaxThreadsByRegisters(static_cast<int>(*registers)));
      }
      const auto [at, is_new] = into.try_emplace(key, build);
      if (!is_new && at->second.cubin_digest != build.cubin_digest) {
        throw Error("kernel " + build.kernel + " occurs twice for " + build.arch +
                    " with different code: give the two kernels different names.");
      }
    }
  }
}

}  // namespace

std::vector<BuildRecord> CollectStatic(const std::vector<fs::path>& directories) {
  std::map<Key, BuildRecord> builds;
  for (const fs::path& directory : directories) AddDirectory(directory, builds);
  std::vector<BuildRecord> out;
  for (auto& [key, build] : builds) out.push_back(std::move(build));
  return out;
}

}  // namespace culprit
