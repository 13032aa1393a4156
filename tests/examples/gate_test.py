#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The steps of examples/ci/culprit.yml, run as the workflow says on a repository made here.

Usage: gate_test.py CULPRIT FAKE_PROGRAM EXAMPLES
"""
import json
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree

import yaml

from toy_repository import Toy


def steps_of(workflow):
    (job,) = workflow["jobs"].values()
    return job["steps"]


def run_steps(toy, workflow, settings):
    """Runs each `run` step with the workflow's variables, as a runner does, until one fails. Returns its status and its output."""
    summary = toy.folder / "step_summary.md"
    summary.write_text("")
    variables = {name: str(value) for name, value in workflow["env"].items()} | settings
    printed = ""
    for step in steps_of(workflow):
        if "run" not in step:
            continue
        assert not re.search(r"\$\{\{", step["run"]), "what a pull request says must not become a script"
        done = toy.run("bash", "-e", "-o", "pipefail", "-c", step["run"], status=None,
                       **variables, GITHUB_STEP_SUMMARY=str(summary))
        printed += done.stdout
        if done.returncode != 0:
            return done.returncode, step["name"], printed, summary.read_text(), done.stderr
    return 0, "", printed, summary.read_text(), ""


def main():
    culprit, fake, examples = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    workflow = yaml.safe_load((pathlib.Path(examples) / "ci" / "culprit.yml").read_text())
    actions = [step["uses"] for step in steps_of(workflow) if "uses" in step]
    cached = next(step for step in steps_of(workflow) if step.get("uses", "").startswith("actions/cache@"))
    assert cached["with"]["path"] == "~/culprit" and all("@v" in action for action in actions)
    with tempfile.TemporaryDirectory() as folder:
        toy = Toy(folder, culprit, fake)
        bundle = toy.folder / "bundle.tar.gz"
        with tarfile.open(bundle, "w:gz") as tar:
            tar.add(culprit, "culprit-1/bin/culprit")
        shutil.copy(pathlib.Path(examples) / "ci" / "gate.sh", toy.root / "gate.sh")
        (toy.root / ".gitignore").write_text("gate/\n")
        toy.commit("begin", "print one")
        toy.run("git", "checkout", "--quiet", "-b", "topic")
        settings = {"CULPRIT_BUNDLE": str(bundle), "GATE_BUILD": "sh ./build", "GATE_RUN": "sh out/program",
                    "GATE_BASE": "main", "GATE_BUDGET": "120"}

        toy.commit("say two", "print two")
        status, name, _, summary, errors = run_steps(toy, workflow, settings)
        assert status == 0 and summary.startswith("# Not slower: "), (name, summary, errors)
        assert (toy.folder / "culprit/bin/culprit").exists()
        assert not (toy.root / "gate/culprit.sarif").exists()

        # What may be chance is run again, and the second answer counts.
        doubting = toy.folder / "doubting"
        doubting.write_text('#!/bin/sh\ncase "$*" in\n*"--cand change "*"--format json") echo \'"suspects": 1,\'; exit 3 ;;\n'
                            f'esac\nexec "{toy.folder}/culprit/bin/culprit" "$@"\n')
        doubting.chmod(0o755)
        status, name, _, summary, errors = run_steps(toy, workflow, settings | {"CULPRIT": str(doubting)})
        assert status == 0, (name, summary, errors)
        runs = toy.run(culprit, "runs", "--db", str(toy.root / "gate/gate.db"), "--format", "csv").stdout
        assert runs.count("change-again") == 16, runs

        bundle.unlink()  # the second job has it from the cache
        toy.commit("slower", "changed")
        status, name, printed, summary, errors = run_steps(toy, workflow, settings)
        assert (status, name) == (1, "record both in turns and judge"), (status, name, errors)
        assert summary.startswith("# Slower: ") and "gather_rows" in summary.splitlines()[0] + summary
        assert "::error file=src/rows.cu,line=17,title=gather_rows" in printed, printed
        sarif = json.loads((toy.root / "gate/culprit.sarif").read_text())
        assert sarif["runs"][0]["results"][0]["ruleId"] == "kernel-slower"
        junit = ElementTree.parse(toy.root / "gate/culprit.junit.xml").getroot()
        assert int(junit.attrib["failures"]) >= 1
        assert "as a whole by" in summary.splitlines()[0] and "change as a whole" not in summary.splitlines()[0], summary
        page = (toy.root / "gate/culprit.html").read_text()
        assert page.startswith("<!DOCTYPE html>") and "gather_rows" in page
        assert toy.run("git", "status", "--short").stdout == ""

        toy.commit("cannot be built", "changed", builds=False)
        assert run_steps(toy, workflow, settings)[:2] == (1, "build both")
        toy.commit("fails", "exit 3")
        status, name, _, summary, errors = run_steps(toy, workflow, settings)
        assert status == 2 and "ended with status 3" in errors, (status, summary, errors)
    print("The workflow's steps pass what is not slower, and name the line of what is.")


if __name__ == "__main__":
    main()
