// SPDX-License-Identifier: Apache-2.0
// culprit_static_table: reads the cubins that a build kept, and writes or prints the table for its program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "db/error.h"
#include "profiler/code/static_attributes.h"
#include "profiler/static_collector.h"

namespace {

using culprit::BuildRecord;
namespace fs = std::filesystem;

// An object file stands for the directory beside it. An object without a directory has no kernels.
std::vector<fs::path> KeepDirectories(const std::vector<std::string>& inputs) {
  std::vector<fs::path> out;
  for (const std::string& input : inputs) {
    if (fs::is_directory(input)) {
      out.push_back(input);
    } else if (fs::is_directory(input + ".keep")) {
      out.push_back(input + ".keep");
    }
  }
  if (out.empty()) {
    throw culprit::Error(
        "none of the inputs kept its cubins: compile the kernels' library through culprit_keep_cubins().");
  }
  return out;
}

// A symbol is foreign input: control characters become '?'.
std::string Shown(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

void Print(const std::vector<BuildRecord>& builds) {
  constexpr const char* kRow = "{:<24} {:<7} {:>9} {:>6} {:>7} {:>6} {:>6} {:>7}\n";
  std::cout << fmt::format(kRow, "kernel", "arch", "registers", "stack", "spills", "shared", "code", "threads");
  for (const BuildRecord& build : builds) {
    const auto cell = [&](const char* name) {
      const std::optional<double> value = culprit::FindAttribute(build, name);
      return value ? fmt::format("{}", *value) : std::string("-");
    };
    std::cout << fmt::format(kRow, Shown(build.kernel), build.arch, cell("registers"), cell("stack_frame_bytes"),
                             cell("spill_store_bytes"), cell("static_shared_bytes"), cell("code_bytes"),
                             cell("max_threads"));
  }
}

void Write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw culprit::Error("cannot write " + path + ": choose a directory that exists and has room.");
}

int Run(int argc, char** argv) {
  CLI::App app{"Static attributes of kernels, read from the cubins and the ptxas report that their build kept."};
  std::vector<std::string> inputs;
  std::string output;
  app.add_option("inputs", inputs, "object files compiled through keep_cubins.sh, or their .keep directories")
      ->required();
  app.add_option("--output", output, "write C++ source that defines culprit::StaticTable() here instead of printing");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    throw culprit::Error(std::string(error.what()) + " (see --help)");
  }
  const std::vector<BuildRecord> builds = culprit::CollectStatic(KeepDirectories(inputs));
  if (output.empty()) {
    Print(builds);
  } else {
    Write(output, culprit::StaticTableSource(builds));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const int status = Run(argc, argv);
  if (!std::cout.flush()) throw culprit::Error("cannot write to standard output: send it where there is room.");
  return status;
} catch (const std::exception& error) {  // ours, or out of memory
  std::cerr << "culprit_static_table: " << Shown(error.what()) << '\n';
  return 2;
}
