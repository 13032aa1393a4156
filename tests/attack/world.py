# SPDX-License-Identifier: Apache-2.0
"""Shared by all tries: the programs, a small database with two runs, and the answers of the intact database."""
import contextlib
import os
import re
import shutil
import sqlite3
import tempfile

import watched

STAGES = ("v2", "v1_9", "v1_8", "v1_7", "v1_6", "cublas_sgemm", "hgemm_mma")
SHAPES = ("1024x1024x1024", "2048x2048x2048")
BASE, CANDIDATE = "base", "change"

# All commands that read. Small enough that each ends within a fraction of a second.
READING = [
    ["runs"], ["runs", "--json"], ["list"], ["list", "--static"], ["show", "v1_6"], ["show", "v1_7", "--format", "md"],
    ["show", "cublas_sgemm", "--json"], ["why", "v1_7", "v1_6", "--metrics"], ["why", "v1_7", "v1_6", "--metrics", "--all", "--format", "csv"],
    ["why", "v1_7", "v1_6"], ["why", "v1_6", "v1_7", "--json"], ["why", "v1_7", "v1_6", "--format", "md"],
    ["study", "v2", "v1_6"], ["study", "--family", "v_study", "--json"], ["check", "--base", BASE, "--cand", CANDIDATE],
    ["check", "--base", BASE, "--cand", CANDIDATE, "--json"], ["check", "--base", BASE, "--cand", CANDIDATE, "--format", "md"],
    ["banks", "v1_6"], ["report"], ["report", "--format", "md"], ["report", "--json"],
    ["export"], ["query", "@ladder"], ["query", "@slowest", "--format", "md"],
    ["query", "@edges", "--json"], ["query", "@stalls", "--format", "csv"], ["query", "@runs"], ["query", "@warnings"],
    ["query", "@readings", "--format", "csv"], ["query", "SELECT * FROM launch", "--format", "md"],
    ["query", "SELECT * FROM stage", "--json"], ["query", "SELECT * FROM run"],
]


def without_sums(text):
    """An edited export is refused. Without the checksums of its runs it is accepted, and gets new ones."""
    return re.sub(r"INSERT INTO run_checksum[^;]*;\n", "", text)


class World:
    def __init__(self, programs, recording, folder):
        self.folder = folder
        self.culprit = os.path.join(programs, "culprit")
        self.static_table = os.path.join(programs, "culprit_static_table")
        self.sanitized = watched.is_sanitized(self.culprit)
        self.small = os.path.join(folder, "small.db")
        self.large = os.path.join(folder, "large.db")  # the whole recording
        self.answers = {}
        os.makedirs(os.path.join(folder, "tmp"), exist_ok=True)
        self._make_small(recording)
        self.export = self._must("export", "--db", self.small).out.decode()
        self.base_export = self._must("export", "--run", BASE, "--db", self.small).out.decode()
        self.third = self.run_named("third", 3)  # a run that the database does not have

    def run_named(self, label, number):
        """The text of a run like the first, with a UUID and a label of its own."""
        uuid = re.search(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", self.base_export).group()
        return without_sums(self.base_export).replace(uuid, f"{number:08x}" + uuid[8:]).replace(f"'{BASE}'", f"'{label}'")

    def _must(self, *args):
        ended = watched.run([self.culprit, *args], self.folder, limit_s=300, sanitized=self.sanitized)
        if ended.status != 0:
            raise SystemExit(f"attack: culprit {' '.join(args)} fails before any attack: {ended.err.decode(errors='replace')}")
        return ended

    def _make_small(self, recording):
        """The first stages of the recording, as one run and again as another."""
        self._must("import", recording, "--db", self.small)
        shutil.copyfile(self.small, self.large)
        with contextlib.closing(sqlite3.connect(self.small, isolation_level=None)) as raw:
            raw.execute("PRAGMA foreign_keys = ON")
            stages, shapes = ",".join(map(repr, STAGES)), ",".join(map(repr, SHAPES))
            kept = f"SELECT id FROM stage WHERE key IN ({stages})"
            raw.execute(f"DELETE FROM launch WHERE stage_id NOT IN ({kept}) OR shape NOT IN ({shapes})")
            for table in ("build", "shared_access", "run_stage"):
                raw.execute(f"DELETE FROM {table} WHERE stage_id NOT IN ({kept})")
            raw.execute(f"DELETE FROM stage WHERE id NOT IN ({kept})")
            raw.execute("DELETE FROM instruction WHERE id % 4 <> 0")
            raw.execute("UPDATE run SET label = ?", (BASE,))
            raw.execute("DELETE FROM run_checksum")
            uuid, = raw.execute("SELECT uuid FROM run").fetchone()
        text = without_sums(self._must("export", "--db", self.small).out.decode())
        os.remove(self.small)
        for name, content in (("first", text), ("again", text.replace(uuid, uuid[::-1]).replace(f"'{BASE}'", f"'{CANDIDATE}'"))):
            path = os.path.join(self.folder, f"{name}.sql")
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            self._must("import", path, "--db", self.small)

    def answer(self, args):
        """The answers of the intact database."""
        key = tuple(args)
        if key not in self.answers:
            self.answers[key] = self._ended_of_intact(args)
        return self.answers[key]

    def _ended_of_intact(self, args):
        ended = watched.run([self.culprit, *args, "--db", self.small], self.folder, limit_s=300, sanitized=self.sanitized)
        return ended.status, ended.out

    def size(self):
        return os.path.getsize(self.small)


def quick_check(path):
    """What SQLite itself would say of the file; "" where it sees nothing wrong. Of a copy: for what is pending in a -wal
    SQLite needs room beside it, and the disk may be full."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "m.db")
            for suffix in ("", "-wal", "-journal"):
                if os.path.exists(path + suffix):
                    shutil.copyfile(path + suffix, copy + suffix)
            return quick_check_in_place(copy)
    except OSError as error:
        return str(error)


def quick_check_in_place(path):
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as raw:
            rows = [row[0] for row in raw.execute("PRAGMA quick_check(1)")]
            return "" if rows == ["ok"] else str(rows[0])
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return str(error)
