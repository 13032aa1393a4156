# SPDX-License-Identifier: Apache-2.0
"""The page of docs/evidence, from the file of measurements."""
import collections
import statistics

from . import figures
from .counters import CACHE, COUNTERS, KINDS, LEAST_PART, MOST_SPREAD, TIME, WORK

MOST_LISTED = 20
SETS = (("planted", "planted kernels"), ("stages", "stages"), ("short stream", "stream, always in the same order"),
        ("short shuffled", "stream, each time in another order"), ("short graph", "CUDA graph"))


def table(heading, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [heading, *rows]]
    lines.insert(1, "|---" + "|---:" * (len(heading) - 1) + "|")
    return lines


def percent(value):
    return "" if value is None else f"{100 * value:.2f} %"


def cells_of(pairs):
    known = figures.deviations(pairs)
    if not known:
        return [str(len(pairs)), "0", "", "", "", "", ""]
    widths = [pair.half_width for pair in figures.measured(pairs)]
    signed = [pair.deviation for pair in figures.measured(pairs)]
    return [str(len(pairs)), str(len(known)), percent(statistics.median(known)), percent(figures.quantile(known, 0.95)),
            f"{100 * statistics.median(signed):+.2f} %", percent(figures.inside(pairs)), percent(statistics.median(widths))]


FIGURES = ["values", "measured", "deviation, median", "deviation, 95 %", "bias, median", "in the 90 % interval",
           "half width, median"]


def by_set(rows, kinds):
    lines = []
    for prefix, name in SETS:
        of_set = [row for row in rows if row["part"].startswith(prefix)]
        chosen = [row for row in of_set if figures.is_long(row) or figures.is_short(row)]
        if not chosen:
            continue
        compared = sum(not row["left_out"] for row in chosen)
        lines.append([name, str(compared), *cells_of(figures.pairs_of(chosen, kinds))])
        large = [row for row in chosen if row["share"] >= figures.LARGE_SHARE]
        if prefix.startswith("short") and large:
            lines.append([f"{name}: a twentieth of the time and more", str(len(large)), *cells_of(figures.pairs_of(large, kinds))])
    return table(["kernels", "number", *FIGURES], lines)


def by_counter(rows, kinds):
    pairs = collections.defaultdict(list)
    for pair in figures.pairs_of(rows, kinds):
        pairs[pair.counter.key].append(pair)
    return table(["counter", *FIGURES], [[f"`{name}`", *cells_of(of)] for name, of in pairs.items()])


def largest(rows):
    known = sorted(figures.measured(figures.pairs_of(rows)), key=lambda pair: -abs(pair.deviation))[:MOST_LISTED]
    return table(["kernel", "counter", "time of a launch", "of the time", "replayed", "sampled", "one standard error", "deviation"],
                 [[f"`{pair.row['kernel']}` {pair.row['shape']}", f"`{pair.counter.key}`", f"{pair.row['mean_us']:.1f} us",
                   percent(pair.row["share"]), f"{pair.true:,.4g}", f"{pair.sampled:,.4g}", f"{pair.error:,.2g}",
                   f"{100 * pair.deviation:+.2f} %"] for pair in known])


def left_out(rows):
    reasons = collections.Counter(row["left_out"] for row in rows if row["left_out"])
    return [f"- {count}: {why}" for why, count in reasons.most_common()] or ["None."]


def document(rows, file):
    machines = "; ".join(sorted({f"{row['gpu']}, driver {row['driver']}, {row['culprit']}" for row in rows}))
    judged = figures.limits(rows)
    long, short = [row for row in rows if figures.is_long(row)], [row for row in rows if figures.is_short(row)]
    lines = [
        "# Sampled counters against replayed ones", "",
        f"`script/sampled-truth` wrote this page from its measurements, [{file}]({file}): {machines}. `sampled_loop` launched "
        "kernels again and again while `culprit record --profile sampled` recorded it. Then `culprit record` replayed the same "
        "kernels with CUPTI's range profiler on the same card. A replayed value is the truth here.", "",
        *table(["limit", "measured", "holds"],
               [[one.name, one.text(), {True: "yes", False: "**no**", None: "not known"}[one.holds]] for one in judged]), "",
        "These limits are for counters of work. Which counters these are was decided before anything was measured:", ""]
    for kind in (WORK, TIME, CACHE):
        names = ", ".join(f"`{counter.key}`" for counter in COUNTERS if counter.kind == kind)
        lines.append(f"- {names}: {KINDS[kind]}.")
    lines += [
        "", f"A deviation is relative to the replayed value, or to {100 * LEAST_PART:g} % of the launch's instructions where that "
        "is more. Left out are values that are 0 in replay, and counters of work that differ by more than "
        f"{100 * MOST_SPREAD:g} % between two replays of a kernel (a warp that polls, for example). The interval is 1.645 standard "
        "errors wide on each side. `measured` are those that samples tell apart from what ran beside the kernel.", "",
        "## Counters of work", "",
        *by_set(rows, (WORK,)), "", "Kernels longer than 20 us, by counter:", "", *by_counter(long, (WORK,)), "",
        "Kernels of 2 to 20 us, by counter:", "", *by_counter(short, (WORK,)), "",
        "## Counters of time and of caches", "", *by_set(rows, (TIME, CACHE)), "", "Kernels longer than 20 us, by counter:", "",
        *by_counter(long, (TIME, CACHE)), "", "Kernels of 2 to 20 us, by counter:", "", *by_counter(short, (TIME, CACHE)), "",
        "## The largest deviations of counters of work", "", *largest(long + short), "",
        "## Kernels that are not compared", "", *left_out(rows)]
    return "\n".join(lines) + "\n"
