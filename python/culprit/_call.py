# SPDX-License-Identifier: Apache-2.0
"""The program that culprit.compare and culprit.study record: calls one function. Usage: _call.py CALL

It is run by its path, and takes the folders of modules from the process that compares.
"""
import base64
import ctypes
import importlib
import importlib.util
import json
import os
import pickle
import sys

# Set in a process that calls a function for a comparison, so that a script that is read again does not begin anew.
CALLED = "CULPRIT_CALLED"
_MAIN = "__culprit_main__"


def load(path):
    """The script at `path` as a module that is not __main__."""
    if path in load.loaded:
        return load.loaded[path]
    name = _MAIN if not load.loaded else f"{_MAIN}{len(load.loaded)}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = load.loaded[path] = module
    spec.loader.exec_module(module)
    return module


load.loaded = {}


def find(spelled):
    """'package.module:name' or '/path/script.py:name'."""
    module, _, name = spelled.rpartition(":")
    found = load(module) if module.endswith(".py") else importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return getattr(found, "__culprit_studied__", found)


class Gpu:
    """The driver's profiler calls, which open and close the window of the recording. Without a driver they do nothing."""

    def __init__(self):
        try:
            self._driver = ctypes.CDLL("libcuda.so.1")
        except OSError:
            self._driver = None

    def _call(self, name):
        if self._driver is not None:
            getattr(self._driver, name)()

    def wait(self):
        self._call("cuCtxSynchronize")

    def open_window(self):
        self.wait()
        self._call("cuProfilerStart")

    def close_window(self):
        self.wait()
        self._call("cuProfilerStop")


def arguments_of(call):
    if call.get("inputs"):
        made = find(call["inputs"])(*call.get("inputs_args", []))
        if isinstance(made, dict):
            return (), made
        return (made if isinstance(made, tuple) else (made,)), {}
    return pickle.loads(base64.b64decode(call["arguments"]))


def main(file):
    with open(file, encoding="utf-8") as text:
        call = json.load(text)
    sys.path[:] = call["path"]
    os.environ[CALLED] = "1"
    if call["main"]:
        # What was pickled from the script looks for its classes in __main__.
        sys.modules["__main__"] = load(call["main"])
    gpu = Gpu()
    function = find(call["function"])
    if call.get("shapes") is not None:
        return study(call, function, gpu)
    args, kwargs = arguments_of(call)
    for _ in range(call["warmup"]):
        function(*args, **kwargs)
    gpu.open_window()
    for _ in range(call["calls"]):
        function(*args, **kwargs)
    gpu.close_window()
    return None


def study(call, function, gpu):
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    nvtx = importlib.import_module("culprit._nvtx")
    # The warm-up of a shape is outside of its range, so its launches are others.
    shapes = pickle.loads(base64.b64decode(call["shapes"]))
    for (args, kwargs), mark in zip(shapes, call["marks"]):
        for _ in range(call["warmup"]):
            function(*args, **kwargs)
        gpu.wait()
        with nvtx.annotate(mark):
            for _ in range(call["calls"]):
                function(*args, **kwargs)
        gpu.wait()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception as failure:
        # The last line on the error stream is the recorder's, so the reason has a file of its own.
        with open(sys.argv[1] + ".failed", "w", encoding="utf-8") as failed:
            failed.write(f"{type(failure).__name__}: {failure}")
        raise
