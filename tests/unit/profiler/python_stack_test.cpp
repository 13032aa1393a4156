// SPDX-License-Identifier: Apache-2.0
// What it reads of Python: tests/python/test_stack.py.
#include "profiler/inject/python_stack.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

TEST(PythonStack, FilesOfPackagesAreNobodysToEdit) {
  for (const char* file : {"/home/me/venv/lib/python3.12/site-packages/torch/nn/modules/module.py",
                           "/usr/lib/python3/dist-packages/cupy/_core/core.py", "/usr/lib/python3.11/threading.py",
                           "<frozen importlib._bootstrap>", "<eval_with_key>.3", "/tmp/torchinductor_me/ab/cab.py"})
    EXPECT_TRUE(IsOfPackage(file)) << file;
  for (const char* file : {"train.py", "/home/me/models/attention.py", "<string>", "<stdin>", "/tmp/ipykernel_7/1.py",
                           "/home/me/python3/train.py", "/home/me/site-packages.py"})
    EXPECT_FALSE(IsOfPackage(file)) << file;
}

TEST(PythonStack, AProcessWithoutPythonHasNone) { EXPECT_EQ(PythonStack::OfThisProcess(), nullptr); }

}  // namespace
}  // namespace culprit
