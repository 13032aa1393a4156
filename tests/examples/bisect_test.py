#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/bisect/culprit-bisect on a repository made here.

Usage: bisect_test.py CULPRIT FAKE_PROGRAM EXAMPLES
"""
import pathlib
import sys
import tempfile

from toy_repository import Toy


def main():
    culprit, fake, examples = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    script = f"{examples}/bisect/culprit-bisect"
    with tempfile.TemporaryDirectory() as folder:
        toy = Toy(folder, culprit, fake)
        first = toy.commit("begin", "print one")
        toy.commit("say two", "print two")
        toy.commit("cannot be built", "print two", builds=False)
        before = toy.commit("say three", "print three")
        slow = toy.commit("rows twice as long <script>", "changed print three")
        last = toy.commit("say four", "changed print four")
        record = ["sh", "-c", 'sh ./build && culprit record --profile none --label "$CULPRIT_LABEL" -- sh out/program']
        (toy.root / "untracked").write_text("mine")

        done = toy.run(script, first, "HEAD", "--", *record)
        head = done.stdout.splitlines()[0]
        assert head.startswith(f"The first slower commit is {slow[:7]}") and "rows twice as long" in head, done.stdout
        assert "gather_rows" in done.stdout, done.stdout
        assert toy.run("git", "rev-parse", "HEAD").stdout.strip() == last, "the reader's checkout stays"
        assert (toy.root / "untracked").read_text() == "mine"
        assert toy.run("git", "status", "--short").stdout.split() == ["??", "culprit-bisect.db", "??", "untracked"]
        assert len(toy.run("git", "worktree", "list").stdout.splitlines()) == 1
        labels = toy.run(culprit, "runs", "--db", "culprit-bisect.db", "--format", "csv").stdout
        assert before in labels and slow in labels

        again = toy.run(script, first, "HEAD", "--", *record)
        assert again.stderr.count("recording") == again.stderr.count(": cannot be built") == 1, again.stderr
        assert again.stdout == done.stdout

        # 'check' reads branch:NAME as the newest common commit with a run, other than the candidate.
        database = ("--db", str(toy.root / "culprit-bisect.db"))
        check = (culprit, "check", *database, "--base", "branch:main", "--cand")
        assert f'"{last}"' in toy.run(*check, slow).stdout
        toy.run("git", "checkout", "--quiet", "--detach", before)
        assert f'"{before}"' in toy.run(*check, slow, status=3).stdout  # BEFORE ran once
        assert f'"{first}"' in toy.run(*check, before).stdout
        assert "nowhere" in toy.run(*check[:-2], "branch:nowhere", "--cand", slow, status=2).stderr
        toy.run("git", "checkout", "--quiet", "main")

        done = toy.run(script, first, before, "--", *record, status=1)
        assert "not slower" in done.stderr
        done = toy.run(script, "nothing", "HEAD", "--", *record, status=2)
        assert "no revision nothing" in done.stderr
        done = toy.run(script, "--db", "other.db", first, "HEAD", "--", "sh", "-c", "echo no such thing; exit 3", status=2)
        assert "GOOD cannot be recorded" in done.stderr and "no such thing" in done.stderr
        toy.run(script, first, "HEAD", status=2)
    print("culprit-bisect finds the commit, says why, and leaves the checkout alone.")


if __name__ == "__main__":
    main()
