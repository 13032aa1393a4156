// SPDX-License-Identifier: Apache-2.0
// What `culprit --version` prints.
#pragma once
#include <string>
#include <string_view>

namespace culprit {

// Only the program knows its commit, so that a new commit links nothing else again. `sha` is empty when it was built
// outside git; `dirty`: the sources were changed after that commit.
void NoteCommit(std::string_view sha, bool dirty);

// "0.1.0 (commit 0123456789ab)", or only the version.
std::string VersionText();

}  // namespace culprit
