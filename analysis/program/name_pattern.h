// SPDX-License-Identifier: Apache-2.0
// A regular expression that chooses kernels by name. It comes from outside: no expression makes a search take more than
// time linear in the name, or more than a fixed amount of memory.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace culprit {

class NamePattern {
 public:
  // In RE2's syntax. Throws culprit::Error that says what is wrong with `expression`, which `option` was given.
  NamePattern(const char* option, const std::string& expression);
  // Anywhere in `name`.
  bool Finds(std::string_view name) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace culprit
