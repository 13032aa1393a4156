# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments, and many processes at once: each change is complete or absent, and other files stay."""
import contextlib
import os
import shutil
import signal
import sqlite3
import time

import watched
from kept import beside
from world import quick_check

READERS, WRITERS = 4, 2
IMPORT_TAKES_S = 0.3
LONG_READER_S = 4


def runs_in(path):
    """Labels of the runs in the file; None where there is no file or no table."""
    if not os.path.exists(path):
        return None
    try:
        with contextlib.closing(sqlite3.connect(path)) as raw:
            return sorted(row[0] for row in raw.execute("SELECT label FROM run"))
    except sqlite3.Error as error:
        return str(error)


def start(box, *args):
    command = [box.world.culprit, *args]
    return watched.start(command, box.folder, sanitized=box.world.sanitized), command, time.monotonic()


def end(box, started, statuses=(0, 2)):
    return box.judge(watched.finish(started[0], started[1], started[2]), set(statuses))


def kill(box, started):
    time.sleep(box.random.random() * IMPORT_TAKES_S)
    started[0].send_signal(signal.SIGKILL)
    started[0].communicate()
    box.runs += 1
    for name in os.listdir(box.path("tmp")):  # what was killed cannot clean up
        shutil.rmtree(box.path("tmp", name), ignore_errors=True)


def nameless_files(folder):
    """Where a file can be complete before it has a name; elsewhere (NFS) a kill leaves the one it had meanwhile."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
        return True
    except OSError:
        return False


def killed_import(box):
    """An import that is killed at any moment."""
    database = box.path("new.db") if box.random.random() < 0.5 else box.database("new.db")
    had = runs_in(database) or []
    text = box.write("third.sql", box.world.third)
    journals = {f"new.db{suffix}" for suffix in ("-journal", "-wal", "-shm")}  # restores a file
    for _ in range(3):
        kill(box, start(box, "import", text, "--db", database))
        left = set(beside(database)) - journals
        if left and nameless_files(box.folder):
            box.fail(f"kill -9 left {', '.join(sorted(left))}")
        if os.path.exists(database) and os.path.getsize(database):
            read = box.culprit("export", "--db", database)
            if had and "'third'" not in read.out.decode() and read.out != box.world.export.encode():
                box.fail("after kill -9 another thing is read than was there", read)
    found = runs_in(database)
    if isinstance(found, list) and found not in (had, sorted([*had, "third"])):
        box.fail(f"after kill -9 the runs are {found}, before {had}")
    # The next import tidies up whatever is there.
    ended = box.culprit("import", text, "--db", database)
    if ended.status != 0 or runs_in(database) != sorted([*had, "third"]):
        box.fail(f"after kill -9 the import does not go through: {runs_in(database)}", ended)
    if beside(database) and nameless_files(box.folder):
        box.fail(f"after kill -9 the next import does not tidy up {', '.join(beside(database))}", ended)
    wrong = quick_check(database)
    if wrong:
        box.fail(f"after kill -9 the file is damaged: {wrong}", ended)


def killed_export(box):
    """An export that is killed at any moment."""
    database = box.database()
    old = box.random.choice((None, b"an earlier export\n"))
    target = box.path("out.sql")
    if old is not None:
        box.write("out.sql", old)
    kill(box, start(box, "export", "--db", database, "-o", target))
    found = open(target, "rb").read() if os.path.exists(target) else None
    if found != old and found != box.world.export.encode():
        box.fail(f"after kill -9 the export is half there: {len(found)} bytes")
    ended = box.culprit("export", "--db", database, "-o", target)
    if ended.status != 0 or open(target, "rb").read() != box.world.export.encode():
        box.fail("after kill -9 the next export is not whole", ended)


def crowd(box):
    """Readers see the state before or after a write, and no command says that the file is damaged."""
    large = box.random.random() < 0.5  # a long reader overlaps with more writers
    database = box.path("m.db")
    shutil.copyfile(box.world.large if large else box.world.small, database)
    asked = ["export", "--run", runs_in(database)[0]]
    with contextlib.closing(sqlite3.connect(database)) as raw:
        # Resting: nothing is pending beside the file, until a writer comes.
        raw.execute(f"PRAGMA journal_mode = {box.random.choice(('WAL', 'DELETE'))}")
    before = box.culprit(*asked, "--db", database).out
    had = len(runs_in(database))
    texts = [box.write(f"w{i}.sql", box.world.run_named(f"writer {i}", 10 + i)) for i in range(WRITERS)]
    started = []
    for _ in range(READERS):
        started.append(("read", start(box, *asked, "--db", database)))
        time.sleep(box.random.random() * 0.05)
        if texts and box.random.random() < 0.7:
            started.append(("write", start(box, "import", texts.pop(), "--db", database)))
    started += [("write", start(box, "import", text, "--db", database)) for text in texts]
    for what, process in started:
        ended = end(box, process)
        if what == "write" and ended.status == 2 and b"try again" in ended.err:  # a busy machine; what it says must be true
            ended = box.culprit(*process[1][1:])
        if ended.status != 0:
            box.fail(f"one of many could not {what}", ended)
        elif what == "read" and ended.out != before:
            box.fail("one of many read something else", ended)
    if len(runs_in(database) or []) != had + WRITERS:
        box.fail(f"of {WRITERS} imports at once these runs are there: {runs_in(database)}")


def long_reader(box):
    """A slow reader must not make a writer fail; if it does, the message must give the right reason."""
    database = box.database()
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as raw:
        raw.execute("BEGIN")
        raw.execute("SELECT count(*) FROM run").fetchone()
        started = start(box, "import", box.write("third.sql", box.world.third), "--db", database)
        time.sleep(LONG_READER_S)
        raw.execute("COMMIT")
        ended = end(box, started)
    if ended.status != 0 and b"reading" not in ended.err:
        box.fail("an import beside a long reader fails and does not say why", ended)


def failing_beside_good(box):
    """A failed import removes its own files and no others."""
    database = box.path("new.db")
    bad = box.write("bad.sql", box.world.third[:-box.random.randrange(10, 2000)])
    good = box.write("good.sql", box.world.third)
    first, second = (bad, good) if box.random.random() < 0.5 else (good, bad)
    one = start(box, "import", first, "--db", database)
    time.sleep(box.random.random() * 0.1)
    other = start(box, "import", second, "--db", database)
    ends = [end(box, one), end(box, other)]
    succeeded = ends[0 if first == good else 1]
    if succeeded.status != 0:
        box.fail("the good import fails beside a bad one", succeeded)
    elif runs_in(database) != ["third"]:
        box.fail(f"the good import said that it succeeded, and the file has {runs_in(database)}", succeeded)


CAMPAIGNS = {"killed_import": killed_import, "killed_export": killed_export, "crowd": crowd, "long_reader": long_reader, "failing_beside_good": failing_beside_good}
