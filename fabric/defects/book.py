"""The book of defects: the facts of this package, and those of an inventory."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from fabric.defects.fact import OURS, OWN, Fact
from fabric.platforms.data_file import parse_toml, read_toml, unusable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

ENDING = ".toml"
_FIX = "correct the file; docs/reference/defects.md describes it"


@cache
def facts() -> Mapping[str, Fact]:
    """Return the facts of this package by id.

    Raises
    ------
    InputError
        When a file is wrong, or does not have the name of its fact.
    """
    return {fact.id: fact for fact in map(_ours, fact_files())}


def fact_files() -> list[Traversable]:
    """Return the files of the facts, sorted by name."""
    folder = files("fabric.defects") / "facts"
    return sorted((f for f in folder.iterdir() if f.name.endswith(ENDING)), key=lambda f: f.name)


def _ours(file: Traversable) -> Fact:
    return _named(read_toml(file, Fact), OURS, file, file.name)


def own_fact(text: str, shown: str) -> Fact:
    """Return the fact that a file of an inventory states.

    Parameters
    ----------
    shown : str
        The file's path in messages.

    Raises
    ------
    InputError
        Names the file, the line and the field of everything that is wrong.
    """
    return _named(parse_toml(text, shown, Fact, _FIX), OWN, shown, shown.rpartition("/")[2], text)


def _named(fact: Fact, prefix: str, file: Traversable | str, name: str, text: str = "") -> Fact:
    if not fact.id.startswith(prefix):
        message = f"{fact.id} does not start with {prefix}"
        raise unusable(file, [(("id",), message)], text, f"use {prefix} and three digits")
    if name != fact.id + ENDING:
        message = f"the file has the name {name}"
        raise unusable(file, [(("id",), message)], text, f"name the file {fact.id}{ENDING}")
    return fact
