# SPDX-License-Identifier: Apache-2.0
"""A database with the schema of culprit, and rows that a test makes. For tests of scripts."""
import glob
import os
import sqlite3

# Only the source tree has them.
MIGRATIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "db", "migrations")


class InventedDatabase:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        for migration in sorted(glob.glob(os.path.join(MIGRATIONS, "*.sql"))):
            with open(migration, encoding="utf-8") as sql:
                self.db.executescript(sql.read())
        self.db.execute("PRAGMA foreign_keys = OFF")
        self.db.execute("PRAGMA ignore_check_constraints = ON")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.db.commit()
        self.db.close()

    def insert(self, table, **values):
        """Columns that need a value and are not named are empty or 0. Returns the row's id."""
        for _, name, kind, is_needed, default, is_key in self.db.execute(f"PRAGMA table_info({table})").fetchall():
            if is_needed and default is None and name not in values and not is_key:
                values[name] = "" if kind == "TEXT" else 0
        marks = ", ".join("?" * len(values))
        names = ", ".join(f'"{name}"' for name in values)
        return self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values())).lastrowid


def executable(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
