# SPDX-License-Identifier: Apache-2.0
"""Whether the cost of recording is within its limits."""
import dataclasses
import statistics

# A recording by samples may cost this much: of the GPU's time; of the wall time of the timed execution, and seconds for
# each configuration of counters, whose set-up takes 0.31 s; of the bare program for the whole recording, and seconds.
MOST_GPU_TIME = 0.01
MOST_WALL, MOST_SET_UP_S = 0.10, 0.35
MOST_WHOLE, MOST_WHOLE_S = 2.2, 5
# Of the time that ncu adds to the program, with the same metrics.
MOST_OF_NCU, MOST_OF_NCU_DEEP = 1 / 10, 1 / 3
MOST_PEAK_KIB = 400 * 1000 * 1000 / 1024
KIB_TO_MB = 1024 / 1e6
RECORDED = ("none", "sampled", "core", "full")


@dataclasses.dataclass(frozen=True)
class Limit:
    name: str
    value: str  # as the document shows it
    holds: object  # True, False; None: not measured, so that nobody knows


NOT_MEASURED = "not measured"


def limit(name, value, most, show):
    if value is None or most is None:
        return Limit(name, NOT_MEASURED, None)
    return Limit(name, f"{show(value)} (limit {show(most)})", value <= most)


def seconds(value):
    return f"{value:.2f} s"


def percent(value):
    return f"{100 * value:+.2f} %"


def mean_call_us(measured, way):
    """Kernel time of a call: the median over the executions. Windows of servers do not have the same number of calls."""
    means = [row["kernel_us"] / row["timed_calls"] for row in measured.of(way)
             if row["kernel_us"] is not None and row["timed_calls"]]
    return statistics.median(means) if means else None


def gpu_time(measured):
    without, sampled = mean_call_us(measured, "none"), mean_call_us(measured, "sampled")
    change = sampled / without - 1 if sampled is not None and without else None
    return limit("GPU time", change, MOST_GPU_TIME, percent)


def timed_wall(measured, has_window):
    if has_window:
        return Limit("wall time of the timed execution", "its window", None)
    bare, timed = measured.median("bare", "wall_s"), measured.median("sampled", "timed_wall_s")
    configurations = measured.most("sampled", "configurations")
    most = bare * (1 + MOST_WALL) + MOST_SET_UP_S * configurations if bare is not None and configurations is not None else None
    return limit("wall time of the timed execution", timed, most, seconds)


def whole(measured):
    bare = measured.median("bare", "wall_s")
    most = bare * MOST_WHOLE + MOST_WHOLE_S if bare is not None else None
    if measured.was_ended("sampled"):
        return Limit("whole recording", f"longer than {seconds(measured.most('sampled', 'wall_s'))}", False)
    return limit("whole recording", measured.median("sampled", "wall_s"), most, seconds)


def all_counted(measured):
    rows = [row for row in measured.of("sampled") if row["kernels"] is not None]
    if not rows:
        return Limit("kernels with counters", NOT_MEASURED, None)
    fewest = min(rows, key=lambda row: row["counted_kernels"] / row["kernels"] if row["kernels"] else 1)
    share = f", {100 * fewest['counted_share']:.1f} % of the time" if fewest["counted_share"] is not None else ""
    return Limit("kernels with counters", f"{fewest['counted_kernels']} of {fewest['kernels']}{share}",
                 fewest["counted_kernels"] == fewest["kernels"])


def unchanged(measured):
    rows = [row for way in RECORDED for row in measured.of(way) if not row["ended_by_limit"]]
    known = [row for row in rows if row["same_output"] is not None]
    if not known:
        return Limit("output and status", NOT_MEASURED, None)
    changed = sorted({row["way"] for row in known if not row["same_output"]})
    return Limit("output and status", f"changed by {', '.join(changed)}" if changed else "the same", not changed)


def peak(measured):
    value = measured.most("sampled", "peak_kib")
    return limit("memory of culprit", value if value else None, MOST_PEAK_KIB, lambda kib: f"{kib * KIB_TO_MB:.0f} MB")


def against_ncu(measured, way, ncu_way, most):
    """Compares the times that both add to the bare program. None where nobody asked ncu.

    ncu counts a part of the launches, or is ended by its time limit. Then its time for all launches would be longer, so
    a part of it that is small enough shows that the limit holds, and a larger part shows nothing.
    """
    rows = measured.of(ncu_way)
    if not rows:
        return None
    name = f"{way} against ncu"
    bare, ours, theirs = (measured.median(w, "wall_s") for w in ("bare", way, ncu_way))
    if bare is None or ours is None or theirs is None or theirs <= bare or measured.was_ended(way):
        return Limit(name, NOT_MEASURED, None)
    share = max(0.0, ours - bare) / (theirs - bare)
    row = rows[-1]
    calls = measured.most(way, "calls" if way == "sampled" else "replayed")
    is_part = row["ended_by_limit"] or (row["ncu_launches"] or 0) < (calls or 0)
    text = f"{'less than ' if is_part else ''}{share:.3f} of its added time (limit {most:.3f})"
    if share <= most:
        return Limit(name, text, True)
    return Limit(name, text, None if is_part else False)


def limits_of(measured, has_window):
    found = [gpu_time(measured), timed_wall(measured, has_window), whole(measured), all_counted(measured), unchanged(measured),
             peak(measured), against_ncu(measured, "sampled", "ncu", MOST_OF_NCU),
             against_ncu(measured, "core", "ncu_core", MOST_OF_NCU_DEEP)]
    return [one for one in found if one is not None]
