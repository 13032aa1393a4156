# SPDX-License-Identifier: Apache-2.0
"""Databases of recordings, made once for all campaigns."""
import glob
import os

import watched

LINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recorded", "lines", "*.sql.zst")


def sampled(world):
    """A database with samples of instructions: only these quote sources."""
    path = os.path.join(world.folder, "sampled.db")
    if not os.path.exists(path):
        ended = watched.run([world.culprit, "import", *sorted(glob.glob(LINES)), "--db", path], world.folder, limit_s=300, sanitized=world.sanitized)
        if ended.status != 0:
            raise SystemExit(f"attack: the recording with samples cannot be imported: {ended.err.decode(errors='replace')}")
    return path
