# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows: the page, in a frame of its own."""
import html.parser
import subprocess

import pytest

from culprit import _program

IPython = pytest.importorskip("IPython")


class Frames(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.frames = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "iframe":
            self.frames.append(dict(attrs))


def test_an_explanation_is_the_page_in_a_frame(db, recorded):
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    why = db.why("padded", "unpadded", kernel="transpose_tile")
    data, _ = shell.display_formatter.format(why)
    page = subprocess.run([_program.find(), "why", "transpose_tile", "--base", "padded", "--cand", "unpadded", "--db",
                           str(recorded), "--format", "html"], capture_output=True, text=True, check=True).stdout
    found = Frames()
    found.feed(data["text/html"])
    assert found.tags == ["iframe"], "nothing of the page may reach the notebook"
    assert found.frames[0]["srcdoc"] == page
    # Without allow-same-origin, a script of the page has no way to the notebook.
    assert "allow-same-origin" not in found.frames[0]["sandbox"].split()
    assert data["text/plain"] == str(why).rstrip("\n")


def test_a_table_of_a_study_escapes_names():
    from culprit import _tables

    rows = [{"kernel": "<b>&", "us": 1.5, "bytes": None}]
    assert "<td>&lt;b&gt;&amp;</td><td>1.5</td><td>not measured</td>" in _tables.html(rows)
