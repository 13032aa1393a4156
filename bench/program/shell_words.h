// SPDX-License-Identifier: Apache-2.0
// Quotes words for a shell.
#pragma once
#include <string>
#include <vector>

namespace culprit {

std::string ShellWord(const std::string& word);
std::string ShellLine(const std::vector<std::string>& words);

}  // namespace culprit
