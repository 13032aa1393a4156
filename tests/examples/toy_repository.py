# SPDX-License-Identifier: Apache-2.0
"""A git repository with the fake program, to run examples on it without a GPU."""
import os
import pathlib
import subprocess


class Toy:
    """`program` of a revision: the arguments of the fake program, in a file that make copies."""

    def __init__(self, folder, culprit, fake):
        self.folder, self.culprit, self.fake = pathlib.Path(folder), culprit, fake
        self.root = self.folder / "repository"
        self.root.mkdir()
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.environment = {
            "PATH": f"{pathlib.Path(culprit).parent}:{os.environ['PATH']}", "HOME": str(self.folder),
            "TMPDIR": str(temporary), "CULPRIT_INJECT": fake, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.run("git", "init", "--quiet", "--initial-branch", "main")

    def run(self, *words, status=0, **variables):
        done = subprocess.run(words, cwd=self.root, env=self.environment | variables, capture_output=True, text=True)
        if status is not None and done.returncode != status:
            raise AssertionError(f"{words} ends with {done.returncode}, not {status}:\n{done.stdout}\n{done.stderr}")
        return done

    def commit(self, message, arguments, builds=True):
        (self.root / "arguments").write_text(arguments)
        (self.root / "build").write_text(f"mkdir -p out && cp arguments out/ && echo 'exec {self.fake} $(cat out/arguments)' "
                                         ">out/program\n" if builds else "exit 1\n")
        (self.root / "message").write_text(message)
        self.run("git", "add", "-A")
        self.run("git", "commit", "--quiet", "--message", message)
        return self.run("git", "rev-parse", "HEAD").stdout.strip()
