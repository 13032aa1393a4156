// SPDX-License-Identifier: Apache-2.0
// A regular expression that selects kernels by name. The expression is untrusted: a search takes time linear in the
// name, and bounded memory, for every expression.
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
  // `expression` has RE2 syntax and comes from the command-line option `option`. Throws culprit::Error that says what
  // is wrong with it.
  NamePattern(const char* option, const std::string& expression);
  // Searches anywhere in `name`.
  bool Finds(std::string_view name) const;
  const std::string& text() const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace culprit
