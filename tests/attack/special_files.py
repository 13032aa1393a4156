# SPDX-License-Identifier: Apache-2.0
"""Passes names of things that are not plain files, wherever a command takes a file."""
import os
import threading

from world import READING

ENDLESS_BYTES = 64 << 20  # from a pipe: more than anything that we read


def fed(path, chunks):
    """Someone at the other end of a FIFO, so that opening it does not wait for ever."""
    def feed():
        try:
            with open(path, "wb", buffering=0) as pipe:
                for chunk in chunks:
                    pipe.write(chunk)
        except OSError:
            pass  # the reader may end early
    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    return thread


def drained(path):
    thread = threading.Thread(target=lambda: open(path, "rb").read(), daemon=True)
    thread.start()
    return thread


def named(box, kind):
    """A path of this kind; None where it cannot be made here."""
    path = box.path("special")
    if kind in ("/dev/zero", "/dev/full", "/dev/null", "/dev/stdin", "/proc/self/mem", "/proc/self/environ", "", ".", "/", "-"):
        return kind
    if kind == "directory":
        os.makedirs(path)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "dangling":
        os.symlink(box.path("nowhere"), path)
    elif kind == "loop":
        os.symlink(path, path)
    elif kind == "link":
        os.symlink(box.sentinel, path)
    elif kind == "unreadable":
        box.write("special", "secret")
        os.chmod(path, 0)
    elif kind == "empty":
        box.write("special", "")
    elif kind == "long":
        return box.path("x" * 300)
    elif kind == "deep":
        return box.path(*["x" * 200] * 30)
    elif kind == "escapes":
        return box.path("a\x1b[2J\nb\rc\x9b")
    elif kind == "below a file":
        return os.path.join(box.sentinel, "x")
    elif kind == "missing folder":
        return box.path("no", "where")
    return path


KINDS = ["/dev/zero", "/dev/full", "/dev/null", "/dev/stdin", "/proc/self/mem", "/proc/self/environ", "", ".", "/", "-", "directory", "fifo",
         "dangling", "loop", "link", "unreadable", "empty", "long", "deep", "escapes", "below a file", "missing folder"]


def special_files(box):
    """Devices, pipes, folders and links in place of files."""
    random = box.random
    kind = random.choice(KINDS)
    path = named(box, kind)
    box.note(f"special file: {kind}")
    database = box.database()
    where = random.choice(("import", "import into", "db", "environment", "addresses", "output", "import twice"))
    feeding = kind == "fifo" and fed(path, [b"x" * (1 << 20)] * (ENDLESS_BYTES >> 20)) if where != "output" else kind == "fifo" and drained(path)
    reading = random.choice(READING)
    given = b"1 2 3\n"
    if where == "import":
        box.culprit("import", path, "--db", box.path("new.db"), given=given)
    elif where == "import twice":
        box.culprit("import", path, path, "--db", database, given=given)
    elif where == "import into" and kind != "link":  # through a link, it is the link's file that is meant
        box.culprit("import", box.write("third.sql", box.world.third), "--db", path)
    elif where == "db":
        box.culprit(*reading, "--db", path, given=given)
    elif where == "environment":
        box.culprit(*reading, env={"CULPRIT_DB": path}, given=given)
    elif where == "addresses":
        box.culprit("banks", "--addresses", path, given=given)
    elif where == "output" and kind != "link" and not path.startswith("/proc"):
        box.culprit("export", "--db", database, "-o", path)
    if feeding:
        release(path)
    for name in ("special",):
        if os.path.isfile(box.path(name)) and not os.path.islink(box.path(name)):
            os.chmod(box.path(name), 0o600)


def release(path):
    """Releases whoever still waits at a FIFO that nobody opened."""
    for mode in (os.O_RDONLY, os.O_WRONLY):
        try:
            os.close(os.open(path, mode | os.O_NONBLOCK))
        except OSError:
            pass


def beside(box):
    """Export writes a file beside its target; somebody may have put something there."""
    random = box.random
    database, target = box.database(), box.path("out.sql")
    if random.random() < 0.7:
        box.write("out.sql", "an earlier export\n")
        os.chmod(target, 0o600)
    trap = random.choice(("link", "file", "directory", "none"))
    other = box.path("out.sql.tmp")
    if trap == "link":
        os.symlink(box.sentinel, other)
    elif trap == "file":
        box.write("out.sql.tmp", "mine\n")
    elif trap == "directory":
        os.makedirs(other)
    had_mode = os.stat(target).st_mode if os.path.exists(target) else None
    ended = box.culprit("export", "--db", database, "-o", target)
    if trap == "file" and (not os.path.exists(other) or open(other).read() != "mine\n"):
        box.fail("export destroyed out.sql.tmp, which is not its own", ended)
    if trap == "link" and not os.path.islink(other):
        box.fail("export destroyed a link out.sql.tmp, which is not its own", ended)
    if ended.status != 0:
        box.fail("export cannot write beside a file named out.sql.tmp", ended)
    elif had_mode is not None and os.stat(target).st_mode != had_mode:
        box.fail(f"export changed the permissions of its target from {had_mode:o} to {os.stat(target).st_mode:o}", ended)


def beside_the_database(box):
    """What SQLite would open by itself: the names of the journal, of the log and of its index."""
    database = box.database()
    suffix, kind = box.random.choice(("-journal", "-wal", "-shm")), box.random.choice(("fifo", "directory", "zero", "dangling"))
    path = database + suffix
    {"fifo": os.mkfifo, "directory": os.makedirs, "zero": lambda p: os.symlink("/dev/zero", p),
     "dangling": lambda p: os.symlink(box.path("nowhere"), p)}[kind](path)
    box.note(f"{suffix} is a {kind}")
    for args in (*box.random.sample(READING, 2), ["import", box.write("third.sql", box.world.third)]):
        ended = box.culprit(*args, "--db", database)
        if kind != "dangling" and ended.status == 0:
            box.fail(f"read a database beside which {suffix} is a {kind}", ended)


CAMPAIGNS = {"special_files": special_files, "beside_the_export": beside,
             "beside_the_database": beside_the_database}
