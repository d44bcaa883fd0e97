"""The command tree as typer built it: what every command offers."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import cache
from typing import Any

import typer

from fabric.cli.app import app

#: Options of the command line itself, not of a job.
BARE = {"--help", "--version"}
#: Options that confirm a risk: no variable that somebody once set says them.
CONFIRMING = {"--commit", "--resume", "--force", "--run"}
CONFIRMING |= {"--without-safety-net", "--despite-cabling", "--skip-unreachable"}
CONFIRMING |= {"--traffic-stopped", "--withdraw"}
CONFIRMING |= {"--despite-age", "--despite-inventory", "--max-failures", "--clean", "--delete"}


@dataclass(frozen=True)
class Leaf:
    """One command: its words after `rocefab`, and the object of typer."""

    words: tuple[str, ...]
    command: Any

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def options(self) -> list[Any]:
        return [p for p in self.command.params if p.param_type_name == "option"]

    @property
    def arguments(self) -> list[Any]:
        return [p for p in self.command.params if p.param_type_name == "argument"]

    @property
    def example(self) -> str:
        return (self.command.epilog or "").removeprefix("Example: ")

    @property
    def exit_codes(self) -> set[int]:
        """The codes that the help names."""
        _, mark, text = self.command.help.partition("Exit codes:")
        return {int(number) for number in re.findall(r"\b\d+\b", text)} if mark else set()


@cache
def root() -> Any:
    return typer.main.get_command(app)


@cache
def leaves() -> tuple[Leaf, ...]:
    return tuple(_walk(root(), ()))


def _walk(command: Any, words: tuple[str, ...]):
    for name, child in getattr(command, "commands", {}).items():
        if hasattr(child, "commands"):
            yield from _walk(child, (*words, name))
        else:
            yield Leaf((*words, name), child)


def find(words: list[str]) -> tuple[Leaf, list[str]]:
    """Return the command that a line names, and the words after it."""
    for leaf in leaves():
        count = len(leaf.words)
        if tuple(words[:count]) == leaf.words:
            return leaf, words[count:]
    raise AssertionError(f"no such command: {shlex.join(words)}")


def unknown_words(line: str) -> list[str]:
    """Return the options of a `rocefab ...` line that its command does not have."""
    words = shlex.split(line)
    assert words[0] == "rocefab", line
    leaf, rest = find(words[1:])
    known = {name for option in leaf.options for name in (*option.opts, *option.secondary_opts)}
    return [word for word in rest if word.startswith("-") and word.split("=")[0] not in known]
