// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/server.h"

#include <cstdlib>

namespace culprit {
namespace {

constexpr const char* kVariable = "CULPRIT_SERVER";

}  // namespace

void AddServer(Syntax& syntax, std::string& server) {
  syntax.Add("SERVER", &server,
             "postgresql://USER@HOST/DATABASE (default: $CULPRIT_SERVER); passwords are read from ~/.pgpass",
             {.value = "SERVER"});
}

std::string ServerOf(const std::string& server) {
  if (!server.empty()) return server;
  const char* const variable = std::getenv(kVariable);
  if (variable != nullptr && *variable != '\0') return variable;
  throw Error("name the server, such as postgresql://me@db.example.com/culprit, or set CULPRIT_SERVER.");
}

void AddFleetFilter(Syntax& syntax, FleetFilter& filter) {
  syntax.Add("--run", &filter.runs, "UUID prefix or label; may be repeated", {.value = "RUN", .not_empty = true});
  syntax.Add("--branch", &filter.branch, "branch", {.value = "NAME", .not_empty = true});
  syntax.Add("--commit", &filter.git_sha, "commit, or its first digits", {.value = "SHA", .not_empty = true});
  syntax.Add("--gpu", &filter.gpu, "part of the GPU's name", {.value = "NAME", .not_empty = true});
  syntax.Add("--workload", &filter.workload, "part of the program's name", {.value = "NAME", .not_empty = true});
  syntax.Add("--since", &filter.since, "7d, 36h, 2w, or 2026-11-21", {.value = "TIME", .not_empty = true});
  syntax.Add("--until", &filter.until, "the same, for the end", {.value = "TIME", .not_empty = true});
}

}  // namespace culprit
