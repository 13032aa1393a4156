// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "db/error.h"

namespace culprit {

// What is thrown of a run that is not what was recorded, or cannot be read: who reads several can leave it out.
class DamagedRun : public Error {
 public:
  using Error::Error;
};

}  // namespace culprit
