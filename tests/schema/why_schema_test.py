#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `culprit why --json` against docs/why.schema.json.

Usage: why_schema_test.py CULPRIT SCHEMA RECORDED.sql...

Imports the recorded runs, asks for the stages of each run against each other, and validates every answer. Then takes
each key away from, and renames it in, real answers: the schema must notice, or it would notice nothing. Also checks
what a schema cannot: parts that sum to the difference within 0.1 us.
"""
import copy
import itertools
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    sys.exit("why_schema_test: python3-jsonschema is missing; script/bootstrap installs it.")

# Beside a number that is missing, and only there.
STATUS = "_status"
CLOSE_US = 0.1


def pairs_of(stages):
    """Neighbours in both directions, and pairs far apart."""
    near = list(zip(stages, stages[1:])) + list(zip(stages[1:], stages))
    far = list(itertools.islice(itertools.combinations(stages[::3], 2), 72))
    return near + far


class Database:
    def __init__(self, culprit, folder, recorded):
        self.culprit, self.file = culprit, os.path.join(folder, "recorded.db")
        self.run("import", *recorded)

    def run(self, *args):
        done = subprocess.run([self.culprit, *args, "--db", self.file], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"culprit {' '.join(args)} exits with {done.returncode}: {done.stderr}")
        return done.stdout

    def stages(self):
        rows = json.loads(self.run(
            "query", "--format", "json",
            "SELECT DISTINCT run.uuid AS run, stage.key AS stage FROM launch JOIN stage ON stage.id = launch.stage_id "
            "JOIN run ON run.id = launch.run_id WHERE launch.state = 'ok' "
            "AND EXISTS (SELECT 1 FROM sample WHERE sample.launch_id = launch.id) ORDER BY launch.id"))
        return {run: [r["stage"] for r in group] for run, group in itertools.groupby(rows, key=lambda r: r["run"])}

    def why(self, run, base, candidate):
        return json.loads(self.run("why", base, candidate, "--run", run, "--json"))


def keys_of(value, path=()):
    """Paths to every key of every object, one element of each list."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from keys_of(inner, (*path, key))
    elif isinstance(value, list) and value:
        yield from keys_of(value[0], (*path, 0))


def without(document, path, rename):
    changed = copy.deepcopy(document)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    value = holder.pop(path[-1])
    if rename:
        holder[path[-1] + "_renamed"] = value
    return changed


def names_are_free(path):
    """Maps whose keys are data: a factor's name, or a stall's parts."""
    return "factors" in path[:-1] and "kernels" in path or path[-2:-1] == ("by_factor_us",)


def check_sums(document, where, problems):
    delta = document["delta_us"]
    if delta is None:
        return
    sums = {"causes": sum(c["delta_us"] for c in document["causes"]) + document["unexplained_us"]}
    if document["no_decomposition"] is None:
        sums["factors"] = sum(f["delta_us"] for f in document["factors"])
        sums["stalls"] = sum(s["delta_us"] for s in document["stalls"])
    for what, total in sums.items():
        if abs(total - delta) > CLOSE_US:
            problems.append(f"{where}: {what} sum to {total} us, the difference is {delta} us")


def main():
    culprit, schema_file, *recorded = sys.argv[1:]
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    problems, answers, checked_keys = [], [], set()
    with tempfile.TemporaryDirectory() as folder:
        database = Database(culprit, folder, recorded)
        for run, stages in database.stages().items():
            for base, candidate in pairs_of(stages):
                where = f"{base} -> {candidate}"
                answer = database.why(run, base, candidate)
                answers.append(answer)
                problems += [f"{where}: {'/'.join(map(str, e.absolute_path))}: {e.message}"
                             for e in validator.iter_errors(answer)]
                check_sums(answer, where, problems)
    if not answers:
        sys.exit("why_schema_test: the recorded runs hold no pair of stages; give it db/recorded/*.sql.")
    for answer in answers:
        for path in keys_of(answer):
            shape = tuple(step for step in path if not isinstance(step, int))
            if shape in checked_keys or path[-1].endswith(STATUS) or names_are_free(path):
                continue
            checked_keys.add(shape)
            for rename in (False, True):
                if validator.is_valid(without(answer, path, rename)):
                    problems.append(f"the schema does not notice {'/'.join(shape)} "
                                    f"{'renamed' if rename else 'taken away'}")
    # The contract's deepest parts must have been there to be checked.
    for path in [("causes", "evidence", "metric"), ("causes", "source", "line"), ("causes", "confirmed_by", "recovers"),
                 ("causes", "refuted_by", "stage"), ("stalls", "reason"), ("factors", "factor")]:
        if path not in checked_keys:
            problems.append(f"no answer has {'/'.join(path)}, so it was not checked")
    if problems:
        sys.exit("\n".join(problems[:40] + [f"{len(problems)} problems"]))
    verdicts = {v: sum(a["verdict"] == v for a in answers) for v in ("slower", "faster", "same", "ambiguous")}
    print(f"{len(answers)} answers hold the schema ({verdicts}); each of {len(checked_keys)} keys is missed when gone.")


if __name__ == "__main__":
    main()
