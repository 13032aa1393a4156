# SPDX-License-Identifier: Apache-2.0
"""What a command of culprit answers: its numbers, and the same as text and as a page."""
import html

from . import _program, _tables


def _microseconds(value):
    """JSON writes 20.0 as 20. None: not measured."""
    return None if value is None else float(value)


class Answer:
    """Prints as the command does. In a notebook it shows the command's page."""

    def __init__(self, words, frames=None, data=None):
        self._words = list(words)
        self._frames = frames
        self.data = _program.ask_json(self._words) if data is None else data
        self._texts = {}

    def _as(self, form):
        if form not in self._texts:
            self._texts[form] = _program.ask([*self._words, "--format", form])
        return self._texts[form]

    @property
    def text(self):
        return self._as("text")

    @property
    def markdown(self):
        return self._as("md")

    @property
    def html(self):
        """The page, as one file with its styles and charts."""
        return self._as("html")

    def _rows(self, rows):
        return _tables.table(rows, self._frames)

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text.rstrip("\n")

    def _repr_html_(self):
        # A frame of its own: the page's styles must not reach the notebook, nor its script.
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-popups allow-downloads" '
                'style="width: 100%; height: 45em; border: 0" title="culprit"></iframe>')


class Explanation(Answer):
    """What made a kernel, or a program, slower. The keys of `data` are in docs/json.md.

    `whole` is True for two runs of a program, and False for two kernels.
    """

    def __init__(self, words, frames=None, data=None):
        super().__init__(words, frames, data)
        self.whole = self.data["kind"] == "why_program"
        self._facts = self.data["program"] if self.whole else self.data
        self._lines = None

    @property
    def verdict(self):
        """'slower', 'faster', 'same' or 'ambiguous'."""
        return self._facts["verdict"]

    @property
    def headline(self):
        """The answer in one sentence."""
        return self.data["title"] if self.whole else self.data["headline"]

    @property
    def base_us(self):
        return _microseconds(self._facts["base_us"])

    @property
    def candidate_us(self):
        return _microseconds(self._facts["candidate_us"])

    @property
    def delta_us(self):
        return _microseconds(self._facts["delta_us"])

    @property
    def unexplained_us(self):
        """What the causes leave of the difference. None: nothing was split into causes.

        Of a program, the sum over its explained parts.
        """
        if not self.whole:
            return _microseconds(self._facts["unexplained_us"])
        left = [part["unexplained_us"] for part in self._facts["parts"] if part["unexplained_us"] is not None]
        return sum(left) if left else None

    @property
    def causes(self):
        """The largest cause first. Of a program, those of its parts."""
        return self._rows(self._facts["causes"])

    @property
    def parts(self):
        """Of a program: parts that add up to the whole difference. Of a kernel: none."""
        return self._rows(self._facts["parts"] if self.whole else [])

    @property
    def lines(self):
        """The source lines that cost more, by microseconds. Needs two kernels with samples of their instructions."""
        if self.whole:
            raise _program.Error("Lines belong to two kernels: ask db.why(base, cand, kernel=NAME).lines.")
        if self._lines is None:
            self._lines = _program.ask_json([*self._words, "--lines"])["lines"]["lines"]
        return self._rows(self._lines)
