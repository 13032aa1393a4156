# SPDX-License-Identifier: Apache-2.0
"""The file of measurements: a row for each class of launches. An empty field was not measured, or is 0 on both sides."""
import csv

from .counters import COUNTERS

TEXTS = ("gpu", "driver", "culprit", "part", "kernel", "shape", "left_out")
OF_COUNTER = ("true", "spread", "sampled", "error")
COLUMNS = TEXTS + ("calls", "mean_us", "share") + tuple(f"{c.key}:{of}" for c in COUNTERS for of in OF_COUNTER)


def text_of(value):
    if value is None:
        return ""
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow([text_of(row.get(column)) for column in COLUMNS])


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{column: text if column in TEXTS else float(text) if text else None for column, text in row.items()}
                for row in csv.DictReader(file)]
