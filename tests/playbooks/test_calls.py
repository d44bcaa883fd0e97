"""The playbooks call commands that exist, with options that exist, and do nothing else."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.tree import find, unknown_words

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "playbooks"
#: Playbooks that act on hosts by modules of Ansible, and the one that only strings others.
ON_HOSTS, STRING = {"hosts.yml", "rollback.yml"}, {"site.yml"}
ALL = sorted(path for path in FOLDER.glob("*.yml") if path.name != "defaults.yml")
BOOKS = [path for path in ALL if path.name not in ON_HOSTS | STRING]
DEFAULTS = yaml.safe_load((FOLDER / "defaults.yml").read_text())
#: What playbooks set themselves, or take from the inventory that `rocefab export ansible` writes.
OWN = {
    "rocefab_planned",
    "rocefab_pending",
    "rocefab_changes",
    "rocefab_kept_here",
    "rocefab_files",
    "rocefab_namespace",
    "rocefab_own",
    "rocefab_scripts",
}


def tasks(book: Path):
    """Return the play of a playbook on this machine, and its tasks; imports are left out."""
    (play,) = [
        item for item in yaml.safe_load(book.read_text()) if item.get("hosts") == "localhost"
    ]
    return play, play["tasks"]


def filled(argv: list[str]) -> list[str]:
    """Return the words of a call with the defaults in place of the variables."""
    return [re.sub(r"\{\{ (\w+) \}\}", lambda m: str(DEFAULTS[m[1]]), word) for word in argv]


def calls(book: Path) -> list[list[str]]:
    return [
        filled(task["ansible.builtin.command"]["argv"])
        for task in tasks(book)[1]
        if "ansible.builtin.command" in task
    ]


def test_the_playbooks_are_there() -> None:
    names = {book.stem for book in ALL}
    calls_only = {"check", "render", "plan", "apply", "switches", "verify"}
    assert names == calls_only | {"hosts", "rollback", "site"}


def test_the_whole_fabric_imports_playbooks_that_exist() -> None:
    for book in ALL:
        for play in yaml.safe_load(book.read_text()):
            if name := play.get("ansible.builtin.import_playbook"):
                assert (FOLDER / name).is_file()


@pytest.mark.parametrize("book", [*BOOKS, FOLDER / "rollback.yml"], ids=lambda book: book.name)
def test_calls_exist(book: Path) -> None:
    assert calls(book)
    for words in calls(book):
        assert unknown_words(shlex.join(words)) == []
        leaf, rest = find(words[1:])
        assert leaf.name == ("plan" if book.stem == "switches" else book.stem)
        values = {
            word: option
            for option in leaf.options
            for word in (*option.opts, *option.secondary_opts)
        }
        plain = _plain(rest, values)
        assert len(plain) <= len(leaf.arguments), plain


def _plain(words: list[str], options) -> list[str]:
    """Return the words that are arguments: neither options nor their values."""
    found, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in options:
            skip = not options[word].is_flag
        else:
            found.append(word)
    return found


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
def test_they_run_here_and_only_call(book: Path) -> None:
    play, found = tasks(book)
    assert (play["hosts"], play["connection"]) == ("localhost", "local")
    allowed = {"ansible.builtin.command", "ansible.builtin.debug"}
    words = {"name", "register", "changed_when", "failed_when", "when"}
    for task in found:
        modules = set(task) - words
        assert len(modules & allowed) == 1
        assert modules <= allowed
    text = book.read_text().lower()
    assert not re.search(r"password|secret|become", text)


def test_nothing_is_committed_unless_told() -> None:
    told = {
        "apply.yml": "rocefab_commit | bool",
        "rollback.yml": "rocefab_run | string | length > 0",
    }
    for book in [*BOOKS, FOLDER / "rollback.yml"]:
        for task in tasks(book)[1]:
            argv = task.get("ansible.builtin.command", {}).get("argv", [])
            if "--commit" in argv:
                assert task["when"] == told[book.name]
    assert (DEFAULTS["rocefab_commit"], DEFAULTS["rocefab_run"]) == (False, "")


def test_every_variable_has_a_default_and_a_use() -> None:
    used = set(re.findall(r"rocefab_\w+", "".join(book.read_text() for book in ALL)))
    assert used - OWN == set(DEFAULTS)


def test_they_are_clean_yaml() -> None:
    lint = Path(sys.executable).with_name("yamllint")
    done = subprocess.run(
        [lint, "--strict", "playbooks", ".pre-commit-config.yaml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
