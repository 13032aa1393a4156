// SPDX-License-Identifier: Apache-2.0
// The official client of the Model Context Protocol asks `culprit mcp`. It finds causes that were planted and recorded,
// through tools alone: it knows only that a program became slower.
// Usage: client_test.mjs CULPRIT CLIENT_FOLDER SOURCE [--show]   --show prints what the client reads, and its size
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {createHash} from "node:crypto";
import {mkdtempSync, readFileSync, rmSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [culprit, packages, source, show] = [...process.argv.slice(2, 5).map((f) => resolve(f)), process.argv[5]];
const require = createRequire(join(packages, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const {Client} = await load("client/index.js");
const {StdioClientTransport} = await load("client/stdio.js");

const folder = mkdtempSync(join(tmpdir(), "culprit-mcp-"));
const db = join(folder, "m.db");
const recorded = "tests/recorded/strangers/h200_sxm_cuda13.0_2026-11-24_second.sql.zst";
execFileSync(culprit, ["import", "--db", db, join(source, recorded)], {stdio: ["ignore", "ignore", "inherit"]});
const digest = () => createHash("sha256").update(readFileSync(db)).digest("hex");
const before = digest();

const client = new Client({name: "culprit-test", version: "1"});
const transport = new StdioClientTransport({command: culprit, args: ["mcp", "--db", db], stderr: "pipe"});
await client.connect(transport);
assert.equal(client.getServerVersion().name, "culprit");
assert.match(client.getInstructions(), /microseconds/);

// What a tool answers, as JSON. Every answer is as short as it was asked to be.
async function ask(name, args = {}) {
  const answer = await client.callTool({name, arguments: args});
  const text = answer.content[0].text;
  if (show) console.log(`\n> ${name} ${JSON.stringify(args)}\n< ${Buffer.byteLength(text)} bytes: ${text}`);
  assert.ok(Buffer.byteLength(text) <= (args.max_bytes ?? 4096), `${name} answers ${Buffer.byteLength(text)} bytes`);
  if (answer.isError) return text;
  assert.deepEqual(answer.structuredContent, JSON.parse(text));
  return JSON.parse(text);
}

try {
  const {tools} = await client.listTools();
  assert.deepEqual(tools.map((t) => t.name), ["runs", "kernels", "why", "lines", "advice", "check", "query"]);
  assert.ok(tools.every((t) => t.annotations.readOnlyHint && t.inputSchema.additionalProperties === false));
  await client.ping();

  // One change to a program of eight kernels. The answers were written down before it was recorded.
  const answers = readFileSync(join(source, "tests/strangers/second/answers.csv"), "utf8").split("\n").map((l) => l.split(","));
  const planted = (kernel, change) => answers.filter(([k, , c]) => k === kernel && c === change);
  const {list} = await ask("runs");
  const labels = list.runs.map((r) => r.run_label);
  assert.ok(labels.includes("base") && labels.includes("b"));
  let found = 0, looked = 0;
  for (const change of ["a", "b"]) {
    const whole = await ask("why", {base_run: "base", cand_run: change});
    assert.ok(Math.abs(whole.program.candidate_us - whole.program.base_us - whole.program.delta_us) < 1);
    const slower = whole.program.parts.filter((p) => p.of === "launches" && p.verdict === "slower");
    assert.ok(slower.length > 0, "the slower kernels come first");
    for (const {name} of slower.slice(0, 2)) {
      const short = name.split(/[<(]/)[0].replace(/^.*\s/, "").replace(/^.*::/, "");
      const why = await ask("why", {base: `${short}@base`, candidate: `${short}@${change}`});
      const lines = await ask("lines", {kernel: `${short}@base`, candidate: `${short}@${change}`});
      assert.equal(why.verdict, "slower");
      const first = why.causes[0];
      for (const key of ["delta_us", "scatter_us", "basis", "evidence"]) assert.ok(key in first, `a cause has ${key}`);
      const expected = planted(short, change.toUpperCase());
      const file = (f) => f.split("/").at(-1);
      const is_line = lines.lines.lines.some((l) => expected.some(([, f]) => file(l.candidate_file ?? "") === f));
      const is_cause = expected.some(([, , , causes]) => causes.split("|").includes(first.cause));
      if (show) console.log(`  planted: ${expected.map((e) => e[3]).join(" ")}; said: ${first.cause}; file ${is_line}`);
      ++looked;
      if (is_cause && is_line) ++found;
    }
  }
  assert.equal(looked, 4);
  assert.equal(found, looked, `finds ${found} of ${looked} planted causes and files`);

  // More on request, and what was wrong.
  const whole = await ask("advice", {kernel: "sort_pass@a", full: true, max_bytes: 262144});
  assert.ok(JSON.stringify(whole).length > 4096 && !("left_out" in whole));
  const short = await ask("advice", {kernel: "sort_pass@a"});
  assert.match(short.left_out.ask, /full=true/);
  assert.equal((await ask("check", {base: "base", candidate: "b"})).check.outcome !== "fine", true);
  assert.match(await ask("kernels", {run: "no_such_run"}), /no_such_run/);
  await assert.rejects(client.callTool({name: "no_such_tool", arguments: {}}), {code: -32602});
  await assert.rejects(client.callTool({name: "lines", arguments: {}}), {code: -32602});
  await assert.rejects(client.listResources(), /./);
  const forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
  const given_up = new AbortController();
  const waiting = client.callTool({name: "query", arguments: {sql: forever, max_seconds: 60}}, undefined, {signal: given_up.signal});
  setTimeout(() => given_up.abort("enough"), 100);
  await assert.rejects(waiting, /enough/);
  const counted = await ask("query", {sql: "SELECT count(*) AS runs FROM run"});
  assert.equal(counted.rows[0].runs, labels.length);
} finally {
  await client.close();
  assert.equal(digest(), before, "a reader changed the database");
  rmSync(folder, {recursive: true});
}
