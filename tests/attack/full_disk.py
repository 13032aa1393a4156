# SPDX-License-Identifier: Apache-2.0
"""A full file system, a limit on file sizes, or a TMPDIR that does not exist."""
import ctypes
import os

from kept import Kept, rest_in
from world import READING, quick_check

CLONE_NEWNS, MS_REC, MS_PRIVATE, MS_REMOUNT, MS_RDONLY = 0x20000, 0x4000, 1 << 18, 32, 1
libc = ctypes.CDLL(None, use_errno=True)


def private_mounts():
    """From here on this process and its children have mounts of their own, which vanish with them. False: may not."""
    return os.geteuid() == 0 and libc.unshare(CLONE_NEWNS) == 0 and libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None) == 0


class SmallDisk:
    def __init__(self, folder, size):
        self.folder = folder
        os.makedirs(folder)
        self.mounted = libc.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, f"size={size}".encode()) == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.mounted:
            libc.umount2(self.folder.encode(), 2)  # MNT_DETACH


def no_remains(box, ended, folder, name):
    left = sorted(entry for entry in os.listdir(folder) if entry.startswith(name))
    if ended.status != 0 and left:
        box.fail(f"what did not fit left {', '.join(left)}", ended)


def on_full_disk(box):
    """A disk that is full at any moment."""
    random = box.random
    sizes = range(16 << 10, 2 * box.world.size(), 4096)
    with SmallDisk(box.path("disk"), random.choice(sizes)) as disk:
        if not disk.mounted:
            return
        text = box.write("third.sql", box.world.third)
        if random.random() < 0.5:
            ended = box.culprit("import", text, "--db", os.path.join(disk.folder, "new.db"))
            no_remains(box, ended, disk.folder, "new.db")
        else:
            target = os.path.join(disk.folder, "out.sql")
            with open(target, "wb") as file:
                file.write(b"an earlier export\n")
            ended = box.culprit("export", "--db", box.database(), "-o", target)
            if ended.status != 0 and open(target, "rb").read() != b"an earlier export\n":
                box.fail("what did not fit replaced the earlier export", ended)
            if ended.status != 0 and len(os.listdir(disk.folder)) != 1:
                box.fail(f"what did not fit left {os.listdir(disk.folder)}", ended)


def grown_on_full_disk(box):
    """An import into a database with content: the content must stay."""
    with SmallDisk(box.path("disk"), box.world.size() + box.random.randrange(8192, box.world.size(), 4096)) as disk:
        if not disk.mounted:
            return
        database = os.path.join(disk.folder, "m.db")
        with open(database, "wb") as file:
            file.write(open(box.world.small, "rb").read())
        mode = box.random.choice(("DELETE", "DELETE", "WAL"))
        box.note(f"at rest in mode {mode}")
        rest_in(database, mode)
        kept = Kept(database)
        ended = box.culprit("import", box.write("third.sql", box.world.third), "--db", database)
        kept.judge(box, ended)
        wrong = quick_check(database)
        if wrong:
            box.fail(f"a full disk damaged the database: {wrong}", ended)
        args = ("export", "--run", "base")
        if box.culprit(*args, "--db", database).out != box.world.base_export.encode():
            box.fail("a full disk lost what was there", ended)


def size_limit(box):
    """ulimit -f: a write fails, or a signal arrives; the program must not die of it without a message."""
    limit = box.random.randrange(0, 2 * box.world.size(), 1024)
    text = box.write("third.sql", box.world.third)
    what = box.random.choice(("import", "import into", "export"))
    if what == "import":
        ended = box.culprit("import", text, "--db", box.path("new.db"), file_bytes=limit)
        no_remains(box, ended, box.folder, "new.db")
    elif what == "import into":
        # Makes room again: a file that could not be restored keeps its journal until it can.
        database = box.database()
        kept = Kept(database)
        kept.judge(box, box.culprit("import", text, "--db", database, file_bytes=box.world.size() + limit // 2))
    else:
        ended = box.culprit("export", "--db", box.database(), "-o", box.path("out.sql"), file_bytes=limit)
        no_remains(box, ended, box.folder, "out.sql")


def read_only_folder(box):
    """A database with a pending journal in a read-only folder, and no place for a copy."""
    random = box.random
    with SmallDisk(box.path("disk"), 16 << 20) as disk:
        if not disk.mounted:
            return
        database = os.path.join(disk.folder, "m.db")
        with open(database, "wb") as file:
            file.write(open(box.world.small, "rb").read())
        with open(database + random.choice(("-wal", "-journal", "-none")), "wb") as file:
            file.write(random.randbytes(random.choice((0, 100, 5000))))
        libc.mount(b"tmpfs", disk.folder.encode(), b"tmpfs", MS_REMOUNT | MS_RDONLY, None)
        temporary = random.choice((box.path("tmp"), box.path("missing"), "/dev/null", "", box.sentinel, "/dev/full"))
        box.note(f"TMPDIR={temporary}")
        for args in random.sample(READING, 2):
            box.culprit(*args, "--db", database, env={"TMPDIR": temporary})
        box.culprit("import", box.write("third.sql", box.world.third), "--db", database, env={"TMPDIR": temporary})


ON_SMALL_DISKS = {"on_full_disk": on_full_disk, "grown_on_full_disk": grown_on_full_disk, "read_only_folder": read_only_folder}
CAMPAIGNS = {"size_limit": size_limit}
