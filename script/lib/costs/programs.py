# SPDX-License-Identifier: Apache-2.0
"""The programs whose recording is measured, one of each kind."""
import dataclasses
import importlib.util
import os


@dataclasses.dataclass(frozen=True)
class Program:
    kind: str
    what: str  # for the document
    words: tuple  # the first one is a test program, or a Python file
    modules: tuple = ()  # of Python, which it imports
    # A kernel that waits lasts as long as what it waits for. Its time says nothing about the cost of recording.
    waiting_kernels: tuple = ()
    window: tuple = ()  # of a server: seconds before it, and its seconds
    with_ncu: bool = False
    with_full: bool = False


PROGRAMS = (
    Program("numerics", "six kernels of numerical programs, in turns", ("program_kinds", "numerics", "1"), with_ncu=True,
            with_full=True),
    Program("waiting", "kernels that wait for the host and for each other, and kernels of 50 ms",
            ("program_kinds", "waiting", "0.6"), waiting_kernels=("WaitForHost", "WaitForPeer")),
    Program("memory", "fills 70 % of the GPU's memory", ("program_kinds", "memory", "0.5")),
    Program("graph_solver", "conjugate gradients in a CUDA graph", ("program_kinds", "graph_solver", "0.4"), with_ncu=True),
    Program("shrinking", "a kernel launched 256 times with shrinking work", ("program_kinds", "shrinking", "0.05")),
    Program("launches", "100,000 launches of about 3 us", ("program_kinds", "launches", "0.3"), with_ncu=True),
    Program("server", "replays a CUDA graph until it is told to stop", ("sampler", "serve", "60"), window=(2, 3)),
    Program("training", "a PyTorch loop of 300 steps", ("train_step.py", "--steps", "300"), modules=("torch",), with_ncu=True),
    Program("triton", "two Triton kernels, 20,000 launches each", ("normalise_rows.py", "--steps", "20000"),
            modules=("torch", "triton")),
    Program("python_server", "a Python process that replays a CUDA graph until it is told to stop", ("graph_server.py",),
            modules=("cupy",), window=(6, 3)),
)


def find_root(here):
    """The folder with bin/culprit: of the bundle that has this script, else a build of this source tree."""
    for folder in (os.path.join(here, "..", "..", ".."), os.path.join(here, "..", "build", "gpu")):
        if os.path.exists(os.path.join(folder, "bin", "culprit")):
            return os.path.realpath(folder)
    return None


def missing_module(program):
    return next((name for name in program.modules if importlib.util.find_spec(name) is None), None)


def command(program, root, here, python):
    """The words that run it, or a sentence why it cannot run."""
    name, *arguments = program.words
    folders = (os.path.join(root, "libexec", "culprit", "tests"), os.path.join(root, "bin"), here,
               os.path.join(here, "..", "examples", "programs"))
    path = next((p for p in (os.path.join(folder, name) for folder in folders) if os.path.exists(p)), None)
    if path is None:
        return None, f"{name} is neither in {root} nor in examples/programs."
    path = os.path.realpath(path)
    if not name.endswith(".py"):
        return [path, *arguments], None
    module = missing_module(program)
    if module is not None:
        return None, f"{name} needs the Python package {module}, which {python} does not have."
    return [python, path, *arguments], None
