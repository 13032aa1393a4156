// SPDX-License-Identifier: Apache-2.0
// The pictures of docs/: for script/update-pictures. Usage: pictures.mjs CULPRIT CHROMIUM WEB_DIR RECORDED_DIR TO_DIR
import {readFileSync, readdirSync, statSync} from "node:fs";
import {join} from "node:path";
import {Workshop} from "./browser.mjs";

const [program, chromium, web, recorded, to] = process.argv.slice(2);
const kMostBytes = 170_000;
const workshop = new Workshop(program, web);
const sqlIn = (folder) => readdirSync(folder).filter((f) => f.endsWith(".sql.zst")).map((f) => join(folder, f));

const table = readFileSync(join(to, "pictures.tsv"), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
const pictures = table.map((line) => {
  const [name, runs, command, from, until] = line.split("\t");
  const db = workshop.database(`${name}.db`, sqlIn(join(recorded, runs)));
  return {name, page: workshop.page(name, db, ...command.split(" ")), from, until};
});
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
