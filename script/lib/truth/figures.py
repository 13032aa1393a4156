# SPDX-License-Identifier: Apache-2.0
"""How far sampled counters are from replayed ones, and whether that is within limits."""
import dataclasses
import statistics

from .counters import COUNTERS, INSTRUCTIONS, LEAST_PART, MOST_SPREAD, WORK

LONG_US, SHORT_US = 20, 2
# Kernels of more than 20 us: deviations. Shorter ones: the 90 % interval, which is 1.645 standard deviations wide on
# each side, and its half width for kernels with a twentieth of the time.
MOST_MEDIAN, MOST_P95 = 0.01, 0.05
LEAST_INSIDE, SIGMAS = 0.90, 1.645
MOST_HALF_WIDTH, LARGE_SHARE = 0.05, 1 / 20


@dataclasses.dataclass(frozen=True)
class Pair:
    row: dict
    counter: object
    true: float
    sampled: object  # None: samples do not tell
    error: object
    scale: float  # what a deviation is relative to

    @property
    def deviation(self):
        return (self.sampled - self.true) / self.scale

    @property
    def half_width(self):
        return SIGMAS * self.error / self.scale

    @property
    def is_inside(self):
        return abs(self.sampled - self.true) <= SIGMAS * self.error


def pairs_of(rows, kinds=(WORK,)):
    """Of counters that are not 0, and that replay counts the same each time."""
    pairs = []
    for row in rows:
        for counter in COUNTERS:
            true = row.get(f"{counter.key}:true")
            if counter.kind not in kinds or not true or row["left_out"]:
                continue
            if counter.kind == WORK and (row[f"{counter.key}:spread"] or 0) > MOST_SPREAD * true:
                continue
            least = LEAST_PART * (row.get(f"{INSTRUCTIONS}:true") or 0) if counter.kind == WORK else 0
            pairs.append(Pair(row, counter, true, row[f"{counter.key}:sampled"], row[f"{counter.key}:error"],
                              max(true, least)))
    return pairs


def measured(pairs):
    return [pair for pair in pairs if pair.sampled is not None and pair.error is not None]


def quantile(values, share):
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def deviations(pairs):
    return [abs(pair.deviation) for pair in measured(pairs)]


def inside(pairs):
    known = measured(pairs)
    return sum(pair.is_inside for pair in known) / len(known) if known else None


def is_long(row):
    return not row["part"].startswith("short") and row["mean_us"] > LONG_US


def is_short(row):
    return row["part"].startswith("short") and SHORT_US <= row["mean_us"] <= LONG_US


@dataclasses.dataclass(frozen=True)
class Limit:
    name: str
    value: object  # None: not measured
    most: float
    is_least: bool = False

    @property
    def holds(self):
        if self.value is None:
            return None
        return self.value >= self.most if self.is_least else self.value <= self.most

    def text(self):
        if self.value is None:
            return "not measured"
        of = "at least" if self.is_least else "at most"
        return f"{100 * self.value:.2f} % ({of} {100 * self.most:g} %)"


def limits(rows):
    long = deviations(pairs_of([row for row in rows if is_long(row)]))
    short_rows = [row for row in rows if is_short(row)]
    large = [pair.half_width for pair in measured(pairs_of([row for row in short_rows if row["share"] >= LARGE_SHARE]))]
    return [
        Limit("kernels longer than 20 us: median deviation", statistics.median(long) if long else None, MOST_MEDIAN),
        Limit("kernels longer than 20 us: deviation, 95th percentile", quantile(long, 0.95) if long else None, MOST_P95),
        Limit("kernels of 2 to 20 us: true values in the 90 % interval", inside(pairs_of(short_rows)), LEAST_INSIDE, True),
        Limit("kernels of 2 to 20 us with a twentieth of the time and more: half width of the interval, median",
              statistics.median(large) if large else None, MOST_HALF_WIDTH),
    ]
