# SPDX-License-Identifier: Apache-2.0
"""`python -m culprit record script.py` records this interpreter with a script. Every other command is culprit's own."""
import os
import sys

from . import _program


def words_of(arguments):
    """The words for culprit. In `record`, a script or -m MODULE gets this interpreter before it."""
    if not arguments or arguments[0] != "record":
        return arguments
    at = _program_at(arguments)
    if at is None:
        return arguments
    program = arguments[at:]
    if program[0].endswith(".py") or program[0] == "-m":
        program = [sys.executable, *program]
    options = arguments[:at - 1] if arguments[at - 1] == "--" else arguments[:at]
    return [*options, "--", *program]


# Options of `culprit record` without a value.
_FLAGS = {"--leave-running", "--keep-output-of-counting", "--help", "-h"}


def _program_at(arguments):
    """Where the program begins: behind --, or at the first word that is no option and no value of one."""
    at = 1
    while at < len(arguments):
        word = arguments[at]
        if word == "--":
            return at + 1 if at + 1 < len(arguments) else None
        if word == "-m" or not word.startswith("-"):
            return at
        at += 1 if "=" in word or word in _FLAGS else 2
    return None


def main():
    try:
        program = _program.find()
    except _program.Error as error:
        print(f"culprit: {error}", file=sys.stderr)
        sys.exit(2)
    os.execv(program, [program, *words_of(sys.argv[1:])])


if __name__ == "__main__":
    main()
