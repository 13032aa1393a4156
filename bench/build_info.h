// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace culprit {

// The git commit of this binary's checkout; "" when it was built outside git. cmake/GitInfo.cmake updates it at each
// build.
extern const char* const kGitSha;
extern const bool kGitDirty;

}  // namespace culprit
