"""Random fabrics whose switches run any of the systems, and mistakes in them."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.workflow.project import Project
from tests.prove.fabrics import Texts, prove, with_files
from tests.topology.fabrics import INVENTORY, document

#: A model of each system that has ports of 100 Gbit/s.
MODELS = {
    "ACS-MSN4700": "sonic",
    "7060X6-64PE": "eos",
    "SN4700": "cumulus",
    "QFX5240-64OD": "junos",
    "CE8855-32CQ4BQ": "vrp8",
    "S9820-64H": "comware7",
    "Z9332F-ON": "esonic",
    "N9K-C9364D-GX2A": "nxos",
}
#: Of each system: the kind of the file, and a line that gives a switch its AS number.
OWN_AS = {
    "cumulus": ("nv-set", r"autonomous-system \d+"),
    "junos": ("set", r"autonomous-system \d+"),
    "vrp8": ("running-config", r"bgp \d+"),
    "comware7": ("running-config", r"bgp \d+"),
    "esonic": ("running-configuration", r"router bgp \d+"),
    "nxos": ("running-config", r"router bgp \d+"),
    "eos": ("startup-config", r"router bgp \d+"),
    "sonic": ("config_db", r'"bgp_asn": "\d+'),
}


@cache
def lossless() -> dict[str, Any]:
    """Return what the example of many systems says of its traffic."""
    text = (INVENTORY / "mixed" / "fabric.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["lossless"]


def _fabric(folder: Path, seed: int) -> tuple[Project, Texts]:
    """Return a small fabric, each switch of a random model."""
    pick = random.Random(seed)
    rails, spines = pick.randint(1, 2), pick.randint(1, 3)
    units = [f"u{number}" for number in range(pick.randint(2, 4))]
    leaves = [f"{unit}-rail{rail}" for unit in units for rail in range(rails)]
    names = [*leaves, *(f"spine{number:02}" for number in range(1, spines + 1))]
    data = document(
        rails=rails,
        units=[{"name": unit, "hosts": f"{unit}x[1-{pick.randint(1, 3)}]"} for unit in units],
        spines={"count": spines, "links_per_leaf": pick.randint(1, 2)},
        speeds={"host_gbps": 100, "uplink_gbps": 100},
        lossless={**lossless(), "mtu": {"port_bytes": 9202}},
    )
    devices = [_override(name, pick.choice(sorted(MODELS))) for name in names]
    (folder / "devices").mkdir(parents=True)
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    (folder / "devices" / "models.yaml").write_text(yaml.safe_dump({"devices": devices}))
    return with_files(Project(folder))


def _override(name: str, model: str) -> dict[str, object]:
    """Return what makes a switch one of a model; NX-OS has another strict queue and MTU."""
    nxos = {"cnp_queue": 7, "cnp_traffic_class": 7, "mtu": {"port_bytes": 9216}}
    return {"names": name, "sku": model, **({"lossless": nxos} if model[:3] == "N9K" else {})}


@pytest.mark.parametrize("seed", range(30))
def test_random_fabrics(tmp_path: Path, seed: int) -> None:
    """Clean as rendered; another AS number on any switch is found."""
    project, texts = _fabric(tmp_path, seed)
    proof = prove(project, texts)
    assert proof.breaches == ()
    assert proof.pairs > 0
    assert proof.lost_pairs == 0
    switch = random.Random(seed).choice(sorted(texts))
    kind, pattern = OWN_AS[project.devices[switch].platform]
    text, count = re.subn(
        pattern, lambda m: re.sub(r"\d+", "64999", m[0]), texts[switch][kind], count=1
    )
    assert count == 1
    changed = {**texts, switch: {**texts[switch], kind: text}}
    rules = {breach.rule for breach in prove(project, changed).breaches}
    assert rules & {"BAT003", "BAT005"}
