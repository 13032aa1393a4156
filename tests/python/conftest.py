# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
pytest_plugins = ["pytester"]

import culprit  # noqa: E402
from culprit import _program  # noqa: E402


def imported(folder, *files):
    database = folder / "recorded.db"
    _program.ask(["import", "--db", str(database), *(str(ROOT / "tests" / "recorded" / file) for file in files)])
    return database


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """Two versions of two programs: padded and unpadded, before and after; and a benchmark with samples."""
    return imported(tmp_path_factory.mktemp("recorded"), "programs/h200_sxm_cuda13.0_2026-11-22.sql.zst",
                    "lines/h200_sxm_cuda13.0_2026-11-23.sql.zst")


@pytest.fixture
def db(recorded):
    return culprit.open(recorded, frames=False)


@pytest.fixture
def listening(tmp_path, monkeypatch):
    """A program in place of culprit. It keeps its command lines, and answers nothing."""
    kept = tmp_path / "kept"
    program = tmp_path / "listening"
    program.write_text(f"#!/bin/sh\nfor word; do printf '%s\\n' \"$word\" >>{kept}; done\necho >>{kept}\n"
                       "echo 'culprit: it is only a test.' >&2\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setenv("CULPRIT", str(program))
    return lambda: [command.split("\n") for command in kept.read_text().strip("\n").split("\n\n")]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Programs that launch kernels of toy_kernels.py are recorded by the real culprit."""
    library = os.environ["TOY_GPU"]
    monkeypatch.setenv("CULPRIT_INJECT", library)
    monkeypatch.setenv("CULPRIT_DB", str(tmp_path / "toy.db"))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'python'}:{pathlib.Path(__file__).parent}")
    monkeypatch.syspath_prepend(str(pathlib.Path(__file__).parent))
    monkeypatch.chdir(tmp_path)
    return tmp_path
