"""Cabling files that are refused: their form, their size, and where it is said."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.intent.inventory import load
from tests.topology.cabled import HEADER, csv, refused
from tests.topology.fabrics import document

BAD_CSV: dict[str, tuple[str | bytes, list[str]]] = {
    "empty": ("", ["inventory/cabling.csv:1:1: the file is empty; add the header line device"]),
    "comments only": ("# nothing\n", ["cabling.csv:1:1: the file is empty"]),
    "no header": (
        "a1,eth1,su1-rail0,Ethernet0\n",
        ["1:1: unknown column 'a1'", "1:4: unknown column 'eth1'"],
    ),
    "misspelt column": (
        csv(header="device,port,peer_device,peer_prt"),
        ["1:25: unknown column 'peer_prt'; did you mean 'peer_port'?", "peer_port is missing"],
    ),
    "column twice": (csv(header=f"{HEADER},port"), ["1:35: the column port appears twice"]),
    "too few cells": (csv("a1,eth1,su1-rail0"), ["2:1: 3 cells, the header has 4"]),
    "empty cell": (csv("a1,,su1-rail0,Ethernet0"), ["2:4: port is empty; set both ends"]),
    "open quote": (csv('a1,"eth1,su1-rail0,Ethernet0'), ["2:4: a quote is not closed; close it"]),
    "text after a quote": (csv('"a1"x,eth1,su1-rail0,Ethernet0'), ["2:1: not CSV"]),
    "speed": (
        csv("a1,eth1,su1-rail0,Ethernet0,7", header=f"{HEADER},speed_gbps"),
        ["2:29: '7' is not a port speed; use 10, 25"],
    ),
    "length": (
        csv("a1,eth1,su1-rail0,Ethernet0,-3", header=f"{HEADER},cable_m"),
        ["2:29: '-3' is not a length; use whole metres"],
    ),
    "not UTF-8": (csv("a1,eth1,abc").encode() + b"\xe9", ["3:1: not UTF-8 text; save the file"]),
    "control character": (
        csv("a1,eth1\x07,su1-rail0,Ethernet0"),
        ["2:8: the file contains the char"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), BAD_CSV.values(), ids=BAD_CSV)
def test_bad_csv(text: str | bytes, expected: list[str]) -> None:
    result = refused(text)
    assert len(result) >= len(expected), result
    for target in expected:
        assert any(target in line for line in result), result


def test_two_files(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(document()), encoding="utf-8")
    for name in ("cabling.csv", "cabling.dot"):
        (tmp_path / name).write_text("", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        load(tmp_path, "inventory")
    [result] = raised.value.findings
    assert "cabling.csv also exists; remove one of them [INT031]" in str(result)


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of rows; that of bytes is met before the file is read as a table."""
    monkeypatch.setattr("fabric.intent.cabling.MAX_ROWS", 3)
    assert "more than 3 cables" in refused(csv(*["a1,eth1,su1-rail0,Ethernet0"] * 9))[0]


def test_too_large(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(document()), encoding="utf-8")
    with (tmp_path / "cabling.csv").open("wb") as stream:
        stream.truncate(10**9)
    with pytest.raises(InputError) as raised:
        load(tmp_path, "inventory")
    assert "the file is larger than 65,536 KiB" in str(raised.value.findings[0])


SWITCH_PORT = '"su1-rail0":"Ethernet0"'
NOT_ONE = "2:1: not a cable between two ports"
BAD_DOT = {
    "no graph": (f'"a1":"eth1" -- {SWITCH_PORT};', "1:1: no graph"),
    "direction": (f'graph f {{\n"a1":"eth1" -> {SWITCH_PORT};\n}}', "2:13: cables have no dir"),
    "no port": (f'graph f {{\n"a1" -- {SWITCH_PORT};\n}}', NOT_ONE),
    "chain": (f'graph f {{\n"a1":"eth1" -- {SWITCH_PORT} -- "d":"e";\n}}', NOT_ONE),
    "attributes alone": ("graph f {\n[color=red];\n}", "2:1: unexpected '['; remove it"),
    "one end": (f"graph f {{\n{SWITCH_PORT} --;\n}}", NOT_ONE),
    "open quote": ('graph f {\n"a1":"eth1 -- b:c;\n}', "2:6: unexpected '\"'"),
    "speed": ("graph f {\na1:eth1 -- b:c [speed_gbps=7];\n}", "2:28: '7' is not a port speed"),
}


@pytest.mark.parametrize(("text", "expected"), BAD_DOT.values(), ids=BAD_DOT)
def test_bad_dot(text: str, expected: str) -> None:
    result = refused(text, "cabling.dot")
    assert any(f"inventory/cabling.dot:{expected}" in line for line in result), result
