# SPDX-License-Identifier: Apache-2.0
"""Which hardware metric made a CUDA kernel slower: the command culprit, from Python. See docs/python.md."""
from ._answer import Answer, Explanation
from ._comparison import Comparison, compare
from ._database import Database, Run, open  # pylint: disable=redefined-builtin
from ._nvtx import annotate
from ._program import Error
from ._recording import record
from ._study import Study, study

__all__ = ["Answer", "Comparison", "Database", "Error", "Explanation", "Run", "Study", "annotate", "compare", "open",
           "record", "study", "version"]


def version():
    """What `culprit --version` prints."""
    from . import _program

    return _program.ask(["--version"]).strip()
