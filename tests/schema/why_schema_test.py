#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `culprit why --json` against docs/schema/why.schema.json.

Usage: why_schema_test.py CULPRIT SCHEMA RECORDED.sql...

Imports the recorded runs, asks for the stages of each run and shape against each other, and validates every answer; the
same for copies that lack samples, clocks or counters, so that every verdict and every null occurs. Then takes each key
away from, and renames it in, real answers: the schema must notice, or it would notice nothing. Also checks what a
schema cannot: parts that sum to the difference within 0.1 us.
"""
import contextlib
import copy
import itertools
import json
import os
import sqlite3
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
    far = list(itertools.combinations(stages[::3], 2))
    return near[:24] + far[:8]


class Database:
    def __init__(self, culprit, folder, name="recorded.db"):
        self.culprit, self.folder, self.file = culprit, folder, os.path.join(folder, name)

    def copy(self, name):
        """What is in it, in a file of its own that a change may spoil."""
        other = Database(self.culprit, self.folder, name)
        with contextlib.closing(sqlite3.connect(self.file)) as here:
            with contextlib.closing(sqlite3.connect(other.file)) as there:
                here.backup(there)
        return other

    def change(self, statement):
        with contextlib.closing(sqlite3.connect(self.file)) as raw, raw:
            raw.execute("DELETE FROM run_checksum")  # which would tell
            if raw.execute(statement).rowcount == 0:
                sys.exit(f"why_schema_test: nothing to change: {statement}")

    def run(self, *args):
        done = subprocess.run([self.culprit, *args, "--db", self.file], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"culprit {' '.join(args)} exits with {done.returncode}: {done.stderr}")
        return done.stdout

    def stages(self):
        """By run and shape the stages that were timed there."""
        rows = json.loads(self.run(
            "query", "--format", "json",
            "SELECT run.uuid AS run, launch.shape AS shape, stage.key AS stage, min(launch.id) AS first FROM launch "
            "JOIN stage ON stage.id = launch.stage_id JOIN run ON run.id = launch.run_id WHERE launch.state = 'ok' "
            "AND EXISTS (SELECT 1 FROM sample WHERE sample.launch_id = launch.id) "
            "GROUP BY run.uuid, launch.shape, stage.key ORDER BY run.uuid, launch.shape, first"))
        groups = itertools.groupby(rows, key=lambda r: (r["run"], r["shape"]))
        return {place: [r["stage"] for r in group] for place, group in groups}

    def why(self, place, base, candidate):
        run, shape = place
        return json.loads(self.run("why", base, candidate, "--run", run, "--shape", shape, "--json"))


# What a recording that went well does not have, each made in a copy of the database.
MUTATIONS = {
    "too few samples": "DELETE FROM sample WHERE seq > 1",
    "collected once": "DELETE FROM metric_repeat",
    "no clocks": "UPDATE sample SET clock_mhz = NULL",
    "no counters": "UPDATE metric_value SET value = NULL, status = 'denied'",
    "one counter unsupported": "UPDATE metric_value SET value = NULL, status = 'unsupported' WHERE metric_id IN "
                               "(SELECT id FROM metric WHERE key = 'dram_write_bytes')",
    "no limits of residency": "DELETE FROM static_attribute WHERE name LIKE 'blocks_per_sm_by_%'",
}
# What an answer must have had somewhere for its schema to have been tried.
MUST_OCCUR = {
    **{f"verdict {v}": lambda a, v=v: a["verdict"] == v for v in ("slower", "faster", "same", "ambiguous")},
    "no decomposition": lambda a: a["no_decomposition"] is not None and a["factors"] == [] and a["stalls"] == [],
    "a decomposition": lambda a: a["no_decomposition"] is None,
    "no time_change": lambda a: a["time_change"] is None,
    "no cycles_change beside a time_change": lambda a: a["cycles_change"] is None and a["time_change"] is not None,
    "a cause without a scatter": lambda a: any(c["scatter_us"] is None for c in a["causes"]),
    "evidence that was not measured": lambda a: any(
        e["candidate"] is None and "candidate_status" in e for c in a["causes"] for e in c["evidence"]),
    "a cause that was not judged": lambda a: a["not_judged"],
}


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
        database = Database(culprit, folder)
        database.run("import", *recorded)

        def ask(place, pairs, mutation):
            for base, candidate in pairs:
                where = f"{base} -> {candidate} at {place[1]}, {mutation}"
                answer = database.why(place, base, candidate)
                answers.append(answer)
                problems.extend(f"{where}: {'/'.join(map(str, e.absolute_path))}: {e.message}"
                                for e in validator.iter_errors(answer))
                check_sums(answer, where, problems)

        places = database.stages()
        for place, stages in places.items():
            ask(place, pairs_of(stages), "as recorded")
        if not answers:
            sys.exit("why_schema_test: the recorded runs hold no pair of stages; give it tests/recorded/*.sql.zst.")
        intact, place = database, max(places, key=lambda p: len(places[p]))
        for mutation, statement in MUTATIONS.items():
            database = intact.copy("mutated.db")
            database.change(statement)
            ask(place, pairs_of(places[place])[::4], mutation)
    problems += [f"no answer has {what}" for what, holds in MUST_OCCUR.items() if not any(map(holds, answers))]
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
