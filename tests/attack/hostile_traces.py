# SPDX-License-Identifier: Apache-2.0
"""Traces that no recorder writes, at the place where culprit record reads them, as after a disk error or from a hostile program."""
import glob
import os

import watched

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "trace")
NUMBERS = ["", "0", "-1", "1", "7", "64", "2147483647", "2147483648", "-9223372036854775808", "9223372036854775807", "18446744073709551616", "1e999", "nan", "0x10", "1.5", "x"]
TEXTS = ["", "\\t", "\\n", "\\", "\\x", "x" * 5000, "\x1b[2J", "\xff", "../../etc/passwd", "/proc/self/environ", "_ZN" + "1a" * 300 + "Ev", "_Z" + "N" * 2000]
ENCODING = "encoding\t{}\t{}\t{}\tLDG\tR1\t1\t0\t0\t-1\t1\tk.cu\t{}"
# In every execution the program copies this folder to the place where traces are read.
PROGRAM = 'cp "$0"/* "$CULPRIT_TRACE_DIR"/ 2>/dev/null; exit 0'


def sampled(random):
    """Code and samples of a kernel: offsets twice, out of order or without an end, encodings of anything."""
    lines = ["code\t" + random.choice(("_Z6gatherILi4EEvPKf", "b", "")) + "\t" + random.choice(("0123", "", "zz"))]
    for number in range(random.choice((1, 20, 300))):
        offset = 16 * number if random.random() < 0.9 else random.choice(NUMBERS)
        lines.append(ENCODING.format(offset, random.getrandbits(64), random.getrandbits(64), random.choice((1, 1, 1, -1, 2**31))))
    for number in range(random.choice((1, 20))):
        lines.append(f"sample\t0\t{16 * number}\tlong_scoreboard\t{random.choice((1, 5, 2**62))}\t{random.choice((0, 1))}")
    lines.append(f"sampling\t_Z6gatherILi4EEvPKf\t{random.choice((1024, 0))}\t1\t{random.choice((9, 2**62))}\t0")
    return lines


def changed(random, text):
    lines = text.split("\n")
    if random.random() < 0.5:
        lines[-1:-1] = sampled(random)
    for _ in range(random.choice((1, 1, 3, 10))):
        at = random.randrange(len(lines))
        fields = lines[at].split("\t")
        kind = random.randrange(6)
        if kind < 3:
            fields[random.randrange(len(fields))] = random.choice(NUMBERS if kind < 2 else TEXTS)
            lines[at] = "\t".join(fields)
        elif kind == 3:
            lines[at:at + 1] = [lines[at]] * random.choice((0, 2, 1000))
        elif kind == 4:
            lines.insert(at, random.choice(lines))
        else:
            lines[at] = "\t".join(fields[:random.randrange(len(fields) + 1)])
    text = "\n".join(lines)
    return text[:random.randrange(len(text) + 1)] if random.random() < 0.1 else text


def traces(box):
    """Any number of traces with any content in the folder that culprit record reads; then its database is read again."""
    random = box.random
    names = sorted(glob.glob(os.path.join(CORPUS, "*")))
    folder = box.path("given")
    os.makedirs(folder)
    for number in range(random.choice((1, 1, 2, 5))):
        with open(random.choice(names), encoding="utf-8", errors="surrogateescape") as file:
            text = changed(random, file.read())
        box.write(os.path.join("given", f"{number}-0.trace"), text.encode("utf-8", "surrogateescape"))
    inject, database = box.write("inject.so", ""), box.path("t.db")
    args = ["record", "--db", database, "--profile", random.choice(("none", "core", "full", "lines")), "--", "/bin/sh", "-c", PROGRAM, folder]
    ended = watched.run([box.world.culprit, *args], box.folder, sanitized=box.world.sanitized, env={"CULPRIT_INJECT": inject, "CULPRIT_COUNTING_LIMIT": "10"})
    box.judge(ended, {0, 1, 2})
    if ended.status == 0 and os.path.exists(database):
        for words in random.sample([["runs"], ["report"], ["export"], ["list"], ["query", "@runs"], ["check"]], 2):
            read = box.culprit(*words, "--db", database)
            if words[0] in ("runs", "export") and read.status == 2:
                box.fail("what record stored cannot be read", read)


CAMPAIGNS = {"traces": traces}
