# SPDX-License-Identifier: Apache-2.0
"""Compares two functions that launch kernels, through `culprit versus`."""
import base64
import json
import os
import pathlib
import pickle
import re
import sys
import tempfile
import uuid

from . import _functions, _program
from ._answer import Explanation
from ._database import Database, default_file

# Of `culprit versus`: not slower, slower, not clear. Each has a report; any other status is a failure.
_ANSWERS = (0, 1, 3)
# A kernel with this share of a function's GPU time stands for the function.
_MOST_OF_THE_WORK = 0.9
_VERDICTS = {"slower": "slower", "slower within the limit": "slower", "the same": "same", "faster": "faster",
             "open": "ambiguous"}


class Comparison(Explanation):
    """An explanation of two functions, and what their processes showed."""

    def __init__(self, explanation, versus, runs, labels):
        super().__init__(explanation._words, explanation._frames, explanation.data)
        self.versus = versus  # the numbers of `culprit versus` (docs/json.md)
        self.runs = runs      # labels of the old and the new runs
        self._names = labels

    @property
    def verdict(self):
        """Of all processes: 'slower', 'faster', 'same' or 'ambiguous'."""
        return _VERDICTS[self.versus["ab"]["quantities"][0]["verdict"]]

    @property
    def outcome(self):
        """Of the gate, as `culprit versus` has it."""
        return self.versus["ab"]["outcome"]

    @property
    def exit_status(self):
        return self.versus["ab"]["exit_status"]

    @property
    def processes(self):
        """A row for each process: side, run, microseconds of GPU work."""
        return self._rows(self.versus["ab"]["executions"])

    def __str__(self):
        return f"{self._names[0]} against {self._names[1]}: {self.versus['title']}\n\n{self.text}"

    def __repr__(self):
        return str(self).rstrip("\n")


def compare(old, new, args=(), kwargs=None, *, inputs=None, warmup=3, calls=20, kernels=None, label=None,
            processes=None, budget=None, max_slowdown=None, profile=None, db=None, frames=None):
    """Why `new` is slower or faster than `old`. Each process makes the inputs, calls `warmup` times, and records `calls`
    more calls. Processes of both take turns until the answer is clear (docs/versus.md).

    `old` and `new` are functions that launch kernels, or their names ("package.module:function", "file.py:function").
    They get `args` and `kwargs`, which are pickled, or what the function `inputs` returns: a tuple of arguments, a
    dictionary of keyword arguments, or a single argument. `kernels`: the old and the new kernel to explain; by default
    the one that has nearly all of the time, else the functions as a whole.
    """
    if os.environ.get("CULPRIT_CALLED"):
        raise _program.Error("This script is read again to call its functions, so it must not compare at its top level: "
                             "put the call of culprit.compare under if __name__ == '__main__'.")
    names = [_functions.spell(function) for function in (old, new)]
    database = Database(db or default_file(), frames)
    name = label or f"compare-{uuid.uuid4().hex[:8]}"
    labels = [f"{name}-old", f"{name}-new"]
    with tempfile.TemporaryDirectory(prefix="culprit-") as folder:
        files = [write_call(folder, side, function, _inputs(inputs, args, kwargs), warmup, calls)
                 for side, function in zip(("old", "new"), names)]
        words = words_of(files, labels, database, warmup, processes, budget, max_slowdown, profile)
        try:
            versus = json.loads(_program.ask(words, _ANSWERS))
        except _program.Error as error:
            raise_its_failure(files, names, error)
            raise
    # The newest run of each side has the counters, if there are any.
    newest = [database.run(label) for label in labels]
    if kernels is None:
        kernels = _leading(newest)
    if kernels is not None:
        explanation = database.why(*(f"{kernel}@{run}" for kernel, run in zip(kernels, newest)))
    else:
        explanation = database.why(*labels, different_programs=True)
    return Comparison(explanation, versus, labels, names)


def words_of(files, labels, database, warmup=3, processes=None, budget=None, max_slowdown=None, profile=None):
    """The command line, without culprit itself."""
    words = ["versus", "--db", str(database.file), "--label", ",".join(labels), "--format", "json"]
    # Without a warm-up the whole process is recorded, also what its imports launch.
    for option, value in (("--capture", "profiler-api" if warmup else None), ("--processes", processes),
                          ("--budget", budget), ("--max-slowdown", max_slowdown), ("--profile", profile)):
        if value is not None:
            words += [option, str(value)]
    for file in files:
        words += ["--", *program_of(file)]
    return words


def raise_its_failure(files, names, error):
    """What a function raised in its process, in place of what the recorder saw of it."""
    for file, name in zip(files, names):
        failed = pathlib.Path(f"{file}.failed")
        if failed.exists():
            raise _program.Error(f"{name} failed: {failed.read_text(encoding='utf-8')}", error.status) from error


def program_of(file):
    return [sys.executable, str(pathlib.Path(__file__).with_name("_call.py")), str(file)]


def write_call(folder, side, function, inputs, warmup, calls, **more):
    """The file that _call.py reads. Reports name the program by the name of this file, which is that of the function."""
    call = {"function": function, "warmup": warmup, "calls": calls, "main": _functions.main_file(),
            "path": [entry or os.getcwd() for entry in sys.path], **inputs, **more}
    file = pathlib.Path(folder) / side / re.sub(r"[^\w.:-]", "_", os.path.basename(function))
    file.parent.mkdir()
    file.write_text(json.dumps(call), encoding="utf-8")
    return file


def pickled(what, of):
    try:
        return base64.b64encode(pickle.dumps(what)).decode()
    except Exception as failure:  # pickle has no exception of its own for all of this
        raise _program.Error(f"The {of} cannot be pickled ({failure}): make them in a function, and give it as inputs="
                             "'module:function'.") from failure


def _inputs(inputs, args, kwargs):
    if inputs is not None:
        if args or kwargs:
            raise _program.Error("compare takes args and kwargs, or inputs, which makes them; not both.")
        return {"inputs": _functions.spell(inputs)}
    return {"arguments": pickled((tuple(args), dict(kwargs or {})), "arguments")}


def _leading(runs):
    """The kernels that have nearly all of the time of their sides, or None."""
    found = []
    for run in runs:
        times = {}
        for row in _program.ask_json(["report", "--db", str(run.database.file), "--run", run.uuid])["program"]["kernels"]:
            times[row["stage"]] = times.get(row["stage"], 0) + (row["time_us"] or 0)
        whole = sum(times.values())
        most = max(times, key=times.get, default=None)
        if most is None or times[most] < _MOST_OF_THE_WORK * whole:
            return None
        found.append(most)
    return found
