# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets of the preset fuzz for a while each, and counts what they executed."""
import os
import re
import subprocess

MEMORY_MB = 2048
INPUT_LIMIT_S = 10


def targets(folder):
    if not os.path.isdir(folder):
        return []
    return sorted(name for name in os.listdir(folder) if name.startswith("fuzz_") and os.access(os.path.join(folder, name), os.X_OK))


def fuzz(folder, target, seconds, seed, corpus, work, failures_folder):
    """(executions, failure or None). New inputs go into a corpus in `work`; the committed corpus is only read."""
    found = os.path.join(work, target)
    os.makedirs(found, exist_ok=True)
    os.makedirs(failures_folder, exist_ok=True)
    home = os.path.join(work, "home")
    os.makedirs(home, exist_ok=True)
    command = [os.path.join(os.path.abspath(folder), target), found, os.path.join(corpus, target.removeprefix("fuzz_")),
               f"-max_total_time={max(1, int(seconds))}", f"-seed={seed}", f"-timeout={INPUT_LIMIT_S}", f"-rss_limit_mb={MEMORY_MB}",
               "-print_final_stats=1", "-close_fd_mask=1", f"-artifact_prefix={os.path.join(failures_folder, target)}-"]
    done = subprocess.run(command, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    steps = re.findall(r"^#(\d+)", done.stderr, re.MULTILINE)
    executions = int(executed.group(1)) if executed else int(steps[-1]) if steps else 0
    if done.returncode == 0:
        return executions, None
    artifact = re.search(r"Test unit written to (\S+)", done.stderr)
    log = os.path.join(failures_folder, f"{target}-{seed}.log")
    with open(log, "w", encoding="utf-8") as file:
        file.write(done.stderr)
    return executions, f"{artifact.group(1) if artifact else 'no input was kept'}; its report is {log}"
