# SPDX-License-Identifier: Apache-2.0
"""Checks that a failed import leaves every byte of the target file, and no other file."""
import contextlib
import os
import sqlite3


def beside(database):
    folder, name = os.path.split(database)
    return sorted(entry for entry in os.listdir(folder) if entry.startswith(name) and entry != name)


def content(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def rest_in(database, mode):
    """At rest in WAL mode, as a recorder that was killed and then read by sqlite3 leaves it, or as culprit does."""
    with contextlib.closing(sqlite3.connect(database)) as raw:
        raw.execute(f"PRAGMA journal_mode = {mode}")


class Kept:
    """Made before the import; afterwards it compares the folder with the state before."""

    def __init__(self, database):
        self.database, self.content, self.beside = database, content(database), beside(database)

    def judge(self, box, ended):
        if ended.status != 2:
            return
        if content(self.database) != self.content:
            box.fail("a refused import changed the file", ended)
        left = [name for name in beside(self.database) if name not in self.beside]
        if left:
            box.fail(f"a refused import left {', '.join(left)}", ended)
