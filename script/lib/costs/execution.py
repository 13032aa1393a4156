# SPDX-License-Identifier: Apache-2.0
"""Runs a command, and measures how long it takes and how much memory it has."""
import ctypes
import dataclasses
import os
import signal
import subprocess
import threading
import time

POLL_S = 0.01
TO_END_S = 5
# A process that the kernel ends may hold the GPU's memory for some seconds more. Then the next program fails.
TO_VANISH_S = 60
PR_SET_CHILD_SUBREAPER = 36


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


def signal_group(child, number):
    try:
        os.killpg(child.pid, number)
    except ProcessLookupError:
        pass


def adopt_orphans():
    """From now on, processes become our children when their parents end."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def await_orphans():
    """Until all adopted processes have ended, for a minute at most."""
    ends = time.monotonic() + TO_VANISH_S
    while time.monotonic() < ends:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(POLL_S)
        except ChildProcessError:
            return


class Watch:
    """What happens beside a command that runs. Nobody asks again and again whether it has ended: that would make times
    longer, up to the next question."""

    def __init__(self, child, limit_s, stop_after_s):
        self.child = child
        self.ended = threading.Event()
        self.peak_kib = 0
        self.was_ended = False
        self.threads = [threading.Thread(target=self.look), threading.Timer(limit_s + (stop_after_s or 0), self.end)]
        if stop_after_s is not None:
            self.threads.append(threading.Timer(stop_after_s, child.terminate))
        for thread in self.threads:
            thread.start()

    def look(self):
        while not self.ended.wait(POLL_S):
            self.peak_kib = max(self.peak_kib, resident_kib(self.child.pid))

    def end(self):
        """A program whose kernel hangs may ignore SIGTERM."""
        self.was_ended = True
        signal_group(self.child, signal.SIGTERM)
        if not self.ended.wait(TO_END_S):
            signal_group(self.child, signal.SIGKILL)

    def finish(self):
        self.ended.set()
        for thread in self.threads:
            if isinstance(thread, threading.Timer):
                thread.cancel()
            thread.join()
        if self.was_ended:
            signal_group(self.child, signal.SIGKILL)  # what the command left behind


def execute(words, scratch, limit_s, stop_after_s=None, environment=None):
    """stop_after_s: a server gets SIGTERM then, which is how it ends. environment: added to ours."""
    adopt_orphans()
    out_path, err_path = os.path.join(scratch, "out"), os.path.join(scratch, "err")
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        began = time.monotonic()
        # A session of its own, so that a time limit reaches every process that the command started.
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                 env={**os.environ, **(environment or {})})
        watch = Watch(child, limit_s, stop_after_s)
        child.wait()
        wall_s = time.monotonic() - began
        watch.finish()
    if watch.was_ended:
        await_orphans()
        wall_s = min(wall_s, limit_s + (stop_after_s or 0))
    with open(out_path, "rb") as out, open(err_path, encoding="utf-8", errors="replace") as err:
        return Execution(wall_s, shell_status(child.returncode), out.read(), err.read(), watch.was_ended, watch.peak_kib)
