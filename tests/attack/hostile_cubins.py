# SPDX-License-Identifier: Apache-2.0
"""Cubins and resource reports that no compiler wrote, for culprit_static_table."""
import glob
import os
import struct

import hostile_elf
import watched

NUMBERS = [0, 1, 2, 0x7f, 0xff, 0xffff, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1, 64, 4096]
WORDS = [b"sm_99999999999999999", b"sm_", b"'", b"Compiling entry function '" + b"k" * 40_000 + b"' for 'sm_90'", b"9" * 400 + b" bytes stack frame",
         b"Used 99999999999999999999 registers", b"\x1b[2J", b"\x00", b"\xff\xfe", b"Function properties for " + b"(" * 2000, b"bytes cmem[0]",
         b"Compiling entry function 'a\"; } int x = system(\"y\"); //' for 'sm_90'", b"\\", b"\n" * 100]
REPORT = (b"ptxas info    : Compiling entry function 'one' for 'sm_90'\nptxas info    : Function properties for one\n"
          b"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used 12 registers, 400 bytes cmem[0]\n")


def real_cubins():
    corpus = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "cubin")
    return [open(path, "rb").read() for path in sorted(glob.glob(os.path.join(corpus, "*")))]


def mutated(random, content):
    content = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8, 30))):
        at = random.randrange(len(content))
        kind = random.randrange(5)
        if kind == 0:
            content[at] ^= 1 << random.randrange(8)
        elif kind == 1:  # a field of the file's header or of the section table, which ends the file or nearly so
            at = random.choice((random.randrange(64), max(0, len(content) - random.randrange(1, 2048))))
            size = random.choice((1, 2, 4, 8))
            content[at:at + size] = struct.pack("<Q", random.choice(NUMBERS))[:size]
        elif kind == 2:
            del content[at:at + random.choice((1, 8, 64, len(content)))]
        elif kind == 3:
            content[at:at] = random.choice(WORDS)
        else:
            other = random.randrange(len(content))
            content[at:at + 64] = content[other:other + 64]
        if not content:
            break
    return bytes(content)


def cubins(box):
    """Cubins and resource reports with single bits, fields and pieces changed."""
    random = box.random
    kept = box.path("a.o.keep")
    os.makedirs(kept)
    for number in range(random.choice((1, 1, 2))):
        name = random.choice(("a.cubin", "b.cubin", "a.sm_90.cubin", "x\x1b[2J.cubin", "c.sm_99999999999999999.cubin"))
        kind = random.random()
        if kind < 0.05:
            if not os.path.exists(os.path.join(kept, name)):
                os.makedirs(os.path.join(kept, name))
            continue
        real = random.choice(real_cubins())
        content = real if kind < 0.1 else random.randbytes(random.randrange(4096)) if kind < 0.15 else mutated(random, real)
        if kind > 0.9:
            content = real[:64] + random.randbytes(random.randrange(64, 4096))
        if not os.path.isdir(os.path.join(kept, name)):
            box.write(os.path.join("a.o.keep", name), content)
    if random.random() < 0.5:
        box.write(os.path.join("a.o.keep", "report.txt"), mutated(random, REPORT))
    out = box.path("table.cpp")
    args = [box.path("a.o"), *(["--output", out] if random.random() < 0.5 else [])]
    ended = box.judge(watched.run([box.world.static_table, *args], box.folder, sanitized=box.world.sanitized), {0, 2})
    if ended.status == 0 and os.path.exists(out) and (b"system(" in open(out, "rb").read().replace(b'\\"', b"").split(b'"')[0::2].__repr__().encode()):
        box.fail("a symbol became code in the generated source", ended)


def static_table_lines(box):
    """Random operands and options for culprit_static_table."""
    random = box.random
    words = ["", "-", "--", "--output", "--help", "-h", "--nothing", "/dev/zero", "/dev/null", "/dev/full", ".", "missing", "a.o", "x" * 5000,
             "\x1b[2J", "--output=", "--output=table.cpp", "--output=no/where.cpp", box.path("tmp")]
    args = [random.choice(words) for _ in range(random.randrange(5))]
    box.judge(watched.run([box.world.static_table, *args], box.folder, sanitized=box.world.sanitized), {0, 2})


FILES_PER_TRY = 20


def cubin_structure(box):
    """Cubins with false sections, symbols, line programs and machine code, for the table and for the recorder."""
    random = box.random
    kept = box.path("a.o.keep")
    os.makedirs(kept)
    real = real_cubins()
    names = [box.write(os.path.join("a.o.keep", f"{number}.cubin"), hostile_elf.changed(random, random.choice(real))) for number in range(FILES_PER_TRY)]
    for name in names[::5]:
        one = os.path.join(box.folder, os.path.basename(name) + ".keep")
        os.makedirs(one)
        os.link(name, os.path.join(one, "a.cubin"))
        box.judge(watched.run([box.world.static_table, one], box.folder, sanitized=box.world.sanitized), {0, 2})
    readers = os.path.join(os.path.dirname(box.world.static_table), "fuzz_cubin")
    if os.access(readers, os.X_OK):  # the ELF reader, the line table and the machine code, as CodeModules asks them
        box.judge(watched.run([readers, kept], box.folder, sanitized=box.world.sanitized), {0})


CAMPAIGNS = {"cubins": cubins, "cubin_structure": cubin_structure, "static_table_lines": static_table_lines}
