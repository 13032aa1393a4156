# SPDX-License-Identifier: Apache-2.0
"""Records a program through `culprit record`."""
import subprocess
import sys
import threading

from . import _program
from ._database import Database, Run, default_file

# Of `culprit record`: it could not record, and the program did not run to its end because of that.
NOT_RECORDED = 2


def record(program, label=None, profile=None, kernels=None, db=None, *, nvtx=None, capture=None, launches=None,
           environment=None, frames=None):
    """Runs `program`, a list of words, under `culprit record`, and returns its Run.

    `kernels` is a regular expression of kernels to count exactly. The program has this process's output. Its exit status
    is Run.exit_status. If it used no GPU or could not be recorded, there is no run, and this raises culprit.Error.
    """
    if isinstance(program, (str, bytes)) or not program:
        raise _program.Error("record takes the program as a list of words: culprit.record(['python', 'train.py']).")
    database = Database(db or default_file(), frames)
    before = _uuids(database)
    status, errors = _run_aloud(words_of(program, database, label, profile, kernels, nvtx, capture, launches), environment)
    new = [facts for facts in _runs(database) if facts["run_uuid"] not in before]
    new = [facts for facts in new if facts["command"].split() == " ".join(map(str, program)).split()] or new
    if not new:
        raise _program.Error(_program.sentence_of(errors, status), status)
    return Run(database, new[0], status)


def words_of(program, database, label=None, profile=None, kernels=None, nvtx=None, capture=None, launches=None):
    """The command line of a recording, without culprit itself."""
    words = ["record", "--db", str(database.file)]
    for option, value in (("--label", label), ("--profile", profile), ("-k", kernels), ("--nvtx", nvtx),
                          ("--capture", capture), ("--launches", launches)):
        if value is not None:
            words += [option, str(value)]
    return [*words, "--", *map(str, program)]


def _runs(database):
    return database._runs() if database.file.exists() else []


def _uuids(database):
    return {facts["run_uuid"] for facts in _runs(database)}


def _run_aloud(words, environment):
    """Runs culprit with this process's output. Returns its exit status, and what was on its error stream."""
    said = []

    def pass_on(stream):
        for line in stream:
            text = line.decode(errors="replace")
            said.append(text)
            del said[:-200]
            sys.stderr.write(text)
            sys.stderr.flush()

    command = [_program.find(), *words]
    try:
        with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as process:
            reader = threading.Thread(target=pass_on, args=(process.stderr,), daemon=True)
            reader.start()
            status = process.wait()
            reader.join()
    except OSError as failure:
        raise _program.Error(f"{command[0]} cannot be run: {failure.strerror}.") from failure
    return status, "".join(said)
