// SPDX-License-Identifier: Apache-2.0
// Run by script/web beside node_modules/: writes charts.js, one script of charts/ and what it imports, and
// charts-licences.txt, the licence of each package that went into it.
import {build} from "esbuild";
import {readdirSync, readFileSync, writeFileSync} from "node:fs";

const {metafile} = await build({
  entryPoints: ["charts/charts.js"],
  outfile: "charts.js",
  bundle: true,
  minify: true,
  format: "iife",
  charset: "ascii",
  target: "es2020",
  legalComments: "none",
  metafile: true,
});

const packages = new Set();
for (const [file, {bytesInOutput}] of Object.entries(Object.values(metafile.outputs)[0].inputs)) {
  const found = file.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//);
  if (found && bytesInOutput > 0) packages.add(found[1]);
}
const texts = [...packages].sort().map((folder) => {
  const {name, version, license} = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} ships no licence text, so its charts cannot be shipped either`);
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync("charts-licences.txt",
  "The charts of culprit's pages are drawn by these packages, which are part of the program.\n\n" + texts.join(`\n${"-".repeat(72)}\n\n`));
const size = readFileSync("charts.js").length;
console.log(`charts.js: ${Math.round(size / 1000)} kB, of ${packages.size} packages and ours`);
