#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds push, pull, history, regressions, prune and setup against a PostgreSQL server of their own.

Usage: fleet_test.py CULPRIT INVENT_RUNS RECORDED_FOLDER [--machines N] [--kills N] [--seed N]

Without PostgreSQL it says so and ends with status 77, which ctest calls skipped.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import jsonschema

import postgres

SKIPPED = 77
CUT = "pg_sleep"  # what a slow archive waits in


def fail(what):
    raise AssertionError(what)


class World:
    def __init__(self, options, folder, server):
        self.culprit, self.invent, self.recorded = options.culprit, options.invent_runs, pathlib.Path(options.recorded)
        self.source = pathlib.Path(__file__).resolve().parents[2]
        self.folder, self.server, self.home = folder, server, folder / "home"
        self.home.mkdir()

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("PG", "CULPRIT", "GITHUB", "CI_"))}
        return {**kept, "HOME": str(self.home), **more}

    def run(self, *words, status=0, **environment):
        ran = subprocess.run([self.culprit, *map(str, words)], capture_output=True, text=True, timeout=300,
                             env=self.environment(**environment))
        if ran.returncode != status:
            fail(f"culprit {' '.join(map(str, words))}: status {ran.returncode}, not {status}\n{ran.stdout}{ran.stderr}")
        return ran

    def refused(self, *words, says, **environment):
        """One sentence on stderr that says what to do, and no output."""
        ran = self.run(*words, status=2, **environment)
        if ran.stdout or not ran.stderr.startswith("culprit: ") or len(ran.stderr.strip().splitlines()) != 1:
            fail(f"culprit {' '.join(map(str, words))} does not say one sentence: {ran.stdout}{ran.stderr}")
        if says not in ran.stderr:
            fail(f"culprit {' '.join(map(str, words))} does not say '{says}': {ran.stderr}")
        return ran

    def json(self, *words, **more):
        """The answer, which must hold its schema; without any of its keys it must not."""
        answer = json.loads(self.run(*words, "--json", **more).stdout)
        file = self.source / "docs" / "schema" / "fleet" / f"{answer['kind']}.schema.json" if isinstance(answer, dict) else None
        if file and file.exists():
            schema = json.loads(file.read_text())
            resolver = jsonschema.RefResolver(file.as_uri(), schema)
            validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
            validator.validate(answer)
            section = next(iter(schema["required"]))
            for key in set(answer[section]) - {"notes"}:
                rest = {k: v for k, v in answer[section].items() if k != key}
                if validator.is_valid({**answer, section: rest}):
                    fail(f"{file.name} does not notice that {key} is gone")
        return answer

    def database(self, name, *files):
        db = self.folder / name
        self.run("import", "--db", db, *files)
        return db

    def one_command(self, name):
        """Recorded programs whose second run had one more argument, without it, as if the code had changed."""
        recorded = self.database("two_" + name, self.recorded / "programs" / "h200_sxm_cuda13.0_2026-11-22.sql.zst")
        text = self.run("export", "--db", recorded).stdout.replace(" --contiguous", "").replace(" --unpadded", "")
        sql = self.folder / "one_command.sql"
        sql.write_text(re.sub(r"INSERT INTO run_checksum\([^;]*;\n", "", text))
        return self.database(name, sql)

    def invented(self, name, first_night=0, nights=2, workloads=2, kernels=3, metrics=4, slower_in=10**6, first_day=None):
        db = self.folder / name
        day = first_day if first_day is not None else int(time.time() // 86400) - 40
        subprocess.run([self.invent, str(db), *map(str, (first_night, nights, workloads, kernels, metrics, slower_in, day))],
                       check=True)
        return db

    def export(self, db, uuid):
        return self.run("export", "--db", db, "--run", uuid).stdout

    def uuids(self, db):
        return [row["run_uuid"] for row in self.json("runs", "--db", db)["list"]["runs"]]

    def counts(self):
        """Rows of each run, so that a half of one shows."""
        return self.server.sql("SELECT r.uuid, r.launches, (SELECT count(*) FROM culprit.kernel_time t WHERE t.run_id = r.id), "
                               "r.archive_bytes, (SELECT sum(length(bytes)) FROM culprit.archive a WHERE a.run_id = r.id), "
                               "r.metric_values, (SELECT coalesce(sum(cardinality(list)), 0) FROM culprit.metric_values v WHERE "
                               "v.run_id = r.id) FROM culprit.run r ORDER BY 1")

    def must_be_whole(self, uuids=None):
        rows = self.counts()
        for uuid, launches, times, size, bytes_there, values, values_there in rows:
            if launches != times or size != bytes_there or values != values_there:
                fail(f"run {uuid} is half there: {launches} {times} {size} {bytes_there} {values} {values_there}")
        orphans = self.server.sql("SELECT count(*) FROM culprit.archive a WHERE NOT EXISTS (SELECT FROM culprit.run r WHERE "
                                  "r.id = a.run_id)")
        if orphans != [["0"]]:
            fail("there are parts of archives without a run")
        there = [row[0] for row in rows]
        if uuids is not None and sorted(there) != sorted(uuids):
            fail(f"the server has {len(there)} runs, not the {len(uuids)} that were sent")


# --- what each test shows ---

def travels_whole(world):
    """Recorded runs come back byte by byte, and a second push or pull adds nothing."""
    uri = world.server.uri()
    db = world.database("main.db", world.recorded / "programs" / "h200_sxm_cuda13.0_2026-11-22.sql.zst",
                        world.recorded / "lines" / "h200_sxm_cuda13.0_2026-11-23.sql.zst")
    uuids = world.uuids(db)
    before = db.read_bytes()
    states = {row["run_uuid"]: row["state"] for row in world.json("push", uri, "--db", db)["pushed"]["runs"]}
    assert set(states.values()) == {"sent"} and set(states) == set(uuids), states
    assert db.read_bytes() == before, "push changed the file"
    world.must_be_whole(uuids)
    states = {row["state"] for row in world.json("push", uri, "--db", db)["pushed"]["runs"]}
    assert states == {"already there"}, states
    back = world.folder / "back.db"
    added = {row["state"] for row in world.json("pull", uri, "--db", back, "--limit", 100)["pulled"]["runs"]}
    assert added == {"added"}, added
    assert {row["state"] for row in world.json("pull", uri, "--db", back, "--limit", 100)["pulled"]["runs"]} == {"already there"}
    for uuid in uuids:
        assert world.export(db, uuid) == world.export(back, uuid), f"run {uuid} came back changed"
    chosen = world.json("pull", uri, "--list", "--gpu", "h200", "--run", uuids[0][:8])["pulled"]["runs"]
    assert [row["run_uuid"] for row in chosen] == uuids[:1], chosen
    world.refused("pull", uri, "--db", world.folder / "none.db", "--branch", "no_such", says="no run that you asked for")
    assert not (world.folder / "none.db").exists()


def keeps_why(world):
    """The verdict and first cause on the server are those of `culprit why`, whether the base is in the file or not."""
    uri = world.server.uri()
    db = world.one_command("programs.db")
    runs = world.json("runs", "--db", db)["list"]["runs"]
    older, newer = (next(row["run_uuid"] for row in runs if row["run_label"] == label) for label in ("padded", "unpadded"))
    for name, apart in (("local", False), ("fetched", True)):
        world.server.sql("TRUNCATE culprit.run CASCADE")
        if apart:
            for label, uuid in (("first", older), ("second", newer)):
                one = world.folder / f"{label}.db"
                sql = world.folder / f"{label}.sql"
                sql.write_text(world.export(db, uuid))
                world.run("import", "--db", one, sql)
                world.run("push", uri, "--db", one, "--branch", "main")
        else:
            world.run("push", uri, "--db", db, "--run", older, "--run", newer, "--branch", "main")
        rows = world.server.sql("SELECT t.kernel, t.nvtx, t.verdict, t.cause, t.base, t.median_us FROM culprit.fleet_kernel_time t "
                                f"WHERE run = '{newer}' AND verdict IN ('slower', 'faster') ORDER BY abs(change) DESC")
        assert rows, f"{name}: no kernel is slower or faster"
        for kernel, _, verdict, cause, base, _ in rows:
            assert base == older, (kernel, base)
            try:
                why = world.json("why", f"{kernel}@{older}", f"{kernel}@{newer}", "--db", db)
            except AssertionError:
                continue  # several launches have this name
            assert why["verdict"] == verdict, (kernel, verdict, why["verdict"])
            causes = [part["cause"] for part in why["causes"]]
            assert not cause or cause == causes[0], (name, kernel, cause, causes)
        assert any(row[3] for row in rows), f"{name}: no cause is there"


def tells_steps(world):
    """One kernel becomes 6 % slower in night 21 of 26 and is found, with its commits; nothing else is."""
    uri = world.server.uri()
    world.server.sql("TRUNCATE culprit.run CASCADE")
    day = int(time.time() // 86400) - 25
    db = world.invented("nights.db", nights=26, workloads=11, kernels=3, slower_in=21, first_day=day)
    world.run("push", uri, "--db", db, "--branch", "main", "--not-judged")
    steps = world.json("history", "kernel_0", "--db", uri, "--gpu", "Invented H")["steps"]["changes"]
    assert len(steps) == 1 and steps[0]["change_low_pct"] < 6 < steps[0]["change_high_pct"], steps
    assert steps[0]["commits"] == f"{21:040x}"[:12] + ".." + f"{22:040x}"[:12], steps
    found = world.json("regressions", uri, status=3)["regressions"]["found"]
    kernels = sorted((row["workload"], row["kernel"]) for row in found if ", all kernels" not in row["kernel"])
    assert kernels == [("workload_0", "kernel_0 at 1x128"), ("workload_10", "kernel_0 at 1x128")], kernels
    for row in found:
        assert row["change_pct"] > 0 and row["branch"] == "main" and row["cost_us"] > 0 and row["state"] == "suspect", row
    world.run("regressions", uri, "--since", "2d", status=3)  # the step is older, but still a suspect
    world.refused("regressions", uri, "--branch", "mian", says="no run since 7d")
    world.refused("history", "kernel_0", "--db", uri, "--branch", "mian", says="leave out an option")
    for form in ("sarif", "junit", "github", "md", "csv", "text"):
        out = world.run("regressions", uri, "--format", form, status=3).stdout
        assert "kernel_0" in out, form
    page = world.run("history", "kernel_0", "--db", uri, "--format", "html").stdout
    assert "slower" in page.lower()
    csv = world.run("export", "--db", uri, "--format", "csv").stdout.splitlines()
    assert len(csv) == 1 + 26 * 11 * 3 and csv[0].startswith("time,git_sha,branch,label,gpu,workload,kernel"), csv[:2]


def others_read(world):
    """The queries that ship for Grafana and Otava have rows."""
    import yaml
    examples = world.source / "examples" / "fleet"
    names = {"$kernel": "kernel_0", "$workload": "workload_0", "$gpu": "Invented H", "$branch": "main"}

    def rows_of(sql):
        sql = re.sub(r"\$__timeFilter\((\w+)\)", r"\1 > now() - interval '90 days'", sql)
        for name, value in names.items():
            sql = sql.replace(name, value)
        return world.server.sql(sql)

    dashboard = json.loads((examples / "grafana.json").read_text())
    for variable in dashboard["templating"]["list"]:
        assert rows_of(variable["query"]), variable["name"]
    world.server.sql("UPDATE culprit.kernel_time SET verdict = 'slower', change = 0.06 WHERE run_id = (SELECT max(id) FROM culprit.run)")
    for panel in dashboard["panels"]:
        assert rows_of(panel["targets"][0]["rawSql"]), panel["title"]
    otava = yaml.safe_load((examples / "otava.yaml").read_text())
    test = otava["tests"]["softmax_on_h100"]
    template = otava["templates"][test["inherit"][0]]
    query = test["query"].replace("softmax", "kernel_0").replace("%H100%", "%H%").replace("%{BRANCH}", "'main'")
    rows = world.server.sql(f"SELECT row_to_json(q) FROM ({query}) q")
    columns = set(json.loads(rows[0][0]))
    assert {template["time_column"], *template["attributes"], *template["metrics"]} == columns, columns
    times = [json.loads(row[0])["time"] for row in rows]
    assert len(times) >= 26 and times == sorted(times)


def five_commands(world):
    """docs/fleet.md: from an empty server to the first answer."""
    text = (world.source / "docs" / "fleet.md").read_text()
    block = re.search(r"```\n(createdb .*?)```", text, re.S).group(1)
    commands = [line.split("  #")[0].strip() for line in block.splitlines()]
    assert len(commands) == 5, commands
    db = world.folder / "nights.db"  # of tells_steps
    path = f"{os.path.dirname(world.culprit)}:{world.server.bin}:{os.environ['PATH']}"
    answers = []
    for command in commands:
        command = command.replace("postgresql://admin@db.example.com/culprit", world.server.uri("five"))
        command = command.replace("-h db.example.com -U admin culprit", f"-h 127.0.0.1 -p {world.server.port} -U admin five")
        if command.startswith("culprit history"):
            command = command.replace("softmax", "kernel_0")
        ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                             env=world.environment(PATH=path, CULPRIT_DB=str(db)))
        assert ran.returncode == (3 if "regressions" in command else 0), (command, ran.stdout, ran.stderr)
        answers.append(ran.stdout)
    assert "kernel_0" in answers[3] and "1 step in 26 runs" in answers[4], answers


def prunes(world):
    uri = world.server.uri()
    runs = int(world.server.sql("SELECT count(*) FROM culprit.run")[0][0])
    would = world.json("prune", uri, "--older-than", "10d", "--dry-run")["pruned"]
    assert 0 < would["runs"] < runs
    assert world.json("prune", uri, "--older-than", "10d")["pruned"] == would
    assert world.json("prune", uri, "--older-than", "10d")["pruned"]["runs"] == 0
    assert len(world.json("history", "kernel_0", "--db", uri, "--gpu", "Invented H")["steps"]["changes"]) == 1
    old = world.json("pull", uri, "--list", "--until", "20d")["pulled"]["runs"][0]
    assert old["state"] == "pruned"
    world.refused("pull", uri, "--db", world.folder / "old.db", "--run", old["run_uuid"], says="pruned")
    world.refused("prune", uri, "--older-than", "soon", says="--older-than takes")


def roles(world):
    server = world.server
    server.sql("TRUNCATE culprit.run CASCADE")
    for user, role in (("adder", "culprit_add"), ("reader", "culprit_read"), ("keeper", "culprit_maintain"), ("nobody", None)):
        server.sql(f"CREATE ROLE {user} LOGIN" + (f" IN ROLE {role}" if role else ""))
    db = world.invented("roles.db", nights=1)
    out = world.run("push", server.uri(user="adder"), "--db", db).stdout
    assert "culprit_read" in out, out  # nothing was judged, and it says so
    world.refused("pull", server.uri(user="adder"), "--db", world.folder / "x.db", says="docs/fleet.md#roles")
    world.refused("history", "kernel_0", "--db", server.uri(user="adder"), says="docs/fleet.md#roles")
    world.refused("prune", server.uri(user="adder"), "--older-than", "2020-01-01", says="docs/fleet.md#roles")
    more = world.invented("roles_more.db", first_night=1, nights=1)
    lost = world.run("push", server.uri(user="reader"), "--db", more, status=2).stdout
    assert "not sent" in lost, lost
    world.run("history", "kernel_0", "--db", server.uri(user="reader"))
    world.refused("prune", server.uri(user="reader"), "--older-than", "2d", says="docs/fleet.md#roles")
    world.refused("push", server.uri(user="nobody"), "--db", db, says="permission denied")
    world.run("prune", server.uri(user="keeper"), "--older-than", "2020-01-01")
    server.sql("CREATE ROLE keyed LOGIN PASSWORD 'letmein' IN ROLE culprit_add, culprit_read")
    keyed = server.uri(user="keyed")
    world.refused("pull", keyed, "--list", says="no password")
    world.refused("pull", keyed.replace("keyed@", "keyed:letmein@"), "--list", says="~/.pgpass")
    world.refused("pull", keyed + "?password=letmein", "--list", says="~/.pgpass")
    (world.home / ".pgpass").write_text(f"127.0.0.1:{server.port}:*:keyed:letmein\n")
    (world.home / ".pgpass").chmod(0o600)
    world.run("pull", keyed, "--list")
    try:
        server.sql("INSERT INTO culprit.archive (run_id, part, bytes) SELECT id, 999, 'x' FROM culprit.run LIMIT 1", user="adder")
        fail("who adds may add to the runs of others")
    except RuntimeError as error:
        assert "stored before" in str(error), error


def bad_servers(world):
    server = world.server
    db = world.invented("bad.db", nights=1, workloads=1)
    world.refused("push", "--db", db, says="CULPRIT_SERVER")
    world.refused("push", "mysql://x", "--db", db, says="postgresql://")
    world.refused("push", "postgresql://admin@127.0.0.1:1/culprit", "--db", db, says="cannot connect")
    world.refused("push", "postgresql://[::1", "--db", db, says="no URI")
    world.refused("pull", server.uri("no_such_database"), "--list", says="does not exist")
    server.create("empty")
    world.refused("push", server.uri("empty"), "--db", db, says="culprit setup")
    server.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0", "postgres")
    world.refused("setup", server.uri("latin"), says="UTF-8")
    world.run("setup", server.uri("empty"))
    assert "already" in world.run("setup", server.uri("empty")).stdout
    server.sql("UPDATE culprit.version SET number = 99", "empty")
    for command in (["push", server.uri("empty"), "--db", db], ["setup", server.uri("empty")]):
        world.refused(*command, says="install a newer one")
    server.sql("UPDATE culprit.version SET number = 1", "empty")
    # A full disk, as the server reports it.
    server.sql("CREATE FUNCTION full_disk() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = "
               "'53100'; END $$ LANGUAGE plpgsql; CREATE TRIGGER full_disk BEFORE INSERT ON culprit.archive FOR EACH STATEMENT "
               "EXECUTE FUNCTION full_disk()", "empty")
    before = db.read_bytes()
    lost = world.run("push", server.uri("empty"), "--db", db, status=2).stdout
    assert "not sent" in lost and "disk is full" in lost and str(db) in lost, lost
    assert server.sql("SELECT count(*) FROM culprit.run", "empty") == [["0"]]
    server.sql("DROP TRIGGER full_disk ON culprit.archive", "empty")
    world.run("push", server.uri("empty"), "--db", db)
    assert db.read_bytes() == before
    # An archive that somebody damaged: nothing is imported.
    server.sql("UPDATE culprit.archive SET bytes = substr(bytes, 1, length(bytes) - 9) || '\\x000000000000000000'::bytea", "empty")
    world.refused("pull", server.uri("empty"), "--db", world.folder / "damaged.db", says="is damaged on the server")
    assert not (world.folder / "damaged.db").exists()
    server.sql("UPDATE culprit.run SET archive_bytes = 7; UPDATE culprit.archive SET bytes = '\\x01'", "empty")
    world.refused("pull", server.uri("empty"), "--db", world.folder / "damaged.db", says="try again")


def hostile_names(world):
    """Names that mean something to SQL, COPY, arrays or terminals, and bytes that are not UTF-8."""
    server = world.server
    server.sql("TRUNCATE culprit.run CASCADE")
    hostile = ["x'; DROP TABLE culprit.run; --", "a\\tb\\N\\.", '{"a","b"}', "\\x00", "100 %_\\", "\u202egnp.exe", "\x1b[31mred",
               "new\nline\ttab", "\\", "NULL"]
    db = world.invented("hostile.db", nights=1, workloads=len(hostile), kernels=2)
    import sqlite3
    with sqlite3.connect(db) as sqlite:
        for number, text in enumerate(hostile):
            sqlite.execute("UPDATE run SET label = ?, command_line = ? WHERE command_line = ?", (text, text, f"./workload_{number}"))
        sqlite.execute("UPDATE run SET label = CAST(X'ff41fe' AS TEXT) WHERE id = 1")
        sqlite.execute("UPDATE program_launch SET name = ?, nvtx = ?", (hostile[0] + hostile[1], hostile[2]))
        # Two ranges that differ only in bytes that are not UTF-8.
        for launch, byte in (("min", "e8"), ("max", "e9")):
            sqlite.execute(f"UPDATE program_launch SET name = 'k', nvtx = CAST(X'{byte}' AS TEXT) WHERE launch_id = (SELECT "
                           f"{launch}(id) FROM launch WHERE run_id = 2)")
        sqlite.execute("DELETE FROM run_checksum")
    sealed = world.folder / "hostile_sealed.db"
    sql = world.folder / "hostile.sql"
    # Without checksums it is what was recorded before there were any.
    sql.write_bytes(subprocess.run([world.culprit, "export", "--db", str(db)], capture_output=True, check=True).stdout)
    world.run("import", "--db", sealed, sql)
    world.run("push", server.uri(), "--db", sealed, "--branch", hostile[0])
    world.must_be_whole(world.uuids(sealed))
    labels = {row[0] for row in server.sql("SELECT encode(convert_to(label, 'UTF8'), 'hex') FROM culprit.run")}
    for text in hostile[1:]:
        assert text.encode().hex() in labels, text
    back = world.folder / "hostile_back.db"
    world.run("pull", server.uri(), "--db", back, "--branch", hostile[0])
    assert world.export(sealed, world.uuids(sealed)[0]) == world.export(back, world.uuids(sealed)[0])
    for words in (["pull", server.uri(), "--list"], ["history", "kernel_0", "--db", server.uri()]):
        out = world.run(*words).stdout
        assert "\x1b" not in out and "\u202e" not in out


def two_at_once(world):
    """Two that send the same runs at once: each run is there once."""
    server = world.server
    server.sql("TRUNCATE culprit.run CASCADE")
    db = world.invented("twice.db", nights=6, workloads=2, kernels=30)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        all_states = list(pool.map(lambda _: world.json("push", server.uri(), "--db", db, "--not-judged"), range(4)))
    world.must_be_whole(world.uuids(db))
    states = [row["state"] for answer in all_states for row in answer["pushed"]["runs"]]
    assert states.count("sent") == 12 and set(states) == {"sent", "already there"}, states


def a_recording_goes_on(world):
    """Push does not block who writes to the file."""
    server = world.server
    db = world.invented("writing.db", first_night=50, nights=2, workloads=1, kernels=5)
    slow_archives(server, 2)
    pushing = subprocess.Popen([world.culprit, "push", server.uri(), "--db", str(db)], stdout=subprocess.DEVNULL,
                               env=world.environment())
    wait_for_transaction(server)
    began = time.monotonic()
    world.invented("writing.db", first_night=52, nights=1, workloads=1, kernels=5)
    took = time.monotonic() - began
    still = pushing.poll() is None
    assert pushing.wait() == 0
    fast_archives(server)
    assert still and took < 5, (still, took)


# --- many at once, and kills ---

def slow_archives(server, seconds=0.25):
    server.sql("CREATE OR REPLACE FUNCTION slow() RETURNS trigger AS $$ BEGIN PERFORM pg_sleep(" + str(seconds) + "); RETURN NEW; "
               "END $$ LANGUAGE plpgsql; DROP TRIGGER IF EXISTS slow ON culprit.archive; CREATE TRIGGER slow BEFORE INSERT ON "
               "culprit.archive FOR EACH ROW EXECUTE FUNCTION slow()")


def fast_archives(server):
    server.sql("DROP TRIGGER IF EXISTS slow ON culprit.archive")


def wait_for_transaction(server, seconds=20):
    """The pid of a backend that stores a run; its client is within a transaction."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        rows = server.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'culprit' AND xact_start IS NOT NULL AND "
                          "backend_xid IS NOT NULL AND query LIKE 'COPY%'")
        if rows:
            return int(rows[0][0])
        time.sleep(0.01)
    fail("no client stores a run")


def many_machines(world, machines):
    """They push at once while one reads; then every run is there once."""
    server = world.server
    server.sql("TRUNCATE culprit.run CASCADE")
    dbs = [world.invented(f"machine_{n}.db", first_night=100 + 3 * n, nights=3, workloads=2, kernels=20) for n in range(machines)]
    reads = 0
    with concurrent.futures.ThreadPoolExecutor(machines) as pool:
        pushes = [pool.submit(world.run, "push", server.uri(), "--db", db, "--branch", "main") for db in dbs]
        while not all(push.done() for push in pushes):
            for uuid, *_ in world.counts():
                assert len(uuid) == 36
            world.must_be_whole()
            world.run("pull", server.uri(), "--list")
            reads += 1
        for push in pushes:
            push.result()
    assert reads > 0
    world.must_be_whole([uuid for db in dbs for uuid in world.uuids(db)])


def survives_kills(world, kills, dice):
    """Clients, backends and the whole server are killed, most within a transaction. Nothing is lost, and nothing twice."""
    server = world.server
    server.sql("TRUNCATE culprit.run CASCADE")
    dbs = [world.invented(f"killed_{n}.db", first_night=300 + 4 * n, nights=4, workloads=2, kernels=10) for n in range(3)]
    before = [db.read_bytes() for db in dbs]
    slow_archives(server)
    within = done = 0
    while done < kills:
        missing = 24 - int(server.sql("SELECT count(*) FROM culprit.run")[0][0])
        if missing < 3:
            server.sql("TRUNCATE culprit.run CASCADE")
        db = dice.choice(dbs)
        client = subprocess.Popen([world.culprit, "push", server.uri(), "--db", str(db), "--not-judged"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=world.environment())
        kind = dice.choice(("client", "client", "client", "backend", "backend", "server"))
        if dice.random() < 0.85:
            try:
                backend = wait_for_transaction(server, 3)
            except AssertionError:
                client.kill()
                client.wait()
                server.sql("TRUNCATE culprit.run CASCADE")
                continue
            in_transaction = True
        else:
            time.sleep(dice.random() * 0.3)
            backend, in_transaction = None, False
        if kind == "server" or backend is None and kind == "backend":
            server.kill()
            server.start()
        elif kind == "backend":
            server.sql(f"SELECT pg_terminate_backend({backend})")
        else:
            client.send_signal(signal.SIGKILL)
        client.kill() if dice.random() < 0.5 else None
        client.wait()
        within += in_transaction
        done += 1
        world.must_be_whole()
    fast_archives(server)
    for db, bytes_before in zip(dbs, before):
        world.run("push", server.uri(), "--db", db, "--not-judged")
        assert db.read_bytes() == bytes_before
    world.must_be_whole([uuid for db in dbs for uuid in world.uuids(db)])
    back = world.folder / "killed_back.db"
    world.run("pull", server.uri(), "--db", back, "--limit", 1000)
    for db in dbs:
        for uuid in world.uuids(db):
            assert world.export(db, uuid) == world.export(back, uuid)
    print(f"  {done} kills, {within} of them within a transaction")
    assert within >= 0.75 * done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("culprit")
    parser.add_argument("invent_runs")
    parser.add_argument("recorded")
    parser.add_argument("--machines", type=int, default=20)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not postgres.programs():
        print("fleet_test: PostgreSQL is not installed, so nothing was tried; script/bootstrap installs it.")
        sys.exit(SKIPPED)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="culprit-fleet-"))
    server = postgres.Postgres()
    try:
        server.create()
        world = World(options, folder, server)
        world.run("setup", server.uri())
        tests = [travels_whole, keeps_why, tells_steps, others_read, prunes, five_commands, roles, bad_servers, hostile_names, two_at_once,
                 a_recording_goes_on, lambda w: many_machines(w, options.machines),
                 lambda w: survives_kills(w, options.kills, random.Random(options.seed))]
        names = [t.__name__ for t in tests[:-2]] + [f"{options.machines} machines", f"{options.kills} kills"]
        for name, test in zip(names, tests):
            began = time.monotonic()
            test(world)
            print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
