"""One meaning has one name; names of earlier releases still work, and say what they are now."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.cli import tree
from tests.cli.runs import DEMO, process

#: What an option is for, by the beginning of its help, and the name that all such options have.
MEANINGS = {
    r"(Write (?!the (files|changes))|Also append)": "--out",
    r"(New folder|Output folder|File to write|Folder for)\b": "--out",
    r"File of `observe --out`": "--snapshot",
    r"(Inventory folder with|Inventory folder whose)\b": "--inventory",
    r"Folder with (the journal|the state)\b": "--state",
    r"(Output|Report) format": "--format",
    r"Also write a plot": "--plot",
    r"Limit\b.* to these devices": "--only",
    r"Lowest severity": "--fail-on",
    r"(Apply the changes|Write the (files|changes))\b": "--commit",
}
#: command, old name, name of today
RENAMED = [
    ("draw", "output", "out"),
    ("import", "output", "out"),
    ("models add", "output", "out"),
    ("lab up", "dir", "out"),
    ("demo", "dir", "out"),
    ("status", "export", "out"),
    ("serve", "state-dir", "state"),
    ("whatif", "state", "snapshot"),
]


@pytest.mark.parametrize("meaning", MEANINGS)
def test_one_meaning_has_one_name(meaning: str) -> None:
    names = {
        (leaf.name, option.opts[0])
        for leaf in tree.leaves()
        for option in leaf.options
        if re.match(meaning, option.help or "")
    }
    expected = {(leaf, MEANINGS[meaning]) for leaf, _ in names}
    assert names, "no option has this meaning any more"
    assert names == expected


def test_the_same_help_has_the_same_name() -> None:
    names = defaultdict(set)
    for leaf in tree.leaves():
        for option in leaf.options:
            names[option.help].add(option.opts[0])
    assert {text: sorted(all_) for text, all_ in names.items() if len(all_) > 1} == {}


@pytest.mark.parametrize(("name", "old", "new"), RENAMED)
def test_old_names_are_known_and_not_shown(name: str, old: str, new: str) -> None:
    leaf, _ = tree.find(name.split())
    assert leaf.command.context_settings["token_normalize_func"](old) == new
    names = {name for option in leaf.options for name in option.opts}
    assert (f"--{old}" in names, f"--{new}" in names) == (False, True)


def test_an_old_name_works_and_says_what_it_is_now(tmp_path: Path) -> None:
    ended = process("draw", DEMO, f"--output={tmp_path / 'old.svg'}")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.startswith("--output is now --out; the old name will be removed\nwrote ")
    assert (tmp_path / "old.svg").exists()
    assert process("draw", DEMO, "--out", tmp_path / "new.svg").err.startswith("wrote ")
    assert (tmp_path / "new.svg").read_bytes() == (tmp_path / "old.svg").read_bytes()
    assert "--output" not in process("draw", "--help").said
    assert process("render", DEMO, "--output", tmp_path / "x").code == 2
