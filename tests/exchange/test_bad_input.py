"""Every importer says all that is wrong, with its place and what to do; messages are exact."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.exchange.forms import importers
from tests.exchange.cases import CASES, HEAD
from tests.exchange.plants import put, read, refused

MESSAGES = Path(__file__).with_name("bad_input.txt")


def _said(name: str, folder: Path) -> list[str]:
    form, files, settings = CASES[name]
    where = {key: folder / value if key == "cabling" else value for key, value in settings.items()}
    return refused(form, folder, files, **where)


def _expected() -> dict[str, list[str]]:
    parts = re.split(r"^## (.*)\n", MESSAGES.read_text(), flags=re.MULTILINE)[1:]
    return {name: text.splitlines() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def test_messages(tmp_path: Path, update_golden: bool) -> None:
    said = {name: _said(name, tmp_path / name) for name in CASES}
    said = {name: [line.replace(f"{tmp_path}/{name}", ".") for line in lines]
            for name, lines in said.items()}  # fmt: skip
    if update_golden:
        text = "".join(f"## {name}\n" + "".join(f"{x}\n" for x in said[name]) for name in said)
        MESSAGES.write_text(text)
    assert said == _expected()
    assert [name for name, lines in said.items() if not lines] == []


def test_messages_name_place_and_fix() -> None:
    for name, lines in _expected().items():
        for line in lines:
            assert re.match(r"\S+:\d+:\d+: .+; .+ \[(EXC|INT)\d{3}\]$", line), (name, line)


def test_every_form_has_a_case() -> None:
    assert {form for form, *_ in CASES.values()} == set(importers)


@pytest.mark.parametrize("form", sorted(importers))
def test_what_is_not_there_is_refused(form: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(form, tmp_path / "none.json", rails=1, cabling=tmp_path / "none.csv")
    assert caught.value.findings


@pytest.mark.parametrize("form", sorted(importers))
def test_any_bytes_are_refused_or_read(form: str, tmp_path: Path) -> None:
    """No traceback, whatever the file holds."""
    for number, text in enumerate((b"", b"\xff\xfe", b"{}", b"[]", b"a: [1", b"x\n" * 50, b"[[[")):
        source = put(tmp_path / str(number), {"hosts.yaml": text, "c.csv": HEAD})
        with suppress(InputError):
            assert not read(form, source, rails=1, cabling=source.with_name("c.csv")).plant.cables


def test_ten_million_rows_are_refused_before_they_are_read(tmp_path: Path) -> None:
    """70 MB of rows: the reader stops at its limit of bytes."""
    source = tmp_path / "c.csv"
    with source.open("wb") as file:
        file.write(HEAD.encode())
        for _ in range(10):
            file.write(b"a,p,b,p\n" * 1_000_000)
    with pytest.raises(InputError, match="1 error") as caught:
        read("csv", source)
    assert "the file is larger than 65,536 KiB" in str(caught.value.findings[0])


def test_more_rows_than_a_fabric_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fabric.exchange.importers import cable_map

    monkeypatch.setattr(cable_map, "MAX_CABLES", 2)
    rows = "".join(f"a,p{n},b,p{n}\n" for n in range(4))
    assert refused("csv", tmp_path, {"c.csv": HEAD + rows}) == [
        "c.csv:4:1: there are more than 2 rows; import one fabric at a time [EXC007]"
    ]
