# SPDX-License-Identifier: Apache-2.0
"""SQL from elsewhere: in the text for import, on the command line of query, and in the schema of the file itself."""
import contextlib
import os
import re
import sqlite3

from hostile_values import ESCAPES
from raw_database import opened
from world import READING

LITERALS = ["9e999", "-9e999", "1e308", "1e400", "-1e400", "1e-400", "0." + "0" * 400 + "1", "+", "-", "++5", "+-5", "--5", "5e", ".", "e5",
            "0x10", "x'00'", "''''", "'", '"run"', "NULL", "9223372036854775808", "-9223372036854775809", "1" * 5000, "NaN", "Infinity",
            "(SELECT 1)", "1+1", "load_extension('x')", "'" + "x" * 100_000 + "'", "'\x1b[2J'", "'a\x00b'", "\x00", "-1"]
STATEMENTS = ["ATTACH 'pwned.db' AS p;", "PRAGMA journal_mode=DELETE;", "PRAGMA user_version=99;", "DROP TABLE run;", "DELETE FROM run;",
              "SELECT load_extension('./pwned');", "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END;", "VACUUM INTO 'pwned.db';",
              "INSERT INTO sqlite_schema(type) VALUES ('table');", "INSERT INTO run(id) VALUES (1);", "INSERT INTO nowhere(a) VALUES (1);",
              "INSERT INTO newest_run(run_id) VALUES (1);", "INSERT INTO run VALUES (1);", "COMMIT;", "BEGIN;", "ROLLBACK;", ";", "/* */",
              "INSERT INTO run(id, id) VALUES (1, 1);", "INSERT OR REPLACE INTO run(id) VALUES (1);", "INSERT INTO \"a\"\"b\"(\"c\") VALUES (1);",
              "INSERT INTO run(" + ",".join(f"c{i}" for i in range(3000)) + ") VALUES (1);", "\\.shell touch pwned", ".read pwned"]
QUERIES = ["ATTACH 'pwned.db' AS p", "PRAGMA user_version = 7", "PRAGMA journal_mode = WAL", "PRAGMA writable_schema = ON",
           "PRAGMA temp_store_directory = '.'", "VACUUM INTO 'pwned.db'", "VACUUM", "SELECT load_extension('./pwned')", "SELECT readfile('sentinel')",
           "SELECT writefile('pwned', 'x')", "SELECT edit('x')", "DELETE FROM run", "UPDATE run SET label = 'x' RETURNING *",
           "INSERT INTO run(id) VALUES (9)", "DROP VIEW newest_run", "CREATE TEMP TABLE t(a)", "CREATE VIRTUAL TABLE t USING fts5(a)", "REINDEX",
           "ANALYZE", "BEGIN EXCLUSIVE", "SAVEPOINT a", "WITH t AS (SELECT 1) DELETE FROM run", "EXPLAIN DELETE FROM run", "SELECT 1; DELETE FROM run",
           "", " ", ";", "--", "/*", "'", "SELECT", "SELECT ?", "SELECT :x", "SELECT @y, $z", "SELECT ?999999", "@", "@nothing", "@" + "a" * 10_000,
           "SELECT char(27) || '[2J'", "SELECT x'1b5b324a'", "SELECT char(0) || 'a'", "SELECT 9e999, -9e999", "SELECT zeroblob(1000000)",
           "SELECT randomblob(20)", "SELECT '<script>alert(1)</script>' AS \"<script>\"", "SELECT 1 AS a, 2 AS a", "SELECT 1 AS ''",
           "SELECT 1 AS \"" + "\x1b[31m" + "\"", "SELECT hex(zeroblob(100000000))", "SELECT zeroblob(2000000000)", "SELECT " + "(" * 5000 + "1" + ")" * 5000,
           "SELECT " + "1+" * 20_000 + "1", "SELECT " + ",".join("1" * 1 for _ in range(3000)), "SELECT * FROM sqlite_dbpage", "SELECT * FROM dbstat",
           "SELECT * FROM pragma_database_list", "SELECT sqlite_compileoption_get(1)", "SELECT fts3_tokenizer('simple')", "SELECT printf('%.*c', 100000000, 'x')",
           "SELECT * FROM run, run, run", "SELECT 1 UNION SELECT 2, 3", "VALUES (1), (2)", "SELECT 9223372036854775807 + 1", "SELECT abs(-9223372036854775808)"]
PARAMETERS = ["x=1", ":x=1", "x=", "=1", "x", "", "x=9e999", "x=nan", "x=-inf", "x=1e400", "x=99999999999999999999", "x=0x10", "x=\x1b[2J", "::x=1",
              "@x=1", "$x=1", "x=1=2", "run=1", "shape=1", "x=" + "a" * 100_000, " x = 1", "x=1e-400", "\x1b[31m"]

ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT "
# Changes that an older or another program may have left. The tables are whole, so any answer must be the intact file's.
ADDED = [
    "DROP VIEW {view}; CREATE VIEW {view} AS {endless} count(*) AS run_id FROM c",
    "DROP VIEW {view}; CREATE VIEW {view} AS {endless} n AS run_id FROM c",
    "DROP VIEW {view}; CREATE VIEW {view} AS SELECT load_extension('./pwned') AS run_id",
    "DROP VIEW {view}; CREATE VIEW {view} AS SELECT 1 AS run_id",
    "DROP VIEW {view}; CREATE VIEW {view} AS SELECT * FROM {view}",
    "DROP VIEW {view}; CREATE VIEW {view} AS SELECT randomblob(1000000000) AS run_id",
    "DROP VIEW {view}",
    "CREATE TRIGGER t1 AFTER INSERT ON run BEGIN DELETE FROM run; END",
    "CREATE TRIGGER t2 BEFORE INSERT ON launch BEGIN SELECT load_extension('./pwned'); END",
    "CREATE TRIGGER t3 AFTER INSERT ON run BEGIN INSERT INTO device(name) {endless} n FROM c; END",
    "CREATE VIRTUAL TABLE evil USING fts5(a)",
    "CREATE TABLE sneaky(a, b AS (abs(-9223372036854775808)) STORED)",
    "ALTER TABLE sample ADD COLUMN more TEXT",
    "CREATE INDEX i1 ON sample(abs(time_us * 1e308))",
]
# Changes that no program of ours makes: the answer must be an error.
BROKEN = [
    "DROP VIEW {view}; CREATE TABLE {view}(a); INSERT INTO {view} VALUES (1)",
    "ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS SELECT * FROM old",
    "ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS SELECT * FROM old WHERE ({endless} count(*) FROM c) > 0",
    "ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS SELECT old.* FROM old, (SELECT randomblob(1000000000))",
    "ALTER TABLE run DROP COLUMN label", "DROP TABLE {table}",
]
TABLES = "run launch stage sample metric_value device".split()
REAL_COLUMNS = [("sample", "time_us"), ("sample", "clock_mhz"), ("launch", "flop"), ("metric_value", "value"), ("instruction_value", "value")]


def mutated(random, text):
    lines = text.split("\n")
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        kind, at = random.randrange(6), random.randrange(len(lines))
        if kind == 0:
            # A literal of a row: the values of an INSERT stand between brackets, one row a line.
            parts = list(re.finditer(r"-?\d+\.?\d*(?:e[-+]?\d+)?|'(?:[^']|'')*'|NULL", lines[at]))
            if parts:
                part = random.choice(parts)
                lines[at] = lines[at][:part.start()] + random.choice(LITERALS) + lines[at][part.end():]
        elif kind == 1:
            lines.insert(at, random.choice(STATEMENTS))
        elif kind == 2:
            lines[at:] = [lines[at][:random.randrange(len(lines[at]) + 1)]]
        elif kind == 3:
            lines.insert(at, lines[random.randrange(len(lines))])
        elif kind == 4:
            line = bytearray(lines[at].encode())
            for _ in range(min(len(line), 3)):
                line[random.randrange(len(line))] = random.randrange(256)
            lines[at] = line.decode("latin-1")
        else:
            lines.append(random.choice([";", "x", "\x00DROP TABLE run;", "COMMIT;", "BEGIN;", "-- " + "x" * 100_000]))
    return "\n".join(lines).encode("utf-8", "replace")


def everything(path):
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.text_factory = bytes
        tables = [row[0].decode() for row in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {table: sorted(map(repr, raw.execute(f'SELECT * FROM "{table}"'))) for table in tables}


def only_finite(box, path, ended):
    with opened(path) as raw:
        for table, column in REAL_COLUMNS:
            bad, = raw.execute(f'SELECT count(*) FROM {table} WHERE NOT abs("{column}") < 1e400').fetchone()
            if bad:
                box.fail(f"imported {bad} numbers that are not finite into {table}.{column}", ended)


def import_sql(box):
    """Text for import that runs other statements, or lies."""
    random = box.random
    text = box.write("evil.sql", mutated(random, box.world.base_export))
    into_new = random.random() < 0.5
    database = box.path("new.db") if into_new else box.database()
    before = None if into_new else open(database, "rb").read()
    # Together with a good file: all files are imported, or none.
    good = [box.write("third.sql", box.world.third)] if random.random() < 0.25 else []
    ended = box.culprit("import", *good, text, "--db", database)
    if os.path.exists(box.path("pwned")) or os.path.exists(box.path("pwned.db")):
        box.fail("text was executed", ended)
    if ended.status != 0 and into_new:
        left = [name for name in os.listdir(box.folder) if name.startswith("new.db")]
        if left:
            box.fail(f"a failed import left {', '.join(sorted(left))}", ended)
    elif ended.status != 0 and open(database, "rb").read() != before:
        box.fail("a failed import changed the file", ended)
    elif ended.status == 0:
        only_finite(box, database, ended)
        box.culprit(*random.choice(READING), "--db", database)


def query_sql(box):
    """Queries that try to write, to load or to leave the database."""
    random = box.random
    database = box.database()
    sql = random.choice(QUERIES) if random.random() < 0.8 else "SELECT '" + random.choice(ESCAPES).replace("'", "''") + "' AS a"
    args = ["query", sql.replace("\x00", ""), "--db", database, "--format", random.choice(["text", "md", "csv", "json"])]
    for _ in range(random.choice((0, 0, 1, 2))):
        args += ["--param", random.choice(PARAMETERS)]
    ended = box.culprit(*args)
    if [name for name in os.listdir(box.folder) if name.startswith("pwned")]:
        box.fail("a query made a file", ended)


def doubled(raw, view):
    """The view as it might have been before an upgrade: one of its numbers differs."""
    sql, = raw.execute("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?", (view,)).fetchone()
    # Not from the file: the oldest SQLite that we build with may lack a function that the view uses.
    names = [row[1].decode() for row in raw.execute(f"PRAGMA table_info({view})")]
    numbers = [name for name in names if name.endswith(("_us", "value", "bytes", "count", "wavefronts", "pct", "gflops", "samples"))] or names[-1:]
    columns = ", ".join(f'"{name}" * 2 AS "{name}"' if name in numbers else f'"{name}"' for name in names)
    body = re.sub(r"^CREATE VIEW\s+\S+", "", sql.decode(), count=1)
    return f"DROP VIEW {view}; CREATE VIEW before_the_upgrade {body}; CREATE VIEW {view} AS SELECT {columns} FROM before_the_upgrade"


def views_of(raw):
    return [row[0].decode() for row in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")]


def stale_view(box):
    """One view in the file is of another version: answers must still come from the program's own views."""
    database = box.database()
    with opened(database) as raw:
        view = box.random.choice(views_of(raw))
        raw.executescript(doubled(raw, view))
    box.note(f"{view} is stale")
    named = [args for args in READING if args[1:] and args[1].startswith("@")]
    for args in box.random.sample(named, 4) + box.random.sample(READING, 1):
        ended = box.culprit(*args, "--db", database)
        if (ended.status, ended.out) != box.world.answer(args):
            box.fail(f"another answer than the intact file's, because {view} is stale", ended)


def hostile_schema(box):
    """Views, triggers and tables that somebody put into the file."""
    random = box.random
    database = box.database()
    broken = random.random() < 0.4
    with opened(database) as raw:
        raw.execute("PRAGMA legacy_alter_table = ON")
        for _ in range(random.choice((1, 1, 2))):
            view = random.choice(views_of(raw))
            script = random.choice(BROKEN if broken else ADDED).format(view=view, table=random.choice(TABLES), endless=ENDLESS)
            try:
                raw.executescript(script)
                box.note(script)
            except sqlite3.Error as error:
                box.note(f"not possible: {script}: {error}")
    for args in random.sample(READING, 2):
        ended = box.culprit(*args, "--db", database)
        if not broken and ended.status == 0 and (ended.status, ended.out) != box.world.answer(args):
            box.fail("another answer than the intact file's, because of what was added to its schema", ended)
    box.culprit("import", box.write("third.sql", box.world.third), "--db", database)


CAMPAIGNS = {"import_sql": import_sql, "query_sql": query_sql, "hostile_schema": hostile_schema, "stale_view": stale_view}
