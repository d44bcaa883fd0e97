"""What systems of other distributions had before books: it works, and says what takes its place."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from fabric.book.grammar import Grammar
from fabric.lab.lines.rules import rules
from tests.cases import each

if TYPE_CHECKING:
    from pathlib import Path


@each(
    ("module", "before", "now"),
    [
        ("fabric.core.lines", "Node", "LineTree"),
        ("fabric.lab.lines.tree", "Node", "Section"),
        ("fabric.observe.configuration", "Port", "ConfiguredPort"),
    ],
)
def test_a_class_has_its_old_name_too(module: str, before: str, now: str) -> None:
    place = importlib.import_module(module)
    with pytest.warns(FutureWarning, match=rf"{module}\.{before} is deprecated; use {now}"):
        assert getattr(place, before) is getattr(place, now)
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'Nothing'"):
        _ = place.Nothing


def test_the_grammar_is_where_it_was() -> None:
    name = "fabric.lab.lines.grammar"
    sys.modules.pop(name, None)
    with pytest.warns(FutureWarning, match=f"{name} is deprecated; use fabric.book.grammar"):
        assert importlib.import_module(name).Grammar is Grammar


def test_lines_of_a_stand_in_may_stand_in_the_old_file(tmp_path: Path) -> None:
    text = "# a comment\n[kinds]\nlanes \\d+\n[config]\nport <lanes>\n[hidden config]\nport 1\n"
    (tmp_path / "grammar.txt").write_text(text)
    with pytest.warns(FutureWarning, match=r"grammar\.txt: .* write a lines\.book"):
        tables, hidden = rules(str(tmp_path / "__init__.py"))
    assert (tables, hidden) == ({"config": "port <~\\d+>"}, {"config": frozenset({"port 1"})})
