# SPDX-License-Identifier: Apache-2.0
"""Chooses what to try next, for as long as asked. See script/attack for the command line."""
import argparse
import os
import random
import shutil
import stat
import sys
import tempfile
import time

import full_disk
import fuzzers
from campaigns import campaigns
from sandbox import Sandbox
from tally import Row, Tally
from world import World

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
CORPUS = os.path.join(ROOT, "tests", "fuzz", "corpus")
LEAST_FUZZING_S = 5
LEAST_MEMORY_DISK_BYTES = 1 << 30
# The share of the time, if both are requested.
FUZZING_SHARE = 0.4


def give_up(sentence):
    print(f"attack: {sentence}", file=sys.stderr)
    sys.exit(2)


def recording():
    folder = os.path.join(ROOT, "tests", "recorded")
    files = sorted(name for name in os.listdir(folder) if name.endswith(".sql.zst"))
    if not files:
        give_up(f"there is no recording in {folder} to make a database from.")
    return os.path.join(folder, files[0])


def remove(folder):
    def again(function, path, _):
        if not os.path.lexists(path):
            return
        if path != folder:  # what holds the folder is not ours to change
            os.chmod(os.path.dirname(path), stat.S_IRWXU)
        function(path)
    shutil.rmtree(folder, onerror=again)


def work_folder():
    """In memory if there is room, because the disk would take most of a try's time."""
    memory = "/dev/shm"
    roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > LEAST_MEMORY_DISK_BYTES
    return tempfile.mkdtemp(prefix="culprit-attack-", dir=memory if roomy else None)


def attempt(world, campaign, number, tally):
    """Everything in a try follows from the seed, the campaign and the try's number, but for what processes do at once."""
    folder = tempfile.mkdtemp(dir=world.folder)
    started = time.monotonic()
    box = Sandbox(world, folder, random.Random(f"{tally.seed}/{campaign.name}/{number}"))
    try:
        campaign.attack(box)
    finally:
        tally.add(campaign.name, number, box, time.monotonic() - started)
        remove(folder)


def run_campaigns(world, chosen, arguments, tally):
    for campaign in chosen:
        tally.rows[campaign.name] = Row()
    if arguments.number is not None:
        for campaign in chosen:
            attempt(world, campaign, arguments.number, tally)
        return
    if arguments.short:
        for campaign in chosen:
            for number in range(campaign.short_tries):
                attempt(world, campaign, number, tally)
        return
    share = 1 - FUZZING_SHARE if arguments.fuzz else 1
    end = time.monotonic() + 60 * arguments.minutes * share
    while time.monotonic() < end:
        # The campaign with the least time so far, so that slow and quick ones get equal shares.
        campaign = min(chosen, key=lambda one: tally.rows[one.name].seconds)
        attempt(world, campaign, tally.rows[campaign.name].tries, tally)


def run_fuzzers(folder, arguments, tally, work):
    found = fuzzers.targets(folder)
    if not found:
        give_up(f"there are no fuzz targets in {folder}: build them with cmake --preset fuzz and cmake --build --preset fuzz.")
    share = 1 if arguments.campaign == ["fuzz"] else FUZZING_SHARE
    seconds = max(LEAST_FUZZING_S, 60 * arguments.minutes * share / len(found))
    for target in found:
        started = time.monotonic()
        executions, failure = fuzzers.fuzz(folder, target, seconds, arguments.seed, CORPUS, work, arguments.failures)
        tally.rows[target] = Row(executions, 1, 1 if failure else 0, time.monotonic() - started)
        if failure:
            print(f"attack: {target}: {failure}", flush=True)


def parsed():
    parser = argparse.ArgumentParser(prog="script/attack", description="Attacks the programs that were built, and counts what they do not survive.")
    parser.add_argument("--minutes", type=float, default=10, help="how long, in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="the same seed tries the same things (default: another one each time, which is printed)")
    parser.add_argument("--campaign", action="append", help="only this one, or 'fuzz'; may be repeated")
    parser.add_argument("--try", type=int, dest="number", help="only the try of this number: how a failure is seen again")
    parser.add_argument("--programs", default=os.path.join(ROOT, "build", "cpu", "bin"), help="where culprit is; a build with sanitizers finds more")
    parser.add_argument("--short", action="store_true", help="a fixed number of tries instead of a time: about two minutes, for CI")
    parser.add_argument("--fuzz", action="store_true", help="also the fuzz targets, for a share of the time")
    parser.add_argument("--fuzz-programs", default=os.path.join(ROOT, "build", "fuzz", "bin"), help="where they are")
    parser.add_argument("--failures", default="attack-failures", help="a file for each failure goes here (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="name the campaigns, and say what each does")
    return parser.parse_args()


def main():
    arguments = parsed()
    arguments.seed = random.SystemRandom().randrange(2**31) if arguments.seed is None else arguments.seed
    arguments.failures = os.path.abspath(arguments.failures)
    if not os.access(os.path.join(arguments.programs, "culprit"), os.X_OK):
        give_up(f"there is no program culprit in {arguments.programs}: build it (script/test cpu), or name another folder with --programs.")
    os.umask(0o022)
    small_disks = full_disk.private_mounts()
    work = work_folder()
    try:
        tally = Tally(arguments.seed, arguments.programs, arguments.failures)
        only_fuzz = arguments.campaign == ["fuzz"]
        if not only_fuzz:
            world = World(os.path.abspath(arguments.programs), recording(), work)
            known, left_out = campaigns(world, small_disks)
            if arguments.list:
                print("\n".join(f"{campaign.name:<20} {(campaign.attack.__doc__ or '').partition(chr(10))[0]}".rstrip() for campaign in known))
                return 0
            wanted = [name for name in arguments.campaign or [] if name != "fuzz"]
            unknown = set(wanted) - {campaign.name for campaign in known}
            if unknown:
                give_up(f"there is no campaign {', '.join(sorted(unknown))} here: --list names them.")
            print(f"attack: seed {arguments.seed}", flush=True)
            for sentence in left_out:
                print(f"attack: left out {sentence}.", flush=True)
            run_campaigns(world, [campaign for campaign in known if not wanted or campaign.name in wanted], arguments, tally)
        if arguments.fuzz or "fuzz" in (arguments.campaign or []):
            run_fuzzers(arguments.fuzz_programs, arguments, tally, work)
        print(tally.table())
        return 1 if tally.failures() else 0
    finally:
        remove(work)
