"""Readers of tables that are made from a book: which function takes which table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabric.book.book import read_book
from fabric.book.file import BookError
from fabric.observe.configuration import tables as module
from fabric.observe.configuration.tables import TableReader

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
[tables]
? <~\\w*(LAMP|FAN)\\w*> <text>
  routing nothing
B <word> > B
  routing second
A|C <word>
  routing first
D <word> > D
[B]
speed|mtu = <0-9>
  routing with its row
? colour = <text>
  routing nothing
name = <text>
[D]
speed = <0-9>
"""


def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, *names: str) -> TableReader:
    (tmp_path / "lines.book").write_text(text)
    books = {"acme": read_book(tmp_path / "lines.book", "acme")}
    monkeypatch.setattr(module, "books", lambda: books)
    made: TableReader[str] = TableReader("acme", "routing")
    for name in names:
        made.means(name)(name)
    return made


def test_a_table_has_a_function_or_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = reader(tmp_path, monkeypatch, TEXT, "first", "second")
    assert list(made.tables.items()) == [("B", "second"), ("A", "first"), ("C", "first")]
    said = {name for name in ("B", "D", "LAMP", "X_FANS", "NEW") if made.passes_over(name)}
    assert said == {"LAMP", "X_FANS"}
    assert made.fields == {"B": {"speed", "mtu", "colour"}}


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        (TEXT, ["first"], "lines.book:4: no reader of routing takes 'second'"),
        (TEXT, ["first", "second", "third"], "no row of acme means third"),
        (f"{TEXT}[tables]\nC\n  routing second\n", ["first", "second"], "C means 'first' too"),
    ],
)
def test_book_and_functions_agree(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    names: list[str],
    message: str,
) -> None:
    made = reader(tmp_path, monkeypatch, text, *names)
    with pytest.raises((BookError, ValueError)) as caught:
        assert made.tables
    assert message in str(caught.value)
