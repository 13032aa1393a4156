// SPDX-License-Identifier: Apache-2.0
// The pictures of docs/: for script/update-pictures. Usage: pictures.mjs CULPRIT CHROMIUM WEB_DIR RECORDED_DIR TO_DIR
import {readdirSync, statSync} from "node:fs";
import {join} from "node:path";
import {Workshop} from "./browser.mjs";

const [program, chromium, web, recorded, to] = process.argv.slice(2);
const kMostBytes = 170_000;
const workshop = new Workshop(program, web);
const sqlIn = (folder) => readdirSync(folder).filter((f) => f.endsWith(".sql")).map((f) => join(folder, f));
const main = workshop.database("main.db", sqlIn(recorded));
const lines = workshop.database("lines.db", sqlIn(join(recorded, "lines")));
const programs = workshop.database("programs.db", sqlIn(join(recorded, "programs")));

// Each: the page, and which of it, from the top of one part to the end of another.
const pictures = [
  {name: "why", page: workshop.page("why", main, "why", "v1_7", "v1_6"), from: "body", until: "figure[data-kind=waterfall] .drawn"},
  {name: "lines", page: workshop.page("lines", lines, "why", "v1_7", "v1_6", "--source", join(recorded, "../..")),
   from: "figure[data-kind=lines]", until: "figure[data-kind=lines] .legend"},
  {name: "program", page: workshop.page("program", programs, "why", "--base", "before", "--cand", "after"),
   from: "figure[data-kind=waterfall]", until: "figure[data-kind=pairs] .legend"},
];
const browser = await workshop.open(chromium);
for (const {name, page, from, until} of pictures) {
  const tab = await browser.newPage({viewport: {width: 800, height: 800}, colorScheme: "light"});
  await tab.goto(page.url);
  await tab.waitForSelector(`${from} svg`);
  await tab.waitForTimeout(200);
  const [top, end] = await tab.evaluate(([first, last]) => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    return [Math.max(0, box(first).top - 16) + scrollY, box(last).bottom + scrollY];
  }, [from, until]);
  const file = join(to, `${name}.png`);
  await tab.screenshot({path: file, fullPage: true, clip: {x: 0, y: top, width: 800, height: Math.ceil(end - top) + 4}});
  const size = statSync(file).size;
  console.log(`${file}: ${Math.round(size / 1000)} kB`);
  if (size > kMostBytes) throw new Error(`${file} is larger than the ${kMostBytes / 1000} kB that a document should load`);
}
await browser.close();
workshop.clear();
