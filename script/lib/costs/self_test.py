# SPDX-License-Identifier: Apache-2.0
"""Checks the script on invented measurements, and on a stand-in for culprit. Needs no GPU."""
import os
import sys
import tempfile

from . import checks, document, execution, limits, measurements, programs, recording, session
from .invented_database import MIGRATIONS, InventedDatabase, executable
from .measurements import Measured


def row(way, wall_s, **more):
    known = {"kind": "numerics", "way": way, "gpu": "Invented", "driver": "1", "culprit": "culprit 0", "ncu": "2025", "output": "",
             "metrics": ""}
    return {**dict.fromkeys(measurements.COLUMNS), **known, "wall_s": wall_s, "ended_by_limit": 0, "status": 0, **more}


def recorded(way, wall_s, **more):
    known = {"kernels": 6, "counted_kernels": 6, "calls": 600, "timed_calls": 600, "kernel_us": 600_000.0, "same_output": 1,
             "configurations": 2, "timed_wall_s": wall_s / 2, "peak_kib": 50_000, "database_kib": 900, "counted_share": 1.0,
             "replayed": 18}
    return row(way, wall_s, **{**known, **more})


# Bare: 1 s. The limits are 1.8 s for the timed execution (two configurations) and 7.2 s for the whole recording.
def usual(judged, *more):
    return [row("bare", 0.9), row("bare", 1.0), row("bare", 5.0), recorded("none", 1.2), recorded("none", 1.2),
            recorded(limits.USUAL, **judged), recorded(limits.USUAL, **judged), *more]


def holds(rows):
    """By the limit's name."""
    return {one.name: one.holds for one in limits.limits_of(Measured("numerics", rows), False)}


def check_limits(expect):
    good = {"wall_s": 3.0, "kernel_us": 605_000.0}
    expect(set(holds(usual(good)).values()) == {True}, "a recording within all limits breaks none")
    for change, name in (({"kernel_us": 607_000.0}, "GPU time"), ({"timed_wall_s": 1.81}, "wall time of the timed execution"),
                         ({"wall_s": 7.3, "timed_wall_s": 1.0}, "whole recording"), 
                         ({"counted_kernels": 5, "counted_share": 0.99}, "kernels with counters"),
                         ({"same_output": 0}, "output and status"), ({"peak_kib": 390_700}, "memory of culprit"),
                         ({"database_kib": 4_883}, "database")):
        broken = [key for key, value in holds(usual({**good, **change})).items() if value is False]
        expect(broken == [name], f"{change} breaks '{name}' alone, not {broken}")
    expect(holds(usual({**good, "counted_kernels": 5, "counted_share": 0.9995}))["kernels with counters"],
           "a kernel with less than a thousandth of the time may lack counters")
    # What was not measured is neither right nor wrong.
    for change, name in (({"kernel_us": None}, "GPU time"), ({"timed_wall_s": None}, "wall time of the timed execution"),
                         ({"kernels": None}, "kernels with counters"), ({"same_output": None}, "output and status"),
                         ({"peak_kib": None}, "memory of culprit"), ({"database_kib": None}, "database")):
        known = holds([one if one["way"] != "none" else {**one, "same_output": None} for one in usual({**good, **change})])
        expect(known[name] is None, f"{change} leaves '{name}' unknown, not {known[name]}")
    expect(holds(usual({"wall_s": 60.0, "ended_by_limit": 1}))["whole recording"] is False, "what is ended by its limit took too long")
    expect(holds([recorded(limits.USUAL, 3.0)])["whole recording"] is None, "without a bare execution there is no limit")
    # The program's own events count more than the times of kernels.
    with_events = [{**one, "gpu_ms": 101.1 if one["way"] == limits.USUAL else 100.0} for one in usual(good)]
    expect(holds(with_events)["GPU time"] is False, "1.1 % more by the program's own events is too much")
    # Equal executions differ.
    def noisy(none, default):
        rows = [one for one in usual(good) if one["way"] == "bare"]
        return holds(rows + [recorded("none", 1.2, kernel_us=one) for one in none]
                     + [recorded(limits.USUAL, 3.0, kernel_us=one) for one in default])["GPU time"]
    quiet, loud = (599_900.0, 600_000.0, 600_100.0), (600_000.0, 640_000.0, 612_000.0)
    expect(noisy(quiet, loud) is None and noisy(loud, [1.02 * one for one in loud]) is None, "2 % more is not told where equal executions differ by 7 %")
    expect(noisy(quiet, [1.1 * one for one in loud]) is False, "but 15 % more is")
    expect(noisy(quiet, [1.009 * one for one in quiet]) is True, "0.9 % more holds where equal executions differ by less than that")
    expect(noisy((597_000.0, 600_000.0, 603_000.0), (603_500.0, 606_600.0, 609_000.0)) is None, "1.1 % more may be 0.9 %")
    expect(noisy(quiet[:1], [700_000.0]) is None, "executed once, nothing is told")
    expect(noisy(quiet, [700_000.0]) is False, "the other's noise tells")
    expect(noisy(3 * (594_000.0, 600_000.0, 606_000.0), 3 * (598_000.0, 600_100.0, 606_000.0)) is True, "more executions tell more")
    # Of a window, each call counts, not the number of calls.
    window = usual({**good, "calls": 900, "timed_calls": 900, "kernel_us": 900_000.0})
    expect(holds(window)["GPU time"] is True, "GPU time is compared by call")


def check_ncu(expect):
    def sampled(calls, *ncu):
        return holds(usual({"wall_s": 3.0, "calls": calls}, *ncu))["of ncu's added time"]

    def core(*ncu):
        return holds(usual({"wall_s": 3.0}, recorded("core", 3.0), *ncu))["`core`, of ncu's added time"]

    def ncu(way, wall_s, asked, **more):
        return row(way, wall_s, **{"ncu_asked": asked, "ncu_launches": asked, "ncu_metrics": 9, **more})

    # Culprit adds 2 s to a bare program of 1 s.
    expect(sampled(500, ncu("ncu", 21.5, 500)) is True, "2 s against 20.5 s is within a tenth")
    expect(sampled(500, ncu("ncu", 20.5, 500)) is False, "2 s against 19.5 s is not")
    one, some = ncu("ncu_one", 3.0, 1), ncu("ncu", 12.98, 500)  # 0.02 s for a launch
    expect(sampled(910, one, some) is True, "910 launches take 21.18 s, so 2 s is within a tenth")
    expect(sampled(890, one, some) is False, "890 launches take 20.78 s, so 2 s is not")
    expect(sampled(890, some) is None, "without ncu's start nobody knows what all launches take")
    cut = ncu("ncu", 12.98, 500, ended_by_limit=1, ncu_launches=None)
    expect(sampled(910, one, cut) is True, "what was cut short takes at least as long")
    expect(sampled(890, one, cut) is None, "or longer, which does not tell")
    expect(sampled(500, ncu("ncu", 0.9, 500)) is None, "ncu does not make programs faster")
    expect(core(ncu("ncu_core", 7.1, 18)) is True, "2 s against 6.1 s is within a third")
    expect(core(ncu("ncu_core", 6.9, 18)) is False, "2 s against 5.9 s is not")
    expect(core(ncu("ncu_core", 6.9, 18, ncu_launches=9)) is None, "half of the launches do not tell")
    few = ncu("ncu_core", 7.1, 18)
    expect(core(few, ncu("ncu_core_many", 7.2, 600)) is True, "2 s against 6.2 s is within a third")
    expect(core(few, ncu("ncu_core_many", 6.9, 600)) is False, "many launches decide, not as many as were replayed")
    all_of_600 = {"ncu_asked": 1000, "ncu_launches": 600}
    expect(core(ncu("ncu_core_many", 6.9, 600, **all_of_600)) is False, "a program may have fewer launches than ncu was asked for")
    cut_at_300 = {"ncu_asked": 1000, "ncu_launches": 300, "ended_by_limit": 1}
    expect(core(ncu("ncu_core_many", 7.1, 1000, **cut_at_300)) is True, "what was cut short takes longer")
    expect(core(ncu("ncu_core_many", 6.9, 1000, **cut_at_300)) is None, "how much longer, nobody knows")
    cut = ncu("ncu_core_many", 6.9, 1000, **cut_at_300)  # with a start of 3 s: 0.013 s for a launch, 10.8 s for 600
    expect(core(cut, one) is True, "but the launches that it counted tell it roughly")
    expect(core(cut, ncu("ncu_one", 6.85, 1)) is None, "too roughly to say that a limit is broken")
    nothing = usual({"wall_s": 3.0}, recorded("core", 1.1, replayed=0), ncu("ncu_core_many", 9.0, 600))
    expect(holds(nothing)["`core`, of ncu's added time"] is None, "a recording that replays nothing is not fast")
    expect(not any("ncu" in name for name in holds(usual({"wall_s": 3.0}))), "nobody asked ncu")
    time = limits.ncu_time(Measured("numerics", [one, some]), 1001)
    expect(abs(time.seconds - 23.0) < 1e-9 and time.is_estimate, f"1,001 launches take 23 s: {time}")


def check_summary(expect):
    got = recording.summary([("a", "a(int)", 10, 100.0, 3, 1), ("a", "a(int)", 5, 50.0, 0, 0), ("b", "b()", 1, 50.0, 0, 0),
                             ("w", "void WaitForHost(int*)", 4, 800.0, 0, 1), ("n", "n()", 2, None, 0, 0)], ("WaitForHost",))
    wanted = {"kernels": 4, "counted_kernels": 2, "calls": 22, "replayed": 3, "kernel_us": 200.0, "timed_calls": 16,
              "counted_share": 0.9}
    expect(got == wanted, f"the summary of launches is {got}")
    empty = recording.summary([], ())
    expect(empty["kernel_us"] is None and empty["counted_share"] is None, "no launches have no time")


def check_file(expect, scratch):
    rows = usual({"wall_s": 3.0}) + [row("ncu", 20.0, ended_by_limit=1, status=None, ncu_launches=7)]
    path = os.path.join(scratch, "costs.csv")
    measurements.write(path, rows)
    expect(measurements.read(path) == rows, "the file gives back what was written")
    text = document.document(measurements.read(path), "costs.csv")
    for part in ("Invented, driver 1", "| 1.00 s | 1.20 s, 1.2 x | 3.00 s, 3.0 x |  |  | longer than 20.00 s, 20.0 x |",
                 "+0.00 % against `none` (limit +1.00 %)", "6 of 6, 100.0 % of the time"):
        expect(part in text, f"the page says '{part}'")
    slow = document.document(usual({"wall_s": 9.0, "timed_wall_s": 1.0}), "costs.csv")
    expect("**9.00 s (limit 7.20 s)**" in slow and "| **no** |" in slow, "the page says that a limit is broken")


def check_execution(expect, scratch):
    done = execution.execute(["sh", "-c", "echo out; echo err >&2; exit 3"], scratch, 10)
    expect((done.status, done.output, done.errors, done.was_ended) == (3, b"out\n", "err\n", False), f"status and output: {done}")
    done = execution.execute(["sh", "-c", "sleep 20 & wait"], scratch, 0.2)
    expect(done.was_ended and done.wall_s == 0.2, f"a time limit ends a command and its children: {done}")
    done = execution.execute(["sh", "-c", "trap 'echo served; exit 4' TERM; while :; do sleep 0.05; done"], scratch, 10, 0.3)
    expect((done.status, done.output) == (4, b"served\n") and done.wall_s >= 0.3, f"a server is told to end: {done}")
    # A killed process holds the GPU's memory until the driver has let it go. Here one in a session of its own stays longer.
    held = os.path.join(scratch, "held")
    staying = f"touch '{held}'; setsid sh -c \"sleep 0.7; rm '{held}'\" & sleep 20"
    execution.execute(["sh", "-c", staying], scratch, 0.3)
    expect(not os.path.exists(held), "after a time limit, the end of what the command started is awaited")
    walls = [execution.execute(["sleep", "0.12"], scratch, 10).wall_s for _ in range(5)]
    expect(min(walls) < 0.155, f"a time has no steps: {walls}")
    large = [sys.executable, "-c", "import time; x = bytearray(b'1') * (100 << 20); time.sleep(0.3)"]
    expect(execution.execute(large, scratch, 10).peak_kib > 100 << 10, "100 MiB are seen in the peak of memory")
    expect(execution.execute(["sh", "-c", "kill -9 $$"], scratch, 10).status == 137, "a signal is 128 and its number")


def make_database(path):
    """One kernel has counters, the other none."""
    with InventedDatabase(path) as db:
        run = db.insert("run", uuid="u")
        db.insert("program", run_id=run, source="record", wall_us=1_500_000.0)
        metrics = [db.insert("metric", key="inst_executed", source="sampled", cupti_name="smsp__inst_executed.sum"),
                   db.insert("metric", key="own", source="sampled", cupti_name="TPC.TriageCompute.own.sum")]
        for kernel, calls in (("one", 3), ("two", 2)):
            stage = db.insert("stage", key=kernel)
            launch = db.insert("launch", run_id=run, stage_id=stage, shape="1", state="ok")
            db.insert("program_launch", launch_id=launch, name=kernel, calls=calls, time_us=10.0 * calls)
            if kernel == "one":
                for metric in metrics:
                    db.insert("metric_value", launch_id=launch, metric_id=metric, value=1.0, status="ok")
        for position in range(2):
            db.insert("timeline_turn", run_id=run, gpu=0, position=position, covered_ns="[]")


def check_session(expect, scratch):
    if not os.path.isdir(MIGRATIONS):
        return
    root, tools = os.path.join(scratch, "root"), os.path.join(scratch, "tools")
    database = os.path.join(scratch, "invented.db")
    make_database(database)
    # In place of culprit: runs the program, and leaves the invented database. With "core", the program's output is lost.
    executable(os.path.join(root, "bin", "culprit"), f"""#!/bin/sh
[ "$1" = record ] || {{ echo culprit 0; exit; }}
cp '{database}' "$3"
profile=$5
while [ "$1" != -- ]; do shift; done
shift
if [ "$profile" = core ]; then "$@" >/dev/null; else "$@"; fi
""")
    executable(os.path.join(root, "bin", "program_kinds"), "#!/bin/sh\necho 5.5 >>\"$KINDS_GPU_TIME\"\necho \"$@\"\n")
    executable(os.path.join(tools, "ncu"), """#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
printf '==PROF== Profiling "one" - 0: 1 pass\\n==PROF== Profiling "one" - 1: 1 pass\\n' >"$2"
""")
    path = os.environ.get("PATH", "")
    os.environ["PATH"] = tools + os.pathsep + path
    said = []
    try:
        measuring = session.Session(root, root, sys.executable, scratch, 600, said.append, {"gpu": "Invented"})
        chosen = [program for program in programs.PROGRAMS if program.kind in ("numerics", "server")]
        plan = (("bare", "none", limits.USUAL, "bare"), ("ncu_one", "ncu"), ("core", "ncu_core_many", "ncu_core"))
        all_done = measuring.measure(chosen, plan, lambda: None)
        # As a second call, which has only the file: the last two executions are missing there.
        path_of_rows = os.path.join(scratch, "rows.csv")
        measurements.write(path_of_rows, measuring.rows[:-2])
        again = session.Session(root, root, sys.executable, scratch, 600, said.append, {"gpu": "Invented"}, measurements.read(path_of_rows))
        again.measure(chosen, plan, lambda: None)
        late = session.Session(root, root, sys.executable, scratch, 1, said.append, {})
        late_is_done = late.measure(chosen, session.SHORT_PLAN, lambda: None)
    finally:
        os.environ["PATH"] = path
    m = Measured("numerics", measuring.rows)
    expect([one["way"] for one in m.rows] == ["bare", "none", limits.USUAL, "bare", "ncu_one", "ncu", "core", "ncu_core_many"], f"the plan is followed: {m.rows}")
    expect({one["kind"] for one in measuring.rows} == {"numerics"}, "a program that is missing is left out")
    expect(any("sampler" in text for text in said), f"and named: {said}")
    sampled = m.of(limits.USUAL)[0]
    wanted = {"kernels": 2, "counted_kernels": 1, "calls": 5, "kernel_us": 50.0, "timed_wall_s": 1.5, "configurations": 2,
              "counted_share": 0.6, "same_output": True, "status": 0}
    expect({key: sampled[key] for key in wanted} == wanted, f"a recording is read from its database: {sampled}")
    expect(m.of("core")[0]["same_output"] is False, "a lost output is noticed")
    ncu = m.of("ncu")[0]
    expect((ncu["ncu_launches"], ncu["ncu_metrics"]) == (2, 1), f"launches that ncu counted, and plain names of metrics: {ncu}")
    many = m.of("ncu_core_many")[0]
    expect((many["ncu_asked"], many["ncu_metrics"]) == (session.NCU_LAUNCHES, 1), f"what ncu is asked for beside core: {many}")
    expect(all_done and [one["way"] for one in again.rows] == [one["way"] for one in m.rows], f"a second call goes on: {again.rows}")
    for key in ("ncu_launches", "ncu_metrics", "same_output"):
        expect([one[key] for one in again.rows[-2:]] == [one[key] for one in m.rows[-2:]], f"as the first one would have: {key}")
    expect(sampled["gpu_ms"] == 5.5 and m.of("bare")[0]["gpu_ms"] == 5.5, f"the program's own GPU time: {sampled}")
    expect(not late_is_done and late.rows == [] and any("time is over" in text for text in said), "nothing begins after the time is over")


def check_all(expect):
    check_limits(expect)
    check_ncu(expect)
    check_summary(expect)
    with tempfile.TemporaryDirectory() as scratch:
        check_file(expect, scratch)
        check_execution(expect, scratch)
        check_session(expect, scratch)


def run():
    return checks.run("record-costs", check_all)
