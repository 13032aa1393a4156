# SPDX-License-Identifier: Apache-2.0
"""The command lines that Python makes, and how it names functions for another process."""
import functools
import json
import sys

import pytest

import culprit
from culprit import _comparison, _functions, _nvtx, _program
from culprit.__main__ import words_of

import toy_kernels_named as named


def test_record_passes_its_options(listening, tmp_path):
    with pytest.raises(culprit.Error, match="^it is only a test.$") as failed:
        culprit.record(["./program", "--flag"], label="a b", profile="core", kernels="soft.*", db=tmp_path / "x.db")
    assert failed.value.status == 2
    assert listening() == [["record", "--db", str(tmp_path / "x.db"), "--label", "a b", "--profile", "core", "-k", "soft.*",
                            "--", "./program", "--flag"]]
    with pytest.raises(culprit.Error, match="list of words"):
        culprit.record("./program")


def test_compare_asks_versus_and_its_processes_have_what_they_need(listening, tmp_path, monkeypatch):
    written, write_call = [], _comparison.write_call

    def keep(folder, name, *words, **more):
        written.append(json.loads(write_call(folder, name, *words, **more).read_text()))
        return tmp_path / f"{name}.json"

    monkeypatch.setattr(_comparison, "write_call", keep)
    with pytest.raises(culprit.Error, match="only a test"):
        culprit.compare(named.old, "toy_kernels_named:new", (1, "x"), {"k": 2}, label="l", warmup=2, calls=5, processes="8..8",
                        budget=60, max_slowdown="2%", db=tmp_path / "x.db")
    call = [sys.executable, _comparison.__file__.replace("_comparison", "_call")]
    assert listening() == [["versus", "--db", str(tmp_path / "x.db"), "--label", "l-old,l-new", "--format", "json", "--capture",
                            "profiler-api", "--processes", "8..8", "--budget", "60", "--max-slowdown", "2%",
                            "--", *call, str(tmp_path / "old.json"), "--", *call, str(tmp_path / "new.json")]]
    assert [call["function"] for call in written] == ["toy_kernels_named:old", "toy_kernels_named:new"]
    assert all(call["warmup"] == 2 and call["calls"] == 5 and "" not in call["path"] for call in written)


def test_functions_that_another_process_cannot_find():
    def local():
        pass

    for wrong, why in ((local, "cannot be found by its name"), (lambda: 0, "cannot be found by its name"),
                       ("nocolon", "write 'module:function'"), (3, "is no function"),
                       (functools.partial(named.old), "cannot be found by its name")):
        with pytest.raises(culprit.Error, match=why):
            _functions.spell(wrong)
    assert _functions.spell(named.Holder.inner) == "toy_kernels_named:Holder.inner"
    assert _functions.spell("folder/x.py:f").endswith("/folder/x.py:f")


def test_arguments_that_cannot_be_pickled_name_the_way_out(listening):
    with pytest.raises(culprit.Error, match="make them in a function"):
        culprit.compare(named.old, named.new, (lambda: 0,))
    with pytest.raises(culprit.Error, match="not both"):
        culprit.compare(named.old, named.new, (1,), inputs=named.old)


def test_a_script_that_is_read_again_does_not_compare(monkeypatch):
    monkeypatch.setenv("CULPRIT_CALLED", "1")
    with pytest.raises(culprit.Error, match="__main__"):
        culprit.compare(named.old, named.new)
    with pytest.raises(culprit.Error, match="__main__"):
        culprit.study(named.old, shapes=[1])()


@pytest.mark.parametrize("given, become", [
    (["record", "x.py", "--db", "1"], ["record", "--", sys.executable, "x.py", "--db", "1"]),
    (["record", "--label", "a", "--leave-running", "-m", "pkg"],
     ["record", "--label", "a", "--leave-running", "--", sys.executable, "-m", "pkg"]),
    (["record", "--label=a", "--", "x.py"], ["record", "--label=a", "--", sys.executable, "x.py"]),
    (["record", "--", "./program", "x.py"], ["record", "--", "./program", "x.py"]),
    (["record", "--help"], ["record", "--help"]),
    (["why", "x.py"], ["why", "x.py"]),
    ([], []),
])
def test_a_script_gets_this_interpreter(given, become):
    assert words_of(given) == become


def test_letters_tell_tests_apart_that_differ_in_digits():
    names = [_nvtx.letters(f"test[{n}]") for n in range(1000)]
    assert len(set(names)) == 1000 and all(name.isalpha() and name.islower() for name in names)


def test_the_last_sentence_is_the_reason():
    text = "warm up\nculprit: running it\nTraceback\nculprit: no such run.\n  There is: a.\n"
    assert _program.sentence_of(text, 2) == "no such run.\n  There is: a."
    assert _program.sentence_of("", 9) == "culprit ended with status 9."


def test_a_study_without_shapes_or_with_a_wrong_one(listening):
    with pytest.raises(culprit.Error, match="no shapes to study"):
        culprit.study(named.old)()
    with pytest.raises(culprit.Error, match="does not fit shaped"):
        culprit.study(named.shaped, shapes=[(1, 2, 3)])()
