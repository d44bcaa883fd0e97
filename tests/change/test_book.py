"""What a book says of changes: what lines are about, what negates them, and what stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.book.book import read_book
from fabric.change.lines.book import changes, staying
from fabric.change.lines.grammar import Grammar, either
from fabric.change.model import Risk

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BOOK = """\
[sources]
guide = Acme guide

[config]
mtu := <1-9>
  risk harmless | ours x: | source guide
speed &= <1-9>
  as above
lane = <1-9>
  negate first | ours x: | source guide
server <name> := [ port <1-9> ]
  ours x: | source guide
peer <name> timer := fast ! peer <name> timer all
  as above
peer <name> timer late := <1-9>
  as above
peer <name> as = <1-9> ! peer <name>
  negate first | ours x: | source guide
up
  stays | risk port flap | ours x: | source guide
? undo up
  as above
"""
#: A line of the book, another one that takes its place, if any does, and what negates it.
LINES = (
    ("mtu 7", "mtu 8", "undo mtu"),
    ("speed 7", "speed 8", "undo speed 7"),
    ("lane 7", None, "undo lane 7"),
    ("server a port 7", "server a", "undo server a"),
    ("peer a timer fast", "peer a timer slow", "undo peer a timer all"),
    ("peer a timer late 7", "peer a timer late 8", "undo peer a timer late"),
    ("peer a as 7", None, "undo peer a"),
    ("undo up", "up", "up"),
)


SECTION = """
mode := fast|slow > mode
  risk port flap | ours x: | source guide

[mode]
delay = <1-9>
  stays
"""


def _grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Grammar:
    (tmp_path / "lines.book").write_text(BOOK + SECTION)
    book = read_book(tmp_path / "lines.book", "acme")
    monkeypatch.setattr("fabric.change.lines.book.books", lambda: {"acme": book})
    known = changes("acme", "undo")
    return Grammar(**{**known._asdict(), "kept": either(*known.kept)}, negation="undo")


def test_keys_and_negations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest key counts; a line that must go first is replaced by none."""
    grammar = _grammar(tmp_path, monkeypatch)
    assert [grammar.negated(line) for line, _, _ in LINES] == [negated for _, _, negated in LINES]
    keys = [grammar.key_of(line) for line, _, _ in LINES]
    assert len(set(keys)) == len(keys)
    for (line, other, _), key in zip(LINES, keys, strict=True):
        assert (grammar.key_of(other or f"{line[:-1]}8") == key) is bool(other)


def test_what_stays_and_what_a_negation_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays switched off too, and has the risk of its line where the value is left out."""
    grammar = _grammar(tmp_path, monkeypatch)
    assert [bool(grammar.kept.fullmatch(line)) for line in ("up", "undo up", "mtu 7")] == [
        True,
        True,
        False,
    ]
    risks = [grammar.risk_of(line) for line in ("mtu 7", "undo mtu", "undo up", "lane 7")]
    assert risks == [Risk.HARMLESS, Risk.HARMLESS, Risk.PORT_FLAP, Risk.BRIEF_LOSS]


def test_a_risk_is_that_of_the_key_and_a_section_has_its_own_lines_that_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words of a value are no part of what a line is about."""
    grammar = _grammar(tmp_path, monkeypatch)
    assert {grammar.risk_of(line) for line in ("mode fast", "undo mode")} == {Risk.PORT_FLAP}
    assert not grammar.kept.fullmatch("delay 7")
    patterns = [re.compile(one) for one in staying("acme", "undo", "mode")]
    assert [bool(one.fullmatch("undo delay 7")) for one in patterns] == [True]
