# SPDX-License-Identifier: Apache-2.0
"""Files that were cut off, or whose bits were flipped."""
from kept import Kept, rest_in
from raw_database import opened
from world import BASE, CANDIDATE, READING, quick_check

COMMANDS_PER_TRY = 2
# A gate or a copy relies on the answers of these. For other commands a check of the whole file would cost more than the
# answer.
CHECK_THE_FILE = ("check", "export")


def ask(box, commands=COMMANDS_PER_TRY):
    """A damaged file gets an error or an answer; from the commands that check the file never another than the right one,
    where SQLite's quick_check sees the damage."""
    database = box.path("m.db")
    seen = quick_check(database)
    for args in box.random.sample(READING, commands):
        ended = box.culprit(*args, "--db", database)
        if args[0] not in CHECK_THE_FILE:
            continue
        if ended.status in (0, 1) and (ended.status, ended.out) != box.world.answer(args) and seen:
            box.fail(f"another answer than the intact file's, although quick_check says: {seen}", ended)


# The values from which people draw conclusions.
REPORTS = (["show", "v1_6"], ["why", "v1_7", "v1_6"], ["check", "--base", BASE, "--cand", CANDIDATE], ["report"])


def silent_bit(box):
    """Flips one bit anywhere: a report must equal that of the intact file, or say that it cannot be made."""
    rewrite(box, lambda content: flip(content, box.random, 1))
    for args in REPORTS:
        ended = box.culprit(*args, "--db", box.path("m.db"))
        if ended.status not in (0, 1):
            box.outcomes["not what was recorded" if b"is not what was recorded" in ended.err else "not readable"] += 1
        elif (ended.status, ended.out) == box.world.answer(args):
            box.outcomes["as of the intact file"] += 1
        else:
            box.outcomes["changed without a word"] += 1
            box.fail(f"another {args[0]} than the intact file's, without an error", ended)


def rewrite(box, change):
    database = box.database()
    with open(database, "r+b") as file:
        content = bytearray(file.read())
        change(content)
        file.seek(0)
        file.write(content)
        file.truncate(len(content))


def flip(content, random, bits, below=None):
    for _ in range(bits):
        bit = random.randrange(8 * min(below or len(content), len(content)))
        content[bit // 8] ^= 1 << bit % 8


def truncated(box):
    """A file that was cut off anywhere."""
    pages = box.random.random() < 0.5
    size = box.random.randrange(box.world.size())
    rewrite(box, lambda content: content.__delitem__(slice(size // 4096 * 4096 if pages else size, None)))
    ask(box)


def one_bit(box):
    """Flips one bit of the file."""
    # One in four in the first page: the header and the schema are a small part of the file and the most dangerous one.
    below = box.random.choice((100, 4096, None, None, None, None))
    rewrite(box, lambda content: flip(content, box.random, 1, below))
    ask(box)


def thirty_bits(box):
    """Flips thirty bits of the file."""
    rewrite(box, lambda content: flip(content, box.random, 30))
    ask(box)


def import_into_damaged(box):
    """A command that writes must leave a file alone if it refuses it."""
    rewrite(box, lambda content: flip(content, box.random, box.random.choice((1, 30)), box.random.choice((100, 4096, None))))
    text = box.write("more.sql", box.world.third)
    kept = Kept(box.path("m.db"))
    kept.judge(box, box.culprit("import", text, "--db", box.path("m.db")))


def refused_half_way(box):
    """Damage that no check beforehand can see: a trigger makes it after this many rows of that table."""
    random = box.random
    database = box.database()
    table = random.choice(("run", "launch", "sample", "metric_value", "build", "run_stage"))
    with opened(database) as raw:
        rows, = raw.execute(f"SELECT count(*) FROM {table}").fetchone()
        raw.execute(f"CREATE TRIGGER half_way BEFORE INSERT ON {table} WHEN (SELECT count(*) FROM {table}) >= {rows + random.randrange(1 + rows // 2)} "
                    f"BEGIN SELECT RAISE({random.choice(('ABORT', 'ROLLBACK', 'FAIL'))}, 'half way'); END")
    rest_in(database, random.choice(("DELETE", "WAL")))
    kept = Kept(database)
    kept.judge(box, box.culprit("import", box.write("more.sql", box.world.third), "--db", database))


CAMPAIGNS = {"truncated": truncated, "one_bit": one_bit, "silent_bit": silent_bit, "thirty_bits": thirty_bits, "import_into_damaged": import_into_damaged,
             "refused_half_way": refused_half_way}
