# SPDX-License-Identifier: Apache-2.0
"""Measures programs in turns, within a time. Goes on where an earlier call ended."""
import collections
import hashlib
import os
import re
import shutil
import subprocess
import time

from . import execution, measurements, programs, recording
from .limits import USUAL

# Seconds for one execution. What takes longer is ended, and the document says "longer than".
LIMITS_S = {"bare": 60, "none": 60, "usual": 120, "core": 90, "full": 120, "ncu_one": 20, "ncu": 30, "ncu_core": 60,
            "ncu_core_many": 30}
# An execution of a known program begins only if there is so much time: a multiple of the bare program, and seconds.
NEEDS = {"bare": (1.5, 2), "none": (2, 4), "usual": (3, 8)}
NCU_LAUNCHES = 1000
GPU_TIME = "KINDS_GPU_TIME"  # the variable by which program_kinds is asked for its GPU time
# In this order, so that what matters most is measured if time is short. Each kind of program has one line at a time.
WHOLE_PLAN = (("bare", "none", "bare", "usual", "bare"), ("ncu_one", "ncu"), ("core", "ncu_core_many", "ncu_core"), ("full",),
              ("bare", "none", "usual"), ("usual", "none", "bare"))
SHORT_PLAN = (("bare", "none", "bare", "usual", "bare"),)
PROFILED = re.compile(r'^==PROF== Profiling "', re.MULTILINE)


class Session:
    def __init__(self, root, here, python, scratch, budget_s, say, machine, rows=()):
        self.root, self.here, self.python, self.scratch = root, here, python, scratch
        self.ends = time.monotonic() + budget_s
        self.say = say
        self.machine = machine
        self.rows = list(rows)
        self.done = collections.Counter((row["kind"], row["way"]) for row in rows)  # before this call
        self.said = set()

    def measure(self, chosen, plan, after_each):
        """Whether nothing is left."""
        runnable = []
        for program in chosen:
            words, why_not = programs.command(program, self.root, self.here, self.python)
            if words is None:
                self.say(f"{program.kind} is not measured: {why_not}")
            else:
                runnable.append((program, words))
        planned = collections.Counter()
        is_complete = True
        for ways in plan:
            for program, words in runnable:
                for way in ways:
                    if not self.wants(program, way, planned):
                        continue
                    planned[program.kind, way] += 1
                    if planned[program.kind, way] <= self.done[program.kind, way]:
                        continue
                    if self.has_time(program, way):
                        self.step(program, words, way)
                        after_each()
                    else:
                        is_complete = False
        return is_complete

    def of(self, program):
        return measurements.Measured(program.kind, self.rows)

    def first(self, program, way, column):
        """None: not measured yet."""
        return next((row[column] for row in self.of(program).of(way) if row[column] not in (None, "")), None)

    def wants(self, program, way, planned):
        if way == "full":
            return program.with_full
        if way.startswith("ncu"):
            if program.with_ncu and shutil.which("ncu") is None:
                self.say_once("ncu is not on the PATH, so nothing is compared with it.")
                return False
            return program.with_ncu
        # A server runs for as long as we let it. One bare execution is enough.
        return not (way == "bare" and program.window and planned[program.kind, way] > 0)

    def has_time(self, program, way):
        left_s, needs_s = self.ends - time.monotonic(), LIMITS_S[way]
        bare_s = self.of(program).median("bare", "wall_s")
        if way in NEEDS and bare_s is not None:
            needs_s = min(needs_s, NEEDS[way][0] * bare_s + NEEDS[way][1])
        if left_s < needs_s:
            self.say_once("the time is over; what is left is not measured. Run this again with the same --out to go on.")
        return left_s >= needs_s

    def say_once(self, text):
        if text not in self.said:
            self.said.add(text)
            self.say(text)

    def step(self, program, words, way):
        limit_s = LIMITS_S[way]
        row = {**dict.fromkeys(measurements.COLUMNS), **self.machine, "kind": program.kind, "way": way, "output": "", "metrics": ""}
        if way == "bare":
            self.run_bare(program, words, limit_s, row)
        elif way.startswith("ncu"):
            if not self.run_ncu(program, words, limit_s, row):
                return
        else:
            self.run_recorded(program, words, limit_s, row)
        self.rows.append(row)
        more = " (ended by its time limit)" if row["ended_by_limit"] else ""
        self.say(f"{program.kind}, {way}: {row['wall_s']:.2f} s{more}")

    def execute(self, words, limit_s, row, stop_after_s=None):
        times = os.path.join(self.scratch, "gpu_time")
        if os.path.exists(times):
            os.remove(times)
        done = execution.execute(words, self.scratch, limit_s, stop_after_s, {GPU_TIME: times})
        row.update(wall_s=done.wall_s, ended_by_limit=done.was_ended, status=None if done.was_ended else done.status)
        if os.path.exists(times):
            with open(times, encoding="utf-8") as file:
                row["gpu_ms"] = float(file.readline())  # of the first execution, which is the timed one
        return done

    def run_bare(self, program, words, limit_s, row):
        stop_after_s = sum(program.window) if program.window else None
        done = self.execute(words, limit_s, row, stop_after_s)
        if done.status != 0 and not done.was_ended:
            self.say(f"{program.kind} ended with status {done.status}: {last_line(done)}")
        row["output"] = digest(done, program)
        # A program that differs from itself proves nothing about recordings.
        row["same_output"] = row["output"] == (self.first(program, "bare", "output") or row["output"])

    def run_recorded(self, program, words, limit_s, row):
        database = os.path.join(self.scratch, "recorded.db")
        for leftover in (database, database + "-wal", database + "-shm"):
            if os.path.exists(leftover):
                os.remove(leftover)
        window = ["--capture", "delay:{},duration:{}".format(*program.window)] if program.window else []
        profile = ["--profile", row["way"]] if row["way"] != USUAL else []
        done = self.execute([os.path.join(self.root, "bin", "culprit"), "record", "--db", database, *profile, *window, "--", *words],
                            limit_s, row)
        row["peak_kib"] = done.peak_kib or None
        bare = self.first(program, "bare", "output")
        if not done.was_ended and bare is not None:
            row["output"] = digest(done, program)
            row["same_output"] = row["output"] == bare
            if not row["same_output"]:
                self.say(f"{program.kind}, {row['way']}: another output or status ({done.status}): {last_line(done)}")
        if not os.path.exists(database):
            self.say(f"{program.kind}, {row['way']}: nothing was recorded: {last_line(done)}")
            return
        row["database_kib"] = os.path.getsize(database) // 1024
        found, metrics = recording.read(database, program.waiting_kernels)
        if found is None:
            return
        row.update(found)
        row["metrics"] = " ".join(metrics)

    def run_ncu(self, program, words, limit_s, row):
        """False: there is nothing to compare with."""
        way = "core" if row["way"].startswith("ncu_core") else USUAL
        metrics = (self.first(program, way, "metrics") or "").split()
        launches = {"ncu_one": 1, "ncu_core": self.first(program, "core", "replayed")}.get(row["way"], NCU_LAUNCHES)
        if not metrics or not launches:
            self.say(f"{program.kind} is not compared with ncu: the recording ({way}) has no counters.")
            return False
        log, report = os.path.join(self.scratch, "ncu.log"), os.path.join(self.scratch, "report")
        if os.path.exists(log):
            os.remove(log)
        done = self.execute(["ncu", "--clock-control", "none", "--cache-control", "none", "--launch-count", str(launches),
                             "--force-overwrite", "--log-file", log, "-o", report, "--metrics", ",".join(metrics), *words],
                            limit_s, row)
        text = ""
        if os.path.exists(log):
            with open(log, encoding="utf-8", errors="replace") as file:
                text = file.read()
        row["ncu_asked"], row["ncu_metrics"] = launches, len(metrics)
        row["ncu_launches"] = len(PROFILED.findall(text)) or None
        # What was ended by its time limit may not have written its lines.
        if row["ncu_launches"] is None and not done.was_ended:
            said = text.strip().splitlines()[-1:] or [last_line(done)]
            self.say(f"{program.kind}: ncu counted nothing: {said[0]}")
            return False
        return True


def digest(done, program):
    """Of status and output. A server says how much it served. That depends on time."""
    output = done.output.split(b"served")[0] if program.window else done.output
    return hashlib.sha256(b"%d " % done.status + output).hexdigest()[:16]


def last_line(done):
    lines = done.errors.strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def machine(culprit):
    """GPU, driver and versions. Empty: not known."""

    def first_line(*words):
        try:
            said = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.strip().splitlines()
        except (OSError, subprocess.SubprocessError):
            return ""
        return said[0].strip() if said else ""

    gpu = first_line("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
    driver = first_line("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    ncu = ""
    if shutil.which("ncu"):
        try:
            said = subprocess.run(["ncu", "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
            found = re.search(r"Version (\S+)", said)
            ncu = found.group(1) if found else ""
        except (OSError, subprocess.SubprocessError):
            pass
    return {"gpu": gpu, "driver": driver, "culprit": first_line(culprit, "--version"), "ncu": ncu}
