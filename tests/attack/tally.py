# SPDX-License-Identifier: Apache-2.0
"""Counts tries, and keeps everything that is needed to repeat a failure."""
import collections
import dataclasses
import os
import tarfile

# Further failures of a campaign have the same reasons, so hundreds of archives would not help.
KEPT_PER_CAMPAIGN = 20


@dataclasses.dataclass
class Row:
    tries: int = 0
    runs: int = 0
    failures: int = 0
    seconds: float = 0.0


class Tally:
    def __init__(self, seed, programs, failures_folder):
        self.seed, self.programs, self.folder = seed, programs, failures_folder
        self.rows, self.outcomes = {}, {}

    def add(self, campaign, number, box, seconds):
        row = self.rows.setdefault(campaign, Row())
        row.tries += 1
        row.runs += box.runs
        row.seconds += seconds
        self.outcomes.setdefault(campaign, collections.Counter()).update(box.outcomes)
        if box.failures:
            row.failures += 1
            kept = self._keep(campaign, number, box) if row.failures <= KEPT_PER_CAMPAIGN else None
            print(f"attack: {campaign}, try {number}: {box.failures[0].splitlines()[0]}" + (f" ({kept})" if kept else ""), flush=True)

    def _keep(self, campaign, number, box):
        """One archive: what happened, in words, and the folder as the try left it."""
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, f"{campaign}-{self.seed}-{number}.tar.gz")
        again = f"script/attack --campaign {campaign} --seed {self.seed} --try {number} --programs {self.programs}"
        box.write("WHAT_HAPPENED.txt", "\n\n".join([f"See it again with\n  {again}", *box.said]) + "\n")
        with tarfile.open(path, "w:gz", compresslevel=1) as archive:
            archive.add(box.folder, arcname=f"{campaign}-{self.seed}-{number}", filter=plain)
        return path

    def table(self):
        lines = ["| campaign | tries | programs run | failures | seconds |", "|---|---:|---:|---:|---:|"]
        lines += [f"| {name} | {row.tries:,} | {row.runs:,} | {row.failures:,} | {row.seconds:.0f} |" for name, row in self.rows.items()]
        total = [sum(getattr(row, field) for row in self.rows.values()) for field in ("tries", "runs", "failures", "seconds")]
        lines.append("| together | " + " | ".join(f"{number:,.0f}" for number in total) + " |")
        for campaign, outcomes in self.outcomes.items():
            if outcomes:
                lines.append(f"{campaign}: " + ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common()) + ".")
        return "\n".join(lines)

    def failures(self):
        return sum(row.failures for row in self.rows.values())


def plain(member):
    """Only files and links, because an archive should contain no device."""
    return member if member.isfile() or member.isdir() or member.issym() else None
