# SPDX-License-Identifier: Apache-2.0
"""Tries --lines, why, check and export on machine code, lines, quotes and samples that no recording wrote."""
import json
import os
import shutil

import recorded
from raw_database import opened, unconstrained

# So that the worst code ends well within the limit of a try, without optimisation too.
LONG_CODE = 2_000
STAGES = 3
OPCODES = ["947", "949", "943", "944", "950", "94d", "945", "941", "b1d", "981", "984", "986", "9a7", "9f0", "91a", "983", "987", "1ae", "210", "824", "221"]
FILES = ["kernel.cu", "../../etc/passwd", "/etc/passwd", "/proc/self/environ", "/dev/zero", "", ".", "x" * 5000, "a\x1b[2Jb", "<script>alert(1)</script>", "a\nb",
         "[x](javascript:alert(1))"]
LINES = [0, 1, 2, 7, 2**31 - 1, 2**31, 2**63 - 1, -1]
OFFSETS = [0, 1, 8, 16, 17, 2**31, 2**63 - 16, 2**63 - 1, -16, -2**63]


def encoding(random):
    """32 hexadecimal digits, the more significant half first."""
    if random.random() < 0.3:
        return f"{random.getrandbits(128):032x}"
    low = random.getrandbits(64) & ~0xfff | int(random.choice(OPCODES), 16)
    if random.random() < 0.6:  # a target nearby
        low = low & 0xffffffff | (random.randrange(-64, 64) * 16 & 0xffffffff) << 32
    high = random.getrandbits(64) if random.random() < 0.5 else random.choice((0, 0x000fc00000000000, 0x003fde0003800000, 0x000fea0003900000))
    return f"{high:016x}{low:016x}"


def machine_code(raw, random):
    for number, in raw.execute("SELECT id FROM machine_instruction").fetchall():
        if random.random() < 0.3:
            raw.execute("UPDATE OR IGNORE machine_instruction SET encoding = ? WHERE id = ?", (encoding(random), number))


def control(raw, random):
    for column, values in (("stall_cycles", (0, 15, 16, -1, 2**31)), ("write_scoreboard", (-1, 0, 5, 6, 7, 63)), ("read_scoreboard", (-1, 0, 6, 64)),
                           ("wait_mask", (0, 63, 64, 2**31, 2**32 - 1, -1)), ("yield", (0, 1, 2))):
        if random.random() < 0.5:
            raw.execute(f"UPDATE OR IGNORE machine_instruction SET {column} = ? WHERE id % ? = 0", (random.choice(values), random.choice((1, 2, 7))))


def offsets(raw, random):
    """Gaps in the code, instructions without neighbours, code that does not begin at 0."""
    if random.random() < 0.5:
        raw.execute("UPDATE OR IGNORE code_instruction SET pc_offset = pc_offset + ?", (random.choice(OFFSETS),))
    else:
        raw.execute("DELETE FROM code_instruction WHERE pc_offset % ? = 0", (random.choice((16, 32, 48, 160)),))
    if random.random() < 0.5:
        raw.execute("UPDATE OR IGNORE instruction_sample SET pc_offset = ? WHERE pc_offset % 64 = 0", (random.choice(OFFSETS),))


def places(raw, random):
    """Lists of files and lines that are invalid or endless."""
    def frames():
        kind = random.randrange(8)
        if kind < 4:
            return json.dumps([[random.choice(FILES), random.choice(LINES)] for _ in range(random.choice((0, 1, 3, 300, 5000)))])
        return random.choice(("", "[", "{}", "[[]]", "[null]", "[[1,2,3]]", '[["a"]]', "[" * 2000 + "]" * 2000, '[["a",1.5]]', '[["a","b"]]', "NaN", '[["a",1e999]]'))
    for number, in raw.execute("SELECT id FROM line_chain").fetchall():
        if random.random() < 0.3:
            raw.execute("UPDATE OR IGNORE line_chain SET frames = ? WHERE id = ?", (frames(), number))
    if random.random() < 0.3:
        raw.execute("UPDATE OR IGNORE line_chain SET source_file = ?, source_line = ?", (random.choice(FILES), random.choice(LINES)))


def quotes(raw, random):
    raw.execute("UPDATE OR IGNORE source_text SET source_file = ? WHERE source_line % 2 = 0", (random.choice(FILES),))
    raw.execute("UPDATE OR IGNORE source_text SET text = ?", (random.choice(("\x1b[2J", "x" * 100_000, "<script>alert(1)</script>", "", "a\r\nb", "[x](javascript:alert(1))")),))


def samples(raw, random):
    column = random.choice(("samples", "not_issued"))
    raw.execute(f"UPDATE OR IGNORE instruction_sample SET {column} = ? WHERE pc_offset % ? = 0",
                (random.choice((0, -1, 2**31, 2**62, 2**63 - 1)), random.choice((16, 48))))
    if random.random() < 0.5:
        raw.execute("UPDATE OR IGNORE sampling SET samples = ?, period_cycles = ?", (random.choice((0, 1, 2**63 - 1)), random.choice((0, 1, 2**63 - 1))))
    if random.random() < 0.3:
        raw.execute("UPDATE OR IGNORE sample_reason SET name = ? WHERE id = 1", (random.choice(("", "drain", "barrier", "\x1b[2J", "x" * 1000)),))


def long_code(raw, random):
    """One of the codes is as long as generated kernels get, of loops in loops, calls, indirect branches or walks without an end."""
    number, = random.choice(raw.execute("SELECT code_id FROM sampled_code").fetchall())
    kinds = random.sample(OPCODES, 3)
    ids = []
    for kind in kinds:
        for back in (1, 2, 100, LONG_CODE // 2):
            target = -16 * back & 0xffffffff
            raw.execute("INSERT OR IGNORE INTO machine_instruction (encoding, opcode, operands, stall_cycles, yield, write_scoreboard, read_scoreboard, wait_mask) "
                        "VALUES (?, '', '', 1, 0, 0, -1, 1)", (f"{0x000fc00000000000 | random.getrandbits(8):016x}{target:08x}00000{kind}",))
            ids.append(raw.execute("SELECT max(id) FROM machine_instruction").fetchone()[0])
    sampled, = raw.execute("SELECT id FROM sampled_code WHERE code_id = ?", (number,)).fetchone()
    chain = raw.execute("SELECT min(id) FROM line_chain").fetchone()[0]
    reasons = [row[0] for row in raw.execute("SELECT id FROM sample_reason")]
    raw.execute("DELETE FROM code_instruction WHERE code_id = ?", (number,))
    raw.executemany("INSERT INTO code_instruction VALUES (?, ?, ?, ?)", [(number, 16 * i, random.choice(ids), chain if random.random() < 0.5 else None) for i in range(LONG_CODE)])
    raw.executemany("INSERT OR IGNORE INTO instruction_sample VALUES (?, ?, ?, 3, 1)", [(sampled, 16 * i, random.choice(reasons)) for i in range(LONG_CODE)])


CHANGES = [machine_code, machine_code, control, offsets, places, quotes, samples]
LONG_SHARE = 0.03


def few_sampled(world):
    """A database with few kernels, their samples, code and lines; made once."""
    made = os.path.join(world.folder, "few_sampled.db")
    if not os.path.exists(made):
        shutil.copyfile(recorded.sampled(world), made)
        with opened(made) as raw:
            raw.execute("PRAGMA foreign_keys = ON")
            raw.execute("DELETE FROM launch WHERE id NOT IN (SELECT launch_id FROM sampling ORDER BY launch_id LIMIT ?)", (STAGES,))
            raw.execute("DELETE FROM code WHERE id NOT IN (SELECT code_id FROM sampled_code)")
            raw.execute("VACUUM")
    return made


def code_in_database(box):
    """Machine code, lines, quotes and samples that no recording wrote."""
    random = box.random
    database = box.path("m.db")
    shutil.copyfile(few_sampled(box.world), database)
    with unconstrained(database, restore=random.random() < 0.5) as raw:
        stages = [row[0].decode() for row in raw.execute("SELECT key FROM stage WHERE id IN (SELECT stage_id FROM launch) ORDER BY key")]
        raw.execute("BEGIN")
        for change in random.sample(CHANGES, random.choice((1, 1, 2, 4))):
            change(raw, random)
        if random.random() < LONG_SHARE:
            long_code(raw, random)
        raw.execute("COMMIT")
    one, other = random.choice(stages), random.choice(stages)
    commands = [["show", one, "--lines"], ["show", one, "--lines", "--json"], ["show", one, "--lines", "--format", "md"], ["show", one], ["why", one, other, "--lines"],
                ["why", one, other, "--lines", "--format", "md"], ["why", one, other], ["check"], ["export"], ["report"], ["query", "SELECT * FROM line_stall LIMIT 50"]]
    for args in random.sample(commands, 2):
        box.culprit(*args, "--db", database)


CAMPAIGNS = {"code_in_database": code_in_database}
