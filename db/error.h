// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

namespace culprit {

// The one exception type. Thrown where an API is wrapped or input is refused. Caught only in the main functions.
// The text is one sentence that says what to do next.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace culprit
