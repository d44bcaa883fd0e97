"""Data of the wrong shape anywhere: refused or read, never a traceback."""

from __future__ import annotations

import json
import random
import re
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.exchange.forms import importers
from fabric.exchange.plant import Device, Nic, Plant
from fabric.exchange.roles import complete
from tests.cases import each
from tests.exchange import netbox_server
from tests.exchange.cases import CASES, HEAD
from tests.exchange.plants import Cable, put, read, refused, written
from tests.exchange.test_lldp import seen
from tests.exchange.test_sonic_files import LINKS, TOR, minigraph

JUNK: tuple[Any, ...] = (
    None,
    5,
    -1,
    1e300,
    True,
    "x",
    "",
    [],
    {},
    [1],
    [None],
    [[]],
    {"a": 1},
    "é",
)
SEEDS = 40
SMALL = Plant(
    "small",
    (Device("l1", "switch", "leaf", "u1", rail=0), Device("h1", "host", unit="u1")),
    (Cable.between(("h1", "eth0"), ("l1", "1"), 400, 3),),
    (Nic("h1", "eth0", 0, address="10.0.0.2/24"),),
)


INI = "[leaf]\nl1 rocefab_unit=u1\n[hosts]\nh1\n[net:children]\nleaf\n[net:vars]\nasn=65001\n"
TABLE = "ip,DSW,PSW,ASW\na,G1,P1,S1\nb,G1,P2,S1\n"
TREE = "SwitchName=t Switches=a,b\nSwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\n"
MODEL = "switches:\n  t: {switches: [a]}\nblocks:\n- {switch: a, nodes: ['n[1-4]', n5]}\n"
OF_THEIR_OWN = {
    "ansible": INI,
    "lingjun": TABLE,
    "slurm": TREE,
    "topograph": MODEL,
    "minigraph": minigraph("tor01", TOR),
    "sonic-testbed": LINKS,
}
LETTERS = "\x00\t\n \"'#%&()*+,-./0:;<=>?@[]\\^_{|}~aZé"
MESSAGES = Path(__file__).with_name("bad_input.txt")


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of everything in a tree."""
    keys = tree if isinstance(tree, dict) else range(len(tree) if isinstance(tree, list) else 0)
    results = []
    for key in keys:
        results += [(*path, key), *places(tree[key], (*path, key))]
    return results


def damaged(tree: Any, seed: int) -> Any:
    """Return a copy with something else in some places."""
    chance = random.Random(seed)
    copy = json.loads(json.dumps(tree))
    for _ in range(chance.randint(1, 3)):
        *above, last = chance.choice(places(copy) or [(0,)])
        holder = copy
        for key in above:
            holder = holder[key]
        holder[last] = deepcopy(chance.choice(JUNK))
    return copy


def sound(form: str, folder: Path) -> dict[str, Any]:
    """Return the trees of a source that is right, by file."""
    if form == "lldp":
        return {"o.json": list(seen(SMALL).values())}
    if form == "netbox-api":
        objects = netbox_server.objects(SMALL)
        return {"n.json": {path.partition("/")[2]: rows for path, rows in objects.items()}}
    source = written(SMALL, form, folder)
    files = sorted(source.glob("*")) if source.is_dir() else [source]
    return {file.name: yaml.safe_load(file.read_text()) for file in files}


@pytest.mark.parametrize(
    "form", ["containerlab", "json", "lldp", "netbox", "netbox-api", "netlab", "nornir"]
)
def test_any_damage_is_refused_or_read(form: str, tmp_path: Path) -> None:
    trees = sound(form, tmp_path / "sound")
    outcomes = set()
    for seed in range(SEEDS):
        name = sorted(trees)[seed % len(trees)]
        files = {file: json.dumps(tree) for file, tree in trees.items()}
        files[name] = json.dumps(damaged(trees[name], seed))
        folder = tmp_path / str(seed)
        put(folder, files)
        source = folder if len(files) > 1 else folder / name
        try:
            complete(read(form.removesuffix("-api"), source).plant, "x")
        except InputError as error:
            assert error.findings
            outcomes.add("refused")
        else:
            outcomes.add("read")
    assert outcomes == {"refused", "read"}


def scratched(text: str, seed: int) -> str:
    """Return a text with some letters removed, doubled or replaced."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text))
        piece = chance.choice(("", text[at] * 2, chance.choice(LETTERS), text[at:] + text[:at]))
        text = text[:at] + piece + text[at + 1 :]
    return text


@pytest.mark.parametrize("form", sorted((*OF_THEIR_OWN, "csv", "dot", "graphml")))
def test_any_scratch_is_refused_or_read(form: str, tmp_path: Path) -> None:
    cables = written(SMALL, "csv", tmp_path / "sound")
    if form in OF_THEIR_OWN:
        text = OF_THEIR_OWN[form]
    else:
        text = written(SMALL, form, tmp_path / "sound").read_text()
    outcomes = set()
    for seed in range(SEEDS):
        source = put(tmp_path / str(seed), {"source.txt": scratched(text, seed)})
        try:
            read(form, source, rails=1, cabling=cables)
        except InputError as error:
            assert error.findings
            outcomes.add("refused")
        else:
            outcomes.add("read")
    assert "refused" in outcomes


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


@each("form", sorted(importers))
def test_what_is_not_there_is_refused(form: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(form, tmp_path / "none.json", rails=1, cabling=tmp_path / "none.csv")
    assert caught.value.findings


@each("form", sorted(importers))
def test_any_bytes_are_refused_or_read(form: str, tmp_path: Path) -> None:
    """No traceback, whatever the file holds."""
    for number, text in enumerate((b"", b"\xff\xfe", b"{}", b"[]", b"a: [1", b"x\n" * 50, b"[[[")):
        source = put(tmp_path / form / str(number), {"hosts.yaml": text, "c.csv": HEAD})
        with suppress(InputError):
            assert not read(form, source, rails=1, cabling=source.with_name("c.csv")).plant.cables


@pytest.mark.fault(21)
def test_ten_million_rows_are_refused_before_they_are_read(tmp_path: Path) -> None:
    """70 MB of rows: the reader stops at its limit of bytes."""
    source = tmp_path / "c.csv"
    with source.open("wb") as file:
        file.write(HEAD.encode())
        for _ in range(10):
            file.write(b"a,p,b,p\n" * 1_000_000)
    with pytest.raises(InputError, match="1 error") as caught:
        read("csv", source)
    assert "the file is larger than 64 MiB" in str(caught.value.findings[0])


def test_more_rows_than_a_fabric_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fabric.exchange.importers import cable_map

    monkeypatch.setattr(cable_map, "MAX_CABLES", 2)
    rows = "".join(f"a,p{n},b,p{n}\n" for n in range(4))
    assert refused("csv", tmp_path, {"c.csv": HEAD + rows}) == [
        "c.csv:4:1: there are more than 2 rows; import one fabric at a time [EXC007]"
    ]
