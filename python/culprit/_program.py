# SPDX-License-Identifier: Apache-2.0
"""Finds the program `culprit` and runs it. Nothing else in this package starts it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys


class Error(Exception):
    """One sentence that says what to do. `status` is the program's exit status; None: it did not run."""

    def __init__(self, sentence, status=None):
        super().__init__(sentence)
        self.status = status


def _packed():
    """The program that a wheel holds, or None."""
    program = pathlib.Path(__file__).resolve().parent / "program" / "bin" / "culprit"
    return str(program) if program.is_file() else None


def find():
    """The path of the program: of the wheel, else $CULPRIT, else the one on PATH."""
    program = _packed()
    if program is None and os.environ.get("CULPRIT"):
        program = shutil.which(os.environ["CULPRIT"])
        if program is None:
            raise Error(f"CULPRIT names no program that can be run: {os.environ['CULPRIT']}.")
    program = program or shutil.which("culprit")
    if program is None:
        raise Error("There is no program culprit: install the wheel, put culprit on PATH, or name it in CULPRIT.")
    return program


def sentence_of(errors, status):
    """What the program said on its error stream, without its name."""
    lines = [line for line in errors.splitlines() if line.strip()]
    said = [at for at, line in enumerate(lines) if line.startswith("culprit: ")]
    if said:
        return "\n".join(lines[said[-1]:])[len("culprit: "):]
    return lines[-1] if lines else f"culprit ended with status {status}."


def ask(words, accepted=(0,), environment=None):
    """The output of a command. Another exit status than the accepted ones becomes an Error."""
    command = [find(), *words]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
    except OSError as failure:
        raise Error(f"{command[0]} cannot be run: {failure.strerror}.") from failure
    if done.returncode not in accepted:
        raise Error(sentence_of(done.stderr.decode(errors="replace"), done.returncode), done.returncode)
    return done.stdout.decode(errors="replace")


def ask_json(words, accepted=(0,)):
    return json.loads(ask([*words, "--format", "json"], accepted))


def main():
    """The command `culprit` that the wheel installs: becomes the program, so that signals and exit status are its own."""
    program = _packed()
    if program is None:
        print("culprit: this installation of the package culprit holds no program; install its wheel.", file=sys.stderr)
        sys.exit(2)
    os.execv(program, [program, *sys.argv[1:]])
