// SPDX-License-Identifier: Apache-2.0
// How often a sub-partition issues when its warps wait.
#pragma once

namespace culprit {

// Instructions per cycle, 0 to 1, of `warps` warps of which each waits `waiting` cycles after every instruction and
// then needs the one issue slot of its sub-partition for a cycle. Between n / (Z + 1) for few warps and 1 for many, and
// below both where they meet, because warps that are ready at the same time wait for each other.
//
// Exact mean value analysis of a closed network with one queue (M. Reiser and S. Lavenberg, "Mean-Value Analysis of
// Closed Multichain Queuing Networks", JACM 27, 1980), linear between whole numbers of warps. Rises with `warps`, falls
// with `waiting`. Both at least 0.
double IssueRate(double warps, double waiting);

// Its inverse: the waiting with which `warps` warps issue at `rate`, above 0; 0 where they issue less even without.
double WaitingAt(double warps, double rate);

}  // namespace culprit
