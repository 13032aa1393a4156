# SPDX-License-Identifier: Apache-2.0
"""What a database holds, against the command itself."""
import json
import stat
import subprocess

import pytest

import culprit
from culprit import _program, _tables


def said(*words):
    return subprocess.run([_program.find(), *map(str, words)], capture_output=True, text=True, check=True).stdout


def test_runs_are_those_of_the_command(db, recorded):
    runs = json.loads(said("runs", "--db", recorded, "--json"))["list"]["runs"]
    assert db.runs() == runs
    assert {"padded", "unpadded", "before", "after"} <= {run["run_label"] for run in db.runs()}
    assert db.run("padded").uuid == next(run["run_uuid"] for run in runs if run["run_label"] == "padded")
    assert db.run("ec8e3d86").label == "padded"


def test_kernels_of_a_program_have_their_times(db):
    (kernel,) = [row for row in db.kernels("padded") if row["stage"] == "transpose_tile"]
    assert kernel["median_us"] > 0 and kernel["calls"] > 1
    assert db.run("padded").kernels() == db.kernels("padded")


def test_kernels_of_a_benchmark_have_their_shape(db):
    rows = db.kernels("h200-lines")
    assert {"v1_6", "v1_7"} <= {row["stage"] for row in rows}
    assert {row["shape"] for row in rows} == {"2048x2048x2048"}


def test_query_takes_values(db):
    assert db.query("SELECT :a AS a, :b AS b", a=3, b="x y") == [{"a": 3, "b": "x y"}]
    assert "stage" in db.query("@ladder")[0]


def test_an_explanation_of_two_kernels(db, recorded):
    why = db.why("padded", "unpadded", kernel="transpose_tile")
    data = json.loads(said("why", "transpose_tile", "--base", "padded", "--cand", "unpadded", "--db", recorded, "--json"))
    assert not why.whole
    assert (why.verdict, why.base_us, why.candidate_us) == ("slower", data["base_us"], data["candidate_us"])
    assert why.causes == data["causes"] and why.causes[0]["cause"] == data["causes"][0]["cause"]
    assert abs(why.delta_us - sum(cause["delta_us"] for cause in why.causes) - why.unexplained_us) < 1e-6
    assert str(why) == said("why", "transpose_tile", "--base", "padded", "--cand", "unpadded", "--db", recorded)
    assert why.headline and why.headline in " ".join(str(why).split())
    assert why.parts == []


def test_kernels_may_be_named_with_their_runs(db):
    assert db.why("transpose_tile@padded", "transpose_tile@unpadded").delta_us == db.why(
        "padded", "unpadded", kernel="transpose_tile").delta_us


def test_an_explanation_of_two_programs(db):
    why = db.why(db.run("before"), "after")
    assert why.whole and why.parts
    assert abs(sum(part["delta_us"] for part in why.parts) - why.delta_us) < 1e-6 * abs(why.base_us)
    assert why.verdict in ("slower", "faster", "same", "ambiguous")
    left = [part["unexplained_us"] for part in why.parts if part["unexplained_us"] is not None]
    assert why.unexplained_us == (sum(left) if left else None)
    with pytest.raises(culprit.Error, match="kernel=NAME"):
        why.lines


def test_lines_of_a_kernel_and_of_a_difference(db):
    lines = db.lines("v1_6", run="h200-lines")
    assert lines[0]["file"].endswith((".cu", ".cuh")) and lines[0]["waited_for_us"] >= lines[-1]["waited_for_us"]
    why = db.why("v1_7@h200-lines", "v1_6@h200-lines")
    assert why.lines and {"base_line", "candidate_line", "delta_us"} <= set(why.lines[0])


def test_what_the_command_refuses_is_an_error_with_its_sentence(db):
    with pytest.raises(culprit.Error) as refused:
        db.why("padded", "nowhere")
    assert refused.value.status == 2 and "nowhere" in str(refused.value) and not str(refused.value).startswith("culprit:")
    with pytest.raises(culprit.Error, match="read-only|may only|refuse|write"):
        db.query("DELETE FROM run")
    with pytest.raises(culprit.Error, match="There is no run 'x'.*padded"):
        db.run("x")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(culprit.Error, match="There is no database"):
        culprit.open(tmp_path / "none.db")


def test_tables_are_frames_only_where_pandas_is(db, recorded, monkeypatch):
    monkeypatch.setattr(_tables.importlib.util, "find_spec", lambda name: None)
    assert isinstance(culprit.open(recorded).runs(), list)
    monkeypatch.undo()
    pandas = pytest.importorskip("pandas")
    frame = culprit.open(recorded).runs()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(db.runs())
    assert list(frame["run_label"]) == [run["run_label"] for run in db.runs()]


def test_the_program_of_a_wheel_comes_first(tmp_path, monkeypatch):
    named = tmp_path / "bin" / "culprit"
    named.parent.mkdir()
    named.symlink_to(_program.find())
    monkeypatch.delenv("CULPRIT")
    monkeypatch.setenv("PATH", str(named.parent))
    assert _program.find() == str(named)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(culprit.Error, match="There is no program culprit: install"):
        _program.find()
    monkeypatch.setenv("CULPRIT", "nowhere/culprit")
    with pytest.raises(culprit.Error, match="nowhere/culprit"):
        culprit.version()
    packed = tmp_path / "program" / "bin" / "culprit"
    packed.parent.mkdir(parents=True)
    packed.write_text("#!/bin/sh\n")
    packed.chmod(packed.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(_program, "__file__", str(tmp_path / "_program.py"))
    assert _program.find() == str(packed)


def test_a_program_that_cannot_be_run(tmp_path, monkeypatch):
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF no")
    broken.chmod(0o755)
    monkeypatch.setenv("CULPRIT", str(broken))
    with pytest.raises(culprit.Error, match="cannot be run"):
        culprit.version()


def test_version_names_a_commit_or_none():
    assert culprit.version().startswith("culprit 0.")
