# SPDX-License-Identifier: Apache-2.0
"""Files beside the database that SQLite believes: journals, write-ahead logs, and the header's numbers.

Layouts: https://www.sqlite.org/fileformat.html, "The Rollback Journal" and "The Write-Ahead Log".
"""
import os
import struct

from damage import ask, rewrite
from kept import Kept
from raw_database import opened
from world import READING

MAGIC = bytes.fromhex("d9d505f920a163d7")
SECTOR = 512
# Offset and size of each field in a database's header, https://www.sqlite.org/fileformat.html#the_database_header
HEADER = {"page size": (16, 2), "write version": (18, 1), "read version": (19, 1), "reserved": (20, 1), "change counter": (24, 4),
          "pages": (28, 4), "first freelist page": (32, 4), "freelist pages": (36, 4), "schema cookie": (40, 4), "schema format": (44, 4),
          "largest root page": (52, 4), "encoding": (56, 4), "user version": (60, 4), "application id": (68, 4), "version valid for": (92, 4)}
NUMBERS = [0, 1, 2, 3, 5, 6, 7, 100, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1]
# Looks like a super-journal to SQLite, with no child journal that still needs it.
JOURNAL_LIST = b"/nowhere/a.db-journal\x00/nowhere/b.db-journal\x00"


def checksum(page, nonce):
    total, at = nonce, len(page) - 200
    while at > 0:
        total += page[at]
        at -= 200
    return total & 0xffffffff


def journal(database, super_name, random):
    """A hot journal that puts back page 1 as it is, and then names a file for SQLite to delete."""
    content = open(database, "rb").read()
    size = struct.unpack(">H", content[16:18])[0]
    size = 65536 if size == 1 else size
    nonce, page = random.randrange(2**32), content[:size]
    text = MAGIC + struct.pack(">IIIII", 1, nonce, len(content) // size, SECTOR, size)
    text = text.ljust(SECTOR, b"\0") + struct.pack(">I", 1) + page + struct.pack(">I", checksum(page, nonce))
    if super_name is not None:
        # At the next sector, then: the locking page's number, the name, its length, its bytes' sum, and the magic.
        text = text.ljust(-(-len(text) // SECTOR) * SECTOR, b"\0")
        summed = sum(byte if byte < 128 else byte - 256 for byte in super_name) & 0xffffffff
        text += struct.pack(">I", 2**30 // size + 1) + super_name + struct.pack(">II", len(super_name), summed) + MAGIC
    return text


def hot_journal(box):
    """A journal beside the file that names files to delete or pages to restore."""
    random = box.random
    database = box.database()
    victim = box.path("victim")
    kind = random.choice(("sentinel", "sentinel", "victim", "relative", "none", "garbage", "cut"))
    named = {"sentinel": box.sentinel, "victim": victim, "relative": "sentinel", "none": None}.get(kind, victim)
    box.write("victim", random.choice((JOURNAL_LIST, b"", b"precious", database.encode() + b"-journal\0")))
    text = journal(database, named.encode() if named is not None else None, random)
    if kind == "garbage":
        text = bytearray(text)
        for _ in range(5):
            text[random.randrange(len(text))] ^= 1 << random.randrange(8)
    if kind == "cut":
        text = text[:random.randrange(len(text))]
    box.write("m.db-journal", text)
    before = open(victim, "rb").read()
    box.note(f"a hot journal, {kind}, naming {named}")
    for args in random.sample(READING, 2):
        box.culprit(*args, "--db", database)
    ended = box.culprit("import", box.write("third.sql", box.world.third), "--db", database)
    if not os.path.exists(victim) or open(victim, "rb").read() != before:
        box.fail("a file that the journal names was deleted or changed", ended)


def write_ahead_log(box):
    """A -wal that somebody cut or changed, or that belongs to another file."""
    random = box.random
    database = box.database()
    with opened(database) as raw:
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("PRAGMA wal_autocheckpoint = 0")
        raw.execute("DELETE FROM run_checksum")
        raw.execute("UPDATE run SET git_sha = 'pending'")
        raw.execute("UPDATE sample SET time_us = time_us * 2")
        log, main = (bytearray(open(database + suffix, "rb").read()) for suffix in ("-wal", ""))
    for name in ("m.db-wal", "m.db-shm"):
        if os.path.exists(box.path(name)):
            os.remove(box.path(name))
    box.write("m.db", bytes(main))
    kind = random.choice(("whole", "cut", "flipped", "random", "shm", "rest"))
    if kind == "cut":
        del log[random.randrange(len(log)):]
    elif kind == "flipped":
        for _ in range(random.choice((1, 30))):
            log[random.randrange(len(log))] ^= 1 << random.randrange(8)
    elif kind == "random":
        log = bytearray(random.randbytes(random.choice((0, 1, 31, 32, 100, 5000))))
    if kind != "rest":
        box.write("m.db-wal", bytes(log))
    if kind == "shm":
        box.write("m.db-shm", random.randbytes(32768))
    box.note(f"a database in WAL mode, its log {kind}")
    for args in random.sample(READING, 2):
        ended = box.culprit(*args, "--db", database)
        if kind in ("whole", "rest") and ended.status == 2 and b"damaged" in ended.err + ended.out:
            box.fail("a healthy database is called damaged", ended)


def header(box):
    """Writes false values into the first 100 bytes of the file."""
    random = box.random
    name = random.choice([*HEADER, "user version", "user version"])
    at, size = HEADER[name]
    number = random.choice(NUMBERS) if random.random() < 0.8 else random.randrange(2**32)
    box.note(f"{name} in the header is {number}")
    rewrite(box, lambda content: content.__setitem__(slice(at, at + size), (number & (256**size - 1)).to_bytes(size, "big")))
    ask(box)
    kept = Kept(box.path("m.db"))
    kept.judge(box, box.culprit("import", box.write("third.sql", box.world.third), "--db", box.path("m.db")))


CAMPAIGNS = {"hot_journal": hot_journal, "write_ahead_log": write_ahead_log, "header": header}
