# SPDX-License-Identifier: Apache-2.0
"""docs/python.md: its sessions run on shipped recordings and a GPU that is not there, and its names are there."""
import doctest
import inspect
import os
import re
import shlex
import subprocess
import sys

import pytest

import culprit
from conftest import ROOT, imported

DOCUMENT = ROOT / "docs" / "python.md"
# The reader's module.
KERNELS = """
import os, culprit, toy_kernels

SLOWER = float(os.environ.get("SLOWER", "1"))

def launch(us):
    for i in range(30):
        toy_kernels.launch("softmax_kernel", 64, us + 0.01 * (i % 3))

def old(x):
    launch(10)

def new(x):
    launch(13)

def inputs():
    return (1,)

@culprit.study(shapes=[(1024,), (4096,)])
def softmax(n):
    with culprit.annotate("softmax"):
        launch(n / 100 * SLOWER)
"""
TESTS = """
import kernels

def test_softmax():
    kernels.softmax.__wrapped__(4096)
"""


@pytest.fixture
def reader(toy, monkeypatch):
    """A folder with kernels.py. The driver is that of the GPU that is not there, so the window of a recording opens."""
    os.symlink(os.environ["TOY_GPU"], toy / "libcuda.so.1")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(toy))
    monkeypatch.setenv("CULPRIT_DB", "culprit.db")
    monkeypatch.setenv("PYTHONPATH", f"{os.environ['PYTHONPATH']}:{toy}")
    monkeypatch.syspath_prepend(str(toy))
    (toy / "kernels.py").write_text(KERNELS)
    yield toy
    sys.modules.pop("kernels", None)


def test_sessions_print_what_the_document_says(reader):
    imported(reader, "programs/h200_sxm_cuda13.0_2026-11-22.sql.zst").rename(reader / "culprit.db")
    result = doctest.testfile(str(DOCUMENT), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted >= 12 and result.failed == 0


def test_pytest_prints_what_the_document_says(reader):
    (reader / "test_softmax.py").write_text(TESTS)
    block = re.search(r"^```\n\$ (pytest .*)\n((?:.*\n)+?)```", DOCUMENT.read_text(), re.MULTILINE)

    def run(*words, **variables):
        return subprocess.run([sys.executable, "-m", "pytest", "-p", "culprit.pytest_plugin", "-p", "no:cacheprovider", *words],
                              capture_output=True, text=True, env={**os.environ, **variables})

    assert run("--culprit", "--culprit-label", "main").returncode == 0
    done = run(*shlex.split(block[1])[1:], SLOWER="1.3")
    assert done.returncode == 1
    assert doctest.OutputChecker().check_output(block[2], done.stdout, doctest.ELLIPSIS), done.stdout


def test_names_of_the_document_are_those_of_the_package():
    text = DOCUMENT.read_text()
    for name in re.findall(r"culprit\.([a-z]+)\(", text):
        assert name in culprit.__all__, name
    parameters = inspect.signature(culprit.compare).parameters
    for name in ("inputs", "args", "kwargs", "warmup", "calls", "kernels", "processes", "budget", "max_slowdown", "profile"):
        assert name in parameters and f"`{name}" in text or f"({name}" in text, name
    from culprit import pytest_plugin

    options = re.findall(r'addoption\("(--[a-z-]+)"', inspect.getsource(pytest_plugin))
    for option in re.findall(r"--culprit[a-z-]*", text):
        assert option in options, option
