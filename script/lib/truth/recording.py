# SPDX-License-Identifier: Apache-2.0
"""What a recorded program has of each launch class, and the comparison of a sampled run with a replayed one."""
import dataclasses
import re
import sqlite3

from .counters import COUNTERS
from .measurements import OF_COUNTER

LAUNCHES = """
SELECT l.id, s.key, s.idea, l.shape, p.nvtx, p.calls, p.time_us
FROM launch l JOIN stage s ON s.id = l.stage_id JOIN program_launch p ON p.launch_id = l.id
WHERE l.run_id = (SELECT max(id) FROM run)
"""
# What CUPTI counted itself. Values without its name are computed from others.
VALUES = """
SELECT v.launch_id, m.key, m.source, v.value, v.error
FROM metric_value v JOIN metric m ON m.id = v.metric_id
WHERE v.status = 'ok' AND m.cupti_name <> '' AND v.launch_id IN (SELECT id FROM launch WHERE run_id = (SELECT max(id) FROM run))
"""
SPREADS = """
SELECT r.launch_id, m.key, max(r.value) - min(r.value)
FROM metric_repeat r JOIN metric m ON m.id = r.metric_id
WHERE r.launch_id IN (SELECT id FROM launch WHERE run_id = (SELECT max(id) FROM run)) GROUP BY r.launch_id, m.id
"""
SAMPLED = "sampled"


@dataclasses.dataclass
class Class:
    kernel: str
    shape: str
    nvtx: str
    calls: int
    time_us: float
    sampled: dict = dataclasses.field(default_factory=dict)  # value and error, by key
    replayed: dict = dataclasses.field(default_factory=dict)
    spread: dict = dataclasses.field(default_factory=dict)  # of the replayed ones, between launches


def read(path):
    """The classes of the newest run by kernel, shape and range."""
    with sqlite3.connect(path) as db:
        by_id = {}
        for launch, key, idea, shape, nvtx, calls, time_us in db.execute(LAUNCHES):
            by_id[launch] = (key, Class(idea if "~" in key else key, shape, nvtx, calls, time_us or 0.0))
        for launch, key, source, value, error in db.execute(VALUES):
            if source == SAMPLED:
                by_id[launch][1].sampled[key] = (value, error)
            else:
                by_id[launch][1].replayed[key] = value
        for launch, key, spread in db.execute(SPREADS):
            by_id[launch][1].spread[key] = spread
    db.close()
    return {(key, one.shape, one.nvtx): one for key, one in by_id.values()}


def launched(output):
    """How often the program launched what is in a range; under '' for all."""
    found = {}
    for times, where in re.findall(r"^launched (\d+) (.*)$", output, re.MULTILINE):
        found["" if where == "each" else where] = int(times)
    return found


def plain_range(nvtx):
    """The program writes digits as capital letters, because a recording has '#' in place of digits."""
    return "".join(chr(ord(c) - ord("A") + ord("0")) if "A" <= c <= "J" else c for c in nvtx)


def values(counter, sampled, truth):
    """The truth, its spread between launches, the sampled value and its error. None: not measured."""
    of_truth = [truth.replayed.get(key) for key in counter.truth_keys]
    true = sum(of_truth) if None not in of_truth else None
    spread = sum(truth.spread.get(key, 0.0) for key in counter.truth_keys)
    value, error = sampled.sampled.get(counter.key, (None, None))
    return true, spread, value, error


def why_not(one, truth, times):
    """Why a class is not compared. Empty: it is."""
    wanted = times.get(one.nvtx, times.get(""))
    if wanted is None:
        return "launched outside of a range"
    if one.calls != wanted:
        return "a launch of it is several launches of this kernel"
    if truth is None or not truth.replayed:
        return "not replayed"
    if not one.sampled:
        return "not told apart by samples"
    return ""


def compare(sampled, truth, times, machine, part):
    """A row for each class of the sampled run. Ranges tell classes apart where the program has any."""
    all_us = sum(one.time_us for one in sampled.values())
    rows = []
    for (key, shape, nvtx), one in sorted(sampled.items()):
        known = truth.get((key, shape, nvtx))
        left_out = why_not(one, known, times)
        # The kernel's launches outside of ranges belong to nothing that is compared.
        if left_out == "launched outside of a range":
            continue
        row = {**machine, "part": part, "kernel": one.kernel, "shape": plain_range(nvtx).removeprefix(one.kernel + " ") or shape, "calls": one.calls,
               "mean_us": one.time_us / one.calls, "share": one.time_us / all_us if all_us else 0.0, "left_out": left_out}
        for counter in COUNTERS if not left_out else ():
            found = values(counter, one, known)
            if found[0] is not None and not found[0] == found[2] == 0:
                row.update(zip((f"{counter.key}:{column}" for column in OF_COUNTER), found))
        rows.append(row)
    return rows
