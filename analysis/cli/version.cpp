// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/version.h"

namespace culprit {
namespace {

std::string& Commit() {
  static std::string commit;
  return commit;
}

}  // namespace

void NoteCommit(std::string_view sha, bool dirty) {
  constexpr std::size_t kShown = 12;
  Commit() = sha.empty() ? "" : "commit " + std::string(sha.substr(0, kShown)) + (dirty ? ", changed since" : "");
}

std::string VersionText() { return Commit().empty() ? CULPRIT_VERSION : CULPRIT_VERSION " (" + Commit() + ")"; }

}  // namespace culprit
