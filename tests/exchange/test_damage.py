"""Data of the wrong shape anywhere: refused or read, never a traceback."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.exchange.plant import Device, Nic, Plant
from fabric.exchange.roles import complete
from tests.exchange import netbox_server
from tests.exchange.plants import Cable, put, read, written
from tests.exchange.test_lldp import seen

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


@pytest.mark.parametrize("form", ["json", "lldp", "netbox", "netbox-api", "nornir"])
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


INI = "[leaf]\nl1 rocefab_unit=u1\n[hosts]\nh1\n[net:children]\nleaf\n[net:vars]\nasn=65001\n"
TABLE = "ip,DSW,PSW,ASW\na,G1,P1,S1\nb,G1,P2,S1\n"
LETTERS = "\x00\t\n \"'#%&()*+,-./0:;<=>?@[]\\^_{|}~aZé"


def scratched(text: str, seed: int) -> str:
    """Return a text with some letters removed, doubled or replaced."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text))
        piece = chance.choice(("", text[at] * 2, chance.choice(LETTERS), text[at:] + text[:at]))
        text = text[:at] + piece + text[at + 1 :]
    return text


@pytest.mark.parametrize("form", ["ansible", "csv", "dot", "graphml", "lingjun"])
def test_any_scratch_is_refused_or_read(form: str, tmp_path: Path) -> None:
    cables = written(SMALL, "csv", tmp_path / "sound")
    if form in {"ansible", "lingjun"}:
        text = INI if form == "ansible" else TABLE
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
