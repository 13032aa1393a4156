# SPDX-License-Identifier: Apache-2.0
"""A client of culprit mcp that says anything: every line gets at most one answer of JSON-RPC, and no file changes."""
import json

from command_lines import word

TOOLS = {"runs": (), "kernels": ("run", "shape"), "why": ("base", "candidate", "base_run", "cand_run", "shape"),
         "lines": ("kernel", "candidate", "base_run"), "advice": ("kernel", "run"), "check": ("base", "candidate", "max_slowdown"),
         "query": ("sql",), "record": ("command",), "no_such_tool": ("x",)}
CODES = {-32700, -32600, -32601, -32602}
VALUES = (None, True, -1, 1e308, [], {}, ["a"], {"a": [1]})


def message(random):
    tool = random.choice(list(TOOLS))
    arguments = {name: word(random) if random.random() < 0.8 else random.choice(VALUES)
                 for name in TOOLS[tool] if random.random() < 0.8}
    if random.random() < 0.3:
        arguments["max_bytes"] = random.choice((0, 1024, 4096, 262144, 1e9, "all"))
    if tool == "query" and random.random() < 0.5:
        arguments["sql"] = random.choice(("SELECT * FROM launch", "DELETE FROM run", "ATTACH 'x.db' AS x", "@ladder", "PRAGMA page_size"))
    said = {"jsonrpc": "2.0", "id": random.choice((1, "a", 2**70, -1)), "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}}
    if random.random() < 0.3:
        said[random.choice(list(said))] = random.choice(VALUES)
    if random.random() < 0.2:
        said["method"] = random.choice(("initialize", "ping", "tools/list", "notifications/cancelled", "resources/list"))
    return said


def line(random):
    text = json.dumps(message(random)).encode()
    kind = random.random()
    if kind < 0.1:
        text = json.dumps([message(random) for _ in range(random.randrange(70))]).encode()
    elif kind < 0.2:
        text = text[:random.randrange(len(text))]
    elif kind < 0.3:
        at = random.randrange(len(text))
        text = text[:at] + bytes([random.randrange(256)]) + text[at + 1:]
    elif kind < 0.33:
        text = random.choice((b"[", b'{"a":', b"x", b'"')) * random.choice((100, 10_000, 1_100_000))
    return text.replace(b"\n", b" ")


def mcp_requests(box):
    """Requests of a hostile client."""
    lines = [line(box.random) for _ in range(6)]
    ended = box.culprit("mcp", "--db", box.database(), given=b"\n".join(lines))
    answers = ended.out.decode(errors="strict").splitlines()
    if ended.status != 0:
        box.fail("the end of the input is a failure", ended)
    if len(answers) > len(lines):
        box.fail("more answers than requests", ended)
    for text in answers:
        answer = json.loads(text)
        for one in answer if isinstance(answer, list) else [answer]:
            if ("result" in one) == ("error" in one) or one.get("jsonrpc") != "2.0":
                box.fail("no answer of JSON-RPC", ended)
            elif "error" in one and one["error"]["code"] not in CODES:
                box.fail(f"an error of code {one['error']['code']}", ended)


CAMPAIGNS = {"mcp_requests": mcp_requests}
