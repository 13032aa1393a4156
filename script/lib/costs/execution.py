# SPDX-License-Identifier: Apache-2.0
"""Runs a command, and measures how long it takes and how much memory it has."""
import dataclasses
import os
import signal
import subprocess
import threading
import time

POLL_S = 0.01
TO_END_S = 5


@dataclasses.dataclass
class Execution:
    wall_s: float
    status: int  # as a shell has it
    output: bytes
    errors: str
    was_ended: bool  # by the time limit
    peak_kib: int  # of the process itself; 0: not known


def resident_kib(pid):
    """The most memory that a process had, or has where the system does not remember the most."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            lines = dict(line.split(":", 1) for line in status if ":" in line)
    except OSError:
        return 0
    value = lines.get("VmHWM") or lines.get("VmRSS") or "0"
    return int(value.split()[0])


def shell_status(status):
    return 128 - status if status < 0 else status


def execute(words, scratch, limit_s, stop_after_s=None):
    """stop_after_s: a server gets SIGTERM then, which is how it ends."""
    out_path, err_path = os.path.join(scratch, "out"), os.path.join(scratch, "err")
    peak = 0
    ended = threading.Event()
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        began = time.monotonic()
        # A session of its own, so that a time limit reaches every process that the command started.
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)

        def watch():
            nonlocal peak
            while not ended.wait(POLL_S):
                peak = max(peak, resident_kib(child.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        was_ended = False
        try:
            if stop_after_s is not None:
                try:
                    child.wait(stop_after_s)
                except subprocess.TimeoutExpired:
                    child.terminate()
            child.wait(limit_s)
        except subprocess.TimeoutExpired:
            was_ended = True
        wall_s = time.monotonic() - began
        if was_ended:
            end_group(child)
        ended.set()
        watcher.join()
    with open(out_path, "rb") as out, open(err_path, encoding="utf-8", errors="replace") as err:
        return Execution(wall_s, shell_status(child.returncode), out.read(), err.read(), was_ended, peak)


def end_group(child):
    """Ends the command and its children. A program whose kernel hangs may ignore SIGTERM."""
    os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(TO_END_S)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
