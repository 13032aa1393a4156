# SPDX-License-Identifier: Apache-2.0
"""Runs one program under limits, and reports every kind of end that is forbidden for any input."""
import dataclasses
import os
import re
import resource
import signal
import subprocess
import time

# Far above what any command needs for the small databases in here, also under a sanitizer on a busy machine.
LIMIT_S = 20
# So that a program that reads without end fails before the machine does. Sanitizers reserve terabytes, so not for them.
MEMORY_BYTES = 2 << 30
SHOWN_BYTES = 4000

SANITIZER = re.compile(rb"ERROR: (?:Address|Leak|Memory)Sanitizer|runtime error: |SUMMARY: \w+Sanitizer")
# Our output may contain line feeds and tabs, but no other control characters; the second part is C1 in UTF-8.
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
CONTROL_IN_JSON = re.compile(rb"[\x00-\x08\x0b-\x1f]")  # a JSON string may contain the other characters unescaped
NOT_A_NUMBER = re.compile(rb"(?<![\w./\"'-])[-+]?(?:nan|inf|infinity)(?![\w./\"'-])", re.IGNORECASE)
# The script of a page contains the word, but the page does not show it.
PAGE_PROGRAM = re.compile(rb"<script(?![^>]*json)[^>]*>.*?</script>", re.DOTALL)
# Links and scripts that a renderer of Markdown would follow or run; the attacks plant these words.
LIVE_MARKDOWN = re.compile(rb"(?<!\\)<script|(?<!\\)\]\(javascript:|(?<!\\)<img ", re.IGNORECASE)


@dataclasses.dataclass
class Ended:
    command: list
    status: int  # negative: the signal
    out: bytes
    err: bytes
    seconds: float
    hung: bool = False


def is_sanitized(program):
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


def environment(home, more=None):
    """Takes only the search path from the caller, because CULPRIT_DB or NO_COLOR would change results."""
    own = {"PATH": os.environ.get("PATH", ""), "HOME": home, "TMPDIR": os.path.join(home, "tmp"), "LC_ALL": "C.UTF-8",
           "ASAN_OPTIONS": "exitcode=97:detect_stack_use_after_return=1", "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=98"}
    return {**own, **(more or {})}


def start(command, home, *, stdin=None, stdout=None, stderr=None, env=None, file_bytes=None, user=None, sanitized=False):
    def limit():
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        # Python ignores these two and its children would inherit that; the shell gives programs the defaults.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

    return subprocess.Popen(command, cwd=home, env=environment(home, env), user=user, start_new_session=True, preexec_fn=limit,
                            stdin=subprocess.DEVNULL if stdin is None else stdin,
                            stdout=subprocess.PIPE if stdout is None else stdout,
                            stderr=subprocess.PIPE if stderr is None else stderr)


def finish(process, command, started, limit_s=LIMIT_S, given=None):
    try:
        out, err = process.communicate(given, timeout=max(0.01, limit_s - (time.monotonic() - started)))
        hung = False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        hung = True
    return Ended(command, process.returncode, out or b"", err or b"", time.monotonic() - started, hung)


def run(command, home, *, given=None, limit_s=LIMIT_S, **limits):
    started = time.monotonic()
    if given is not None:
        limits["stdin"] = subprocess.PIPE
    return finish(start(command, home, **limits), command, started, limit_s, given)


def control_in(command, out):
    """SQL and CSV are data on their way to a file: they keep every byte of what was recorded."""
    if "export" in command[1:] or any("csv" in word for word in command[1:]):
        return None
    return (CONTROL_IN_JSON if any("json" in word for word in command[1:]) else CONTROL).search(out)


def forbidden_in(ended, statuses):
    """One sentence for each thing that must never happen, however hostile the input was."""
    both = ended.out + b"\n" + ended.err
    said = []
    if ended.hung:
        said.append(f"did not end within {ended.seconds:.0f} s")
    elif ended.status < 0:
        said.append(f"ended by {signal.Signals(-ended.status).name}")
    elif ended.status not in statuses:
        said.append(f"exit status {ended.status}, documented are {', '.join(map(str, sorted(statuses)))}")
    if b"this is a bug" in both:
        said.append("called it a bug of its own")
    if SANITIZER.search(both):
        said.append("a sanitizer reported")
    if ended.status not in (0, 1) and not ended.hung and ended.status >= 0 and not ended.err.strip() and not ended.out.strip():
        said.append(f"exit status {ended.status} without a word")
    for name, found in (("error", CONTROL.search(ended.err)), ("output", control_in(ended.command, ended.out))):
        if found:
            said.append(f"control character {found.group()!r} in its {name}")
    # A query may ask for infinity itself.
    no_number = NOT_A_NUMBER.search(PAGE_PROGRAM.sub(b"", ended.out))
    if not {"export", "query"} & set(ended.command[1:]) and ended.status in (0, 1) and no_number:
        said.append(f"prints {no_number.group().decode()} as a number")
    if "md" in ended.command and LIVE_MARKDOWN.search(ended.out):
        said.append(f"live {LIVE_MARKDOWN.search(ended.out).group().decode()} in its Markdown")
    return said
