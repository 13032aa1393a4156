# SPDX-License-Identifier: Apache-2.0
"""Reports of Nsight Compute as other versions, countries, spreadsheets and broken disks leave them. Each imported number must be a number of the original report: unreadable ones are refused or left out, and never become another number."""
import csv
import io
import math
import os
import re

from raw_database import opened

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "bench", "foreign")
REPORTS = ("ncu_full.csv", "ncu_default.csv")
FACTORS = {"ns": [("ns", 1), ("nsecond", 1), ("us", 1e3), ("usecond", 1e3), ("ms", 1e6), ("msecond", 1e6), ("second", 1e9), ("s", 1e9)],
           "byte": [("byte", 1), ("Kbyte", 1e3), ("Mbyte", 1e6), ("Gbyte", 1e9)],
           "inst": [("inst", 1), ("Kinst", 1e3), ("Minst", 1e6)], "cycle": [("cycle", 1), ("Kcycle", 1e3), ("Mcycle", 1e6)],
           "sector": [("sector", 1), ("Ksector", 1e3), ("sectors", 1)]}
# The separator of thousands and the decimal point, in this order.
LOCALES = [(",", "."), (".", ","), ("\u202f", ","), ("\u00a0", ","), ("'", "."), ("", "."), ("", ",")]
NOTHING = ["n/a", "nan", "", "no data", "(!) n/a", "inf", "-inf", "1e999", "0x10", "-1", "-", "1.2.3", "1,2,3", "..", ",5", "--", "1 2", "\u0661\u0662"]
NOISE = ["checksum 67108844.0 counter 2048", "==WARNING== No metrics to collect found", "1,2,3", "", "\ufeff", '"', '","', "\x1b[2J", "\x00"]
PLAIN = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?$")
TOLERANCE = 1e-6  # of scaled numbers, with twelve digits after the point


def table(report):
    """Columns, units and rows; one row for each kernel, so that no median hides a number."""
    with open(os.path.join(FIXTURES, report), encoding="utf-8") as file:
        text = file.read()
    rows = list(csv.reader(io.StringIO(text[text.index('"ID"'):])))
    known, kept = set(), []
    for row in rows[2:]:
        key = (row[rows[0].index("Kernel Name")], row[rows[0].index("Grid Size")])
        if len(row) == len(rows[0]) and key not in known:
            known.add(key)
            kept.append(row)
    return rows[0], rows[1], kept


def numeric(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def written(value, thousands, point, digits):
    text = f"{value:,.{digits}f}" if digits else f"{value:,.0f}"
    return text.replace(",", "\0").replace(".", point).replace("\0", thousands)


class Csv:
    def __init__(self, report):
        self.columns, self.units, self.rows = table(report)
        self.head, self.tail, self.end, self.quoted, self.units_left = "", "", "\n", True, True
        self.is_english = True  # what numeric() reads

    def metrics(self):
        return [c for c, name in enumerate(self.columns) if name[:1].islower()]

    def lines(self):
        def line(fields):
            if not self.quoted and not any(set(field) & set(',"\n') for field in fields):
                return ",".join(fields)
            return ",".join('"' + field.replace('"', '""') + '"' for field in fields)
        return [line(self.columns), *([line(self.units)] if self.units_left else []), *map(line, self.rows)]

    def text(self):
        return self.head + self.end.join(self.lines()) + self.end + self.tail


def reordered(table_, random):
    order = list(range(len(table_.columns)))
    random.shuffle(order)
    if random.random() < 0.7:
        order.remove(0)
        order.insert(0, 0)
    table_.columns, table_.units = [table_.columns[c] for c in order], [table_.units[c] for c in order]
    table_.rows = [[row[c] for c in order] for row in table_.rows]


def dropped(table_, random):
    for _ in range(random.choice((1, 3, 20))):
        c = random.randrange(1, len(table_.columns))
        for fields in (table_.columns, table_.units, *table_.rows):
            del fields[c]
        if len(table_.columns) < 9:
            break


def doubled(table_, random):
    """One column twice, the second time with other numbers."""
    c, at = random.choice(table_.metrics()), random.randrange(1, len(table_.columns))
    other = random.random() < 0.5
    unit = random.choice(("us", "Kbyte", "cycle", "%", "")) if random.random() < 0.3 else table_.units[c]
    for fields, value in [(table_.columns, table_.columns[c]), (table_.units, unit), *[(row, "7" if other else row[c]) for row in table_.rows]]:
        fields.insert(at, value)


def rescaled(table_, random):
    """Other units, and the numbers in them."""
    if not table_.is_english:
        return
    for c in table_.metrics():
        scales = FACTORS.get(table_.units[c])
        if scales and random.random() < 0.5 and all(numeric(row[c]) is not None for row in table_.rows):
            unit, factor = random.choice(scales)
            for row in table_.rows:
                row[c] = written(numeric(row[c]) / factor, ",", ".", 12 if factor > 1 else 0)
            table_.units[c] = unit


def localised(table_, random):
    """As another country writes numbers: all of them, or, in a damaged report, some."""
    if not table_.is_english:
        return
    table_.is_english = False
    thousands, point = random.choice(LOCALES)
    share = random.choice((1, 1, 1, 0.5, 0.1))
    for row in table_.rows:
        for c in table_.metrics():
            if numeric(row[c]) is not None and random.random() < share:
                digits = len(row[c].partition(".")[2])
                row[c] = written(numeric(row[c]), thousands, point, digits)


def emptied(table_, random):
    for _ in range(random.choice((1, 5))):
        random.choice(table_.rows)[random.choice(table_.metrics())] = random.choice(NOTHING)


def other_units(table_, random):
    """Units that do not fit the number: it must not be read as if they did."""
    table_.units[random.choice(table_.metrics())] = random.choice(("furlong", "Gbyte/second", "%", "byte/ns", "us/us", "/", "K", "\u00b5s"))


def without_units(table_, _):
    table_.units_left = False


def renamed(table_, random):
    c = random.choice(table_.metrics())
    table_.columns[c] = random.choice((table_.columns[c] + "x", table_.columns[c].upper(), "", "ID", "Metric Name", "x__y.sum"))


def behind_each_other(table_, random):
    """A second report behind the first: with its header, without one, in other units, or in another order."""
    other = Csv(REPORTS[0])
    other.columns, other.units, other.rows = list(table_.columns), list(table_.units), [list(row) for row in table_.rows]
    other.is_english = table_.is_english
    change = random.choice((lambda *_: None, rescaled, reordered, without_units, dropped, localised))
    change(other, random)
    lines = other.lines()
    table_.tail = "\n".join(lines[random.choice((0, 0, 1)):]) + "\n"


def surrounded(table_, random):
    table_.head = random.choice(("", "\ufeff", "==PROF== Connected to process 1 (/a)\n", random.choice(NOISE) + "\n"))
    table_.tail += random.choice(NOISE) + random.choice(("", "\n"))
    table_.end = random.choice(("\n", "\r\n", "\n" + random.choice(NOISE) + "\n"))


def unquoted(table_, _):
    """Without quotes; and without separators of thousands if these are commas."""
    metrics = table_.metrics()
    if any("," in row[c] and not PLAIN.match(row[c]) for row in table_.rows for c in metrics):
        return
    for row in table_.rows:
        for c in metrics:
            row[c] = row[c].replace(",", "")
    for c, name in enumerate(table_.columns):
        if name in ("Kernel Name", "Block Size", "Grid Size"):
            for row in table_.rows:
                row[c] = row[c].replace(",", "") if name == "Kernel Name" else "x".join(row[c].strip("()").split(", "))
    table_.quoted = False


CHANGES = [reordered, dropped, doubled, rescaled, localised, emptied, other_units, without_units, renamed, behind_each_other, surrounded, unquoted]


def damaged(text, random):
    """Cut off, or without a character of its syntax. Digits and points stay, because nobody could see that one is gone."""
    kind = random.random()
    if kind < 0.5:
        return text[:random.randrange(len(text))]
    places = [at for at, character in enumerate(text) if character in '"\n']
    at = random.choice(places)
    return text[:at] + text[at + 1:] if kind < 0.8 else text[:at] + random.choice('"\n') + text[at:]


def numbers_of(path):
    """For each kernel: the grid, each sample's time, and each metric with its columns and value."""
    found = {}
    with opened(path) as raw:
        for kernel, grid, us in raw.execute("SELECT kernel, grid_x, time_us FROM launch JOIN sample ON launch_id = launch.id"):
            found.setdefault((kernel, b"time", grid), set()).add(us)
        for kernel, grid, column, value in raw.execute(
                "SELECT kernel, grid_x, cupti_name, value FROM metric_value JOIN metric ON metric.id = metric_id JOIN launch ON launch.id = launch_id WHERE value IS NOT NULL"):
            if not column.endswith((b".ratio", b".per_cycle_active")):  # of several means any may be there
                found.setdefault((kernel, column, grid), set()).add(value)
    return found


def allowed(box, report):
    """All numbers of the original report, whichever rows are read."""
    key = ("ncu", report)
    if key not in box.world.answers:
        database = box.path("whole.db")
        box.culprit("import", box.write("whole.csv", Csv(report).text()), "--db", database)
        box.world.answers[key] = numbers_of(database)
        os.remove(database)
    return box.world.answers[key]


def ncu_numbers(box):
    """Reports of ncu with other columns, units, separators and damage: only the report's own numbers may be imported."""
    random = box.random
    truth = {}
    for report in REPORTS:
        for key, values in allowed(box, report).items():
            truth.setdefault(key, set()).update(values)
    changed = Csv(random.choice(REPORTS))
    for change in random.choices(CHANGES, k=random.choice((1, 1, 2, 3))):
        change(changed, random)
    text = changed.text()
    if random.random() < 0.3:
        text = damaged(text, random)
    path = box.write("report.csv", text.encode("utf-8", "surrogateescape"))
    database = box.path("n.db")
    ended = box.culprit("import", path, "--db", database)
    if ended.status != 0 or not os.path.exists(database):
        return
    kernels = {(kernel, grid) for kernel, _, grid in truth}
    for (kernel, column, grid), values in numbers_of(database).items():
        if (kernel, grid) not in kernels or column not in {known for _, known, _ in truth}:
            continue  # a name that was changed: nothing says what is right
        right = truth.get((kernel, column, grid), set())
        for value in values:
            if not any(math.isclose(value, one, rel_tol=TOLERANCE, abs_tol=1e-4) for one in right):
                box.fail(f"{column.decode()} of {kernel.decode()[:40]} became {value}, where the report has {sorted(right)[:3]}", ended)
                return


CAMPAIGNS = {"ncu_numbers": ncu_numbers}
