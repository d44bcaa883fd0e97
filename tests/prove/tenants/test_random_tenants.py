"""Random tenants, and one line changed: the proof says what a walk of every packet says."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from fabric.observe.configuration import Configured, readers
from fabric.observe.parsers import UnreadableError
from fabric.prove.engine import Engine
from fabric.workflow.project import Project
from tests.prove.fabrics import with_files
from tests.prove.tenants.walk import Walk
from tests.topology.fabrics import INVENTORY

_KIND = "startup-config"
#: Sections of the text whose lines are changed; those of the underlay stay.
_SECTIONS = re.compile(
    r"vrf |interface (Vxlan|Ethernet)|ip routing vrf|ip prefix-list PL-Vrf|"
    r"route-map RM-Vrf|router bgp"
)
_CHANGED = re.compile(r"[Vv]rf|vxlan|EVPN|route-target|redistribute|rd |switchport|10\.64|seq ")
_MUTANTS = 12


@pytest.mark.parametrize("seed", range(12))
def test_random_tenants_with_one_line_changed(tmp_path: Path, seed: int) -> None:
    pick = random.Random(seed)
    project, texts = with_files(_project(tmp_path, pick))
    files = {name: readers["eos"](text) for name, text in texts.items()}
    _same(project, files, "nothing")
    seen = 0
    while seen < _MUTANTS:
        switch = pick.choice(sorted(texts))
        text, words = _mutant(texts[switch][_KIND], pick)
        try:
            reading = readers["eos"]({_KIND: text})
        except UnreadableError:
            continue
        seen += 1
        _same(project, {**files, switch: reading}, f"{switch}: {words}")


def _project(folder: Path, pick: random.Random) -> Project:
    data = yaml.safe_load((INVENTORY / "tenants" / "fabric.yaml").read_text(encoding="utf-8"))
    hosts = [f"gpu{number:03}" for number in range(1, 9)]
    data["units"] = [
        {"name": "su1", "hosts": "gpu[001-004]"},
        {"name": "su2", "hosts": "gpu[005-008]"},
    ]
    names = ("red", "blue", "green")
    nics: dict[str, dict[str, list[int]]] = {name: {} for name in names}
    for host in hosts:
        for rail in range(2):
            owner = pick.choice([*names, ""])
            if owner:
                nics[owner].setdefault(host, []).append(rail)
    data["tenancy"] = {
        "form": pick.choice(["evpn", "evpn", "local"]),
        "unassigned": pick.choice(["keep", "quarantine"]),
    }
    data["tenants"] = [
        {"name": name, "id": 17 + number, "nics": nics[name]}
        for number, name in enumerate(names)
        if nics[name]
    ]
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return Project(folder)


def _mutant(text: str, pick: random.Random) -> tuple[str, str]:
    """Return a text with a line less, or with a number or VRF of a line changed."""
    lines, section, places = text.split("\n"), "", []
    for number, line in enumerate(lines):
        section = section if line.startswith(" ") else line
        if _SECTIONS.match(section) and _CHANGED.search(line) and "-FABRIC" not in line:
            places.append(number)
    number = pick.choice(places)
    old = lines[number]
    vrfs = sorted(set(re.findall(r"Vrf\d+", text)))
    new = old
    if pick.random() < 0.6:
        new = re.sub(r"Vrf\d+", lambda _: pick.choice([*vrfs, "Vrf17"]), new)
        new = re.sub(r"500\d\d", lambda _: f"500{pick.randint(17, 19)}", new)
    lines[number : number + 1] = [new] if new != old else []
    return "\n".join(lines), f"{old!r} -> {new!r}" if new != old else f"without {old!r}"


def _same(project: Project, files: dict[str, Configured], words: str) -> None:
    engine = Engine(project.fabric, project.devices, project.hosts, files)
    proof, walk = engine.prove(), Walk(project, files)
    tenants = project.fabric.tenants
    assert proof.tenants
    assert tenants
    isolation = engine.isolation().isolation
    names = tenants.names
    leaks = {(names[row], names[column]) for row, column in np.argwhere(isolation.leaking)}
    assert leaks == walk.leaks(), words
    exposed = {names[row] for row in np.flatnonzero(isolation.exposed)}
    assert exposed == walk.exposed(), words
    assert proof.tenants.lost_nic_pairs == walk.lost(on_leaves=tenants.is_local), words
