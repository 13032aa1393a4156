# SPDX-License-Identifier: Apache-2.0
"""The folder in which one try runs: a database of its own, a file that must survive, and a record of what was run."""
import collections
import hashlib
import os
import shlex
import shutil

import watched

SENTINEL_TEXT = b"whatever else happens, this file stays as it is\n"
# Readers of a database in WAL mode share memory through this file; SQLite makes and removes it.
SHARED_MEMORY = "-shm"
# 1 is a regression that check found, 3 an inconclusive check, and nothing else; 126 and 127 are programs that record could not start.
MORE_STATUSES = {"check": {1, 3}, "record": {126, 127}}
STARTERS = {"record", "versus"}
READ_ONLY = "runs list show annotate why study check banks query report causes export mcp".split()


def digest(path):
    if os.path.islink(path):
        return "link to " + os.readlink(path)
    if not os.path.isfile(path):
        return "no regular file"
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Sandbox:
    def __init__(self, world, folder, random):
        self.world, self.folder, self.random = world, folder, random
        self.failures, self.runs, self.said, self.outcomes = [], 0, [], collections.Counter()
        os.makedirs(os.path.join(folder, "tmp"))
        self.sentinel = self.write("sentinel", SENTINEL_TEXT)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return self.path(name)

    def database(self, name="m.db"):
        shutil.copyfile(self.world.small, self.path(name))
        return self.path(name)

    def fail(self, what, ended=None):
        self.failures.append(what)
        self.note(f"FORBIDDEN: {what}", ended)

    def note(self, what, ended=None):
        lines = [what]
        if ended is not None:
            lines.append("  " + shlex.join(map(str, ended.command)))
            lines.append(f"  status {ended.status} after {ended.seconds:.2f} s")
            for name, text in (("stdout", ended.out), ("stderr", ended.err)):
                lines.append(f"  {name}: {text[:watched.SHOWN_BYTES]!r}")
        self.said.append("\n".join(lines))

    def contents(self):
        found = {}
        for folder, _, files in os.walk(self.folder):
            for name in files:
                path = os.path.join(folder, name)
                if not name.endswith(SHARED_MEMORY):
                    found[os.path.relpath(path, self.folder)] = digest(path)
        return found

    def judge(self, ended, statuses):
        self.runs += 1
        for what in watched.forbidden_in(ended, statuses):
            self.fail(what, ended)
        if not os.path.isfile(self.sentinel) or open(self.sentinel, "rb").read() != SENTINEL_TEXT:
            self.fail("the sentinel file was deleted or changed", ended)
            self.write("sentinel", SENTINEL_TEXT)
        left = [] if ended.hung or ended.status < 0 else os.listdir(self.path("tmp"))
        if left:
            self.fail(f"left {', '.join(left)} in TMPDIR", ended)
            for name in left:
                shutil.rmtree(self.path("tmp", name), ignore_errors=True)
        return ended

    def culprit(self, *args, **limits):
        """Runs one command of culprit; a command that only reads must leave every file unchanged."""
        args = [str(arg) for arg in args]
        command = next((arg for arg in args if arg in READ_ONLY), None)
        writes = command is None or any(arg.startswith(("-o", "--output")) for arg in args)
        before = None if writes else self.contents()
        if STARTERS & set(args):  # they start whatever their words name: here they name no program
            limits["env"] = {**limits.get("env", {}), "PATH": self.path("no_programs")}
        ended = watched.run([self.world.culprit, *args], self.folder, sanitized=self.world.sanitized, **limits)
        self.judge(ended, {0, 2} | MORE_STATUSES.get(next((arg for arg in args if arg in MORE_STATUSES), None), set()))
        if before is not None and before != self.contents():
            after = self.contents()
            changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
            self.fail(f"a reading command changed {', '.join(changed)}", ended)
        return ended
