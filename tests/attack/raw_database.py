# SPDX-License-Identifier: Apache-2.0
"""A database as an attacker edits it: behind the back of every constraint."""
import contextlib
import re
import sqlite3

SCALARS = re.compile(r"\s+(?:NOT\s+NULL|REFERENCES\s+\w+\s*\([^)]*\)(?:\s+ON\s+DELETE\s+CASCADE)?)", re.IGNORECASE)


@contextlib.contextmanager
def opened(path):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.text_factory = bytes  # text need not be UTF-8
        raw.execute("PRAGMA synchronous = OFF")
        yield raw


def without_checks(sql):
    """Leaves keys in place, because they have indices that would no longer match."""
    while True:
        found = re.search(r",?\s*CHECK\s*\(", sql, re.IGNORECASE)
        if not found:
            break
        depth, end = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(sql[end], 0)
            end += 1
        sql = sql[:found.start()] + sql[end:]
    sql = SCALARS.sub("", sql)
    return re.sub(r"\)\s*STRICT\s*(,?)", lambda m: ")", sql) if "WITHOUT ROWID" not in sql else re.sub(r"\bSTRICT\s*,\s*", "", sql)


def schema_of(raw):
    return {name.decode(): sql.decode() for name, sql in raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL")}


def set_schema(raw, tables):
    raw.execute("PRAGMA writable_schema = ON")
    for name, sql in tables.items():
        raw.execute("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", (sql, name))
    version, = raw.execute("PRAGMA schema_version").fetchone()
    raw.execute(f"PRAGMA schema_version = {version + 1}")
    raw.execute("PRAGMA writable_schema = OFF")


@contextlib.contextmanager
def unconstrained(path, restore):
    """Within this context any value can be stored; with `restore` the constraints return afterwards, as if they had held."""
    with opened(path) as raw:
        tables = schema_of(raw)
        # Comments within a statement may hold parentheses and commas.
        set_schema(raw, {name: without_checks(re.sub(r"--[^\n]*", "", sql)) for name, sql in tables.items()})
    with opened(path) as raw:
        raw.execute("PRAGMA ignore_check_constraints = ON")
        raw.execute("PRAGMA foreign_keys = OFF")
        # An attacker can compute the checksums again; without them the other defences must suffice.
        raw.execute("DELETE FROM run_checksum")
        yield raw
        if restore:
            set_schema(raw, tables)


def columns_of(raw):
    """(table, column, declared type) of everything that is ours."""
    found = []
    for table in schema_of(raw):
        if not table.startswith("sqlite_"):
            found += [(table, row[1].decode(), row[2].decode()) for row in raw.execute(f'PRAGMA table_info("{table}")')]
    return found
