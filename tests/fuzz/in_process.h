// SPDX-License-Identifier: Apache-2.0
// The culprit command without a process of its own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace culprit::fuzz {

// Runs it and requires what holds for any arguments: a documented exit status, a sentence with status 2, and no control
// characters in what it prints.
void RunCulprit(const std::vector<std::string>& args);

// A database of invented runs, made once for this process and removed with it.
const std::string& Recorded();

// A file name under which `content` is read; valid until the next call.
std::string AsFile(std::string_view content);

}  // namespace culprit::fuzz
