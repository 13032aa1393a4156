// SPDX-License-Identifier: Apache-2.0
// What `culprit export` writes, as speedscope (in a real Chromium) and pprof-format read it. Both are packages of npm, which
// script/export-readers installs. speedscope saves what it read as its own JSON, whose sums must be those of the run.
// Prints a line per failed check, and ends with status 1 if there is one.
// Usage: export_readers_test.mjs CULPRIT CHROMIUM WEB_DIR READERS_DIR TRACE.json SAMPLED.sql.zst
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";
import {gunzipSync} from "node:zlib";
import {Workshop} from "../web/browser.mjs";

const [program, chromium, web, readers, trace, sampled] = process.argv.slice(2);
const workshop = new Workshop(program, web);
const {Profile} = createRequire(join(resolve(readers), "package.json"))("pprof-format");
const speedscope = pathToFileURL(resolve(readers, "node_modules/speedscope/dist/release/index.html")).href;
let failures = 0, checks = 0;
function expect(holds, what) {
  ++checks;
  if (!holds) ++failures, console.log(`FAILED: ${what}`);
}
const isNear = (a, b) => Math.abs(a - b) <= 1e-4 * Math.max(Math.abs(a), Math.abs(b));

function exported(db, format, run) {
  const file = join(workshop.folder, `${format}.${{folded: "txt", pprof: "pb.gz", perfetto: "json"}[format]}`);
  execFileSync(workshop.program, ["export", "--db", db, "--format", format, "--run", run, "-o", file]);
  return file;
}
function rows(db, sql) {
  return JSON.parse(execFileSync(workshop.program, ["query", "--db", db, "--json", sql]));
}

// Self times in nanoseconds by frame: [{name, file, line, ns}].
function selfTimes(document, profile) {
  const scale = {none: 1, nanoseconds: 1, microseconds: 1e3}[profile.unit];
  const self = new Map(), open = [];
  let last = profile.startValue;
  for (const {type, frame, at} of profile.events) {
    if (open.length > 0) self.set(open.at(-1), (self.get(open.at(-1)) ?? 0) + (at - last) * scale);
    last = at;
    if (type === "O") open.push(frame);
    else if (open.pop() !== frame) throw new Error("a frame closes that is not open");
  }
  return [...self].filter(([, ns]) => ns > 0).map(([frame, ns]) => ({...document.shared.frames[frame], ns}));
}
const total = (frames) => frames.reduce((sum, frame) => sum + frame.ns, 0);

// Loads a file as the program `speedscope FILE` does, and returns what it saves.
async function readBySpeedscope(browser, file, name) {
  const page = await browser.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => (complaints.push(dialog.message()), dialog.dismiss()));
  const loader = workshop.write("load.js", `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ` +
                                           `${JSON.stringify(readFileSync(file).toString("base64"))})`);
  await page.goto(`${speedscope}#localProfilePath=${loader}`);
  await page.waitForFunction((title) => document.title.startsWith(title), name, {timeout: 60_000}).catch(() => {
    throw new Error(`speedscope did not load ${name}: ${complaints.join("; ")}`);
  });
  const saved = page.waitForEvent("download", {timeout: 60_000});
  await page.keyboard.press("Control+s");
  const document = JSON.parse(readFileSync(await (await saved).path(), "utf8"));
  expect(complaints.length === 0, `${name}: ${complaints.join("; ")}`);
  expect(await page.evaluate(() => window.hacked === undefined), `${name} ran code`);
  await page.close();
  return document;
}

// `ns`: the time of each kernel. `hasLines`: its lines were sampled.
async function hold(browser, db, run, times, hasLines, what) {
  const all = times.reduce((sum, ns) => sum + ns, 0);

  const bytes = gunzipSync(readFileSync(exported(db, "pprof", run)));
  const profile = Profile.decode(bytes);
  const text = (at) => profile.stringTable.strings[Number(at)];
  expect(isNear(profile.sample.reduce((sum, s) => sum + Number(s.value[0]), 0), all), `${what}: pprof-format's sum`);
  expect(profile.sampleType.length === 1 && text(profile.sampleType[0].unit) === "nanoseconds", `${what}: pprof's unit`);
  const functions = new Map(profile.function.map((f) => [String(f.id), text(f.name)]));
  const locations = new Map(profile.location.map((l) => [String(l.id), l.line.map((l) => functions.get(String(l.functionId)))]));
  expect(profile.sample.every((s) => s.locationId.length > 0 && s.locationId.every((id) => locations.get(String(id))?.every(Boolean))),
         `${what}: pprof's references`);
  expect(Buffer.compare(Buffer.from(Profile.decode(profile.encode()).encode()), Buffer.from(profile.encode())) === 0,
         `${what}: pprof-format writes what it read`);

  for (const format of ["folded", "pprof"]) {
    const document = await readBySpeedscope(browser, exported(db, format, run), `${what} ${format}`);
    expect(document.profiles.length === 1, `${what} ${format}: one profile`);
    const frames = selfTimes(document, document.profiles[0]);
    expect(isNear(total(frames), all), `${what} ${format}: speedscope's sum ${total(frames)} of ${all}`);
    const ofLines = frames.filter((frame) => format === "pprof" ? /\.cuh?$/.test(frame.file ?? "") && frame.line > 0
                                                                : /\.cuh?:\d+$/.test(frame.name));
    expect(hasLines ? ofLines.length > 20 : ofLines.length === 0, `${what} ${format}: ${ofLines.length} lines`);
  }
  return all;
}

const browser = await workshop.open(chromium);
try {
  const launches = "SELECT time_us FROM program_launch";
  const traced = workshop.database("traced.db", [trace]);
  const kernels = rows(traced, launches).map((row) => row.time_us * 1e3);
  const all = await hold(browser, traced, "1", kernels, false, "trace");

  // The timeline: a thread with ranges and one with kernels for each stream, and one with copies.
  const document = await readBySpeedscope(browser, exported(traced, "perfetto", "1"), "trace perfetto");
  const threads = document.profiles.map((profile) => ({name: profile.name, frames: selfTimes(document, profile)}));
  const ofKernels = threads.filter((thread) => thread.frames.some((frame) => frame.name.startsWith("ampere_sgemm")));
  expect(ofKernels.length === 1 && isNear(total(ofKernels[0].frames), all), `perfetto: ${threads.map((t) => t.name)}`);
  expect(threads.some((thread) => thread.frames.some((frame) => frame.name.startsWith("aten::softmax"))), "perfetto: ranges");

  const lines = workshop.database("lines.db", [sampled]);
  const medians = "SELECT t.median_us AS us FROM launch_time t JOIN launch l ON l.id = t.launch_id WHERE l.run_id = 1 AND " +
                  "l.state = 'ok'";
  await hold(browser, lines, "1", rows(lines, medians).map((row) => row.us * 1e3), true, "lines");

  // Names that mean something to a format or to a page.
  const names = ["a;b <script>window.hacked=1</script>", "x 1\n2\u001b[31m\"'\\", "<img src=x onerror=window.hacked=1>",
                 "l".repeat(100_000)];
  const hostile = workshop.database("hostile.db", [workshop.write("hostile.json", JSON.stringify({
    traceEvents: names.map((name, n) => ({ph: "X", cat: "kernel", name, pid: 0, tid: 7, ts: 100 * n, dur: 50, args: {device: 0}}))}))]);
  await hold(browser, hostile, "1", rows(hostile, launches).map((row) => row.time_us * 1e3), false, "hostile");
  await readBySpeedscope(browser, exported(hostile, "perfetto", "1"), "hostile perfetto");
} finally {
  await browser.close();
  workshop.clear();
}
console.log(`${checks} checks, ${failures} failed.`);
process.exit(failures === 0 ? 0 : 1);
