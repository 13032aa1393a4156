// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/ask_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <fstream>

#include "analysis/cli/private_folder.h"
#include "analysis/cli/recorded_program.h"

namespace culprit {
namespace {

std::vector<std::string> Lines(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string Answer::WhyNot() const {
  if (!not_started.empty()) return not_started;
  for (const auto* lines : {&err, &out})
    if (!lines->empty()) return lines->front();
  return fmt::format("status {}", status);
}

Answer Ask(const std::vector<std::string>& words, double limit_s) {
  const PrivateFolder folder;
  const auto make = [&](const char* name) {
    return open((folder.path() / name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  };
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC), out = make("out"), err = make("err");
  ProgramEnd end = RunAsItIs(words, {}, {in, out, err}, TimeLimit{limit_s, {}});
  for (const int descriptor : {in, out, err})
    if (descriptor >= 0) close(descriptor);
  if (end.was_ended) end.status = 1;
  return {end.status, std::move(end.not_started), Lines(folder.path() / "out"), Lines(folder.path() / "err")};
}

}  // namespace culprit
