# SPDX-License-Identifier: Apache-2.0
"""Names a function, so that another process finds it: 'package.module:name', or 'file.py:name' for a script."""
import os
import sys

from ._program import Error

_HOW = "put it at the top level of a module or a script, and give it or its name 'module:function'"


def spell(function):
    """The name of `function`, which may already be one."""
    if isinstance(function, str):
        module, colon, name = function.partition(":")
        if not colon or not module or not name:
            raise Error(f"'{function}' names no function: write 'module:function' or 'file.py:function'.")
        return os.path.abspath(module) + ":" + name if module.endswith(".py") else function
    if not callable(function):
        raise Error(f"{function!r} is no function: give one that launches the kernel, or its name 'module:function'.")
    name = getattr(function, "__qualname__", None)
    module = getattr(function, "__module__", None)
    if not name or not module or "<" in name:
        raise Error(f"{name or function!r} cannot be found by its name in another process: {_HOW}.")
    if module == "__main__":
        module = _of_main(name)
    spelled = f"{module}:{name}"
    if module in sys.modules and _walk(sys.modules[module], name) is None:
        raise Error(f"{module} has no {name}, so another process cannot find it: {_HOW}.")
    return spelled


def _of_main(name):
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    if spec is not None and spec.name != "__main__":
        return spec.name
    file = getattr(main, "__file__", None)
    if file is None or not os.path.isfile(file):
        raise Error(f"{name} is defined in an interactive session, where another process cannot find it: {_HOW}.")
    return os.path.abspath(file)


def _walk(found, name):
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def main_file():
    """The script that runs as __main__, or None."""
    main = sys.modules.get("__main__")
    if getattr(main, "__spec__", None) is not None:
        return None
    file = getattr(main, "__file__", None)
    return os.path.abspath(file) if file and file.endswith(".py") and os.path.isfile(file) else None
