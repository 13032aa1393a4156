#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The steps of action.yml, run as a runner does, on programs without a GPU and on traces.

Usage: action_test.py CULPRIT FAKE_PROGRAM ACTION
"""
import json
import pathlib
import re
import sys
import tempfile

import yaml

from toy_repository import Toy


class Runner:
    def __init__(self, toy, action):
        self.toy, self.action = toy, action

    def value(self, expression, inputs, outputs):
        """${{ inputs.x }}, ${{ steps.judge.outputs.x }} and what a step's "if" asks."""
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {f"steps.judge.outputs.{name}": value for name, value in outputs.items()}
        known |= {"github.event.pull_request.number": "17", "github.token": "secret"}
        return re.sub(r"\$\{\{ *([^ }]+) *\}\}", lambda match: known[match[1]], str(expression))

    def is_wanted(self, step, inputs, outputs):
        text = step.get("if", "true")
        if "page != ''" in text:
            return outputs.get("page", "") != ""
        if "inputs.comment == 'true'" in text:
            return inputs["comment"] == "true"
        return True

    def __call__(self, **given):
        inputs = {name: given.get(name.replace("-", "_"), of.get("default", ""))
                  for name, of in self.action["inputs"].items()}
        inputs["token"] = "secret"
        outputs, summary, kept = {}, self.toy.folder / "summary.md", []
        summary.write_text("")
        printed = ""
        for step in self.action["runs"]["steps"]:
            if not self.is_wanted(step, inputs, outputs):
                continue
            if "uses" in step:
                kept.append(self.value(step["with"]["path"], inputs, outputs))
                continue
            assert "${{" not in step["run"], "what a pull request says must not become a script"
            assert step["shell"] == "bash"
            written = self.toy.folder / "output"
            written.write_text("")
            variables = {name: self.value(value, inputs, outputs) for name, value in step.get("env", {}).items()}
            done = self.toy.run("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"], status=None,
                                **variables, GITHUB_STEP_SUMMARY=str(summary), GITHUB_OUTPUT=str(written))
            printed += done.stdout + done.stderr
            if step.get("id") == "judge":
                assert done.returncode == 0, printed
                outputs = dict(line.split("=", 1) for line in written.read_text().splitlines())
            if done.returncode != 0:
                break
        return done.returncode, outputs, summary.read_text(), printed, kept


def trace(softmax_us):
    """A trace as PyTorch writes it: forty steps of two kernels."""
    events = []
    for step in range(40):
        for name, at, us in (("gemm", 10, 50), ("softmax", 60, softmax_us)):
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 200 * step + at, "dur": us,
                           "args": {"device": 0, "stream": 7, "grid": [8, 1, 1], "block": [128, 1, 1]}})
    gpu = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 84929347584, "computeMajor": 9, "computeMinor": 0,
           "numSms": 132}
    return json.dumps({"schemaVersion": 1, "deviceProperties": [gpu], "traceEvents": events})


def main():
    culprit, fake, action = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        toy = Toy(folder, culprit, fake)
        toy.environment["RUNNER_TEMP"] = toy.environment["TMPDIR"]
        run = Runner(toy, yaml.safe_load(pathlib.Path(action).read_text()))
        quick = {"budget": "60", "processes": "5..8"}

        status, outputs, summary, printed, kept = run(old=f"{fake} print one", new=f"{fake} print two", **quick)
        assert (status, outputs["status"], outputs["page"], kept) == (0, "0", "", []), printed
        assert summary.startswith("# Not slower: "), summary

        gh = toy.folder / "bin"
        gh.mkdir()
        (gh / "gh").write_text('#!/bin/sh\necho "$@" >>"$HOME/said"\ncase "$*" in *--edit-last*) exit 1;; esac\n')
        (gh / "gh").chmod(0o755)
        toy.environment["PATH"] = f"{gh}:{toy.environment['PATH']}"
        status, outputs, summary, printed, kept = run(old=f"{fake} print one", new=f"{fake} changed", db="slower.db",
                                                      comment="true", **quick)
        assert (status, outputs["status"]) == (1, "1"), (outputs, summary, printed)
        assert summary.startswith("# Slower: ") and "gather_rows" in summary, summary
        assert summary == pathlib.Path(outputs["comment-file"]).read_text()
        assert kept == [outputs["page"]] and pathlib.Path(kept[0]).read_text().startswith("<!DOCTYPE html>")
        said = (toy.folder / "said").read_text().splitlines()
        assert len(said) == 2 and all(f"17 " in line and outputs["comment-file"] in line for line in said), said
        assert "::error title=culprit::slower" in printed

        # Recorded runs, whose words hold what a shell would obey.
        status, outputs, _, printed, _ = run(base="old", cand="new", db="slower.db")
        assert (status, outputs["status"]) == (1, "1"), printed
        status, outputs, summary, printed, _ = run(base="$(touch made)", cand="`touch made`", db="slower.db")
        assert (status, outputs["status"]) == (2, "2") and summary.startswith("# Not compared"), (summary, printed)
        assert not (toy.root / "made").exists()

        # Two traces, without a GPU and without a database.
        for name, us in (("before", 30), ("after", 60), ("same", 30)):
            (toy.root / f"{name}.json").write_text(trace(us))
        status, outputs, summary, printed, kept = run(base="before.json", cand="after.json", db="none.db")
        assert outputs["status"] in "13" and "softmax" in summary and kept, (outputs, summary, printed)
        assert status == (1 if outputs["status"] == "1" else 0)

        # Not clear: only a job that asks for it fails.
        doubting = toy.folder / "doubting"
        doubting.write_text("#!/bin/sh\necho '# Not clear'\nexit 3\n")
        doubting.chmod(0o755)
        assert run(base="a", cand="b", culprit=str(doubting))[0] == 0
        assert run(base="a", cand="b", culprit=str(doubting), fail_if_unclear="true")[0] == 3

        # What cannot work says so.
        for given in ({}, {"old": "a"}, {"old": "a", "new": "b", "base": "c", "cand": "d"}):
            status, outputs, summary, _, _ = run(**given)
            assert (status, outputs["status"]) == (2, "2") and "give old and new" in summary, (given, summary)
        status, outputs, summary, _, _ = run(base="a", cand="b", culprit="/nowhere/culprit")
        assert (status, outputs["status"]) == (2, "2") and "No such file" in summary, summary
    print("The action's steps say what is slower, and fail as they should.")


if __name__ == "__main__":
    main()
