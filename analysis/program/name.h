// SPDX-License-Identifier: Apache-2.0
// Names of a program's kernels: in full, for people, to type, and what two runs of a program have in common. A name may
// hold anything and be of any length: all of this is linear in it.
#pragma once
#include <string>
#include <string_view>

namespace culprit {

// "void gather<4>(float const*)" of "_Z6gatherILi4EEvPKf"; a symbol that is not C++'s as it is. What would expand too
// far, and what the C++ library refuses for its length (above 1024 characters), keeps its namespaces and its name, and
// a hash of the symbol in place of its template arguments: "cutlass::device_kernel<...x9a3c62017f4e1d05>".
std::string ReadableName(std::string_view symbol);

// What two runs of a program have in common: without result, parameters, numbers of lambdas, names that compilers give
// to files and versions to namespaces, what Triton and Inductor append ("_0d1d2de", "_3"), and hashes.
std::string NormalName(std::string_view readable);

// For people, at most about 80 characters: "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, array<char*, 3>>".
std::string ShortName(std::string_view readable);

// "gather_rows"; "vectorized_elementwise_kernel~3fa21b" where the normal name is more than that. Letters, digits, '_'
// and '~' alone.
std::string StageIdOf(std::string_view readable);

}  // namespace culprit
