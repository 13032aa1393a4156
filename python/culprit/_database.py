# SPDX-License-Identifier: Apache-2.0
"""A database of measurements, read through the program culprit."""
import os
import pathlib

from . import _program, _tables
from ._answer import Answer, Explanation


def default_file():
    return os.environ.get("CULPRIT_DB") or "culprit.db"


class Run:
    """A run: what commands call it, and its facts as `culprit runs` has them."""

    def __init__(self, database, facts, exit_status=None):
        self.database = database
        self.facts = facts
        self.exit_status = exit_status  # of the recorded program; None: not known here

    @property
    def uuid(self):
        return self.facts["run_uuid"]

    @property
    def label(self):
        return self.facts["run_label"]

    @property
    def state(self):
        return self.facts["run_state"]

    def kernels(self):
        return self.database.kernels(self)

    def report(self):
        return self.database.report(self)

    def __str__(self):
        return self.facts["run"]

    def __repr__(self):
        label = f" '{self.label}'" if self.label else ""
        return f"<culprit run {self}{label}, {self.facts['recorded_utc']}>"


def _options(**given):
    """{'cand_run': 'x', 'all': True} as the words that the command line has for them."""
    words = []
    for name, value in given.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words


class Database:
    """Runs, kernels and explanations of one database.

    A run is named as on the command line: by label, id or the beginning of its UUID, or it is a Run. Tables are
    DataFrames where pandas is installed, else lists of dictionaries. `frames` True or False asks for one of them.
    """

    def __init__(self, file, frames=None):
        self.file = pathlib.Path(file)
        self.frames = frames

    def _words(self, command, *words, **options):
        given = [str(word) for word in words if word is not None]
        return [command, "--db", str(self.file), *_options(**options), *given]

    def _ask(self, command, *words, **options):
        return _program.ask_json(self._words(command, *words, **options))

    def _table(self, rows):
        return _tables.table(rows, self.frames)

    def _runs(self):
        return self._ask("runs")["list"]["runs"]

    def runs(self):
        """Every run, the newest first."""
        return self._table(self._runs())

    def run(self, name):
        """The Run that `name` stands for: a label (its newest run), or the beginning of a UUID."""
        runs = self._runs()
        for facts in runs:
            if facts["run_label"] == str(name) or facts["run_uuid"].startswith(str(name)):
                return Run(self, facts)
        known = ", ".join(facts["run_label"] or facts["run"] for facts in runs[:10]) or "none"
        raise _program.Error(f"There is no run '{name}' in {self.file}; there are: {known}.")

    def kernels(self, run=None):
        """The launches of a run with their times. Without `run`, of the newest complete run."""
        report = self._ask("report", run=run)
        if "program" in report:
            return self._table(report["program"]["kernels"])
        if not report.get("shapes"):
            return self._table(report.get("largest", {}).get("ladder", []))
        return self._table({"shape": shape["shape"], **row} for shape in report["shapes"] for row in shape["ladder"])

    def query(self, sql, **parameters):
        """The rows of one read-only statement, or of a named one ('@ladder'). `:name` in it takes its value from name=."""
        words = []
        for name, value in parameters.items():
            words += ["--param", f"{name}={value}"]
        return self._table(_program.ask_json([*self._words("query", sql), *words]))

    def report(self, run=None):
        return Answer(self._words("report", run=run), self.frames)

    def show(self, kernel, run=None, **options):
        """What limits one kernel. Options are those of `culprit show`."""
        return Answer(self._words("show", kernel, run=run, **options), self.frames)

    def why(self, base=None, cand=None, kernel=None, **options):
        """What made `cand` slower than `base`.

        Both are runs of a program, or with `kernel` that kernel in both runs, or KERNEL@RUN each. Without both, the
        newest two runs of a program. Options are those of `culprit why` (shape=, nvtx=, launch=, all=True).
        """
        if any("@" in str(side) for side in (base, cand) if side is not None):
            return Explanation(self._words("why", base, cand, **options), self.frames)
        return Explanation(self._words("why", kernel, base=base, cand=cand, **options), self.frames)

    def lines(self, kernel, run=None, base=None, cand=None, **options):
        """Source lines with microseconds. With `base` and `cand`, the difference between these two runs by line."""
        if base is not None or cand is not None:
            return self.why(base, cand, kernel, **options).lines
        return self._table(self._ask("annotate", kernel, run=run, **options)["lines"]["lines"])

    def __repr__(self):
        return f"culprit.open({str(self.file)!r})"


def open(file=None, frames=None):  # pylint: disable=redefined-builtin
    """A database that exists. Without a file: $CULPRIT_DB, else culprit.db."""
    database = Database(file or default_file(), frames)
    if not database.file.exists():
        raise _program.Error(f"There is no database {database.file}; culprit.record(...) or 'culprit record' makes one.")
    return database
