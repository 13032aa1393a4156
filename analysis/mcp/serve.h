// SPDX-License-Identifier: Apache-2.0
// Lines in, answers out.
#pragma once
#include "analysis/mcp/session.h"

namespace culprit::mcp {

// Answers each line of `in` in order, until `in` ends, nobody reads `out`, or SIGTERM or SIGINT arrives. While a tool
// runs, pings are answered at once, and a request that the client cancels gets no answer. For the main thread.
void Serve(Session& session, int in, int out);

}  // namespace culprit::mcp
