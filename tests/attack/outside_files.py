# SPDX-License-Identifier: Apache-2.0
"""Files that a database must not make culprit print, and things in TMPDIR that others put there."""
import os
import shutil
import sqlite3

import recorded
import watched
from raw_database import opened, unconstrained

SECRET = "the secret of this attack"
FIRST_LINE = "int main() {"  # of every file that holds it: what an attacker can guess
# Paths that a recording might name; each exists or is created, and contains SECRET.
NAMES = ["../secret.cu", "../../../../../../../../{above}/secret.cu", "{above}/secret.cu", "/{above}/secret.cu", ".env", ".git/config",
         "src/.env", "linked.cu", "folder/secret.cu", "to_hidden.cu", "proc/self/environ", "/proc/self/environ", "pipe.cu", "zero.cu",
         "secret.cu"]


def plant(box):
    """Secrets around the working directory, which is a folder `project` of the box."""
    project = box.path("project")
    for folder in ("src", ".git") if box.random.random() < 0.5 else ("src",):
        os.makedirs(os.path.join(project, folder))
    text = f"{FIRST_LINE}\n" + f"{SECRET}\n" * 200
    box.write("secret.cu", text)
    for name in (".env", "src/.env", ".git/config"):
        path = os.path.join(project, name)
        if os.path.isdir(os.path.dirname(path)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    os.symlink("../secret.cu", os.path.join(project, "linked.cu"))
    os.symlink("..", os.path.join(project, "folder"))
    os.symlink(".env", os.path.join(project, "to_hidden.cu"))
    os.symlink("/dev/zero", os.path.join(project, "zero.cu"))
    os.mkfifo(os.path.join(project, "pipe.cu"))
    return project


def sources(box):
    database = box.path("m.db")
    shutil.copyfile(recorded.sampled(box.world), database)
    project = plant(box)
    name = box.random.choice(NAMES).format(above=box.folder.lstrip("/"))
    quoted = box.random.choice(("", "int f() {", FIRST_LINE))
    box.note(f"sources are called {name}, the recording quotes {quoted!r}")
    with unconstrained(database, restore=False) as raw:
        frames = '[["' + name + '",7]]'
        for table, column, content in (("line_chain", "frames", frames), ("line_chain", "source_file", name), ("line_chain", "source_line", 7),
                                       ("stage", "source_file", name), ("function_source", "source_file", name)):
            try:
                raw.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ?', (content,))
            except sqlite3.Error as error:
                box.note(f"{table}.{column} stays: {error}")
        raw.execute("DELETE FROM source_text")
        if quoted:
            raw.execute("INSERT INTO source_text(run_id, source_file, source_line, text) SELECT id, ?, 1, ? FROM run", (name, quoted))
    with opened(database) as raw:
        # The machine code of cuBLAS names an operand -NAN.
        stages = [key.decode() for key, in raw.execute(
            "SELECT DISTINCT key FROM stage JOIN launch ON stage_id = stage.id JOIN sampling ON launch_id = launch.id WHERE key NOT LIKE 'cublas%'")]
    stage = box.random.choice(stages)
    source = box.random.choice(((), (), ("--source", "."), ("--source", "src")))
    for form in (["--lines"], ["--lines", "--json"], ["--lines", "--format", "md"], ["--format", "html"]):
        ended = box.judge(watched.run([box.world.culprit, "show", stage, *form, *source, "--db", database], project,
                                      sanitized=box.world.sanitized, env={"CULPRIT_SECRET": SECRET, "TMPDIR": box.path("tmp")}), {0, 2})
        if SECRET.encode() in ended.out + ended.err:
            box.fail(f"a database had culprit print {name}", ended)


def temporary(box):
    """Files that others put into TMPDIR are neither followed nor removed."""
    planted = box.path("planted")
    os.makedirs(planted)
    os.makedirs(box.path("aside"))
    shutil.copyfile(box.sentinel, box.path("aside", "kept"))
    for index in range(40):
        name = os.path.join(planted, "culprit-run-" + "".join(box.random.choices("abcXYZ019", k=6)) + str(index))
        kind = index % 4
        if kind == 0:
            os.symlink(box.random.choice((box.sentinel, box.path("aside"))), name)
        elif kind == 1 and os.geteuid() == 0:  # a folder of our own without an owner is ours to remove
            os.makedirs(name)
            shutil.copyfile(box.sentinel, os.path.join(name, "copy.db"))
        elif kind == 2:
            os.mkfifo(name)  # whoever opened it would wait
        else:
            shutil.copyfile(box.sentinel, name)
        if os.geteuid() == 0 and kind != 0:
            os.chown(name, 65534, 65534)
    os.chmod(planted, 0o1777)
    before = {name: os.lstat(os.path.join(planted, name)).st_ctime_ns for name in os.listdir(planted)}
    database = box.database()
    with opened(database) as raw:
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("UPDATE run SET label = label || 'x'")
        for suffix in ("", "-wal"):
            shutil.copyfile(database + suffix, box.path("copy.db") + suffix)
    os.makedirs(box.path("still"))
    for suffix in ("", "-wal"):
        os.rename(box.path("copy.db") + suffix, box.path("still", "m.db") + suffix)
        os.chmod(box.path("still", "m.db") + suffix, 0o444)
    os.chmod(box.path("still"), 0o555)
    try:
        box.culprit("runs", "--db", box.path("still", "m.db"), env={"TMPDIR": planted})
        # Without a library to inject, record ends before it makes a folder.
        ended = box.culprit("record", "--db", box.path("new.db"), "--", "/bin/ls", planted, env={"TMPDIR": planted, "CULPRIT_INJECT": box.sentinel})
        own = {name for name in ended.out.decode(errors="replace").split() if name.startswith("culprit-run-")} - before.keys()
        if len(own) != 1:
            box.fail(f"record has {len(own)} folders of its own in TMPDIR, not one", ended)
    finally:
        os.chmod(box.path("still"), 0o755)
    after = {name: os.lstat(os.path.join(planted, name)).st_ctime_ns for name in os.listdir(planted)}
    if not os.path.exists(box.path("aside", "kept")):
        box.fail("followed a link in TMPDIR and removed what it leads to")
    if before != after:
        box.fail(f"changed in TMPDIR what others put there: {sorted(set(before.items()) ^ set(after.items()))}")


CAMPAIGNS = {"sources": sources, "temporary": temporary}
