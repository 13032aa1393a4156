# SPDX-License-Identifier: Apache-2.0
"""The file of measurements: a row for each execution. An empty field was not measured."""
import csv
import statistics

# `output`: a digest of the program's status and output. `metrics`: CUPTI's names of those that a recording has.
TEXTS = ("gpu", "driver", "culprit", "ncu", "kind", "way", "output", "metrics")
WHOLE = ("status", "same_output", "ended_by_limit", "kernels", "counted_kernels", "calls", "timed_calls", "replayed",
         "configurations", "peak_kib", "database_kib", "ncu_asked", "ncu_launches", "ncu_metrics")
FRACTIONS = ("wall_s", "timed_wall_s", "gpu_ms", "kernel_us", "counted_share")
COLUMNS = TEXTS + WHOLE + FRACTIONS


def text_of(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow([text_of(row.get(column)) for column in COLUMNS])


def value_of(column, text):
    if column in TEXTS:
        return text
    if text == "":
        return None
    return int(text) if column in WHOLE else float(text)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{column: value_of(column, row.get(column) or "") for column in COLUMNS} for row in csv.DictReader(file)]


class Measured:
    """The rows of one kind of program."""

    def __init__(self, kind, rows):
        self.kind = kind
        self.rows = [row for row in rows if row["kind"] == kind]

    def of(self, way):
        return [row for row in self.rows if row["way"] == way]

    def values(self, way, column):
        return [row[column] for row in self.of(way) if row.get(column) is not None]

    def median(self, way, column):
        values = self.values(way, column)
        return statistics.median(values) if values else None

    def most(self, way, column):
        values = self.values(way, column)
        return max(values) if values else None

    def was_ended(self, way):
        """One of its executions lasted longer than its time limit."""
        return any(row.get("ended_by_limit") for row in self.of(way))
