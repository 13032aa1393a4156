# SPDX-License-Identifier: Apache-2.0
"""The stack of Python where a kernel is launched, with every Python that this machine has."""
import glob
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

OWN_STACK = pathlib.Path(__file__).with_name("own_stack.py")
LIBRARY = os.environ["READ_STACK"]


def pythons():
    on_path = [shutil.which(f"python3.{minor}") for minor in range(9, 16)]
    kept = glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3"))
    found = {}
    for python in [sys.executable, *filter(None, on_path), *kept]:
        asked = subprocess.run([python, "-c", "import sys, ctypes; print(sys.version_info[:3] >= (3, 9), sys.version)"],
                               capture_output=True, text=True)
        if asked.stdout.startswith("True "):
            found.setdefault(asked.stdout, python)
    return sorted(found.values())


@pytest.mark.parametrize("python", pythons())
def test_the_stack_is_the_one_that_python_has(python, tmp_path):
    done = subprocess.run([python, "-B", OWN_STACK, LIBRARY, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    known = subprocess.run([python, "-c", "import sys, sysconfig; print(sys.implementation.name == 'cpython' and "
                            "sys.version_info[:2] <= (3, 14) and not sysconfig.get_config_var('Py_GIL_DISABLED'))"],
                           capture_output=True, text=True).stdout == "True\n"
    assert done.stdout.startswith("checked 3." if known else "unknown"), done.stdout
