# SPDX-License-Identifier: Apache-2.0
"""Reads its own stack in many ways as the injected library does, and compares it with what Python says. Runs with any
Python from 3.9 on, without pytest: own_stack.py LIBRARY FOLDER."""
import asyncio
import contextlib
import ctypes
import functools
import os
import sys
import threading

MOST = 8
PACKAGES = "/site-packages/", "/lib/python3"


def readers():
    # CDLL gives the lock back before it calls, as libraries do that launch kernels. PyDLL keeps it.
    for load in (ctypes.CDLL, ctypes.PyDLL):
        library = load(sys.argv[1])
        for name in ("read_stack", "read_stack_elsewhere"):
            getattr(library, name).restype = ctypes.c_char_p
        yield library


def by_python(frame):
    found = []
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith("<frozen ") and not any(p in code.co_filename for p in PACKAGES):
            found.append("{}:{} ({})".format(code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    return found[:MOST]


checked = 0


def check(library):
    global checked
    read, expected = library.read_stack().decode().split("\n")[:-1], by_python(sys._getframe())
    assert read == expected, (read, expected)
    assert len(read) >= 1 and read[0].endswith(" (check)"), read
    checked += 1
    return read


def recursive(library, depth):
    return check(library) if depth == 0 else recursive(library, depth - 1)


def generated(library):
    for i in range(3):
        yield check(
            library)


async def awaited(library):
    await asyncio.sleep(0)
    return [check(library) async for _ in asynchronous()]


async def asynchronous():
    yield 1


@contextlib.contextmanager
def managed(library):
    check(library)
    yield
    check(library)


class Object:
    def __init__(self, library):
        self.library = library
        check(library)

    @property
    def value(self):
        return check(self.library)

    def __lt__(self, other):
        return bool(check(self.library))

    def __del__(self):
        check(self.library)


def in_a_thread(function, *arguments):
    failures = []

    def run():
        try:
            function(*arguments)
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def traced(library):
    for set_it in (sys.settrace, sys.setprofile):
        set_it(lambda frame, event, argument: None)
        try:
            recursive(library, 2)
        finally:
            set_it(None)


def package(folder):
    """A module of an installed package, and one whose name is not ASCII."""
    os.makedirs(os.path.join(folder, "site-packages"), exist_ok=True)
    for name in ("site-packages/installed.py", "größe.py"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("def through(function, *arguments):\n    return function(*arguments)\n"
                       "kept = []\ndef keep(function):\n    kept.append(function())\n")
    sys.path[:0] = [folder, os.path.join(folder, "site-packages")]


def while_others_work(library):
    """Frames of this thread hold still, whatever others do with the lock."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            [[str(i) for i in range(20)] for _ in range(20)]

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(200):
        recursive(library, i % 5)
    stop.set()
    for thread in threads:
        thread.join()


def main():
    package(sys.argv[2])
    import installed
    unnamed = __import__("größe")
    if next(readers()).read_stack() == b"unknown\n":
        print("unknown")
        return
    for library in readers():
        assert len(recursive(library, 3)) == 7 and len(recursive(library, 30)) == MOST
        assert all(stack[1].endswith(" (generated)") for stack in generated(library))
        assert sorted([2, 1], key=lambda n: (check(library), n)[1]) == [1, 2]
        list(map(functools.partial(check), [library]))
        [check(library) for _ in range(2)]
        asyncio.run(awaited(library))
        with managed(library):
            check(library)
        one, other = Object(library), Object(library)
        one.value
        sorted([one, other])
        del one, other
        exec("check(library)", {"check": check, "library": library})
        in_a_thread(recursive, library, 2)
        in_a_thread(asyncio.run, awaited(library))
        traced(library)
        assert installed.through(check, library)[1].endswith(" (main)")
        while_others_work(library)
        # All are of packages: the innermost of them.
        thread = threading.Thread(target=installed.keep, args=(library.read_stack,))
        thread.start()
        thread.join()
        assert installed.kept.pop() == "{}:{} (keep)\n".format(installed.__file__, 5).encode()
        # A name that is not ASCII is not read, and neither is anything of a thread that Python does not know.
        assert unnamed.through(library.read_stack) == b""
        assert library.read_stack_elsewhere() == b""
    print("checked", sys.version.split()[0], checked)


main()
