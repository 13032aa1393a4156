// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace culprit {

// Of the checkout that this binary was built from; "" when it was built outside git. Written by cmake/GitInfo.cmake at
// each build.
extern const char* const kGitSha;
extern const bool kGitDirty;

}  // namespace culprit
