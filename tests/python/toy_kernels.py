# SPDX-License-Identifier: Apache-2.0
"""Functions for tests that launch kernels of a GPU that is not there (toy_gpu.cpp)."""
import ctypes
import os

_library = ctypes.CDLL(os.environ["TOY_GPU"])


def launch(kernel, grid, us):
    _library.toy_launch(kernel.encode(), ctypes.c_uint(grid), ctypes.c_double(us))


def fast(n):
    for i in range(30):
        launch("softmax", n, 10 + 0.01 * (i % 3))


def slow(n):
    for i in range(30):
        launch("softmax", n, 13 + 0.01 * (i % 3))


def inputs():
    return (64,)


def fails(n):
    return n / 0
