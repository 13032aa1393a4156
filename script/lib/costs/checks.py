# SPDX-License-Identifier: Apache-2.0
"""Runs the self-test of a script."""
import sys


def run(script, check_all):
    """check_all(expect) calls expect(is_right, text) for each check. Returns the exit status."""
    checked, failed = 0, []

    def expect(is_right, text):
        nonlocal checked
        checked += 1
        if not is_right:
            failed.append(text)

    check_all(expect)
    for text in failed:
        print(f"{script}: self-test: this does not hold: {text}", file=sys.stderr)
    print(f"{script}: self-test: {checked - len(failed)} of {checked} checks passed.")
    return 1 if failed else 0
