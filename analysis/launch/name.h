// SPDX-License-Identifier: Apache-2.0
// Names of a program's kernels in four forms: readable, short, for typing, and normalised to match two runs. A name may
// contain anything and have any length, so all functions take linear time.
#pragma once
#include <string>
#include <string_view>

namespace culprit {

// "void gather<4>(float const*)" for "_Z6gatherILi4EEvPKf". A symbol that is not C++ is returned unchanged. If the name
// expands too far, or beyond the C++ library's limit of 1024 characters, a hash of the symbol replaces its template
// arguments: "cutlass::device_kernel<...x9a3c62017f4e1d05>".
std::string ReadableName(std::string_view symbol);

// The part that is the same in two runs of a program. Drops the result type, parameters, lambda numbers, file names
// that compilers invent, namespace versions, suffixes of Triton and Inductor ("_0d1d2de", "_3"), and hashes.
std::string NormalName(std::string_view readable);

// At most about 80 characters: "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, array<char*, 3>>".
std::string ShortName(std::string_view readable);

// "gather_rows". If the normal name has more than this base name, a hash of it follows:
// "vectorized_elementwise_kernel~3fa21b". Contains only letters, digits, '_' and '~'.
std::string StageIdOf(std::string_view readable);

}  // namespace culprit
