# SPDX-License-Identifier: Apache-2.0
"""What a recorded run says about its own cost."""
import re
import sqlite3

# ncu knows these by the same name. Others are groups of counters that only sampling has.
PLAIN_NAME = re.compile(r"[a-z0-9]+__[a-z0-9_]+\.(sum|avg|max|min)")
# Each kernel that has counters has this one.
COUNTER = "inst_executed"

LAUNCHES = """
SELECT s.key, p.name, p.calls, p.time_us, p.counted,
       EXISTS (SELECT 1 FROM metric_value v JOIN metric m ON m.id = v.metric_id
               WHERE v.launch_id = l.id AND v.status = 'ok' AND m.key = ?)
FROM launch l JOIN stage s ON s.id = l.stage_id JOIN program_launch p ON p.launch_id = l.id
WHERE l.run_id = ?
"""
# Where counters were sampled, replayed ones are of a few launches alone.
METRICS = """
SELECT DISTINCT m.cupti_name, m.source = 'sampled' FROM metric_value v JOIN metric m ON m.id = v.metric_id JOIN launch l ON l.id = v.launch_id
WHERE l.run_id = ? AND v.status = 'ok'
"""


def summary(launches, waiting_kernels):
    """launches: (kernel, name, calls, time in us, launches counted by replay, has counters)."""
    kernels, counted = set(), set()
    calls = replayed = 0
    time_us, timed_calls, all_us, counted_us = 0.0, 0, 0.0, 0.0
    for kernel, name, of_calls, of_us, of_replayed, has_counters in launches:
        kernels.add(kernel)
        calls += of_calls
        replayed += of_replayed
        if has_counters:
            counted.add(kernel)
        if of_us is None:
            continue
        all_us += of_us
        counted_us += of_us if has_counters else 0
        if not any(waiting in name for waiting in waiting_kernels):
            time_us += of_us
            timed_calls += of_calls
    return {"kernels": len(kernels), "counted_kernels": len(counted), "calls": calls, "replayed": replayed,
            "kernel_us": time_us if timed_calls else None, "timed_calls": timed_calls or None,
            "counted_share": counted_us / all_us if all_us > 0 else None}


def read(path, waiting_kernels):
    """Measurements of the newest run of a database, and the metrics that it has of all its calls. None: it has no run."""
    with sqlite3.connect(path) as db:
        run = db.execute("SELECT max(id) FROM run").fetchone()[0]
        if run is None:
            return None, []
        found = summary(db.execute(LAUNCHES, (COUNTER, run)).fetchall(), waiting_kernels)
        wall_us = db.execute("SELECT wall_us FROM program WHERE run_id = ?", (run,)).fetchone()
        found["timed_wall_s"] = wall_us[0] / 1e6 if wall_us and wall_us[0] is not None else None
        turns = db.execute("SELECT max(turns) FROM (SELECT count(*) AS turns FROM timeline_turn WHERE run_id = ? GROUP BY gpu)",
                           (run,)).fetchone()[0]
        found["configurations"] = turns or 0
        metrics = db.execute(METRICS, (run,)).fetchall()
        sampled = any(is_sampled for _, is_sampled in metrics)
        names = sorted({name for name, is_sampled in metrics if bool(is_sampled) == sampled and PLAIN_NAME.fullmatch(name)})
    db.close()
    return found, names
