# SPDX-License-Identifier: Apache-2.0
"""Changes a cubin where its format gives bytes a meaning: headers, sections, symbols, relocations, line programs, .nv.info
and machine code. Single flipped bits, as in the campaign cubins, rarely get past the first checks."""
import struct

SECTION, SYMBOL, RELOCATION = "<IIQQQQIIQQ", "<IBBHQQ", "<QQq"
NAME, TYPE, FLAGS, ADDRESS, OFFSET, SIZE, LINK, INFO, ALIGN, ENTRY = range(10)
SYMTAB, STRTAB, RELA, NOBITS, REL = 2, 3, 4, 8, 9
COMPRESSED = 0x800
EDGES = [0, 1, 2, 3, 7, 8, 15, 16, 64, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 16, 2**64 - 1]
# Operations of a line program, the extended ones with their sizes; the last three name an inlined function.
LINE_OPERATIONS = [b"\x01", b"\x02\x10", b"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x03\x7f", b"\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", b"\x04\x00",
                   b"\x04\xff\xff\xff\xff\x0f", b"\x05\x00", b"\x06", b"\x08", b"\x09\xff\xff", b"\x00\x01\x01", b"\x00\x09\x02" + bytes(8), b"\x00\x00",
                   b"\x00\xff\xff\xff\xff\x0f\x02", b"\x00\x03\x90\x01\x00", b"\x00\x03\x90\x00\x00", b"\x00\x07\x90\xff\xff\xff\xff\x0f\x00", b"\xff" * 20]
# Low halves of instructions by their opcode: branch, indirect branch, call, return, exit, BSSY, BSYNC, barrier, loads, products.
OPCODES = [0x947, 0x949, 0x943, 0x944, 0x950, 0x94d, 0x945, 0x941, 0xb1d, 0x981, 0x984, 0x986, 0x9a7, 0x9f0, 0x91a, 0x983, 0x987, 0x1ae]
GROWN = 100_000  # the length of the longest function


class Elf:
    """The sections of a cubin, to be changed and written again: contents may be of any size, headers may lie."""

    def __init__(self, content):
        self.head = bytearray(content[:64])
        first, = struct.unpack_from("<Q", content, 0x28)
        count, = struct.unpack_from("<H", content, 0x3c)
        self.headers = [list(struct.unpack_from(SECTION, content, first + 64 * i)) for i in range(count)]
        self.contents = [bytearray(b"" if h[TYPE] in (0, NOBITS) else content[h[OFFSET]:h[OFFSET] + h[SIZE]]) for h in self.headers]
        self.names_at, = struct.unpack_from("<H", content, 0x3e)
        self.lies = {}  # (section, field): what its header says instead

    def name(self, index):
        names = self.contents[self.names_at]
        return bytes(names[self.headers[index][NAME]:].split(b"\0", 1)[0])

    def named(self, start):
        return [i for i in range(len(self.headers)) if self.name(i).startswith(start) and self.contents[i]]

    def written(self):
        out = bytearray(64)
        table = []
        for index, (header, content) in enumerate(zip(self.headers, self.contents)):
            header = list(header)
            header[OFFSET] = len(out)
            if header[TYPE] not in (0, NOBITS):
                header[SIZE] = len(content)
                out += content
            for (section, field), value in self.lies.items():
                if section == index:
                    header[field] = value & (2**32 - 1 if field in (NAME, TYPE, LINK, INFO) else 2**64 - 1)
            table.append(struct.pack(SECTION, *header))
        struct.pack_into("<Q", self.head, 0x28, len(out))
        out[:64] = self.head
        return bytes(out + b"".join(table))


def edge(random, size=8):
    return (random.choice(EDGES) if random.random() < 0.8 else random.getrandbits(64)) & (1 << 8 * size) - 1


def headers(elf, random):
    """Offsets, sizes, types, links, flags and names of sections that are not true."""
    for _ in range(random.choice((1, 1, 3))):
        section, field = random.randrange(len(elf.headers)), random.randrange(10)
        other = random.randrange(len(elf.headers))
        value = {TYPE: random.choice((SYMTAB, STRTAB, RELA, NOBITS, REL)), FLAGS: elf.headers[section][FLAGS] | COMPRESSED, LINK: other,
                 OFFSET: elf.headers[other][OFFSET], NAME: elf.headers[other][NAME]}.get(field)
        elf.lies[section, field] = value if value is not None and random.random() < 0.6 else edge(random)


def overlaps(elf, random):
    """Every section is the whole file, or as large as another one."""
    for section in range(1, len(elf.headers)):
        if random.random() < 0.7:
            elf.lies[section, OFFSET] = random.choice((0, 64))
            elf.lies[section, SIZE] = random.choice((64, 1000, 4000))


def symbols(elf, random):
    """Symbols with missing names and sections; one kernel thousands of times."""
    for table in [i for i, h in enumerate(elf.headers) if h[TYPE] == SYMTAB and elf.contents[i]]:
        content = elf.contents[table]
        at = 24 * random.randrange(max(1, len(content) // 24))
        one = list(struct.unpack_from(SYMBOL, content, at)) if len(content) >= at + 24 else [0] * 6
        field = random.randrange(6)
        one[field] = edge(random, (4, 1, 1, 2, 8, 8)[field])
        content[at:at + 24] = struct.pack(SYMBOL, *one)
        if random.random() < 0.2:
            elf.contents[table] = content * random.choice((2, 100, 2000))


def texts(elf, random):
    """A table of names without its end, empty, or of one long name."""
    tables = [i for i, h in enumerate(elf.headers) if h[TYPE] == STRTAB]
    if tables:
        chosen = random.choice(tables)
        elf.contents[chosen] = random.choice((elf.contents[chosen].rstrip(b"\0"), bytearray(), bytearray(b"x" * 100_000),
                                              elf.contents[chosen].replace(b"\0", b"."), bytearray(b"\x1b[2J" * 100)))


def relocations(elf, random):
    for section in elf.named(b".rel"):
        content = elf.contents[section]
        size = 24 if elf.headers[section][TYPE] == RELA else 16
        for at in range(0, len(content) - size + 1, size):
            if random.random() < 0.5:
                struct.pack_into("<Q", content, at + 8 * random.randrange(size // 8), edge(random))
        if random.random() < 0.3:
            del content[random.randrange(len(content) + 1):]
        elf.contents[section] = content * random.choice((1, 1, 1000))


def lines(elf, random):
    """Headers of .debug_line that lie, and operations in any order."""
    for section in elf.named(b".debug_line"):
        content = elf.contents[section]
        kind = random.random()
        if kind < 0.4:
            at = random.choice((0, 4, 6, 10, 11, 12, 13, 14, 15, 20))
            content[at:at + random.choice((1, 2, 4))] = random.choice((b"\0", b"\xff", b"\xff\xff\xff\xff", b"\x01\0\0\0", b"\x80"))
        elif kind < 0.8:
            at = random.randrange(len(content))
            content[at:] = b"".join(random.choices(LINE_OPERATIONS, k=random.choice((3, 50, 3000))))
            if len(content) >= 4 and random.random() < 0.8:
                struct.pack_into("<I", content, 0, len(content) - 4)
        else:
            elf.contents[section] = content * random.choice((2, 50))


def attributes(elf, random):
    """Records of .nv.info: formats, sizes and symbols."""
    for section in elf.named(b".nv.info"):
        content = elf.contents[section]
        for at in range(0, len(content) - 4, 4):
            if random.random() < 0.2:
                struct.pack_into("<BBH", content, at, random.randrange(6), random.choice((5, 0x10, 0x11, 0x12, 0x2f, 0xff)), edge(random, 2))
        if random.random() < 0.2:
            elf.contents[section] = content * 500


def code(elf, random):
    """Instructions of any kind in any order: branches out of the code and onto themselves, calls of calls, no end."""
    for section in elf.named(b".text."):
        content = elf.contents[section]
        for at in range(0, len(content) - 15, 16):
            if random.random() < 0.3:
                low, high = struct.unpack_from("<QQ", content, at)
                kind = random.random()
                if kind < 0.6:
                    low = low & ~0xfff | random.choice(OPCODES)
                if kind < 0.3:  # a target nearby, backwards or forwards
                    low = low & 0xffffffff | (random.randrange(-64, 64) * 16 & 0xffffffff) << 32
                elif kind > 0.8:
                    low, high = random.getrandbits(64), random.getrandbits(64)
                struct.pack_into("<QQ", content, at, low, high)
        if random.random() < 0.02 and content:
            elf.contents[section] = (content * (GROWN * 16 // len(content) + 1))[:GROWN * 16]
        elif random.random() < 0.1:
            del content[random.randrange(len(content) + 1):]


CHANGES = [headers, overlaps, symbols, texts, relocations, lines, attributes, code]


def changed(random, content):
    elf = Elf(content)
    for change in random.choices(CHANGES, k=random.choice((1, 1, 1, 2, 4))):
        change(elf, random)
    return elf.written()
