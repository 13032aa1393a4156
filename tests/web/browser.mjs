// SPDX-License-Identifier: Apache-2.0
// The program and a browser, for tests and pictures of pages. Packages of npm are in the folder of script/web.
import {execFileSync, spawnSync} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

export class Workshop {
  constructor(program, web) {
    this.program = resolve(program);
    this.folder = mkdtempSync(join(tmpdir(), "culprit-pages-"));
    this.chromium = createRequire(join(resolve(web), "package.json"))("playwright-core").chromium;
  }

  // Makes a database from the given files; returns its name.
  database(name, files) {
    const db = join(this.folder, name);
    execFileSync(this.program, ["import", "--db", db, ...files.map((f) => resolve(f))], {stdio: ["ignore", "ignore", "inherit"]});
    return db;
  }

  // The content of a database as SQL without checksums, so that it can be edited.
  text(db) {
    const sql = execFileSync(this.program, ["export", "--db", db], {maxBuffer: 1 << 28}).toString("utf8");
    return sql.replace(/INSERT INTO run_checksum\([^;]*;\n/g, "");
  }

  write(name, text) {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  // A page with the answer of a command: its file and text.
  page(name, db, ...words) {
    const ran = spawnSync(this.program, [...words, "--db", db, "--format", "html"], {maxBuffer: 1 << 28});
    // 1 is a regression and 3 "not decided": both are answers. See docs/cli.md.
    if (![0, 1, 3].includes(ran.status)) throw new Error(`culprit ${words.join(" ")}: ${ran.stderr}`);
    const file = join(this.folder, `${name}.html`);
    writeFileSync(file, ran.stdout);
    return {name, file, url: pathToFileURL(file).href, bytes: ran.stdout.length, text: ran.stdout.toString("utf8")};
  }

  // As root, as in a container, Chromium has no sandbox.
  async open(executablePath) {
    return this.chromium.launch({executablePath, args: process.getuid() === 0 ? ["--no-sandbox"] : []});
  }

  clear() {
    rmSync(this.folder, {recursive: true, force: true});
  }
}

