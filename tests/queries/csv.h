// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "db/database.h"

namespace culprit {

// A header line, then a line per row. NULL is an empty cell; reals have at most ten significant digits, so that the
// text does not depend on how a platform rounds the last one.
std::string ToCsv(const Table& table);

}  // namespace culprit
