# SPDX-License-Identifier: Apache-2.0
"""`pytest --culprit`: which kernels each test launches, kept as a run; with --culprit-base, which of them became slower.

pytest runs itself once more under `culprit record`, where each test is an NVTX range. When that has ended, the outer
pytest judges the recorded kernels of each test.
"""
import os
import re
import sys
import tempfile

import pytest
from _pytest.config import create_terminal_writer

from . import _nvtx, _program
from ._database import Database, default_file
from ._recording import record

# Set in the pytest that is recorded: the file where it lists its tests.
_RECORDED = "CULPRIT_PYTEST"


def pytest_addoption(parser):
    group = parser.getgroup("culprit", "CUDA kernels of tests (culprit)")
    group.addoption("--culprit", action="store_true", help="record which kernels each test launches, as a run")
    group.addoption("--culprit-label", metavar="TEXT", default="pytest", help="the run's label (default: pytest)")
    group.addoption("--culprit-base", metavar="RUN", help="fail tests whose kernels are slower than in this run, and say why")
    group.addoption("--culprit-max-slowdown", metavar="PERCENT", type=float, default=2.0,
                    help="accepted increase of a kernel's time (default: 2)")
    group.addoption("--culprit-profile", metavar="SET", help="as --profile of 'culprit record'")
    group.addoption("--culprit-db", metavar="FILE", help="the database (default: $CULPRIT_DB, else culprit.db)")


def pytest_configure(config):
    config.addinivalue_line("markers", "culprit_skip: do not judge the kernels of this test")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    """Only what the test itself does is in its range, not its fixtures."""
    if _RECORDED not in os.environ:
        yield
        return
    if item.get_closest_marker("culprit_skip") is None:
        with _nvtx.annotate(range_of(item.nodeid)):
            yield
    else:
        yield


def range_of(nodeid):
    """The range of a test. It ends in letters, because ranges that differ in digits alone count as one, and it has no
    '/', which separates ranges."""
    name = nodeid.rpartition("::")[2].replace("/", ".")
    return f"{name} {_nvtx.letters(nodeid)}"


def pytest_collection_finish(session):
    if _RECORDED in os.environ:
        with open(os.environ[_RECORDED], "a", encoding="utf-8") as listed:
            listed.writelines(item.nodeid.replace("\n", " ") + "\n" for item in session.items)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    options = config.option
    if not (options.culprit or options.culprit_base) or options.collectonly or os.environ.get(_RECORDED):
        return None
    try:
        return _record_and_judge(config)
    except _program.Error as error:
        print(f"culprit: {error}", file=sys.stderr)
        return pytest.ExitCode.USAGE_ERROR


def _record_and_judge(config):
    options = config.option
    database = Database(options.culprit_db or default_file(), frames=False)
    base = None
    if options.culprit_base:
        base = database.run(options.culprit_base)  # a wrong name is said before the tests run
    command = [sys.executable, "-m", "pytest", *config.invocation_params.args]
    with tempfile.TemporaryDirectory(prefix="culprit-") as folder:
        listed = os.path.join(folder, "tests")
        try:
            run = record(command, options.culprit_label, options.culprit_profile, db=database.file,
                         environment={**os.environ, _RECORDED: listed})
        except _program.Error as error:
            if error.status is None or base is not None:
                raise  # a gate that could not judge must not pass
            return error.status  # the tests ran, and culprit has said why it recorded nothing
        with open(listed, encoding="utf-8") as names:
            nodeids = {_stored(range_of(nodeid)): nodeid for nodeid in names.read().splitlines()}
    tests = _tests_of(database, run)
    slower = []
    if base is not None:
        before = _tests_of(database, base)
        for mark, launches in tests.items():
            slower += [(mark, *found) for found in
                       _slower(database, base, run, mark, before.get(mark, []), launches, options.culprit_max_slowdown)]
    _say(config, run, base, tests, slower, nodeids)
    return run.exit_status or (int(pytest.ExitCode.TESTS_FAILED) if slower else 0)


_LAUNCHES = """SELECT k.stage, k.shape, p.nvtx, p.calls, p.time_us, k.median_us
FROM kernel_summary AS k JOIN program_launch AS p USING (launch_id) WHERE k.run_uuid = :run ORDER BY p.first"""


def _tests_of(database, run):
    """The launches of each test, by its range."""
    tests = {}
    for launch in database.query(_LAUNCHES, run=run.uuid):
        mark = launch["nvtx"].partition("/")[0]
        if re.search(r" [a-z]{8}$", mark):
            tests.setdefault(mark, []).append(launch)
    return tests


def _slower(database, base, run, mark, before, launches, most_pct):
    """(kernel, change in percent, why) for each kernel of a test that is slower beyond the limit and the noise."""
    was = {(launch["stage"], launch["shape"], launch["nvtx"]): launch for launch in before}
    for launch in launches:
        old = was.get((launch["stage"], launch["shape"], launch["nvtx"]))
        if old is None or not old["median_us"] or not launch["median_us"]:
            continue
        if 100 * (launch["median_us"] / old["median_us"] - 1) <= most_pct:
            continue
        why = database.why(base, run, launch["stage"], nvtx=mark, shape=launch["shape"])
        change = 100 * (why.candidate_us / why.base_us - 1)
        if why.verdict == "slower" and change > most_pct:
            yield launch["stage"], change, why


def _say(config, run, base, tests, slower, nodeids):
    writer = create_terminal_writer(config, sys.stdout)  # this pytest has no session, so no reporter
    launches = sum(launch["calls"] for of_test in tests.values() for launch in of_test)
    writer.sep("=", "kernels of tests" if base is None else f"kernels of tests against {base.label or base}")
    writer.line(f"run {run}{' ' + run.label if run.label else ''}: {len(tests)} tests launched {launches} kernels"
                f" (culprit report --db {run.database.file} --run {run})")
    if config.option.verbose > 0:
        for mark, of_test in tests.items():
            kernels = ", ".join(f"{launch['stage']} x{launch['calls']}" for launch in of_test)
            writer.line(f"  {nodeids.get(mark, mark)}: {kernels}")
    for mark, kernel, change, why in slower:
        writer.line(f"FAILED {nodeids.get(mark, mark)}: {kernel} is {change:.1f} % slower"
                    f" ({why.base_us:.4g} us -> {why.candidate_us:.4g} us)", red=True)
        writer.line(f"  {why.headline or why.data['verdict_reason']}")
    if base is not None and not slower:
        writer.line("no kernel of a test is slower beyond the limit")


def _stored(name):
    """As the database has ranges: each number is '#'."""
    return re.sub("[0-9]+", "#", name)
