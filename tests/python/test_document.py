# SPDX-License-Identifier: Apache-2.0
"""docs/python.md: its sessions run on shipped recordings, and its names are there."""
import doctest
import inspect
import re

import culprit
from conftest import ROOT, imported

DOCUMENT = ROOT / "docs" / "python.md"


def test_sessions_print_what_the_document_says(tmp_path, monkeypatch):
    imported(tmp_path, "programs/h200_sxm_cuda13.0_2026-11-22.sql.zst").rename(tmp_path / "culprit.db")
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(DOCUMENT), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted >= 5 and result.failed == 0


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
