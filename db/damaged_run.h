// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "db/error.h"

namespace culprit {

// Thrown for a run that cannot be read or has changed since it was recorded. Readers of several runs can catch it and
// skip the run.
class DamagedRun : public Error {
 public:
  using Error::Error;
};

}  // namespace culprit
