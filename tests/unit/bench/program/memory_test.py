# SPDX-License-Identifier: Apache-2.0
"""Records a program of eleven million launches without a GPU, and checks how much memory culprit needs.

usage: memory_test.py CULPRIT FAKE_PROGRAM SCRIPT_LIB
"""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
culprit, program, library = sys.argv[1:]
sys.path.insert(0, library)
from costs import execution, limits  # noqa: E402

with tempfile.TemporaryDirectory() as scratch:
    done = execution.execute([culprit, "record", "--db", os.path.join(scratch, "many.db"), "--profile", "sampled", "--", program,
                              "many", "10000000", "lists", "5"], scratch, 300)
print(f"{done.peak_kib} KiB, at most {limits.MOST_PEAK_KIB:.0f} are allowed; status {done.status}")
if done.status != 0 or "10,000,001 calls" not in done.errors:
    sys.exit(f"it was not recorded: {done.errors}")
sys.exit(0 if 0 < done.peak_kib <= limits.MOST_PEAK_KIB else 1)
