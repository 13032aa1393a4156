# SPDX-License-Identifier: Apache-2.0
"""A kernel under study: its times and metrics over shapes, in one table."""
import functools
import inspect
import os
import tempfile

from . import _functions, _nvtx, _program, _tables
from ._comparison import pickled, program_of, raise_its_failure, write_call
from ._database import Database, default_file
from ._recording import record


class Study:
    """A row for each shape and kernel. Prints as a table; `to_dataframe()` needs pandas."""

    def __init__(self, rows, run, frames=None):
        self.rows = rows
        self.run = run
        self._frames = frames

    @property
    def table(self):
        return _tables.table(self.rows, self._frames)

    def to_dataframe(self):
        return _tables.table(self.rows, True)

    def __str__(self):
        return _tables.text(self.rows)

    __repr__ = __str__

    def _repr_html_(self):
        return _tables.html(self.rows)


def study(function=None, *, shapes=None, metrics=(), warmup=3, calls=20, label=None, profile=None, db=None, frames=None):
    """Decorates a function that launches kernels. Calling it records it once for all shapes, in a process of its own,
    and returns a Study.

        @culprit.study(shapes=[(1024,), (4096,)], metrics=["dram_read_bytes"])
        def softmax(n):
            ...

    A shape is the function's arguments: a tuple, a dictionary, or a single argument. Shapes may also be given in the
    call: softmax([(1024,), (2048,)]). `metrics` are keys, as `culprit query @readings` lists them. The function itself stays available as
    softmax.__wrapped__.
    """
    if function is None:
        return functools.partial(study, shapes=shapes, metrics=metrics, warmup=warmup, calls=calls, label=label,
                                 profile=profile, db=db, frames=frames)
    given = shapes

    @functools.wraps(function)
    def studied(shapes=None):
        chosen = given if shapes is None else shapes
        if not chosen:
            raise _program.Error(f"{function.__name__} has no shapes to study: give them to culprit.study(shapes=[...]), or "
                                 f"call {function.__name__}([...]) with them.")
        return _study(function, list(chosen), tuple(metrics), warmup, calls, label or function.__name__, profile, db, frames)

    studied.__culprit_studied__ = function  # what the recorded process calls
    return studied


def _arguments(shape):
    if isinstance(shape, dict):
        return (), shape
    return (shape if isinstance(shape, tuple) else (shape,)), {}


def _study(function, shapes, metrics, warmup, calls, label, profile, db, frames):
    if os.environ.get("CULPRIT_CALLED"):
        raise _program.Error("This script is read again to call its functions, so it must not study at its top level: put "
                             "the call under if __name__ == '__main__'.")
    spelled = _functions.spell(function)
    arguments = [_arguments(shape) for shape in shapes]
    named = [_named(function, args, kwargs) for args, kwargs in arguments]
    marks = [f"culprit shape {_nvtx.letters(repr(at))}" for at in range(len(shapes))]
    database = Database(db or default_file(), frames)
    with tempfile.TemporaryDirectory(prefix="culprit-") as folder:
        file = write_call(folder, "study", spelled, {}, warmup, calls, shapes=pickled(arguments, "shapes"), marks=marks)
        try:
            run = record(program_of(file), label, profile, db=database.file, frames=frames)
        except _program.Error as error:
            raise_its_failure([file], [spelled], error)
            raise
    return Study(_rows(database, run, named, marks, metrics), run, frames)


def _named(function, args, kwargs):
    """{'n': 1024}: a shape by the names of the function's parameters."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as failure:
        raise _program.Error(f"The shape {args or kwargs} does not fit {function.__name__}: {failure}.") from failure
    return dict(bound.arguments)


_LAUNCHES = """SELECT k.launch_id, k.stage, k.shape, p.nvtx, p.calls, k.median_us, k.min_us
FROM kernel_summary AS k JOIN program_launch AS p USING (launch_id)
WHERE k.run_uuid = :run ORDER BY p.first"""
_METRICS = """SELECT r.launch_id, r.key, r.value FROM metric_reading AS r JOIN launch ON launch.id = r.launch_id
JOIN run ON run.id = launch.run_id WHERE run.uuid = :run"""


def _rows(database, run, named, marks, metrics):
    plain = Database(database.file, frames=False)
    launches = plain.query(_LAUNCHES, run=run.uuid)
    readings = {}
    if metrics:
        for row in plain.query(_METRICS, run=run.uuid):
            readings.setdefault(row["launch_id"], {})[row["key"]] = row["value"]
        known = {key for of_launch in readings.values() for key in of_launch}
        missing = [metric for metric in metrics if metric not in known]
        if missing:
            raise _program.Error(f"The recording has no metric {missing[0]}; it has: {', '.join(sorted(known)) or 'none'}.")
    rows = []
    for shape, mark in zip(named, marks):
        for launch in launches:
            outer, _, inner = launch["nvtx"].partition("/")
            if outer != mark:
                continue
            rows.append({**shape, "range": inner, "kernel": launch["stage"], "calls": launch["calls"],
                         "median_us": launch["median_us"], "min_us": launch["min_us"],
                         **{metric: readings.get(launch["launch_id"], {}).get(metric) for metric in metrics}})
    return rows
