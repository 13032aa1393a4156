// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/name_words.h"

#include <cctype>
#include <cstddef>
#include <utility>

namespace culprit {

std::set<std::string> WordsOf(const std::string& normal_name) {
  std::set<std::string> words;
  std::string word;
  for (const char c : normal_name + " ") {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::move(word));
      word.clear();
    }
  }
  return words;
}

double Likeness(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (a.empty() || b.empty()) return 0;
  std::size_t common = 0;
  for (const std::string& word : a) common += b.count(word);
  return 2.0 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

}  // namespace culprit
