# SPDX-License-Identifier: Apache-2.0
"""Records each part sampled and replayed, on the same card, one after the other."""
import dataclasses
import os
import time

from costs import execution

from . import recording

PLANTED_PARTS = 3


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    kinds: tuple  # of sampled_loop; the first one is replayed, too
    seconds: float  # of each kind, sampled. All lists of counters have had their turn after 4 s
    needs_s: float  # for everything, on an H100
    profile: str = "core"  # of the replayed run
    launches: int = 2  # replayed of each kernel


# Exact counts take an execution for each kernel, so only short kernels have them.
PARTS = (
    Part("short", ("stream", "shuffled", "graph"), 8, 65, "full", 3),
    Part("stages", ("stages",), 14, 40),
    *(Part(f"planted {i}", (f"planted:{i}/{PLANTED_PARTS}",), 18, 55, launches=1) for i in range(1, PLANTED_PARTS + 1)),
)
LIMIT_S = 150  # for one recording


class Session:
    def __init__(self, root, program, scratch, ends, say, machine, parts=PARTS):
        self.culprit = os.path.join(root, "bin", "culprit")
        self.program, self.scratch, self.ends, self.say = program, scratch, ends, say
        self.machine, self.parts = machine, parts

    def measure(self, rows, after_each):
        """Adds the rows of the parts that are missing, as far as time allows. Returns the names of what is left."""
        left = []
        for part in self.parts:
            if any(row["part"].startswith(part.name) for row in rows):
                self.say(f"{part.name}: is in the file")
            elif self.ends - time.monotonic() < part.needs_s:
                left.append(part.name)
            else:
                found = self.of_part(part)
                if found is None:
                    left.append(part.name)
                    continue
                rows += found
                after_each()
        return left

    def of_part(self, part):
        began = time.monotonic()
        sampled = []
        for kind in part.kinds:
            plan = self.fresh("plan")
            done = self.record("sampled", kind, plan, part.seconds)
            if done is None:
                return None
            sampled.append((kind, *done))
        # The last plan that was written belongs to the last kind, and short kernels have an empty one.
        truth = self.record(part.profile, part.kinds[0], plan, part.seconds, "--launches", str(part.launches), "-k", ".")
        if truth is None:
            return None
        rows = []
        for kind, classes, times in sampled:
            name = part.name if len(part.kinds) == 1 else f"{part.name} {kind}"
            rows += recording.compare(classes, truth[0], times, self.machine, name)
        compared = sum(not row["left_out"] for row in rows)
        self.say(f"{part.name}: {compared} of {len(rows)} kernels are compared, {time.monotonic() - began:.0f} s")
        return rows

    def fresh(self, name):
        path = os.path.join(self.scratch, name)
        for leftover in (path, path + "-wal", path + "-shm"):
            if os.path.exists(leftover):
                os.remove(leftover)
        return path

    def record(self, profile, kind, plan, seconds, *more):
        """The classes of the recording, and how often each range was launched. None: it failed."""
        database = self.fresh("recorded.db")
        words = [self.culprit, "record", "--db", database, "--profile", profile, *more, "--", self.program, kind, plan,
                 f"{seconds:g}"]
        done = execution.execute(words, self.scratch, min(LIMIT_S, max(1.0, self.ends - time.monotonic())))
        self.say(f"  {kind}, {profile}: {done.wall_s:.1f} s")
        if done.was_ended or done.status != 0 or not os.path.exists(database):
            why = "took too long" if done.was_ended else done.errors.strip().splitlines()[-1:] or ["said nothing"]
            self.say(f"  {kind}, {profile} failed: {why if isinstance(why, str) else why[0]}")
            return None
        for line in done.errors.splitlines():
            if "warning" in line.lower() or "not sampled" in line:
                self.say(f"  {line.strip()}")
        return recording.read(database), recording.launched(done.output.decode("utf-8", errors="replace"))
