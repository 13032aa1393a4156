// SPDX-License-Identifier: Apache-2.0
// Pages of the recordings that ship, and of hostile names, in a real Chromium. Prints a line per check, and ends with
// status 1 if one fails. Usage: page_test.mjs CULPRIT CHROMIUM WEB_DIR RECORDED_DIR
import {join} from "node:path";
import {readdirSync} from "node:fs";
import {Workshop} from "./browser.mjs";

const [program, chromium, web, recorded] = process.argv.slice(2);
const workshop = new Workshop(program, web);
let failures = 0, checks = 0;
function expect(holds, what) {
  ++checks;
  if (!holds) ++failures, console.log(`FAILED: ${what}`);
}

const sqlIn = (folder) => readdirSync(folder).filter((f) => f.endsWith(".sql.zst")).map((f) => join(folder, f));

// A report of Google Benchmark may come from anybody, with any names.
const kEvil = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script></script><!--";
const hostileNames = [
  kEvil,
  "\"'></td></table></script><script>window.hacked=1</script>",
  "controls \u0000\u0001\u001b[31m \u007f \u202e right \u2028 line \u2029 paragraph",
  "L".repeat(2_000_000),
  "]]> --> {{constructor.constructor('window.hacked=1')()}} javascript:window.hacked=1",
];
function hostileReport(factor) {
  const benchmarks = hostileNames.flatMap((name) => [0, 1, 2, 3, 4, 5].map((repetition) => ({
    name, run_name: name, run_type: "iteration", repetitions: 6, repetition_index: repetition, threads: 1, iterations: 100,
    real_time: (100 + repetition) * factor, cpu_time: 100, time_unit: "us"})));
  return JSON.stringify({context: {date: "2026-01-01T00:00:00+00:00", host_name: kEvil, executable: kEvil, num_cpus: 1,
                                   mhz_per_cpu: 1000, caches: [], library_build_type: "release"}, benchmarks});
}

const main = workshop.database("main.db", sqlIn(recorded));
const planted = workshop.database("planted.db", sqlIn(join(recorded, "planted")));
const programs = workshop.database("programs.db", sqlIn(join(recorded, "programs")));
const lines = workshop.database("lines.db", sqlIn(join(recorded, "lines")));
// A stage over twelve runs; in some of them it is slower, because v1_6 takes its place.
const linesSql = workshop.text(lines);
const uuidOfLines = linesSql.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/)[0];
const overRuns = [..."ffffsssssffs"].map((speed, i) => {
  const sql = linesSql.replaceAll(uuidOfLines, uuidOfLines.replace(/^.{8}/, `0000000${i.toString(16)}`))
    .replaceAll("2026-11-23T", `2026-${String(i + 1).padStart(2, "0")}-23T`).replace(/'h200-lines'/g, `'release 1.${i}'`);
  return speed === "f" ? sql : sql.replaceAll("'v1_7'", "'?'").replaceAll("'v1_6'", "'v1_7'").replaceAll("'?'", "'v1_6'");
});
const history = workshop.database("history.db", overRuns.map((sql, i) => workshop.write(`history_${i}.sql`, sql)));
const hostile = workshop.database("hostile.db", [workshop.write("base.json", hostileReport(1)),
                                                 workshop.write("candidate.json", hostileReport(2))]);
// A recording whose stages have these names, also in charts.
const quoted = (name) => `'${name.replaceAll("'", "''")}'`;
const hostileStage = `${kEvil}'"&amp;\u202e]]>`;
const hostileSql = workshop.text(main).replaceAll("'v1_6'", quoted(hostileStage))
  .replaceAll("'v1_7'", quoted("L".repeat(2_000_000)));
const hostileRecording = workshop.database("hostile_recording.db", [workshop.write("hostile.sql", hostileSql)]);
const sources = ["--source", join(recorded, "../..")];
const hostileLines = workshop.database("hostile_lines.db", [workshop.write("hostile_lines.sql",
  linesSql.replaceAll("'v1_6'", quoted(hostileStage)))]);
const charts = {
  why: workshop.page("why", main, "why", "v1_7", "v1_6"),
  same: workshop.page("same", main, "why", "v1_6", "v1_6_1"),
  show: workshop.page("show", main, "show", "v1_6"),
  report: workshop.page("report", main, "report"),
  study: workshop.page("study", main, "study", "v1_7", "v1_6"),
  banks: workshop.page("banks", main, "banks", "--pattern", "lane * 64", "--op", "ldmatrix", "--row-bytes", "64"),
  planted: workshop.page("planted", planted, "why", "tree_sum_packed", "tree_sum_in_place"),
  program: workshop.page("program", programs, "why", "--base", "before", "--cand", "after"),
  programReport: workshop.page("program_report", programs, "report"),
  lines: workshop.page("lines", lines, "show", "v1_6", "--lines", ...sources),
  whyLines: workshop.page("why_lines", lines, "why", "v1_7", "v1_6", "--lines", ...sources),
  whySampled: workshop.page("why_sampled", lines, "why", "v1_7", "v1_6", ...sources),
  back: workshop.page("back", main, "why", "v1_6", "v1_7"),
  showSampled: workshop.page("show_sampled", lines, "show", "v1_6", ...sources),
  history: workshop.page("history", history, "history", "v1_7"),
  check: workshop.page("check", programs, "check", "--base", "before", "--cand", "after"),
};
const hostilePages = {
  hostileReport: workshop.page("hostile_report", hostile, "report"),
  hostileWhy: workshop.page("hostile_why", hostileRecording, "why", "v1_8", hostileStage),
  hostileLadder: workshop.page("hostile_ladder", hostileRecording, "report"),
  hostileLines: workshop.page("hostile_lines", hostileLines, "why", "v1_7", hostileStage, "--lines"),
  hostileRuns: workshop.page("hostile_runs", hostile, "runs"),
  hostileStages: workshop.page("hostile_stages", hostile, "list"),
};
const pages = [...Object.values(charts), ...Object.values(hostilePages)];

const browser = await workshop.open(chromium);
// `options`: of the browser's context. Always checks the page's errors and network requests, too.
async function visit(page, options, look) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  // Generous, for a busy machine.
  context.setDefaultTimeout(120_000);
  const tab = await context.newPage();
  const complaints = [], requests = [];
  tab.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  tab.on("pageerror", (error) => complaints.push(String(error)));
  tab.on("request", (request) => { if (request.url() !== page.url) requests.push(request.url()); });
  await tab.goto(page.url, {waitUntil: "load"});
  await look(tab);
  expect(complaints.length === 0, `${page.name}: no complaint in the console: ${complaints.join(" | ").slice(0, 400)}`);
  expect(requests.length === 0, `${page.name}: asks the network for nothing: ${requests}`);
  await context.close();
}

// Polls, because the browser's own way to wait would need an eval, which the page forbids.
async function drawn(tab) {
  const all = () => tab.evaluate(() =>
    [...document.querySelectorAll("figure.chart .drawn")].every((d) => d.closest("details:not([open])") || d.querySelector("svg")));
  for (let i = 0; i < 100; ++i, await tab.waitForTimeout(50)) if (await all()) return;
  expect(false, `${tab.url()}: every chart is drawn`);
}

for (const page of pages) {
  expect(page.bytes < 2_000_000, `${page.name}: ${page.bytes} bytes are below 2 MB`);
  for (const width of [360, 1280])
    await visit(page, {viewport: {width, height: 844}}, async (tab) => {
      await drawn(tab);
      const over = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(over <= 0, `${page.name} at ${width}: nothing is wider than the page (${over} px)`);
      // Wider elements are in a box that scrolls, with a shadow at its edge.
      const {wide, hidden} = await tab.evaluate(() => {
        const room = document.documentElement.clientWidth, wide = new Set(), hidden = new Set();
        for (const element of document.querySelectorAll("main *, header *, footer *")) {
          const box = element.getBoundingClientRect();
          if (box.width === 0 || box.right <= room + 1) continue;
          let scrolls = element.parentElement;
          while (scrolls && !["auto", "scroll"].includes(getComputedStyle(scrolls).overflowX)) scrolls = scrolls.parentElement;
          if (!scrolls) wide.add(`${element.tagName}.${element.getAttribute("class")}`);
          else if (!getComputedStyle(scrolls).backgroundAttachment.includes("local")) hidden.add(`${scrolls.tagName}.${scrolls.className}`);
        }
        return {wide: [...wide], hidden: [...hidden]};
      });
      expect(wide.length === 0, `${page.name} at ${width}: no element is wider than the page: ${wide.slice(0, 4)}`);
      expect(hidden.length === 0, `${page.name} at ${width}: what scrolls says so: ${hidden.slice(0, 4)}`);
      expect(await tab.evaluate(() => !("hacked" in window)), `${page.name}: no name became a script`);
      expect((await tab.title()).length > 0 && (await tab.locator("h1, h2, table").count()) > 0, `${page.name}: says something`);
    });
}
for (const page of [...Object.values(charts), hostilePages.hostileWhy, hostilePages.hostileLadder, hostilePages.hostileLines])
  expect((page.text.match(/<figure class="chart"/g) || []).length > 0, `${page.name}: has a chart`);

// Hostile names are shown as text.
for (const page of [hostilePages.hostileReport, hostilePages.hostileWhy, hostilePages.hostileLadder, hostilePages.hostileLines]) await visit(page, {}, async (tab) => {
  const text = await tab.evaluate(() => document.body.textContent);
  expect(text.includes("<img src=x"), "hostile: a name with HTML stands there as it is written");
  expect(await tab.evaluate(() => document.querySelectorAll("img, iframe, object, form").length) === 0, "hostile: and makes no element");
  expect(await tab.evaluate(() => [...document.scripts].every((s) => s.type === "application/json" || !s.textContent.includes("hacked"))),
         "hostile: nor a script");
  expect(!/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202e\u2028\u2029]/.test(text), "hostile: no control character is left");
});

// Charts in a folded section are drawn when a reader opens it.
await visit(charts.report, {}, async (tab) => {
  const folded = tab.locator("details.section:has(figure.chart)").first();
  await folded.locator("summary").first().click();
  await drawn(tab);
  expect(await folded.locator("figure.chart svg").first().isVisible(), "report: a folded chart is drawn when it is opened");
});

// The evidence of a mark appears by cursor, finger and keyboard.
await visit(charts.why, {hasTouch: true}, async (tab) => {
  await drawn(tab);
  const cause = tab.locator("figure[data-kind=waterfall] [aria-label^=local_memory_array]");
  expect(await cause.count() === 1, "why: the first cause is one bar");
  await cause.scrollIntoViewIfNeeded();
  await cause.hover();
  const tip = tab.locator("#tip");
  expect(await tip.isVisible(), "why: a bar says what it is where the cursor is");
  const said = await tip.innerText();
  expect(said.includes("local_load_inst = 0 \u2192 268,697,600") && /\+4,82\d\.\d us/.test(said), `why: with the counters that it rests on: ${said}`);
  await tab.mouse.move(1, 1);
  expect(!(await tip.isVisible()), "why: and no longer");
  const first = tab.locator("figure[data-kind=waterfall] [tabindex='0']");
  expect(await first.count() === 1, "why: the bars are one stop of the Tab key");
  await first.focus();
  await tab.keyboard.press("ArrowDown");
  expect(await tip.isVisible() && (await tip.innerText()).startsWith("local_memory_array"), "why: arrows go from bar to bar");
  await tab.keyboard.press("Escape");
  expect(!(await tip.isVisible()), "why: Escape ends it");
  const cell = tab.locator("section:has(h2:text-is('Causes')) > .scroll td.n[title]").first();
  expect((await cell.getAttribute("title")).includes("Rests on: stack_frame_bytes"), "why: a number of the table says what it rests on");
  await cell.tap();
  expect((await tip.innerText()).includes("Rests on"), "why: to a finger as well");
  for (const kind of ["waterfall", "stack", "roofline", "distribution"]) {
    const figure = tab.locator(`figure[data-kind=${kind}]`);
    expect(await figure.count() === 1, `why: has a ${kind}`);
    expect(await figure.locator("details.numbers tbody tr").count() > 1, `why: with a table of its numbers`);
    expect(((await figure.locator("svg").getAttribute("aria-label")) || "").length > 20, `why: and words instead of the picture`);
  }
});

// The parts of the waterfall, as drawn, lead from the base to the candidate.
await visit(charts.why, {}, async (tab) => {
  await drawn(tab);
  const rows = await tab.evaluate(() => JSON.parse(document.querySelector("figure[data-kind=waterfall] script").textContent));
  const parts = rows.filter((r) => r.role !== "total"), [base, candidate] = rows.filter((r) => r.role === "total");
  const sum = parts.reduce((total, r) => total + r.us, base.us);
  expect(Math.abs(sum - candidate.us) < 1e-6 * candidate.us, `why: base and parts add up to the candidate: ${sum} ${candidate.us}`);
  expect(parts.at(-1).name === "unexplained", "why: what is unexplained has its place");
});

// The source is shown as in its file, with the lines around a costly one, and its bars have the right lengths.
for (const [page, pair] of [[charts.lines, false], [charts.whyLines, true], [charts.whySampled, true], [charts.showSampled, false]])
  await visit(page, {}, async (tab) => {
    await drawn(tab);
    const figure = tab.locator("figure[data-kind=lines]");
    expect(await figure.count() === 1, `${page.name}: has the source`);
    const texts = (await figure.locator("svg").textContent()).replaceAll("\u00a0", " ");
    expect(texts.includes("for (int k = 0; k < kTileK; ++k) r_c(i, j) +="), `${page.name}: with the line that accumulates: ${texts}`);
    expect(texts.includes("for (int j = 0; j < kThreadN; ++j) {") && texts.includes("kernels/sgemm/v_study.cuh"), `${page.name}: the loop around it, and its file`);
    expect(texts.includes(pair ? "+540.7 us" : "1,089.1 us"), `${page.name}: and its time`);
    const longest = (side) => figure.locator(`g[fill='var(--${side})'] rect`).evaluateAll((all) =>
      Math.max(...all.map((bar) => bar.getBoundingClientRect().width)));
    const base = await longest("base"), candidate = pair ? await longest("candidate") : base;
    expect(candidate > 100 && (!pair || Math.abs(base / candidate - 517.5 / 1058.2) < 0.01), `${page.name}: bars of their length: ${base} ${candidate}`);
    const bars = figure.locator("[aria-label^='kernels/sgemm/v_study.cuh:']");
    await bars.first().hover();
    expect((await tab.locator("#tip").innerText()).includes("Source: "), `${page.name}: a bar says its line`);
  });
for (const page of [charts.lines, charts.whyLines]) await visit(page, {viewport: {width: 360, height: 640}}, async (tab) => {
  await drawn(tab);
  const drawing = tab.locator("figure[data-kind=lines] .drawn");
  const [room, whole] = await drawing.evaluate((d) => [d.clientWidth, d.scrollWidth]);
  expect(whole > room, `${page.name}: on a phone the source is scrolled, not cut: ${room} ${whole}`);
  const [font, left, text] = await drawing.evaluate((d) => {
    const line = [...d.querySelectorAll("svg text")].find((t) => t.textContent.includes("r_c(i,"));
    return [parseFloat(getComputedStyle(line).fontSize), line.getBoundingClientRect().left - d.getBoundingClientRect().left, line.textContent];
  });
  expect(font >= 12 && (room - left) / (0.62 * font) >= 35, `${page.name}: 35 letters of a line are seen at once: ${font} px from ${left} of ${room}: ${text}`);
});
// A long name does not push the numbers of its row off the screen.
for (const page of [charts.program, charts.check]) await visit(page, {viewport: {width: 360, height: 640}}, async (tab) => {
  await drawn(tab);
  const cut = await tab.evaluate(() => [...document.querySelectorAll("main .scroll > table")].filter((t) => t.getClientRects().length > 0 && t.querySelector("tbody th"))
    .map((t) => [t.querySelector("tbody th").getBoundingClientRect().right, t.querySelector("tbody th").textContent]).filter(([right]) => right > 200));
  expect(cut.length === 0, `${page.name}: a name leaves room for its numbers: ${cut.slice(0, 2)}`);
});
// A number in a bar of the waterfall is not cut off by the bar's beginning.
for (const page of [charts.planted, charts.why, charts.back]) await visit(page, {viewport: {width: 390, height: 844}}, async (tab) => {
  await drawn(tab);
  const [begins, cut] = await tab.locator("figure[data-kind=waterfall] svg").first().evaluate((svg) => {
    const left = Math.min(...[...svg.querySelectorAll("rect[aria-label], [aria-label] rect, path[aria-label]")].map((r) => r.getBoundingClientRect().left));
    const numbers = [...svg.querySelectorAll("text")].filter((t) => /^[+-]?[0-9.,]+\s(us|ms|s)$/.test(t.textContent));
    return [left, numbers.map((t) => [t.textContent, t.getBoundingClientRect().left]).filter(([, at]) => at < left)];
  });
  expect(Number.isFinite(begins) && cut.length === 0, `${page.name}: no number begins before its bar: ${begins} ${cut}`);
});
// Changes are drawn at the runs that brought them.
await visit(charts.history, {}, async (tab) => {
  await drawn(tab);
  const figure = tab.locator("figure[data-kind=history]");
  expect(await figure.locator("[aria-label^='release 1.']").count() === 12, "history: a dot for each run");
  const said = await figure.locator("[aria-label^='release 1.4']").getAttribute("aria-label");
  expect(said.includes("slower") && said.includes("local_memory_array"), `history: the cause at a change: ${said}`);
  const texts = await figure.locator("svg").textContent();
  expect(texts.split("+88.5 %").length === 3 && texts.includes("-47.0 %"), `history: three changes, by how much: ${texts}`);
});
for (const width of [390, 1280]) await visit(charts.history, {viewport: {width, height: 844}}, async (tab) => {
  await drawn(tab);
  const boxes = await tab.locator("figure[data-kind=history] svg text").evaluateAll((all) =>
    all.filter((t) => / %$/.test(t.textContent)).map((t) => { const b = t.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }));
  const meet = ([l, t, r, b], [l2, t2, r2, b2]) => l < r2 && l2 < r && t < b2 && t2 < b;
  expect(boxes.length === 3 && boxes.every((a, i) => boxes.slice(i + 1).every((b) => !meet(a, b))), `history at ${width}: no number stands on another`);
});

// A word of profilers' jargon has its meaning beside it.
await visit(charts.why, {}, async (tab) => {
  await drawn(tab);
  const title = (selector) => tab.locator(selector).first().getAttribute("title");
  expect((await title("th:text-is('long_scoreboard')")).includes("waiting for global, local"), "why: a state of warps says what they wait for");
  expect((await title("code:text-is('local_load_inst')") || "").length > 5, "why: a metric says what it counts");
  expect((await tab.locator("figure[data-kind=stack] .legend").innerText()).includes("waiting for sibling warps at a barrier"), "why: the states' legend too");
  await tab.locator("nav a[href='#words']").click();
  expect(await tab.locator("#words dl").isVisible(), "why: the link to the words opens them");
  expect((await tab.locator(".intro").first().innerText()).includes("NVIDIA H200"), "why: what is compared stands at the top");
});

// The verdict first, as a word in a colour.
for (const [page, tone, word] of [[charts.why, "bad", "Slower"], [charts.back, "good", "Faster"], [charts.same, "neutral", "As fast"],
                                  [charts.whyLines, "bad", "Slower"], [charts.check, "open", "Inconclusive"], [charts.history, "bad", "Slower since release 1.11"],
                                  [charts.program, "bad", "Slower"]])
  for (const colorScheme of ["light", "dark"])
    await visit(page, {colorScheme, viewport: {width: 360, height: 640}}, async (tab) => {
      const verdict = tab.locator(`header > .verdict.${tone}`);
      if (await verdict.count() !== 1) return expect(false, `${page.name}: has a verdict that is ${tone}`);
      expect((await verdict.innerText()).endsWith(word), `${page.name}: the verdict is a word too: ${await verdict.innerText()}`);
      const {top, ratio} = await verdict.evaluate((element) => {
        const luminance = (colour) => colour.match(/\d+/g).slice(0, 3).map((v) => v / 255)
          .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const style = getComputedStyle(element), [a, b] = [luminance(style.color), luminance(style.backgroundColor)];
        return {top: element.getBoundingClientRect().top, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)};
      });
      expect(top < 60, `${page.name}: the verdict is the first thing on the page (${top} px)`);
      expect(ratio >= 4.5, `${page.name}, ${colorScheme}: the contrast of the verdict is ${ratio.toFixed(2)}`);
    });
for (const page of [charts.show, charts.report, charts.banks, charts.study])
  expect(!page.text.includes('<p class="verdict'), `${page.name}: has no verdict, and claims none`);

// The answer comes first; the single launches behind it come below.
const titlesOf = (page) => [...page.text.matchAll(/<h2>(.*?)<\/h2>|<figcaption><strong>(.*?)<\/strong>/g)].map((m) => m[1] ?? m[2]);
for (const page of [charts.show, charts.why]) {
  const titles = titlesOf(page), launches = titles.indexOf("How long each launch took");
  expect(launches > 0 && titles.indexOf(page === charts.show ? "Findings" : "Causes") < launches, `${page.name}: single launches stand below the answer: ${titles}`);
}
for (const [page, words] of [[charts.study, ["Result", "Because of"]], [charts.programReport, ["GPU work", "Most of it"]]]) {
  const head = page.text.slice(page.text.indexOf("<header>"), page.text.indexOf("</header>"));
  for (const word of words) expect(head.includes(`<dt>${word}</dt>`), `${page.name}: begins with its answer, ${word}`);
  expect(head.indexOf(`<dt>${words[0]}</dt>`) < head.indexOf("<dt>Recorded on</dt>"), `${page.name}: before what it was recorded on`);
}

// A program's time is its kernels, its copies and its idling.
await visit(charts.program, {}, async (tab) => {
  await drawn(tab);
  const rows = await tab.evaluate(() => JSON.parse(document.querySelector("figure[data-kind=waterfall] script").textContent));
  expect(rows.some((r) => r.name === "idle" && r.role === "part"), `program: idle time is a bar: ${rows.map((r) => r.name)}`);
  const [base, candidate] = rows.filter((r) => r.role === "total");
  const sum = rows.filter((r) => r.role !== "total").reduce((total, r) => total + r.us, base.us);
  expect(Math.abs(sum - candidate.us) < 1e-6 * candidate.us, `program: the bars add up: ${sum} ${candidate.us}`);
});

// The contrast of every text with its background is at least 4.5 : 1 (WCAG 2.1, 1.4.3), in light and dark colours.
const lightness = {};
for (const colorScheme of ["light", "dark"])
  await visit(charts.why, {colorScheme}, async (tab) => {
    await drawn(tab);
    const {page, worst} = await tab.evaluate(() => {
      const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
      const rgb = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
      };
      const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = (element) => {
        for (let e = element; e; e = e.parentElement) {
          const colour = rgb(getComputedStyle(e).backgroundColor);
          if (colour[3] === 255) return colour;
        }
        return [255, 255, 255];
      };
      let least = {ratio: 99};
      for (const element of document.querySelectorAll("h1, h2, p, li, dt, dd, th, td, a, summary, figcaption, code, .legend span")) {
        if (!element.textContent.trim() || element.clientWidth === 0 && element.getClientRects().length === 0) continue;
        const [a, b] = [luminance(rgb(getComputedStyle(element).color)), luminance(behind(element))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < least.ratio) least = {ratio, what: `${element.tagName} ${element.textContent.slice(0, 30)}`};
      }
      return {page: luminance(behind(document.body)), worst: least};
    });
    lightness[colorScheme] = page;
    expect(worst.ratio >= 4.5, `why, ${colorScheme}: the least contrast of text is ${worst.ratio.toFixed(2)} (${worst.what})`);
  });
expect(lightness.light > 0.8 && lightness.dark < 0.05, `why: the page follows the reader's choice of light and dark: ${JSON.stringify(lightness)}`);

// On paper the colours are light, whatever the screen has, and there are few sheets.
await visit(charts.why, {colorScheme: "dark"}, async (tab) => {
  await drawn(tab);
  const pdf = await tab.pdf({format: "A4", printBackground: true});
  const sheets = (pdf.toString("latin1").match(/\/Type\s*\/Page[^s]/g) || []).length;
  expect(sheets >= 1 && sheets <= 6, `why: prints on ${sheets} sheets`);
  await tab.emulateMedia({media: "print"});
  expect(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor) === "rgb(255, 255, 255)", "why: prints on white");
});

// If no script may run, as in many mail readers, the numbers are shown nevertheless.
await visit(charts.why, {javaScriptEnabled: false}, async (tab) => {
  expect(await tab.locator("figure[data-kind=waterfall] td.n").first().isVisible(), "why: without scripts the tables are open");
  expect(!(await tab.locator("figure[data-kind=waterfall] .reading").isVisible()), "why: and nothing says how to read a picture");
});

await browser.close();
workshop.clear();
console.log(`${checks - failures} of ${checks} checks hold, of ${pages.length} pages in ${chromium}.`);
process.exit(failures === 0 ? 0 : 1);
