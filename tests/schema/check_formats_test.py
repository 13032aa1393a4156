#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `culprit check --format sarif|junit|github` against what their readers rely on.

Usage: check_formats_test.py CULPRIT SCHEMAS RECORDED.sql

Imports a recording twice, makes launches of the second one slower, fail and go away, and asks for each form: SARIF and
JUnit against docs/schema/ci, GitHub's commands by their grammar, all three against the JSON of the same check. Then
once more with names of kernels, files and runs that mean something to each form.
"""
import contextlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

try:
    import jsonschema
except ImportError:
    sys.exit("check_formats_test: python3-jsonschema is missing; script/bootstrap installs it.")

FORMS = ("sarif", "junit", "github")
HOSTILE = [
    "a</testcase><failure/>&amp;&#0;]]>\"'<!--",
    "::error file=x,line=1::forged%0A::stop-commands::x",
    "\x1b[31mred\x07\r\n::warning::second line",
    "\u202egnp.exe\ufeff\U0001f4a5 \x80\x9b",
    "x, y: 100 % <script>alert(1)</script> `rm -rf`",
]
COMMAND = re.compile(r"::(error|warning|notice) ((?:file|line|title)=[^,:]*(?:,(?:file|line|title)=[^,:]*)*)::(.+)")


def check(culprit, database, form, *words):
    done = subprocess.run([culprit, "check", "--db", database, "--base", "1", "--cand", "2", "--format", form, *words],
                          capture_output=True)
    if done.stderr:
        sys.exit(f"check --format {form} complains: {done.stderr.decode(errors='replace')}")
    text = done.stdout.decode()  # must be UTF-8
    forbidden = [c for c in text if (ord(c) < 0x20 and c != "\n") or 0x7f <= ord(c) < 0xa0 or c in "\u202e\ufeff"]
    if forbidden:
        sys.exit(f"check --format {form} lets {forbidden[:3]} through")
    return done.returncode, text


def element(node):
    return {"tag": node.tag, "attributes": dict(node.attrib), "children": [element(child) for child in node]}


def hold(culprit, database, schemas, *words):
    """Judgements, as the forms have them."""
    status, text = check(culprit, database, "json", *words)
    answer = json.loads(text)["check"]
    slower, suspects, unjudged = answer["regressions"], answer["suspects"], answer["not_judged"] + answer["inconclusive"]
    open_ones = suspects + unjudged
    texts = {}
    for form in FORMS:
        its_status, texts[form] = check(culprit, database, form, *words)
        assert its_status == status == answer["exit_status"], form

    sarif = json.loads(texts["sarif"])
    jsonschema.Draft202012Validator(schemas["check_sarif"]).validate(sarif)
    run = sarif["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    kinds = [result["ruleId"] for result in run["results"]]
    assert kinds.count("kernel-slower") == slower and kinds.count("kernel-not-judged") == unjudged, kinds
    assert kinds.count("kernel-suspect") == suspects, kinds
    assert run["invocations"][0]["exitCode"] == status
    prints = [r["partialFingerprints"]["culpritLaunch/v1"] for r in run["results"] if "partialFingerprints" in r]
    assert len(set(prints)) == len(prints)

    junit = element(ElementTree.fromstring(texts["junit"]))
    jsonschema.Draft202012Validator(schemas["check_junit"]).validate(junit)
    suite = junit["children"][0]
    outcomes = [child["tag"] for case in suite["children"][1:] for child in case["children"]]
    counts = {key: int(suite["attributes"][key]) for key in ("tests", "failures", "errors", "skipped")}
    assert counts["failures"] == slower == outcomes.count("failure")
    assert counts["errors"] == outcomes.count("error") == max(open_ones, not answer["launches"])
    assert counts["skipped"] == answer["not_compared"] == outcomes.count("skipped")
    assert counts["tests"] == len(suite["children"]) - 1 == max(1, len(answer["launches"]))

    commands = [COMMAND.fullmatch(line) for line in texts["github"].splitlines()]
    assert all(commands), texts["github"]
    first = commands[0]
    assert first[1] == {0: "notice", 3: "warning"}.get(status, "error") and first[2] == "title=culprit check"
    assert sum(c[1] == "error" for c in commands[1:]) == min(slower, 9)
    assert sum(c[1] == "warning" for c in commands[1:]) == min(open_ones, 9 if status == 3 else 10)
    return answer, sarif, texts


def main():
    culprit, schema_folder, recorded = sys.argv[1:]
    schemas = {f.name.removesuffix(".schema.json"): json.loads(f.read_text())
               for f in pathlib.Path(schema_folder).glob("*.schema.json")}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "m.db")
        subprocess.run([culprit, "import", recorded, "--db", database], check=True, capture_output=True)
        text = subprocess.run([culprit, "export", "--db", database], check=True, capture_output=True, text=True).stdout
        text = re.sub(r'INSERT INTO run_checksum\([^;]*;\n', "", text)  # the other run is not what was recorded
        uuid = re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", text)[0]
        other = os.path.join(folder, "other.sql")
        pathlib.Path(other).write_text(text.replace(uuid, "f" + uuid[1:] if uuid[0] != "f" else "e" + uuid[1:]))
        subprocess.run([culprit, "import", other, "--db", database], check=True, capture_output=True)

        def change(*statements):
            with contextlib.closing(sqlite3.connect(database)) as raw, raw:
                raw.execute("PRAGMA foreign_keys = ON")
                raw.execute("DELETE FROM run_checksum")  # which would tell
                for statement, *values in statements:
                    raw.execute(statement, values)

        # Enough of them for every judgement, and few enough to ask often.
        change(("DELETE FROM launch WHERE id NOT IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY run_id "
                "ORDER BY id) AS n FROM launch WHERE state = 'ok') WHERE n <= 45)",),
               ("UPDATE sample SET process = seq % 8",))  # one process per side makes no regression
        answer, sarif, _ = hold(culprit, database, schemas)
        assert answer["outcome"] == "fine" and not sarif["runs"][0]["results"], answer["outcome"]

        second = "(SELECT id FROM launch WHERE run_id = 2 AND state = 'ok' ORDER BY id LIMIT {} OFFSET {})"
        change(("UPDATE sample SET time_us = time_us * 1.2 WHERE launch_id IN " + second.format(12, 0),),
               ("UPDATE build SET cubin_digest = 'changed' WHERE run_id = 2",),
               ("DELETE FROM sample WHERE launch_id IN " + second.format(12, 20),),
               ("DELETE FROM launch WHERE id IN " + second.format(2, 40),))
        answer, sarif, texts = hold(culprit, database, schemas)
        assert answer["regressions"] >= 11 and answer["not_judged"] >= 11, answer["not_judged"]
        lines = [result["locations"][0].get("physicalLocation", {}).get("region", {}).get("startLine")
                 for result in sarif["runs"][0]["results"] if result["ruleId"] == "kernel-slower"]
        assert all(lines), "a kernel that is slower has a line"
        assert "file=kernels/" in texts["github"] and ",line=" in texts["github"]

        hold(culprit, database, schemas, "--max-slowdown", "1000%")
        change(("UPDATE sample SET process = 0",))
        answer, sarif, texts = hold(culprit, database, schemas)
        assert answer["suspects"] >= 11 and answer["regressions"] == 0, answer
        assert "may be slower" in texts["github"] and 'type="suspect"' in texts["junit"]
        change(("DELETE FROM launch WHERE run_id = 1 AND (stage_id, shape) NOT IN "
                "(SELECT stage_id, shape FROM launch WHERE run_id = 2)",),
               ("DELETE FROM launch WHERE id IN (SELECT id FROM launch WHERE id NOT IN (SELECT launch_id FROM sample))",),
               ("DELETE FROM launch WHERE (stage_id, shape) IN (SELECT stage_id, shape FROM launch GROUP BY stage_id, shape "
                "HAVING count(*) = 1)",))
        answer, _, _ = hold(culprit, database, schemas)
        assert answer["outcome"] == "inconclusive" and answer["exit_status"] == 3, answer["outcome"]
        change(*(("UPDATE stage SET key = ?, source_file = ? WHERE id = (SELECT stage_id FROM launch WHERE run_id = 2 "
                  "AND state = 'ok' ORDER BY id LIMIT 1 OFFSET ?)", name + str(i), name, i)
                 for i, name in enumerate(HOSTILE)),
               ("UPDATE run SET label = ?", HOSTILE[0] + HOSTILE[2]))
        hold(culprit, database, schemas)
        change(("UPDATE device SET name = ?", HOSTILE[1]), ("UPDATE run SET l2 = 'flush' WHERE id = 2",))
        answer, sarif, _ = hold(culprit, database, schemas)
        assert answer["not_comparable"] and sarif["runs"][0]["results"][0]["ruleId"] == "runs-not-comparable"
    print("SARIF, JUnit and GitHub's commands are what their readers take, whatever things are called.")


if __name__ == "__main__":
    main()
