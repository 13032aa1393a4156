#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that script/attack notices each forbidden thing, with programs that do it on purpose.

usage: self_test.py
"""
import os
import random
import sys
import tempfile
import types

import full_disk
import raw_database
from kept import Kept
from sandbox import Sandbox

# What the program does, and a part of the expected message; "" if there must be no message.
PLANTED = [
    ("echo fine", ""),
    ("echo 'culprit: no such file; name another' >&2; exit 2", ""),
    ("echo 'Umlauts: \u00fc, tab:\t.'", ""),
    ("kill -SEGV $$", "SIGSEGV"),
    ("exit 7", "exit status 7"),
    ("exit 1", "exit status 1"),
    ("exit 2", "without a word"),
    ("sleep 60", "did not end"),
    ("echo 'culprit: this is a bug in culprit' >&2; exit 2", "a bug of its own"),
    ("echo 'ERROR: AddressSanitizer: heap' >&2; exit 2", "a sanitizer"),
    ("echo 'a.cpp:3:1: runtime error: signed' >&2", "a sanitizer"),
    ("printf 'red \\033[31m'", "control character"),
    ("printf 'error \\302\\233' >&2; exit 2", "control character"),
    ("echo 'time  nan us'", "prints nan"),
    ("echo 'time -inf us'", "prints -inf"),
    ("echo information, nano", ""),
    ("rm sentinel", "the sentinel"),
    ("echo x >> sentinel", "the sentinel"),
    ("echo x >> m.db", "changed m.db"),
    ("touch m.db-journal", "changed m.db-journal"),
    ("touch m.db-shm", ""),
    ("mkdir $TMPDIR/left", "left left in TMPDIR"),
]
# The same for an import that is refused.
PLANTED_REFUSALS = [
    ("echo 'culprit: no' >&2; exit 2", ""),
    ("echo x >> m.db", ""),
    ("printf A | dd of=m.db conv=notrunc 2>/dev/null; echo 'culprit: no' >&2; exit 2", "changed the file"),
    ("rm m.db; echo 'culprit: no' >&2; exit 2", "changed the file"),
    ("touch m.db-wal; echo 'culprit: no' >&2; exit 2", "left m.db-wal"),
    ("mkdir m.db.x1y2z3; echo 'culprit: no' >&2; exit 2", "left m.db.x1y2z3"),
]
STRIPPED = [
    ("CREATE TABLE a (b REAL NOT NULL CHECK (b IN ('x', ')')), c INTEGER REFERENCES d(id) ON DELETE CASCADE) STRICT", ["NOT NULL", "CHECK", "REFERENCES", "STRICT"]),
    ("CREATE TABLE a (b TEXT, PRIMARY KEY (b), CHECK ((b = 'ok') = (b IS NOT NULL))) STRICT, WITHOUT ROWID", ["CHECK", "STRICT"]),
]


def judged(folder, does, command):
    program = os.path.join(folder, "culprit")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{does}\n")
    os.chmod(program, 0o755)
    box = Sandbox(types.SimpleNamespace(culprit=program, sanitized=False), os.path.join(folder, "box"), random.Random(1))
    box.write("m.db", "a database")
    kept = Kept(box.path("m.db"))
    ended = box.culprit(command, limit_s=1)
    if command == "import":
        kept.judge(box, ended)
    return box.failures


def main():
    wrong = []
    cases = [("runs", *case) for case in PLANTED] + [("import", *case) for case in PLANTED_REFUSALS]
    for command, does, wanted in cases:
        with tempfile.TemporaryDirectory() as folder:
            said = judged(folder, does, command)
            if (wanted and not any(wanted in sentence for sentence in said)) or (not wanted and said):
                wrong.append(f"{does!r}: expected {wanted!r}, was said: {said}")
    for sql, gone in STRIPPED:
        left = [word for word in gone if word in raw_database.without_checks(sql).replace("IS NOT NULL", "")]
        if left:
            wrong.append(f"{sql}: {', '.join(left)} is still there")
    if full_disk.private_mounts():
        with tempfile.TemporaryDirectory() as folder, full_disk.SmallDisk(os.path.join(folder, "disk"), 65536) as disk:
            try:
                with open(os.path.join(disk.folder, "x"), "wb") as file:
                    file.write(bytes(1 << 20))
                wrong.append("a small disk takes a large file")
            except OSError:
                pass
    for sentence in wrong:
        print(f"self_test: {sentence}", file=sys.stderr)
    print(f"self_test: {len(cases) + len(STRIPPED)} planted cases, {len(wrong)} judged wrongly.")
    return 1 if wrong else 0


sys.exit(main())
