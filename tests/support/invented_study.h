// SPDX-License-Identifier: Apache-2.0
// Two kernels that differ in their loop nest, as numbers for tests. Times, stalls and the counters in the table below
// are near those of such a pair on an H100. Everything else, and the GPU's name, is invented. Nothing is a measurement.
//
//                        k->m->n (v1_7)   m->n->k (v1_6)
//   time                 705 us           1287 us
//   stack frame          0                256 bytes, nothing spilled
//   local loads, stores  0                16.8 M
//   shared wavefronts    134 M            85 M         of loads
//   long_scoreboard      62 us            522 us
#pragma once
#include "tests/support/kernel_builder.h"

namespace culprit::testing {

KernelBuilder InventedV17();
KernelBuilder InventedV16();
KernelBuilder InventedCublas();

}  // namespace culprit::testing
