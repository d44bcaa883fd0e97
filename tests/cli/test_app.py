"""What a start builds and imports: the command that is asked for, and what its run needs."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from fabric.cli.app import tree
from tests.cli.runs import ROOT, clean_environment, run

#: What a check and a render of SONiC switches without errors need not import.
UNUSED = (
    "fabric.intent.explain_errors",
    "fabric.intent.sku_model",
    "fabric.qos.deadlock.repair",
    "fabric.report.rules",
    "fabric.systems.eos.render",
    "fabric.systems.junos.render",
    "multiprocessing",
)


@cache
def whole():
    return tree()


def test_the_tree_of_a_word_is_its_command(subtests: pytest.Subtests) -> None:
    """With the same subcommands, options and help as in the whole tree."""
    for word, command in whole().commands.items():
        with subtests.test(word):
            part = tree(word)
            assert list(part.commands) == [word]
            assert described(part.commands[word]) == described(command)
            assert [one.opts for one in part.params] == [one.opts for one in whole().params]


def described(command) -> tuple:
    """Return what a command is for a user."""
    params = [(one.name, one.opts, one.secondary_opts, one.envvar) for one in command.params]
    below = getattr(command, "commands", {})
    return command.help, params, {name: described(one) for name, one in below.items()}


@pytest.mark.parametrize("word", ["", "wrong", "--version", "-v"])
def test_any_other_word_takes_the_whole_tree(word: str) -> None:
    assert list(tree(word).commands) == list(whole().commands)


def test_a_command_that_reads_the_tree_has_the_whole_one(tmp_path: Path) -> None:
    """`man` describes all commands, though it is built alone."""
    assert run("man", "--out", tmp_path).code == 0
    assert {"rocefab-man.1", "rocefab-render.1", "rocefab-show-links.1"} <= {
        page.name for page in tmp_path.iterdir()
    }


def test_a_render_imports_what_it_needs(tmp_path: Path) -> None:
    words = ["render", str(ROOT / "inventory/rail-512"), "--out", str(tmp_path / "out"), "--fresh"]
    code = (
        "import sys\n"
        "from fabric.cli import main\n"
        f"assert main({[*words, '--workers', '1']!r}) == 0\n"
        f"print([name for name in {UNUSED!r} if name in sys.modules], file=sys.stderr)\n"
        "assert 'fabric.systems.sonic.render' in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=clean_environment(),
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "[]"
