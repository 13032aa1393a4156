# SPDX-License-Identifier: Apache-2.0
"""Recording from Python, with the real culprit and a GPU that is not there (toy_gpu.cpp)."""
import json
import os
import subprocess
import sys

import pytest

import culprit


def run(*words, status=0, **variables):
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env={**os.environ, **variables})
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def test_record_returns_the_run(toy, capfd):
    (toy / "program.py").write_text("import toy_kernels, sys\ntoy_kernels.fast(64)\nprint('its output')\nsys.exit(5)\n")
    run_ = culprit.record([sys.executable, "program.py"], label="one", profile="none", frames=False)
    assert (run_.label, run_.exit_status, run_.state) == ("one", 5, "complete")
    (kernel,) = run_.kernels()
    assert (kernel["stage"], kernel["calls"], kernel["shape"]) == ("softmax", 30, "64x1x1x256x1x1")
    assert 10 <= kernel["median_us"] <= 10.02
    out, err = capfd.readouterr()
    assert out == "its output\n" and "recorded run" in err
    again = culprit.record([sys.executable, "program.py"], label="one", profile="none", frames=False)
    assert again.uuid != run_.uuid and [row["run_uuid"] for row in again.database.runs()] == [again.uuid, run_.uuid]


def test_kernels_know_the_line_that_launched_them(toy):
    (toy / "site-packages").mkdir()
    (toy / "site-packages" / "library.py").write_text(
        "import toy_kernels\ndef launch(kernel, n):\n    return toy_kernels._library.toy_launch(kernel.encode(), n, "
        "toy_kernels.ctypes.c_double(10))\n")
    (toy / "program.py").write_text("""\
import sys, threading
sys.path.append("site-packages")
import culprit, library

def step(n):
    for i in range(3):
        library.launch("looped", n)

def batches():
    for n in (1, 2):
        library.launch("generated", 1)
        yield n

for n in batches():
    with culprit.annotate(f"step {n}"):
        step(n)
library.launch("looped", 1)
thread = threading.Thread(target=lambda: library.launch("threaded", 1))
thread.start()
thread.join()
library.launch("told",
               1)
""")
    run_ = culprit.record([sys.executable, "program.py"], profile="none", frames=False)
    folder = f"{toy}/"
    found = {(row["stage"], row["shape"][0], row["nvtx"]): row["launched_at"] for row in run_.kernels()}
    assert all(place.startswith(folder) for place in found.values()), found
    found = {launch: place[len(folder):] for launch, place in found.items()}
    assert found == {
        ("looped", "1", "step #"): "program.py:7 (step)", ("looped", "2", "step #"): "program.py:7 (step)",
        ("looped", "1", ""): "program.py:17", ("generated", "1", ""): "program.py:11 (batches)",
        ("threaded", "1", ""): "program.py:18 (<lambda>)", ("told", "1", ""): "program.py:21"}
    shown = json.loads(culprit._program.ask(["show", "looped", "--shape", "2x1x1x256x1x1", "--json"]))
    assert shown["program"]["python_stack"] == [
        {"file": folder + "program.py", "line": 7, "function": "step"},
        {"file": folder + "program.py", "line": 16, "function": "<module>"}]
    text = culprit._program.ask(["report"])
    assert "First launched at" in text and "program.py:11 (batches)" in text


def test_a_program_without_a_gpu_has_no_run(toy):
    with pytest.raises(culprit.Error, match="GPU") as nothing:
        culprit.record([sys.executable, "-c", "import sys; sys.exit(3)"], profile="none")
    assert nothing.value.status == 3


def test_the_module_records_this_interpreter_with_a_script(toy):
    (toy / "script.py").write_text("import sys, toy_kernels\ntoy_kernels.fast(int(sys.argv[1]))\nprint(sys.executable)\n")
    done = run("-m", "culprit", "record", "--profile", "none", "--label", "s", "script.py", "128")
    assert done.stdout == sys.executable + "\n"
    assert culprit.open(frames=False).kernels("s")[0]["shape"].startswith("128x")
    assert run("-m", "culprit", "--version").stdout == culprit.version() + "\n"


def test_compare_explains_two_functions_of_a_module(toy):
    found = culprit.compare("toy_kernels:fast", "toy_kernels:slow", inputs="toy_kernels:inputs", warmup=0, calls=2,
                            processes="8..8", profile="none", label="c", frames=False)
    assert (found.verdict, found.outcome, found.exit_status) == ("slower", "regression", 1)
    assert not found.whole and found.data["base"] == found.data["candidate"] == "softmax"
    assert 10 <= found.base_us <= 10.02 and 13 <= found.candidate_us <= 13.02
    assert found.runs == ["c-old", "c-new"] and len(found.processes) == 16
    assert str(found).startswith("toy_kernels:fast against toy_kernels:slow: Slower: toy_kernels:slow as a whole by ")
    database = culprit.open(frames=False)
    # Two calls of 30 launches in each process.
    assert {row["calls"] for run_ in found.processes for row in database.kernels(run_["run_uuid"])} == {60}


def test_compare_takes_functions_of_a_script(toy):
    (toy / "script.py").write_text("""
import culprit, toy_kernels

class Size:
    def __init__(self, n): self.n = n

def old(size): toy_kernels.launch("k", size.n, 20)
def new(size): toy_kernels.launch("k", size.n, 20 if size.n != 32 else 10)

if __name__ == "__main__":
    found = culprit.compare(old, new, (Size(32),), warmup=0, calls=9, processes="8..8", profile="none", frames=False)
    print(found.verdict, found.outcome, found.base_us, found.candidate_us)
""")
    assert run("script.py").stdout == "faster fine 20.0 10.0\n"


def test_a_function_that_fails_says_why(toy):
    with pytest.raises(culprit.Error, match="^toy_kernels:fails failed: ZeroDivisionError: division by zero$"):
        culprit.compare("toy_kernels:fast", "toy_kernels:fails", (64,), warmup=0, processes="8..8")


def test_study_has_a_row_for_each_shape_and_range(toy):
    (toy / "studied.py").write_text("""
import culprit, toy_kernels

@culprit.study(shapes=[(64, 1), (64, 2), {"n": 128}], warmup=1, calls=4, profile="none", frames=False)
def kernel(n, factor=3):
    toy_kernels.launch("outside", n, 1)
    with culprit.annotate("inside"):
        toy_kernels.launch("scaled", n, 10 * factor)

if __name__ == "__main__":
    found = kernel()
    for row in found.table:
        print(row["n"], row.get("factor"), row["range"] or "-", row["kernel"], row["calls"], row["median_us"])
    print(found)
""")
    lines = run("studied.py").stdout.splitlines()
    # Shapes that differ in digits alone are told apart, and the warm-up is in none.
    assert sorted(lines[:6]) == sorted([
        "64 1 - outside 4 1.0", "64 1 inside scaled 4 10.0", "64 2 - outside 4 1.0", "64 2 inside scaled 4 20.0",
        "128 None - outside 4 1.0", "128 None inside scaled 4 30.0"])
    assert lines[6].split() == ["n", "factor", "range", "kernel", "calls", "median_us", "min_us"]
    assert len(lines) == 13


def test_ranges_do_nothing_without_a_tool(monkeypatch):
    code = "import culprit\nwith culprit.annotate('a'): print('ran')\n@culprit.annotate('b')\ndef f(x): return x\nprint(f(3))"
    for tool in ("", "/nowhere.so", sys.executable):
        done = run("-c", code, NVTX_INJECTION64_PATH=tool, PYTHONPATH=str(culprit.__path__[0] + "/.."))
        assert done.stdout == "ran\n3\n" and done.stderr == ""


def test_versus_records_a_part_of_each(toy):
    (toy / "part.py").write_text("""
import culprit, sys, toy_kernels
toy_kernels.launch("warm", 1, 5000 if sys.argv[1] == "old" else 1)
with culprit.annotate("part"):
    for i in range(9):
        toy_kernels.launch("k", 1, 10 if sys.argv[1] == "old" else 20)
""")
    words = ["versus", "--processes", "8..8", "--profile", "none", "--label", "o,n", "--format", "json"]
    programs = ["--", sys.executable, "part.py", "old", "--", sys.executable, "part.py", "new"]
    answer = json.loads(culprit._program.ask([*words, "--capture", "nvtx:part", *programs], (1,)))
    assert [q["verdict"] for q in answer["ab"]["quantities"]] == ["slower", "slower"]
    assert [row["stage"] for row in culprit.open(frames=False).run("n").kernels()] == ["k"]
    with pytest.raises(culprit.Error, match="nvtx:RANGE"):
        culprit._program.ask([*words, "--capture", "nonsense", *programs])
