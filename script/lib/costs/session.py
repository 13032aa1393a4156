# SPDX-License-Identifier: Apache-2.0
"""Measures programs in turns, within a time."""
import os
import re
import shutil
import subprocess
import time

from . import execution, measurements, programs, recording

# Seconds for one execution. What takes longer is ended, and the document says "longer than".
LIMITS_S = {"bare": 60, "none": 60, "sampled": 90, "core": 25, "full": 60, "ncu_one": 15, "ncu": 25, "ncu_core": 30}
NCU_LAUNCHES = 500
SHORTEST_S = 10  # for another execution, at the end of the time
# In this order, so that what matters most is measured if time is short. Each kind of program has one line at a time.
WHOLE_PLAN = (("bare", "none", "bare", "sampled", "bare"), ("ncu_one", "ncu"), ("core",), ("ncu_core",), ("full",),
              ("bare", "none", "sampled"), ("sampled", "none", "bare"))
SHORT_PLAN = (("bare", "none", "bare", "sampled", "bare"),)
PROFILED = re.compile(r'^==PROF== Profiling "', re.MULTILINE)


class Session:
    def __init__(self, root, here, python, scratch, budget_s, say, machine):
        self.root, self.here, self.python, self.scratch = root, here, python, scratch
        self.ends = time.monotonic() + budget_s
        self.say = say
        self.machine = machine
        self.rows = []
        self.outputs = {}  # of the first bare execution, by kind
        self.metrics = {}  # that a recording has and ncu knows, by kind and way
        self.replayed = {}  # launches, by kind
        self.said = set()

    def measure(self, chosen, plan, after_each):
        runnable = []
        for program in chosen:
            words, why_not = programs.command(program, self.root, self.here, self.python)
            if words is None:
                self.say(f"{program.kind} is not measured: {why_not}")
            else:
                runnable.append((program, words))
        for ways in plan:
            for program, words in runnable:
                for way in ways:
                    if self.wants(program, way):
                        self.step(program, words, way)
                        after_each()

    def wants(self, program, way):
        if way == "full":
            return program.with_full
        if way.startswith("ncu"):
            wanted = program.with_full if way == "ncu_core" else program.with_ncu
            if wanted and shutil.which("ncu") is None:
                self.say_once("ncu is not on the PATH, so nothing is compared with it.")
                return False
            return wanted
        # A server runs for as long as we let it. One bare execution is enough.
        return not (way == "bare" and program.window and program.kind in self.outputs)

    def say_once(self, text):
        if text not in self.said:
            self.said.add(text)
            self.say(text)

    def step(self, program, words, way):
        left_s = self.ends - time.monotonic()
        if left_s < SHORTEST_S:
            self.say_once("the time is over; what is left is not measured.")
            return
        limit_s = min(LIMITS_S[way], left_s)
        row = {**dict.fromkeys(measurements.COLUMNS), **self.machine, "kind": program.kind, "way": way}
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
        done = execution.execute(words, self.scratch, limit_s, stop_after_s)
        row.update(wall_s=done.wall_s, ended_by_limit=done.was_ended, status=None if done.was_ended else done.status)
        return done

    def run_bare(self, program, words, limit_s, row):
        stop_after_s = sum(program.window) if program.window else None
        done = self.execute(words, limit_s, row, stop_after_s)
        if done.status != 0 and not done.was_ended:
            self.say(f"{program.kind} ended with status {done.status}: {last_line(done)}")
        seen = (done.status, comparable(done.output, program))
        if program.kind not in self.outputs:
            self.outputs[program.kind] = seen
        # A program that differs from itself proves nothing about recordings.
        row["same_output"] = seen == self.outputs[program.kind]

    def run_recorded(self, program, words, limit_s, row):
        database = os.path.join(self.scratch, "recorded.db")
        for leftover in (database, database + "-wal", database + "-shm"):
            if os.path.exists(leftover):
                os.remove(leftover)
        window = ["--capture", "delay:{},duration:{}".format(*program.window)] if program.window else []
        done = self.execute([os.path.join(self.root, "bin", "culprit"), "record", "--db", database, "--profile", row["way"],
                             *window, "--", *words], limit_s, row)
        row["peak_kib"] = done.peak_kib or None
        if not done.was_ended and program.kind in self.outputs:
            row["same_output"] = (done.status, comparable(done.output, program)) == self.outputs[program.kind]
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
        self.metrics[program.kind, row["way"]] = metrics
        if row["way"] == "core":
            self.replayed[program.kind] = found["replayed"]

    def run_ncu(self, program, words, limit_s, row):
        """False: there is nothing to compare with."""
        way = "core" if row["way"] == "ncu_core" else "sampled"
        metrics = self.metrics.get((program.kind, way))
        launches = {"ncu_one": 1, "ncu": NCU_LAUNCHES, "ncu_core": self.replayed.get(program.kind)}[row["way"]]
        if not metrics or not launches:
            self.say(f"{program.kind} is not compared with ncu: the recording by {way} has no counters.")
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


def comparable(output, program):
    """A server says how much it served. That depends on time."""
    return output.split(b"served")[0] if program.window else output


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
