#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what `culprit export --format` writes against readers that are not ours.

Usage: export_formats_test.py CULPRIT SCHEMAS SAMPLED.sql PROGRAM.sql

  folded       flamegraph.pl (Debian's libdevel-nytprof-perl)
  pprof        Debian's python3-protobuf, with pprof's messages
  openmetrics  the parser of Debian's python3-prometheus-client
  bmf, hud     python3-jsonschema, with docs/schema/ci: Bencher's own schema, and the columns of the HUD's table

The sums of all must be the times that `culprit query` has. Leaves out what a missing reader would read, and says so.
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import importlib.util

# Debian installs its modules for its own interpreter.
DEBIAN = "/usr/bin/python3"
MODULES = ("google.protobuf", "prometheus_client")


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


if not all(map(has, MODULES)) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN) and os.path.exists(DEBIAN):
    os.execv(DEBIAN, [DEBIAN, *sys.argv])

try:
    import jsonschema
except ImportError:
    sys.exit("export_formats_test: python3-jsonschema is missing; script/bootstrap installs it.")

FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
# field: (number, kind); a kind in braces is a message. github.com/google/pprof, proto/profile.proto.
PPROF = {
    "Profile": {"sample_type": (1, "[ValueType]"), "sample": (2, "[Sample]"), "mapping": (3, "[Mapping]"),
                "location": (4, "[Location]"), "function": (5, "[Function]"), "string_table": (6, "[string]"),
                "time_nanos": (9, "int64"), "duration_nanos": (10, "int64"), "comment": (13, "[int64]")},
    "ValueType": {"type": (1, "int64"), "unit": (2, "int64")},
    "Sample": {"location_id": (1, "[uint64]"), "value": (2, "[int64]"), "label": (3, "[Label]")},
    "Label": {"key": (1, "int64"), "str": (2, "int64"), "num": (3, "int64")},
    "Mapping": {"id": (1, "uint64")},
    "Location": {"id": (1, "uint64"), "mapping_id": (2, "uint64"), "address": (3, "uint64"), "line": (4, "[Line]")},
    "Line": {"function_id": (1, "uint64"), "line": (2, "int64")},
    "Function": {"id": (1, "uint64"), "name": (2, "int64"), "system_name": (3, "int64"), "filename": (4, "int64"),
                 "start_line": (5, "int64")},
}
HOSTILE = "a;b \x1b[31m\"'\\ \u202e<script>{}\n# EOF\nx 1"


def left_out(what, reader):
    print(f"export_formats_test: {what} is not tried, because {reader} is missing; script/bootstrap installs it.")


def export(culprit, database, form, *words):
    done = subprocess.run([culprit, "export", "--db", database, "--format", form, *words], capture_output=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"export --format {form} ends with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def query(culprit, database, sql):
    done = subprocess.run([culprit, "query", "--db", database, "--format", "json", sql], capture_output=True, check=True)
    return json.loads(done.stdout)


def near(a, b, of=1e-6):
    return abs(a - b) <= of * max(abs(a), abs(b), 1e-12)


def profile_class():
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package="p", syntax="proto3")
    for name, fields in PPROF.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            of = kind.strip("[]")
            added = message.field.add(name=field, number=number, label=3 if kind.startswith("[") else 1)
            if of in PPROF:
                added.type, added.type_name = 11, f".p.{of}"
            else:
                added.type = {"int64": 3, "uint64": 4, "string": 9}[of]
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("p.Profile"))


def read_pprof(data):
    """(sum, stacks as lists of (function, file, line), labels) of a profile whose references all exist."""
    profile = profile_class()()
    profile.ParseFromString(gzip.decompress(data))
    text = list(profile.string_table)
    assert text[0] == "" and len(set(text)) == len(text)
    assert [(text[t.type], text[t.unit]) for t in profile.sample_type] == [("gpu", "nanoseconds")]
    functions = {f.id: f for f in profile.function}
    locations = {l.id: l for l in profile.location}
    assert 0 not in functions and 0 not in locations
    assert len(functions) == len(profile.function) and len(locations) == len(profile.location)
    stacks, total = [], 0
    for sample in profile.sample:
        assert len(sample.value) == 1 and sample.value[0] > 0 and sample.location_id
        total += sample.value[0]
        stack = []
        for place in sample.location_id:
            (line,) = locations[place].line
            function = functions[line.function_id]
            stack.append((text[function.name], text[function.filename], line.line))
        stacks.append((stack, sample.value[0], {text[l.key]: text[l.str] for l in sample.label}))
    assert not profile.FindInitializationErrors() and not unknown(profile)
    return total, stacks, text[profile.comment[0]]


def unknown(message):
    fields = list(getattr(message, "UnknownFields", lambda: [])())
    return fields or any(unknown(inner) for field, value in message.ListFields() if field.type == 11
                         for inner in (value if field.label == 3 else [value]))


def hold_folded(text, total_us):
    total = 0
    for line in text.splitlines():
        stack, value = re.fullmatch(r"(\S.*) (\d+)", line).groups()
        assert all(stack.split(";")), line
        total += int(value)
    assert near(total, total_us * 1e3, 1e-4), (total, total_us)
    if not os.path.exists(FLAMEGRAPH):
        return left_out("folded", "libdevel-nytprof-perl")
    done = subprocess.run(["perl", FLAMEGRAPH], input=text.encode(), capture_output=True)
    assert done.returncode == 0 and b"<svg" in done.stdout, done.stderr
    assert b"Ignored" not in done.stderr, done.stderr
    first = text.split(" ")[0].split(";")[0].split("<")[0]
    assert first.encode() in done.stdout, first


def hold_openmetrics(text, kernels):
    if not has("prometheus_client"):
        return left_out("openmetrics", "python3-prometheus-client")
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families["culprit_kernel_seconds"].unit == "seconds"
    samples = families["culprit_kernel_seconds"].samples
    assert len(samples) == len(kernels), (len(samples), len(kernels))
    assert near(sum(s.value for s in samples), sum(kernels) * 1e-6), "seconds"
    return families


def hold(culprit, schemas, database, run, kernels, samples):
    """`kernels`: the times of all launches; `samples`: how many samples the kept launches have."""
    total_us = sum(kernels)
    hold_folded(export(culprit, database, "folded", run).decode(), total_us)
    families = hold_openmetrics(export(culprit, database, "openmetrics", run).decode(), kernels)
    bmf = json.loads(export(culprit, database, "bmf", run))
    jsonschema.validate(bmf, json.loads((schemas / "bmf.schema.json").read_text()))
    assert len(bmf) == len(kernels) and all(len(name) <= 1024 for name in bmf)
    for measures in bmf.values():
        latency = measures["latency"]
        assert latency.get("lower_value", 0) <= latency["value"] <= latency.get("upper_value", latency["value"])
    hud = json.loads(export(culprit, database, "hud", run))
    jsonschema.validate(hud, json.loads((schemas / "oss_ci_benchmark_v3.schema.json").read_text()))
    assert sum(len(result["metric"]["benchmark_values"]) for result in hud) == samples, samples
    if not has("google.protobuf"):
        return left_out("pprof", "python3-protobuf"), families
    total, stacks, comment = read_pprof(export(culprit, database, "pprof", run))
    assert near(total, total_us * 1e3, 1e-4) and comment.startswith("run "), (total, total_us, comment)
    return stacks, families


def main():
    culprit, schemas, sampled, program = sys.argv[1:]
    schemas = pathlib.Path(schemas)
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "m.db")
        subprocess.run([culprit, "import", "--db", database, sampled, program], check=True, capture_output=True)

        # A benchmark with lines: its stacks end at lines of its source.
        (benchmark,) = [r[0] for r in rows(culprit, database, "SELECT id FROM run WHERE id NOT IN (SELECT run_id FROM "
                                           "program) ORDER BY id LIMIT 1")]
        times = [r[0] for r in rows(culprit, database, "SELECT t.median_us FROM launch_time t JOIN launch l ON l.id = "
                                    f"t.launch_id WHERE l.run_id = {benchmark} AND l.state = 'ok'")]
        kept = rows(culprit, database, "SELECT count(*) FROM sample s JOIN launch l ON l.id = s.launch_id WHERE l.run_id = "
                    f"{benchmark} AND l.state = 'ok' AND NOT s.low_clock")[0][0]
        stacks, _ = hold(culprit, schemas, database, str(benchmark), times, kept)
        if stacks:
            lines = {(file, line) for stack, _, _ in stacks for _, file, line in stack if line}
            assert len(lines) > 20 and any(file.endswith((".cu", ".cuh")) for file, _ in lines), lines

        # A program: the sums of all calls, ranges, copies.
        (one,) = [r[0] for r in rows(culprit, database, "SELECT run_id FROM program ORDER BY run_id LIMIT 1")]
        times = [r[0] for r in rows(culprit, database, "SELECT p.time_us FROM program_launch p JOIN launch l ON l.id = "
                                    f"p.launch_id WHERE l.run_id = {one} AND p.time_us > 0")]
        kept = rows(culprit, database, "SELECT count(*) FROM sample s JOIN launch l ON l.id = s.launch_id WHERE l.run_id = "
                    f"{one} AND NOT s.low_clock")[0][0]
        stacks, families = hold(culprit, schemas, database, str(one), times, kept)
        if families:
            copied = rows(culprit, database, f"SELECT sum(time_us) FROM program_copy WHERE run_id = {one}")[0][0]
            assert near(sum(s.value for s in families["culprit_copy_seconds"].samples), copied * 1e-6)

        # Names that mean something to each format.
        hostile = os.path.join(folder, "hostile.json")
        events = [{"ph": "X", "cat": "kernel", "name": HOSTILE + str(n), "pid": 0, "tid": 7, "ts": 100 * n, "dur": 50,
                   "args": {"device": 0}} for n in range(3)]
        pathlib.Path(hostile).write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        other = os.path.join(folder, "hostile.db")
        subprocess.run([culprit, "import", "--db", other, hostile, "--label", HOSTILE], check=True, capture_output=True)
        stacks, families = hold(culprit, schemas, other, "1", [50, 50, 50], 3)
        if families:
            assert all("\x1b" not in s.labels["label"] for s in families["culprit_kernel_seconds"].samples)
        # What a run without times says, and what two runs do.
        for words in (["--run", "1", "--run", str(one)], ["--run", "none"]):
            done = subprocess.run([culprit, "export", "--db", database, "--format", "pprof", *words], capture_output=True)
            assert done.returncode == 2 and done.stderr.count(b"\n") == 1, done.stderr
    print("Each format is what its reader takes, and its sum is the run's.")


def rows(culprit, database, sql):
    answer = query(culprit, database, sql)
    table = answer["rows"] if isinstance(answer, dict) else answer
    return [list(row.values()) if isinstance(row, dict) else row for row in table]


if __name__ == "__main__":
    main()
