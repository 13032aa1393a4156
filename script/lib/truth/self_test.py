# SPDX-License-Identifier: Apache-2.0
"""Checks the script on invented measurements, and on a stand-in for culprit. Needs no GPU."""
import os
import tempfile
import time

from costs import checks
from costs.invented_database import MIGRATIONS, InventedDatabase, executable

from . import document, figures, measurements, recording, session

MACHINE = {"gpu": "Invented", "driver": "1", "culprit": "culprit 0"}


def row(part, mean_us=30.0, share=0.1, left_out="", **counters):
    """counters: replayed value, spread, sampled value and error, by key."""
    known = {**MACHINE, "part": part, "kernel": "k", "shape": "1", "calls": 10.0, "mean_us": mean_us, "share": share,
             "left_out": left_out}
    return {**dict.fromkeys(measurements.COLUMNS), **known,
            **{f"{key}:{of}": value for key, found in counters.items() for of, value in zip(measurements.OF_COUNTER, found)}}


def check_limits(expect):
    def long(*deviations):
        return [row("planted 1", inst_executed=(1000.0, 0.0, 1000.0 * (1 + d), 1.0)) for d in deviations]

    def holds(rows):
        return [limit.holds for limit in figures.limits(rows)]

    expect(holds([]) == [None] * 4, "without measurements nothing is known")
    expect(holds(long(0.009, -0.009, 0.04))[:2] == [True, True], "small deviations hold")
    expect(holds(long(0.011, -0.011, 0.0))[:2] == [False, True], "a median of 1.1 % does not")
    expect(holds(long(*[0.0] * 18, 0.06, 0.06))[:2] == [True, False], "two of twenty beyond 5 % are beyond the percentile")
    expect(holds(long(*[0.0] * 19, 0.06))[:2] == [True, True], "one of twenty is not")
    expect(holds([row("planted 1", 19.0, inst_executed=(1.0, 0.0, 9.0, 1.0))])[:2] == [None, None], "short kernels do not count")

    def short(errors, mean_us=5.0, share=0.1):
        return [row("short graph", mean_us, share, inst_executed=(1000.0, 0.0, 1010.0, error)) for error in errors]

    expect(holds(short([7.0] * 9 + [6.0]))[2:] == [True, True], "nine of ten within 1.645 errors hold")
    expect(holds(short([7.0] * 8 + [6.0] * 2))[2] is False, "eight of ten do not")
    expect(holds(short([31.0]))[3] is False, "a half width of 5.1 % is too wide")
    expect(holds(short([31.0], share=0.04))[3] is None, "of a kernel with less than a twentieth of the time nobody asks")
    expect(holds(short([7.0], mean_us=1.9))[2] is None and holds(short([7.0], mean_us=21.0))[2] is None, "from 2 to 20 us")


def check_pairs(expect):
    def deviation(**counters):
        return [round(pair.deviation, 4) for pair in figures.pairs_of([row("stages", **counters)])]

    whole = (1e6, 0.0, 1e6, 1.0)
    expect(deviation(inst_executed=whole, pipe_xu_inst=(100.0, 0.0, 200.0, 1.0)) == [0.0, 0.01],
           "a small counter is compared with a hundredth of the instructions")
    expect(deviation(inst_executed=whole, pipe_xu_inst=(0.0, 0.0, 200.0, 1.0)) == [0.0], "what is 0 in replay is left out")
    expect(deviation(inst_executed=(1e6, 2e4, 1e6, 1.0)) == [], "what two replays count differently is no truth")
    expect(deviation(inst_executed=whole, dram_read_bytes=(1e6, 0.0, 2e6, 1.0)) == [0.0], "caches are not judged")
    unknown = figures.pairs_of([row("stages", inst_executed=(1e6, 0.0, None, None))])
    expect(len(unknown) == 1 and figures.measured(unknown) == [], "what samples do not tell is not measured, and not 0")
    expect(figures.quantile([5, 1, 4, 2, 3], 0.5) == 3 and figures.quantile([1], 0.95) == 1, "quantiles")


def check_recording(expect):
    expect(recording.launched("launched 12 a_b C\nother\nlaunched 7 each\n") == {"a_b C": 12, "": 7}, "what the program launched")
    expect(recording.plain_range("tile_C_x CAEI") == "tile_2_x 2048", "digits of a range")
    one = recording.Class("k", "s", "k C", 6, 60.0, {"inst_executed": (10.0, 1.0), "pipe_fma_halves_inst": (5.0, 1.0)})
    truth = recording.Class("k", "s", "k C", 9, 1.0, {}, {"inst_executed": 11.0, "pipe_fma_inst": 2.0, "pipe_fp16_inst": 2.0},
                            {"inst_executed": 0.5})
    got = recording.compare({("k", "s", "k C"): one}, {("k", "s", "k C"): truth}, {"k C": 6}, MACHINE, "stages")
    expect(len(got) == 1 and got[0]["shape"] == "2" and got[0]["mean_us"] == 10.0, f"a row for each class: {got}")
    expect(got[0]["inst_executed:true"] == 11.0 and got[0]["inst_executed:spread"] == 0.5, "with the truth")
    expect(got[0]["pipe_fma_halves_inst:true"] == 4.0, "which may be a sum")
    for times, replayed, why in (({"k C": 3}, truth, "several launches"), ({"k C": 6}, None, "not replayed")):
        got = recording.compare({("k", "s", "k C"): one}, {("k", "s", "k C"): replayed}, times, MACHINE, "stages")
        expect(why in got[0]["left_out"] and "inst_executed:true" not in got[0], f"left out, because {why}")
    one.nvtx = ""
    expect(recording.compare({("k", "s", ""): one}, {}, {"k C": 6}, MACHINE, "stages") == [], "launches outside of ranges are no kernels")
    expect(len(recording.compare({("k", "s", ""): one}, {("k", "s", ""): truth}, {"": 6}, MACHINE, "short graph")) == 1,
           "unless the program has none")


def make_database(path, source, calls):
    with InventedDatabase(path) as db:
        run = db.insert("run", uuid="u")
        metrics = {key: db.insert("metric", key=key, source=source, cupti_name=name)
                   for key, name in (("inst_executed", "a"), ("pipe_alu_inst", "b"), ("shared_wavefronts", ""))}
        for kernel, nvtx in (("one", "one C"), ("two", "")):
            stage = db.insert("stage", key=kernel, idea=kernel)
            launch = db.insert("launch", run_id=run, stage_id=stage, shape="1", state="ok")
            db.insert("program_launch", launch_id=launch, name=kernel, nvtx=nvtx, calls=calls, time_us=30.0 * calls)
            for key, metric in metrics.items():
                value = 1000.0 + (5.0 if source == "sampled" and key == "inst_executed" else 0.0)
                db.insert("metric_value", launch_id=launch, metric_id=metric, value=value, status="ok", error=7.0)
                if source != "sampled":
                    for repetition in range(2):
                        db.insert("metric_repeat", launch_id=launch, metric_id=metric, repetition=repetition,
                                  value=value + 100.0 * repetition * (key == "pipe_alu_inst"))


def check_session(expect, scratch):
    if not os.path.isdir(MIGRATIONS):
        return
    for profile, source, calls in (("sampled", "sampled", 40), ("core", "range", 9)):
        make_database(os.path.join(scratch, f"{profile}.db"), source, calls)
    # In place of culprit: says what the program says, and leaves an invented database. "fails" records nothing.
    executable(os.path.join(scratch, "root", "bin", "culprit"), f"""#!/bin/sh
cp "{scratch}/$5.db" "$3"
while [ "$1" != -- ]; do shift; done
[ "$3" != fails ] || exit 1
if [ -e "$4" ]; then echo 'launched 9 one C'; else echo 'launched 40 one C'; touch "$4"; fi
""")
    parts = [session.Part("planted 1", ("good",), 1, 1), session.Part("stages", ("fails",), 1, 1), session.Part("late", ("x",), 1, 1e6)]
    said = []
    measuring = session.Session(os.path.join(scratch, "root"), "program", scratch, time.monotonic() + 60, said.append, MACHINE, parts)
    rows, written = [], []
    left = measuring.measure(rows, lambda: written.append(len(rows)))
    expect(left == ["stages", "late"] and written == [1], f"what failed and what has no time is left: {left}, {said}")
    expect(len(rows) == 1 and rows[0]["kernel"] == "one" and rows[0]["inst_executed:sampled"] == 1005.0, f"rows of the good one: {rows}")
    expect(rows[0].get("pipe_alu_inst:spread") == 100.0 and "shared_wavefronts:true" not in rows[0],
           f"spread of replays; computed values are not CUPTI's: {rows}")
    again = measuring.measure(rows, lambda: written.append(0))
    expect(again == ["stages", "late"] and len(rows) == 1 and written == [1], "a second call goes on where the first one ended")
    path = os.path.join(scratch, "truth.csv")
    measurements.write(path, rows)
    text = document.document(measurements.read(path), "truth.csv")
    for part in ("Invented, driver 1, culprit 0", "| 0.50 % (at most 1 %) | yes |", "| `one` 2 | `inst_executed` | 30.0 us |"):
        expect(part in text, f"the page says '{part}'")
    expect("`pipe_alu_inst` |" not in text, "a counter that replays count differently is not compared")


def check_all(expect):
    check_limits(expect)
    check_pairs(expect)
    check_recording(expect)
    with tempfile.TemporaryDirectory() as scratch:
        check_session(expect, scratch)


def run():
    return checks.run("sampled-truth", check_all)
