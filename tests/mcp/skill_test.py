#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command that examples/agent/SKILL.md and docs/agents.md show, run as they stand.

Commands that read answer from a recording of two versions of a program. Commands that record run on the fake program.

Usage: skill_test.py CULPRIT FAKE_PROGRAM SOURCE
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

RECORDED = "tests/recorded/strangers/h200_sxm_cuda13.0_2026-11-24_second.sql.zst"
# In the recording, and in the texts.
KERNEL, BEFORE, AFTER = "price_paths", "base", "b"
RECORDS = {"record", "versus"}
VERDICTS = {"check", "versus"}  # their exit status is their answer


def commands(text):
    """The command lines of the blocks of a document that a reader may copy."""
    for block in re.findall(r"^ *```sh\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.strip().startswith("culprit "):
                yield line.split("#")[0].strip()


def run(line, culprit, folder, database):
    words = shlex.split(line.replace("KERNEL", KERNEL))
    name = words[1]
    if name not in RECORDS:
        words = [re.sub(r"\bafter\b", AFTER, re.sub(r"\bbefore\b", BEFORE, word)) for word in words]
    done = subprocess.run([culprit, "--db", database[name in RECORDS], *words[1:]], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode in ({0, 1, 3} if name in VERDICTS else {0}), (line, done.returncode, done.stderr)
    if "--json" in words:
        answer = json.loads(done.stdout)
        assert "left_out" in answer, line
        for path, value in lists_of(answer):
            assert len(value) <= int(words[words.index("--top") + 1]), (line, path)
    return name


def lists_of(value, path=""):
    if isinstance(value, list):
        yield path, value
        value = {f"[{i}]": one for i, one in enumerate(value)}
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from lists_of(inner, f"{path}.{key}")


def main():
    culprit, fake, source = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    os.environ["CULPRIT_INJECT"] = fake
    skill = (pathlib.Path(source) / "examples/agent/SKILL.md").read_text()
    assert re.match(r"---\nname: [a-z]+\ndescription: .+\n---\n", skill), "agents look for name and description at the top"
    assert skill.count("\n") < 100, "an agent reads all of it each time"
    with tempfile.TemporaryDirectory() as folder:
        database = {False: os.path.join(folder, "read.db"), True: os.path.join(folder, "recorded.db")}
        subprocess.run([culprit, "import", "--db", database[False], os.path.join(source, RECORDED)], check=True,
                       stdout=subprocess.DEVNULL)
        for program in ("my_program", "old_program"):
            file = pathlib.Path(folder) / program
            file.write_text(f"#!/bin/sh\nexec {fake} print one\n")
            file.chmod(0o755)
        ran = [run(line, culprit, folder, database) for line in commands(skill)]
        assert {"record", "versus", "why", "check", "runs", "history"} <= set(ran), ran
        guide = (pathlib.Path(source) / "docs/agents.md").read_text()
        for line in commands(guide):
            if not line.startswith("culprit mcp"):
                run(line, culprit, folder, database)
        # The lines that install the skill, as a reader copies them.
        install = re.search(r"^## A skill\n.*?^```sh\n(.*?)^```", guide, re.MULTILINE | re.DOTALL).group(1)
        subprocess.run(["sh", "-e", "-c", install], cwd=folder, check=True,
                       env={**os.environ, "PATH": f"{pathlib.Path(culprit).parent}:{os.environ['PATH']}"})
        installed = list(pathlib.Path(folder).rglob("SKILL.md"))
        assert [file.read_text() for file in installed] == [skill], installed
        # What is registered starts a server.
        server = json.loads(re.search(r"```json\n(.*?)```", skill, re.DOTALL).group(1))["mcpServers"]["culprit"]
        assert server["command"] == "culprit"
        asked = subprocess.run([culprit, *server["args"]], cwd=folder, text=True, capture_output=True,
                               input='{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
        tools = [tool["name"] for tool in json.loads(asked.stdout)["result"]["tools"]]
        for tool in tools:
            assert re.search(rf"\b{tool}\b", skill), f"SKILL.md does not name the tool {tool}"


main()
