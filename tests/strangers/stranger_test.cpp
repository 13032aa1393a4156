// SPDX-License-Identifier: Apache-2.0
#include "tests/strangers/stranger_score.h"

#include <gtest/gtest.h>
