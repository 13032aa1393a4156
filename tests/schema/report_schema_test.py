#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what every command writes with --json against its schema in docs/schema.

Usage: report_schema_test.py CULPRIT FAKE_PROGRAM SCHEMAS GOLDEN RECORDED.sql...

Validates each tests/golden/*.json, what import and export say, whose answers name files, what versus says of two
programs that it runs, and what doctor says of a machine with trouble. Then takes each key away that all objects of its
place have: the schema must notice, or it would notice nothing.
"""
import collections
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    sys.exit("report_schema_test: python3-jsonschema is missing; script/bootstrap installs it.")

# Objects whose keys are data: a factor's name, a metric's.
MAPS = {"factors", "evidence", "by_factor_us", "left_out"}
# What an answer may lack besides notes: what one status, one conflict or one cause brings.
OPTIONAL = {
    "not_measured/unsupported", "not_comparable/metrics", "arrays/[]/costs", "arrays/[]/padding",
    "arrays/[]/swizzle", "causes",
}


def objects(value, path=()):
    """(path, object) of every object in `value`; one path for all elements of a list."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            if key not in MAPS:
                yield from objects(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner, (*path, "[]"))


def kind_of(document):
    return document.get("kind", "query") if isinstance(document, dict) else "query"


def run(culprit, *words, status=0):
    done = subprocess.run([culprit, *words], capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"culprit {' '.join(words)} exits with {done.returncode}: {done.stderr}")
    return done.stdout


def doctor(culprit, folder):
    """What doctor says beside a program that asks CUDA and finds trouble."""
    copy_of_it = pathlib.Path(folder) / "bin/culprit"
    asks = pathlib.Path(folder) / "libexec/culprit/culprit_doctor"
    for file in (copy_of_it, asks):
        file.parent.mkdir(parents=True)
    shutil.copy(culprit, copy_of_it)
    asks.write_text("#!/bin/sh\necho 'ok       a driver'\necho 'note     it is old'\necho 'trouble  no GPU'\nexit 2\n")
    asks.chmod(0o755)
    said = json.loads(run(str(copy_of_it), "doctor", "--json", status=2))
    found = [(check["state"], check["says"]) for check in said["doctor"]["checks"]][:3]
    if found != [("ok", "a driver"), ("note", "it is old"), ("trouble", "no GPU")]:
        sys.exit(f"culprit doctor --json says {found}")
    return said


def main():
    culprit, fake, schemas, golden, *recorded = sys.argv[1:]
    os.environ["CULPRIT_INJECT"] = fake
    documents = {file.name: json.loads(file.read_text()) for file in sorted(pathlib.Path(golden).glob("*.json"))}
    with tempfile.TemporaryDirectory() as folder:
        database, sql = os.path.join(folder, "m.db"), os.path.join(folder, "m.sql")
        documents["import"] = json.loads(run(culprit, "import", *recorded, "--db", database, "--json"))
        documents["export"] = json.loads(run(culprit, "export", "--db", database, "-o", sql, "--json"))
        documents["ab"] = json.loads(run(culprit, "versus", "--db", os.path.join(folder, "ab.db"), "--json", "--",
                                         fake, "--", fake))
        documents["doctor"] = doctor(culprit, folder)

    store = {file.name: json.loads(file.read_text()) for file in pathlib.Path(schemas).glob("*.schema.json")}
    validators, problems = {}, []
    for name, schema in store.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        resolver = jsonschema.RefResolver("", schema, store=store)
        validators[name.removesuffix(".schema.json")] = jsonschema.Draft202012Validator(schema, resolver=resolver)
    validators.pop("envelope")  # what the others share

    seen, everywhere = collections.Counter(), {}
    for name, document in documents.items():
        validator = validators.get(kind_of(document))
        if validator is None:
            sys.exit(f"report_schema_test: {name} is of '{kind_of(document)}': write docs/schema/{kind_of(document)}.schema.json.")
        problems += [f"{name}: {'/'.join(map(str, e.absolute_path))}: {e.message}" for e in validator.iter_errors(document)]
        for path, found in objects(document):
            place = (kind_of(document), path)
            seen[place] += 1
            everywhere[place] = everywhere.get(place, set(found)) & set(found)
    problems += [f"no answer of '{kind}' is here to hold against its schema"
                 for kind in validators if not any(kind_of(d) == kind for d in documents.values())]

    taken = set()
    for name, document in documents.items():
        validator = validators[kind_of(document)]
        if kind_of(document) == "query":
            continue  # its keys are what the statement names
        changed = copy.deepcopy(document)
        for path, found in objects(changed):
            place = (kind_of(document), path)
            for key in sorted(everywhere[place] - {k for k in found if k.endswith("_status")}):
                if (place, key) in taken or key == "notes" or "/".join((*path, key)) in OPTIONAL:
                    continue
                taken.add((place, key))
                value = found.pop(key)
                if validator.is_valid(changed):
                    problems.append(f"{name}: the schema does not notice {'/'.join((*path, key))} taken away")
                found[key] = value
    if problems:
        sys.exit("\n".join(problems[:40] + [f"{len(problems)} problems"]))
    print(f"{len(documents)} answers hold their schemas; each of {len(taken)} keys is missed when gone.")


if __name__ == "__main__":
    main()
