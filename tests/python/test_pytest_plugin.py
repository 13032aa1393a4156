# SPDX-License-Identifier: Apache-2.0
"""`pytest --culprit`, with the real culprit and a GPU that is not there (toy_gpu.cpp)."""
import os
import subprocess
import sys

import pytest

import culprit

TESTS = """
import os, pytest, toy_kernels

SLOWER = float(os.environ.get("SLOWER", "1"))

@pytest.fixture
def warm():
    toy_kernels.launch("softmax", 64, 500)

@pytest.mark.parametrize("n", [1, 2])
def test_softmax(warm, n):
    for i in range(40):
        toy_kernels.launch("softmax", 64, (10 if n == 1 else 10 * SLOWER) + 0.01 * (i % 3))

def test_other():
    toy_kernels.launch("other", 64, 3)

def test_without_kernels():
    assert os.environ.get("BROKEN") is None
"""


@pytest.fixture
def pytest_in(toy):
    (toy / "test_kernels.py").write_text(TESTS)

    def run(*words, status=0, **variables):
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "culprit.pytest_plugin", "-p", "no:cacheprovider", *words],
                              capture_output=True, text=True, env={**os.environ, **variables})
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done

    return run


def test_it_keeps_the_kernels_of_each_test_as_a_run(pytest_in):
    done = pytest_in("--culprit", "--culprit-label", "main", "--culprit-profile", "none", "-v")
    assert "4 passed" in done.stdout and "3 tests launched 81 kernels" in done.stdout
    assert "  test_kernels.py::test_softmax[2]: softmax x40\n" in done.stdout
    assert "  test_kernels.py::test_other: other x1\n" in done.stdout
    rows = culprit.open(frames=False).query(
        "SELECT nvtx, calls FROM program_launch JOIN launch ON launch.id = launch_id ORDER BY first")
    # Both parameters are there, and what the fixture launches is in no test.
    assert [(row["nvtx"].rpartition(" ")[0], row["calls"]) for row in rows] == [
        ("", 2), ("test_softmax[#]", 40), ("test_softmax[#]", 40), ("test_other", 1)]


def test_a_test_whose_kernels_became_slower_fails_and_says_why(pytest_in):
    pytest_in("--culprit", "--culprit-label", "main", "--culprit-profile", "none")
    same = pytest_in("--culprit-base", "main", "--culprit-label", "same", "--culprit-profile", "none")
    assert "no kernel of a test is slower" in same.stdout
    slower = pytest_in("--culprit-base", "main", "--culprit-label", "change", "--culprit-profile", "none", status=1, SLOWER="1.3")
    assert "4 passed" in slower.stdout
    (failed,) = [line for line in slower.stdout.splitlines() if line.startswith("FAILED")]
    assert "test_kernels.py::test_softmax[2]: softmax is 30.0 % slower (10.01 us -> 13.01 us)" in failed
    accepted = pytest_in("--culprit-base", "main", "--culprit-max-slowdown", "40", "--culprit-profile", "none", SLOWER="1.3")
    assert "no kernel of a test is slower" in accepted.stdout
    faster = pytest_in("--culprit-base", "main", "--culprit-profile", "none", SLOWER="0.7")
    assert "no kernel of a test is slower" in faster.stdout


def test_a_failed_test_fails_as_always(pytest_in):
    done = pytest_in("--culprit", "--culprit-profile", "none", status=1, BROKEN="1")
    assert "1 failed, 3 passed" in done.stdout


def test_a_wrong_base_is_said_before_the_tests_run(pytest_in):
    pytest_in("--culprit", "--culprit-label", "main", "--culprit-profile", "none")
    done = pytest_in("--culprit-base", "nowhere", status=4)
    assert "There is no run 'nowhere'" in done.stderr and "passed" not in done.stdout


def test_without_a_gpu_tests_run_and_one_sentence_says_so(pytest_in, toy):
    (toy / "test_kernels.py").write_text("def test_one(): pass\n")
    done = pytest_in("--culprit", "--culprit-profile", "none")
    assert "1 passed" in done.stdout and "GPU" in done.stderr and "Traceback" not in done.stderr
    # A gate that could not judge does not pass.
    culprit.record([sys.executable, "-c", "import toy_kernels; toy_kernels.fast(1)"], label="main", profile="none")
    assert "GPU" in pytest_in("--culprit-base", "main", "--culprit-profile", "none", status=4).stderr


def test_without_the_program_one_sentence_says_what_to_do(pytest_in):
    done = pytest_in("--culprit", status=4, CULPRIT="/nowhere")
    assert "CULPRIT names no program" in done.stderr and "Traceback" not in done.stdout + done.stderr


def test_without_the_option_nothing_is_recorded(pytest_in, toy):
    assert "4 passed" in pytest_in().stdout
    assert not (toy / "toy.db").exists()


def test_it_sits_beside_pytest_benchmark(pytest_in, toy):
    pytest.importorskip("pytest_benchmark")
    (toy / "test_kernels.py").write_text("""
import toy_kernels

def test_softmax(benchmark):
    benchmark.pedantic(toy_kernels.launch, args=("softmax", 64, 10), rounds=40, iterations=1, warmup_rounds=2)
""")
    done = pytest_in("--culprit", "--culprit-label", "main", "--culprit-profile", "none", "-v")
    # One table of each: times of the host, and kernels of the GPU.
    assert "Name (time in " in done.stdout
    assert "  test_kernels.py::test_softmax: softmax x42\n" in done.stdout
