# SPDX-License-Identifier: Apache-2.0
"""The page of docs/evidence, from the file of measurements."""
from . import limits, programs
from .measurements import Measured
from .session import NCU_LAUNCHES

WAYS = ("none", limits.USUAL, "core", "full", "ncu")
NAMES = {"ncu": "ncu", limits.USUAL: "default"}  # others are profiles


def table(heading, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [heading, *rows]]
    lines.insert(1, "|---" * len(heading) + "|")
    return lines


def known_kinds(rows):
    kinds = {row["kind"] for row in rows}
    return [program for program in programs.PROGRAMS if program.kind in kinds]


def wall(measured, way):
    value = measured.median(way, "wall_s")
    if value is None:
        return ""
    bare = measured.median("bare", "wall_s")
    ratio = f", {value / bare:.1f} x" if way != "bare" and bare else ""
    return f"{'longer than ' if measured.was_ended(way) else ''}{value:.2f} s{ratio}"


def number(value, show="{:,}"):
    return limits.NOT_MEASURED if value is None else show.format(value)


def costs(rows):
    lines = []
    for program in known_kinds(rows):
        m = Measured(program.kind, rows)
        lines.append([f"`{program.kind}`", program.what, wall(m, "bare"), *(wall(m, way) for way in WAYS)])
    return table(["program", "what it does", "bare", *(NAMES.get(way, f"`{way}`") for way in WAYS)], lines)


def sizes(rows):
    lines = []
    for program in known_kinds(rows):
        m = Measured(program.kind, rows)
        kernel_us, database = m.median("none", "kernel_us"), m.most(limits.USUAL, "database_kib")
        lines.append([f"`{program.kind}`", str(len(m.of("bare"))), str(len(m.of("none"))), str(len(m.of(limits.USUAL))),
                      number(m.most("none", "calls")), number(kernel_us and kernel_us / 1000, "{:,.1f} ms"),
                      number(m.most(limits.USUAL, "configurations")), number(database and database * limits.KIB_TO_MB, "{:.1f} MB")])
    return table(["program", "bare executions", "`none`", "default", "launches", "kernel time", "configurations", "database"],
                 lines)


def limits_by_kind(rows):
    return {program.kind: limits.limits_of(Measured(program.kind, rows), bool(program.window)) for program in known_kinds(rows)}


def broken(rows):
    return [(kind, one) for kind, found in limits_by_kind(rows).items() for one in found if one.holds is False]


def judged(rows):
    by_kind = limits_by_kind(rows)
    names = list(dict.fromkeys(one.name for found in by_kind.values() for one in found))
    lines = []
    for kind, found in by_kind.items():
        cells = {one.name: f"**{one.value}**" if one.holds is False else one.value for one in found}
        known = [one.holds for one in found if one.holds is not None]
        unknown = len(found) - len(known)
        answer = "**no**" if False in known else f"yes, {unknown} not known" if unknown else "yes"
        lines.append([f"`{kind}`", *(cells.get(name, "") for name in names), answer])
    return table(["program", *names, "limits hold"], lines)


def ncu_lines(rows):
    lines = []
    for program in known_kinds(rows):
        m = Measured(program.kind, rows)
        for way, of, count in (("ncu", limits.USUAL, "calls"), ("ncu_core_many", "core", "replayed"), ("ncu_core", "core", "replayed")):
            launches = m.most(of, count)
            for row in m.of(way):
                more = "longer than " if row["ended_by_limit"] else ""
                for_all = ""
                if way == "ncu" and launches:
                    time = limits.ncu_time(m, launches)
                    for_all = f"{'longer than ' if time.is_at_least else 'about ' if time.is_estimate else ''}{time.seconds:.0f} s"
                lines.append([f"`{program.kind}`", NAMES.get(of, f"`{of}`"), wall(m, of), number(launches), f"{more}{row['wall_s']:.2f} s",
                              number(row["ncu_launches"]), number(row["ncu_metrics"]), for_all])
    return table(["program", "profile", "culprit", "launches that culprit counted", "ncu", "launches that ncu counted", "metrics",
                  "ncu for all these launches"], lines) if lines else ["ncu was not measured."]


def of_core(rows):
    equal = "For the profile `core`, it counted as many launches as `culprit` did."
    if not any(row["way"] == "ncu_core_many" for row in rows):
        return equal
    return (equal + f" Those stand for all launches of their kernels, so the limit compares it with ncu's time for the first "
            f"{NCU_LAUNCHES:,} launches with the same metrics. Where a time limit ended ncu before it had counted them all, and its time "
            "until then does not decide, the launches that it had counted tell the rest roughly.")


def machines(rows):
    names = sorted({f"{row['gpu'] or 'an unknown GPU'}, driver {row['driver'] or 'unknown'}, {row['culprit'] or 'culprit'}, "
                    f"{'ncu ' + row['ncu'] if row['ncu'] else 'no ncu'}" for row in rows})
    return "; ".join(names)


def with_default(rows):
    """Older measurements have no default recording, but the profile `sampled`, which replays no short program."""
    if any(row["way"] == limits.USUAL for row in rows):
        return rows, []
    note = "These measurements are older than the column default: it shows the profile `sampled`, which does not replay short programs."
    return [{**row, "way": limits.USUAL} if row["way"] == "sampled" else row for row in rows], [note, ""]


def document(rows, file):
    rows, note = with_default(rows)
    verdicts = [one for found in limits_by_kind(rows).values() for one in found]
    beyond = broken(rows)
    known = [one for one in verdicts if one.holds is not None]
    lines = [
        "# What recording costs", "",
        f"`script/record-costs` wrote this page from its measurements, [{file}]({file}). It ran each program without `culprit`, "
        "by `culprit record` as it is (default), with each of its profiles and with `ncu`, in turns, on one machine: " + machines(rows) + ".", "",
        f"Of {len(known)} limits that could be judged, {len(known) - len(beyond)} hold." if known else "No limit could be judged.",
        ""]
    lines += [f"- `{kind}`: {one.name}, {one.value}" for kind, one in beyond] + ([""] if beyond else [])
    lines += note
    lines += ["## Wall time", "",
              "Medians. `x` is the ratio to the bare program. `default` is `culprit record` without `--profile`, columns with "
              "backquotes are its profiles. An empty field was not measured.", "", *costs(rows), "",
              "## Limits", "",
              "The default may cost 1 % of GPU time. The wall time of its timed execution may be 10 % longer than the bare program, "
              "and 0.35 s for each configuration of counters. The whole recording may take 2.2 times the bare program and 5 s, and "
              "the database 5 MB. GPU time is measured by the program's own CUDA events, with and without recording. Where a program "
              "has none, it is the mean time of a kernel's call, compared with the profile `none`; kernels that wait are left out of "
              "it. Equal executions differ: a change is judged where the limit is outside of its 90 % interval. Kernels without "
              "counters may have a thousandth of the time together. What is beyond its limit is bold. A limit "
              "that could not be judged counts as neither.", "", *judged(rows)]
    lines += ["", "## Against ncu", "",
              "ncu counted the metrics that the recording has (where counters were sampled: those that were) and ncu knows by the "
              f"same name, of the first {NCU_LAUNCHES:,} launches, without control of clocks and caches. Another execution "
              "counted a single launch. From both follows what ncu takes for all launches. " + of_core(rows) + " The part is that of the time that each adds to the bare program. The "
              "default may take a tenth of what ncu takes, `core` a third.",
              "", *ncu_lines(rows), "", "## What was measured", "", *sizes(rows)]
    return "\n".join(lines) + "\n"
