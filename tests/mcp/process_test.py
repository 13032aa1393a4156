#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`culprit mcp` as a client sees it, without npm: how it ends, what it never changes, and what it records.

Usage: process_test.py CULPRIT FAKE_PROGRAM SOURCE
"""
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

RECORDED = "tests/recorded/programs/h200_sxm_cuda13.0_2026-11-22.sql.zst"


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number, tool, **arguments):
    return request(number, "tools/call", name=tool, arguments=arguments)


class Server:
    def __init__(self, culprit, *words):
        self.process = subprocess.Popen([culprit, "mcp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, bufsize=1)

    def say(self, message):
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")

    def ask(self, message):
        self.say(message)
        return json.loads(self.process.stdout.readline())

    def text(self, message):
        """The text of a tool's answer, and whether it is an error."""
        result = self.ask(message)["result"]
        return result["content"][0]["text"], result.get("isError", False)

    def end(self):
        """Status and what is left of both streams."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


def digest(file):
    return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()


def reads_without_writing(culprit, folder, source):
    database = os.path.join(folder, "m.db")
    subprocess.run([culprit, "import", "--db", database, os.path.join(source, RECORDED)], check=True, stdout=subprocess.DEVNULL)
    before = digest(database)
    server = Server(culprit, "--db", database)
    started = server.ask(request(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={}))
    assert started["result"]["protocolVersion"] == "2025-06-18", started
    server.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    text, failed = server.text(call(2, "why", base="transpose_tile@padded", candidate="transpose_tile@unpadded"))
    why = json.loads(text)
    assert not failed and len(text.encode()) <= 4096, len(text)
    assert why["causes"][0]["cause"] == "shared_bank_conflicts", why["causes"][0]
    assert {"delta_us", "scatter_us", "basis", "evidence"} <= why["causes"][0].keys(), why["causes"][0]
    for statement in ("DELETE FROM run", "ATTACH '/tmp/other.db' AS other", "PRAGMA user_version = 1"):
        text, failed = server.text(call(3, "query", sql=statement))
        assert failed and "query" in text, text
    text, failed = server.text(call(4, "query", max_seconds=1,
                                    sql="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"))
    assert failed and "longer than 1 s" in text, text
    text, failed = server.text(call(5, "query", max_rows=3, sql="SELECT key, unit FROM metric ORDER BY key"))
    rows = json.loads(text)
    assert len(rows["rows"]) == 3 and rows["left_out"]["elements"]["rows"] > 50, rows
    text, failed = server.text(call(6, "advice", kernel="nothing_of_that_name"))
    assert failed and "nothing_of_that_name" in text and "culprit list" in text, text
    assert "error" in server.ask("[" * 5000)
    # The statement goes on for ever: the server ends it when the client no longer wants it.
    server.say(call(7, "query", max_seconds=60,
                    sql="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"))
    server.say(request(8, "ping"))
    assert json.loads(server.process.stdout.readline())["id"] == 8, "a ping waits for a statement"
    server.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    assert server.ask(request(9, "ping"))["id"] == 9, "a cancelled request was answered"
    server.process.stdin.close()
    server.process.stdin = None
    assert server.end() == (0, "", ""), "the end of the input is no failure"
    assert digest(database) == before, "a reader changed the database"
    return database


def ends_by_signal(culprit, database):
    server = Server(culprit, "--db", database)
    server.ask(request(1, "ping"))
    server.process.send_signal(signal.SIGTERM)
    assert server.end()[0] == 0, "SIGTERM is no failure"


def says_what_is_damaged(culprit, folder, database):
    damaged = os.path.join(folder, "damaged.db")
    content = bytearray(pathlib.Path(database).read_bytes())
    content[100:4000] = b"\xa5" * 3900
    pathlib.Path(damaged).write_bytes(content)
    for file in (damaged, os.path.join(folder, "missing.db"), "/dev/null"):
        server = Server(culprit, "--db", file)
        for tool, arguments in (("runs", {}), ("why", {}), ("query", {"sql": "SELECT count(*) FROM run"})):
            text, failed = server.text(call(1, tool, **arguments))
            assert failed and len(text) > 20, (file, tool, text)
        server.process.stdin.close()
        server.process.stdin = None
        assert server.end()[0] == 0
    assert not os.path.exists(os.path.join(folder, "missing.db")), "a reader made a database"


def records(culprit, folder, fake):
    os.environ["CULPRIT_INJECT"] = fake
    database = os.path.join(folder, "recorded.db")
    server = Server(culprit, "--db", database, "--allow-record")
    text, failed = server.text(call(1, "record", command=[fake, "print", "one"], label="first", profile="none"))
    recorded = json.loads(text)
    assert not failed and recorded["exit_status"] == 0, text
    assert any("recorded run" in line for line in recorded["recorder"]), text
    text, _ = server.text(call(2, "runs"))
    assert json.loads(text)["list"]["runs"][0]["run_label"] == "first", text
    # A recording that takes too long is ended, and so is one that nobody wants any more.
    begin = time.monotonic()
    server.text(call(3, "record", command=["sleep", "60"], timeout_s=1))
    server.say(call(4, "record", command=["sleep", "60"]))
    time.sleep(0.3)
    server.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}})
    assert server.ask(request(5, "ping"))["id"] == 5
    assert time.monotonic() - begin < 20, "a recording was not ended"
    server.process.stdin.close()
    server.process.stdin = None
    assert server.end()[0] == 0


def main():
    culprit, fake, source = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        database = reads_without_writing(culprit, folder, source)
        ends_by_signal(culprit, database)
        says_what_is_damaged(culprit, folder, database)
        records(culprit, folder, fake)


main()
