# SPDX-License-Identifier: Apache-2.0
"""Whether the cost of recording is within its limits."""
import dataclasses
import math
import statistics

# A usual recording may cost this much: of the GPU's time; of the wall time of the timed execution, and seconds for
# each configuration of counters, whose set-up takes 0.31 s; of the bare program for the whole recording, and seconds.
MOST_GPU_TIME = 0.01
MOST_WALL, MOST_SET_UP_S = 0.10, 0.35
MOST_WHOLE, MOST_WHOLE_S = 2.2, 5
LEAST_TIME = 0.001  # kernels with less together may lack counters: samples do not tell a single short launch apart
# Of the time that ncu adds to the program, with the same metrics.
MOST_OF_NCU, MOST_OF_NCU_DEEP = 1 / 10, 1 / 3
MOST_PEAK_KIB = 400 * 1000 * 1000 / 1024
MOST_DATABASE_KIB = 5 * 1000 * 1000 / 1024
NINE_OF_TEN = 1.645  # standard errors on each side
OF_MEDIAN = 1.25  # the standard error of a median over that of a mean
KIB_TO_MB = 1024 / 1e6
USUAL = "usual"  # culprit record without --profile, which is judged
RECORDED = ("none", USUAL, "core", "full")


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


def call_us(measured, way):
    """Kernel time of a call, in each execution. Windows of servers do not have the same number of calls."""
    return [row["kernel_us"] / row["timed_calls"] for row in measured.of(way)
            if row["kernel_us"] is not None and row["timed_calls"]]


def error_of_change(without, recorded):
    """By how much a ratio of medians may be wrong, as equal executions differ. None: each was executed once."""
    sides = (without, recorded)
    known = [statistics.stdev(values) / statistics.median(values) for values in sides if len(values) > 1]
    if not known:
        return None
    deviations = known if len(known) == 2 else 2 * known  # what was executed once differs as the other does
    errors = [OF_MEDIAN * deviation / math.sqrt(len(values)) for deviation, values in zip(deviations, sides)]
    return NINE_OF_TEN * math.hypot(*errors)


def gpu_time(measured):
    """By the program's own events, against the bare program. A program without events: by the recording's times of kernels,
    against a recording of times alone."""
    name = "GPU time"
    without, recorded, against = measured.values("bare", "gpu_ms"), measured.values(USUAL, "gpu_ms"), ""
    if not without or not recorded:
        without, recorded, against = call_us(measured, "none"), call_us(measured, USUAL), " against `none`"
    if not without or not recorded or not min(without) > 0:
        return Limit(name, NOT_MEASURED, None)
    change = statistics.median(recorded) / statistics.median(without) - 1
    error = error_of_change(without, recorded)
    doubt = (", executed once" if error is None else
             f", known within {100 * error:.1f} %" if change - error <= MOST_GPU_TIME < change + error else "")
    return Limit(name, f"{percent(change)}{against}{doubt} (limit {percent(MOST_GPU_TIME)})",
                 None if doubt else change <= MOST_GPU_TIME)


def timed_wall(measured):
    bare, timed = measured.median("bare", "wall_s"), measured.median(USUAL, "timed_wall_s")
    configurations = measured.most(USUAL, "configurations")
    most = bare * (1 + MOST_WALL) + MOST_SET_UP_S * configurations if bare is not None and configurations is not None else None
    return limit("wall time of the timed execution", timed, most, seconds)


def whole(measured):
    bare = measured.median("bare", "wall_s")
    most = bare * MOST_WHOLE + MOST_WHOLE_S if bare is not None else None
    if measured.was_ended(USUAL):
        return Limit("whole recording", f"longer than {seconds(measured.most(USUAL, 'wall_s'))}", False)
    return limit("whole recording", measured.median(USUAL, "wall_s"), most, seconds)


def all_counted(measured):
    rows = [row for row in measured.of(USUAL) if row["kernels"] is not None]
    if not rows:
        return Limit("kernels with counters", NOT_MEASURED, None)
    fewest = min(rows, key=lambda row: row["counted_kernels"] / row["kernels"] if row["kernels"] else 1)
    share = f", {100 * fewest['counted_share']:.1f} % of the time" if fewest["counted_share"] is not None else ""
    return Limit("kernels with counters", f"{fewest['counted_kernels']} of {fewest['kernels']}{share}",
                 fewest["counted_kernels"] == fewest["kernels"] or (fewest["counted_share"] or 0) >= 1 - LEAST_TIME)


def unchanged(measured):
    rows = [row for way in RECORDED for row in measured.of(way) if not row["ended_by_limit"]]
    known = [row for row in rows if row["same_output"] is not None]
    if not known:
        return Limit("output and status", NOT_MEASURED, None)
    changed = sorted({row["way"] for row in known if not row["same_output"]})
    return Limit("output and status", f"changed by {', '.join(changed)}" if changed else "the same", not changed)


def peak(measured):
    value = measured.most(USUAL, "peak_kib")
    return limit("memory of culprit", value if value else None, MOST_PEAK_KIB, lambda kib: f"{kib * KIB_TO_MB:.0f} MB")


def database(measured):
    return limit("database", measured.most(USUAL, "database_kib"), MOST_DATABASE_KIB, lambda kib: f"{kib * KIB_TO_MB:.1f} MB")


@dataclasses.dataclass(frozen=True)
class NcuTime:
    seconds: float  # for as many launches as culprit counted
    is_estimate: bool
    is_at_least: bool  # it was ended by a time limit, so it would take longer


def ncu_time(measured, launches):
    """ncu counts some of the program's launches. One execution that counts a single launch shows what its start takes."""
    row = measured.of("ncu")[-1]
    counted, took, is_cut = row["ncu_launches"], row["wall_s"], bool(row["ended_by_limit"])
    if counted and not is_cut and counted >= launches:
        return NcuTime(took, False, False)
    start = measured.median("ncu_one", "wall_s")
    asked = row["ncu_asked"] if is_cut else counted  # what was cut short counted fewer than it was asked for
    if start is None or not asked or asked <= 1 or took <= start:
        return NcuTime(took, False, True)
    return NcuTime(start + (launches - 1) * (took - start) / (asked - 1), True, is_cut)


def estimate_from_part(measured, row, launches):
    """What `launches` take, by those that ncu counted before its time limit. It may have been at one more. None: not known."""
    start, counted = measured.median("ncu_one", "wall_s"), row["ncu_launches"]
    if start is None or not counted or row["wall_s"] <= start:
        return None
    return NcuTime(start + (launches - 1) * (row["wall_s"] - start) / counted, True, False)


def share_of_ncu(name, bare, ours, theirs, most):
    """The time that culprit adds to the bare program, over the time that ncu adds."""
    if bare is None or ours is None or theirs.seconds <= bare:
        return Limit(name, NOT_MEASURED, None)
    share = max(0.0, ours - bare) / (theirs.seconds - bare)
    text = f"{'less than ' if theirs.is_at_least else 'about ' if theirs.is_estimate else ''}{share:.3f} (limit {most:.3f})"
    if share <= most:
        return Limit(name, text, True)
    return Limit(name, text, None if theirs.is_at_least else False)


def usual_against_ncu(measured):
    calls = measured.most(USUAL, "calls")
    if not measured.of("ncu"):
        return None
    name = "of ncu's added time"
    if not calls or measured.was_ended(USUAL):
        return Limit(name, NOT_MEASURED, None)
    return share_of_ncu(name, measured.median("bare", "wall_s"), measured.median(USUAL, "wall_s"),
                        ncu_time(measured, calls), MOST_OF_NCU)


def core_against_ncu(measured):
    """For many launches, or, in older measurements, for as many as culprit replayed."""
    rows, replayed = measured.of("ncu_core_many"), measured.most("core", "replayed")
    wanted = min(rows[-1]["ncu_asked"], measured.most("core", "calls") or math.inf) if rows else replayed
    rows = rows or measured.of("ncu_core")
    if not rows:
        return None
    name = "`core`, of ncu's added time"
    row = rows[-1]
    if not replayed or measured.was_ended("core"):
        return Limit(name, NOT_MEASURED, None)
    is_part = bool(row["ended_by_limit"]) or (row["ncu_launches"] or 0) < wanted

    def share(theirs):
        return share_of_ncu(name, measured.median("bare", "wall_s"), measured.median("core", "wall_s"), theirs, MOST_OF_NCU_DEEP)
    found = share(NcuTime(row["wall_s"], False, is_part))
    # An estimate is too low rather than too high: what ncu takes to start includes the program. So it says yes alone.
    if found.holds is None and (estimate := estimate_from_part(measured, row, wanted)) is not None and share(estimate).holds:
        return share(estimate)
    return found


def limits_of(measured, has_window):
    # The timed execution of a server lasts as long as its window.
    found = [gpu_time(measured), None if has_window else timed_wall(measured), whole(measured), all_counted(measured),
             unchanged(measured), peak(measured), database(measured),
             usual_against_ncu(measured), core_against_ncu(measured)]
    return [one for one in found if one is not None]
