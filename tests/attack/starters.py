# SPDX-License-Identifier: Apache-2.0
"""Commands that start programs: kill -9 and signals at random moments, and hostile expressions behind -k."""
import os
import signal
import time

import watched

MOST_S = 1.5  # until the moment
PATIENCE_S = 5
# Neither program ends by itself; only the second can be ended by a signal.
DEAF = "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 987; done\n"
MORTAL = "#!/bin/sh\nsleep 987\necho done\n"
PATTERNS = ["(a+)+c", "(" * 100_000, "(a*)*" * 500, "a{1000}{1000}", "((((a{100}){100}){100}){100})", "(x?){500}x{500}", "[" * 5000,
            "(a|aa)+$", "\\C" * 5000, "(?:" * 20_000 + ")" * 20_000, "(?i)" * 10_000, "\x01", "\udcff", "(a)\\1", "(?<=a)b", "|" * 50_000, ".*" * 2000 + "z"]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def below(pid):
    """Every process that descends from `pid`, itself included."""
    found = [pid]
    for parent in found:
        for task in os.listdir(f"/proc/{parent}/task") if is_alive(parent) else []:
            try:
                with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as file:
                    found += map(int, file.read().split())
            except OSError:
                pass  # it ended meanwhile
    return found


def begin(box, program):
    """Runs one of the commands on programs that never end, and kills it some time later."""
    for name in ("old", "new"):
        os.chmod(box.write(name, program), 0o700)
    words = box.random.choice((["record", "--", "./old"], ["record", "--profile", "full", "--", "./new"], ["versus", "--", "./old", "--", "./new"],
                               ["versus", "./old", "./new"], ["versus", "./old", "./new", "--processes", "8"]))
    command = [box.world.culprit, "--db", box.path("m.db"), *words]
    process = watched.start(command, box.folder, env={"CULPRIT_INJECT": box.sentinel}, sanitized=box.world.sanitized)
    time.sleep(box.random.random() * MOST_S)
    return command, process


def left_of(processes):
    deadline = time.monotonic() + PATIENCE_S
    while any(map(is_alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return [pid for pid in processes if is_alive(pid)]


def killed_starter(box):
    """The started programs must end with the command, and the next command must remove its folders."""
    command, process = begin(box, DEAF)
    processes = below(process.pid)  # those of the started programs, too
    process.send_signal(signal.SIGKILL)
    process.wait()  # a process that is still alive keeps its pipes open
    box.runs += 1
    left = left_of(processes)
    if left:
        box.fail(f"after kill -9 of {' '.join(command[1:4])} {len(left)} of its processes live on")
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    process.communicate()
    ended = watched.run([box.world.culprit, "--db", box.path("m.db"), "record", "--", "/bin/true"], box.folder, env={"CULPRIT_INJECT": box.sentinel},
                        sanitized=box.world.sanitized)
    box.judge(ended, {0})  # which looks for what is left in TMPDIR


def signalled_starter(box):
    """A program that a signal ends takes the command with it, with a documented status and nothing left."""
    command, process = begin(box, MORTAL)
    number = box.random.choice((signal.SIGTERM, signal.SIGHUP))
    started = time.monotonic()
    processes = below(process.pid)
    process.send_signal(number)
    ended = watched.finish(process, command, started)
    left = left_of(processes)
    if left:
        box.fail(f"after signal {number} to {' '.join(command[1:4])} {len(left)} of its processes live on", ended)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    if ended.status == -number and not ended.hung:  # it came before anything was started
        return
    box.judge(ended, {2, 128 + number})


def hostile_patterns(box):
    """-k is refused, or costs time that is linear in the name."""
    pattern = box.random.choice(PATTERNS)
    fake = os.path.join(os.path.dirname(box.world.culprit), "culprit_fake_program")
    has_fake = os.access(fake, os.X_OK)
    program = [fake, "rare", "a" * box.random.randrange(1, 100_000)] if has_fake else ["/bin/true"]
    ended = watched.run([box.world.culprit, "--db", box.path("m.db"), "record", "-k", pattern, "--", *program], box.folder,
                        env={"CULPRIT_INJECT": fake if has_fake else box.sentinel}, sanitized=box.world.sanitized)
    box.judge(ended, {0, 2})


CAMPAIGNS = {"killed_starter": killed_starter, "signalled_starter": signalled_starter, "hostile_patterns": hostile_patterns}
