// SPDX-License-Identifier: Apache-2.0
// The pictures of docs/: for script/update-pictures. Usage: pictures.mjs CULPRIT CHROMIUM WEB_DIR RECORDED_DIR TO_DIR
import {readdirSync, statSync} from "node:fs";
import {join} from "node:path";
import {Workshop} from "./browser.mjs";

const [program, chromium, web, recorded, to] = process.argv.slice(2);
const kMostBytes = 150_000;
const workshop = new Workshop(program, web);
const sqlIn = (folder) => readdirSync(folder).filter((f) => f.endsWith(".sql")).map((f) => join(folder, f));
const main = workshop.database("main.db", sqlIn(recorded));
const programs = workshop.database("programs.db", sqlIn(join(recorded, "programs")));

// Each: the page, and down to the end of which part of it.
const pictures = [
  {name: "why", page: workshop.page("why", main, "why", "v1_7", "v1_6"), until: "figure[data-kind=waterfall]"},
  {name: "program", page: workshop.page("program", programs, "why"), until: "figure[data-kind=pairs]"},
];
const browser = await workshop.open(chromium);
for (const {name, page, until} of pictures) {
  const tab = await browser.newPage({viewport: {width: 880, height: 800}, colorScheme: "light"});
  await tab.goto(page.url);
  await tab.waitForSelector(`${until} svg`);
  const end = await tab.evaluate((selector) => document.querySelector(selector).getBoundingClientRect().bottom + scrollY, until);
  const file = join(to, `${name}.png`);
  await tab.screenshot({path: file, fullPage: true, clip: {x: 0, y: 0, width: 880, height: Math.ceil(end)}});
  const size = statSync(file).size;
  console.log(`${file}: ${Math.round(size / 1000)} kB`);
  if (size > kMostBytes) throw new Error(`${file} is larger than the ${kMostBytes / 1000} kB that a document should load`);
}
await browser.close();
workshop.clear();
