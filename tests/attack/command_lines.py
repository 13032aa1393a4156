# SPDX-License-Identifier: Apache-2.0
"""Random command lines: every option of every command, as --help lists them, with every kind of value."""
import re

import watched
from hostile_values import ESCAPES
from world import BASE, CANDIDATE, SHAPES, STAGES

STRANGE = ["", " ", "-", "--", "-1", "0", "1", "2%", "-5%", "nan", "inf", "9e999", "1e308", "99999999999999999999", "0x10", "4096", "x", "4096x", "-1x1",
           "9223372036854775804", "2147483648", "%", "*", "**", "[", "?", "v1_*", "a,b,,", ",", "@", "v1_6@", "@base", "v1_6@base", "v1_6@nope", "v1_6@base@x",
           "é", "\u202e", "\xff", "a" * 5000, "../..", "/", ".", "/dev/null", "--db", "--json", "--help", "-h", "--version", "=", "a=b", "text", "md",
           "json", "csv", "table", "yaml", "ld", "st", "ldmatrix", "stmatrix", "4", "8", "16", "3", "1048576", "1048577",
           "lane", "lane * 4", "lane * 64", "lane % 0", "1 << 63", "1 << 64", "-9223372036854775807 - 1", "9223372036854775807 + lane",
           "9223372036854775804", "lane ? 1 : 0", "(" * 3000, "-" * 3000 + "1", "lane ? " * 3000, "1?" * 65_400, "!" * 70_000 + "1", "08", "0x", "lane lane"]
PLAUSIBLE = [*STAGES, *SHAPES, BASE, CANDIDATE, "v_study", "@ladder", "SELECT 1", "shared_bank_conflicts", "v-study", "m.db", "third.sql", "1", "2"]
OUTPUTS = ("-o", "--output")


def options_of(box):
    """{command: (options with a value, flags)}, read once from the program itself."""
    world = box.world
    if not hasattr(world, "options"):
        help_text = watched.run([world.culprit, "--help"], world.folder, sanitized=world.sanitized).out.decode()
        commands = re.findall(r"^  (\w+)  ", help_text, re.MULTILINE)
        world.options = {}
        for command in commands:
            text = watched.run([world.culprit, command, "--help"], world.folder, sanitized=world.sanitized).out.decode()
            lines = re.findall(r"^  (-[\w,-]+)( [A-Z])?", text, re.MULTILINE)
            valued = [name for names, value in lines if value for name in names.split(",")]
            world.options[command] = valued, [name for names, value in lines if not value for name in names.split(",")]
    return world.options


def word(random):
    kind = random.random()
    if kind < 0.45:
        return random.choice(PLAUSIBLE)
    if kind < 0.9:
        return random.choice(STRANGE)
    return random.choice(ESCAPES).replace("\x00", "") if kind < 0.97 else "".join(chr(random.randrange(1, 0x250)) for _ in range(random.randrange(12)))


def command_lines(box):
    """Random command lines."""
    random = box.random
    options = options_of(box)
    database = box.database()
    box.write("third.sql", box.world.third)
    for _ in range(4):
        command = random.choice(list(options)) if random.random() < 0.95 else word(random)
        valued, flags = options.get(command, (["--db"], ["--help"]))
        args = [command] + [word(random) for _ in range(random.choice((0, 0, 1, 1, 2, 2, 3)))]
        for _ in range(random.choice((0, 1, 1, 2, 3, 5))):
            if flags and random.random() < 0.25:
                args.append(random.choice(flags))
                continue
            option = random.choice(valued or ["--db"])  # also options that the command does not take
            content = "out.sql" if option in OUTPUTS else word(random)
            args += [f"{option}={content}"] if option.startswith("--") and random.random() < 0.3 else [option, content]
        if random.random() < 0.7 and "--db" not in args:
            args += ["--db", database]
        if random.random() < 0.05:
            random.shuffle(args)
        if command == "import" or any(arg.startswith(OUTPUTS) for arg in args):
            args = safe_to_write(args)
        box.culprit(*args, given=b"0 4 8\n")


def safe_to_write(args):
    """Leaves out words that lead outside of the folder, so that commands write only into it."""
    return [arg for arg in args if not re.search(r"^(.*=)?(/|\.\.|-$|\.$)", arg) or arg.endswith("/m.db")]


CAMPAIGNS = {"command_lines": command_lines}
