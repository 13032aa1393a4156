// SPDX-License-Identifier: Apache-2.0
// Which versions of PyTorch, Triton, cuDNN and others the libraries are that a program had loaded.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "db/versions.h"

namespace culprit {

// `libraries`: paths. A library of a Python package has the version of the package that is installed beside it
// (NAME-VERSION.dist-info). Another one has the version at the end of its name: libcudnn.so.9.10.2. By name.
std::vector<LibraryVersion> VersionsOfLibraries(const std::set<std::string>& libraries);

}  // namespace culprit
