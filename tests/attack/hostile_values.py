# SPDX-License-Identifier: Apache-2.0
"""Values that no recording has, stored behind the back of the constraints."""
import math
import sqlite3

from damage import COMMANDS_PER_TRY
from raw_database import columns_of, opened, unconstrained
from world import BASE, CANDIDATE, READING, SHAPES, STAGES

NUMBERS = [math.inf, -math.inf, 1e308, -1e308, 5e-324, 1e-300, 0, 0.0, -1, -0.5, 1e18, 2**31, 2**63 - 1, -2**63, None]
ESCAPES = ["\x1b[2J\x1b[31mred", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\link", "a\x08\x08b", "\r\nforged line", "\x7f", "\x9b31m",
           "a\x00b", "\u202ereversed", "| a | b |\n|---|", "<script>alert(1)</script>", "[x](javascript:alert(1))",
           "<img src=x onerror=alert(1)>", "`code`", "'; DROP TABLE run; --", "%s%n{}{0}", "=cmd|' /C calc'!A0", "\u00fc" * 50]
SIZES = [0, 1, 10_000, 2_000_000]
LARGEST_BYTES = 4 << 20  # in all rows together: a large text in each of thousands filled the disk on which the attack runs
ODD = ["4096x", "x", "-1x-1", "9" * 400, "99999999999x99999999999x99999999999", "0x0x0", "[1,2", "[null]", "[" * 100_000,
       "[9223372036854775807]", "{}", b"\xff\xfe", b"\xc3", b"\x00\x01"]
# Verdicts are computed from these. (table, column): not a number that a measurement can give must end in 2, never in 0.
GATE = {("sample", "time_us"), ("sample", "clock_mhz"), ("launch", "verify_error_over_bound")}


def value(random, declared):
    numeric = declared in ("REAL", "INTEGER")
    if random.random() < (0.85 if numeric else 0.1):
        number = random.choice(NUMBERS)
        # SQLite stores it as 'Inf' in a column of text, where it is a name like another.
        return number if numeric or number is None or math.isfinite(number) else "endless"
    kind = random.randrange(4)
    if kind == 0:
        return "x" * random.choice(SIZES)
    return random.choice(ODD) if kind == 1 else random.choice(ESCAPES)


def rows(random, raw, table):
    """Some of the rows: all, those of one launch or run where the table has such a column, or few."""
    names = [row[1].decode() for row in raw.execute(f'PRAGMA table_info("{table}")')]
    owners = [name for name in names if name in ("launch_id", "run_id", "stage_id", "build_id", "id")]
    if not owners or random.random() < 0.4:
        return "1"
    owner = random.choice(owners)
    picked = raw.execute(f'SELECT "{owner}" FROM "{table}" ORDER BY "{owner}"').fetchall()
    chosen = random.choice(picked)[0] if picked else None
    return f"{owner} IS {chosen}" if isinstance(chosen, int) else "1"


def store(raw, table, column, content, where):
    text = isinstance(content, bytes)
    raw.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = {"CAST(? AS TEXT)" if text else "?"} WHERE {where}', (content,))


def fitting(raw, table, where, content):
    if not isinstance(content, (str, bytes)):
        return content
    count, = raw.execute(f'SELECT count(*) FROM "{table}" WHERE {where}').fetchone()
    return content[:LARGEST_BYTES // max(1, count)]


def plausible(content):
    return isinstance(content, (int, float)) and math.isfinite(content) and content >= 0


def values(box):
    """Numbers and texts that no recording has, stored behind the back of the constraints."""
    random = box.random
    database = box.database()
    spoilt_gate = []
    with unconstrained(database, restore=random.random() < 0.5) as raw:
        columns = columns_of(raw)
        for _ in range(random.choice((1, 1, 1, 3, 10))):
            table, column, declared = random.choice(columns)
            if random.random() < 0.2:
                table, column = random.choice(sorted(GATE))
                declared = "REAL"
            content, where = value(random, declared), rows(random, raw, table)
            content = fitting(raw, table, where, content)
            try:
                store(raw, table, column, content, where)
                box.note(f"{table}.{column} = {str(content)[:60]!r} where {where}")
            except (sqlite3.Error, OverflowError) as error:
                box.note(f"{table}.{column} stays: {error}")
                continue
            unverified = (table, column, content) == ("launch", "verify_error_over_bound", None)
            unclocked = (table, column, content) == ("sample", "clock_mhz", None)
            if (table, column) in GATE and not plausible(content) and not unverified and not unclocked:
                changed, = raw.execute(f'SELECT count(*) FROM "{table}" WHERE {where}').fetchone()
                spoilt_gate += [f"{table}.{column} = {content!r}"] if changed else []
    for args in random.sample(READING, COMMANDS_PER_TRY):
        box.culprit(*args, "--db", database)
    ended = box.culprit("check", "--base", BASE, "--cand", CANDIDATE, "--db", database)
    if spoilt_gate and ended.status == 0 and still_there(database):
        box.fail(f"check says that all is well, with {'; '.join(spoilt_gate)}", ended)


def still_there(database):
    """True if, after all changes of this try, a value that verdicts use is still impossible."""
    with opened(database) as raw:
        return any(raw.execute(f'SELECT count(*) FROM "{table}" WHERE "{column}" IS NOT NULL AND '
                               f"(typeof(\"{column}\") NOT IN ('real', 'integer') OR NOT abs(\"{column}\") < 1e400 OR \"{column}\" < 0)"
                               ).fetchone()[0] for table, column in GATE)


def missing_rows(box):
    """Deletes rows that others refer to, or lets rows refer to those of another run."""
    random = box.random
    database = box.database()
    with unconstrained(database, restore=True) as raw:
        for _ in range(random.choice((1, 1, 3))):
            table, column, _ = random.choice(columns_of(raw))
            where = rows(random, raw, table)
            if column.endswith("_id") and random.random() < 0.6:
                other = random.choice((0, -1, 1, 2, 3, 5, 10**6, None))
                raw.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE {where}', (other,))
                box.note(f"{table}.{column} = {other} where {where}")
            else:
                raw.execute(f'DELETE FROM "{table}" WHERE {where}')
                box.note(f"deleted from {table} where {where}")
    for args in random.sample(READING, COMMANDS_PER_TRY + 1):
        box.culprit(*args, "--db", database)


def texts(box):
    """Makes every text of the database hostile: commands must print it safely."""
    database = box.database()
    spoilt = box.random.choice(ESCAPES)
    keep = {"uuid", "key", "started_utc", "finished_utc", "profile", "l2", "state", "status", "source", "op", "addresses", "shape", "sql"}
    with unconstrained(database, restore=True) as raw:
        for table, column, declared in columns_of(raw):
            if declared == "TEXT" and column not in keep and (table, column) != ("run", "label"):
                raw.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = "{column}" || ?', (spoilt,))
        raw.execute("UPDATE launch SET state = 'failed', message = ? WHERE stage_id IN (SELECT id FROM stage WHERE key = ?)",
                    (spoilt, box.random.choice(STAGES)))
        raw.execute("INSERT INTO warning(run_id, launch_id, code, text) SELECT id, NULL, ?, ? FROM run", (spoilt, spoilt))
    box.note(f"text: {spoilt!r}, shapes {SHAPES}")
    for args in box.random.sample(READING, COMMANDS_PER_TRY + 1):
        box.culprit(*args, "--db", database)
    # An error message repeats what it was given.
    box.culprit("show", spoilt.replace("\x00", ""), "--db", database)


CAMPAIGNS = {"values": values, "missing_rows": missing_rows, "texts": texts}
