"""Random fabrics with the files of their switches, for both engines."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import yaml

from fabric.observe.configuration import readers
from fabric.prove.engine import Engine, Proof
from fabric.prove.wiring import Network
from fabric.workflow.project import Project
from tests.topology.fabrics import INVENTORY, document

#: Text of each file, by switch and kind.
Texts = dict[str, dict[str, str]]

MODELS = {"sonic": "ACS-MSN4700", "eos": "7060X6-64PE"}


@cache
def example(name: str) -> tuple[Project, Texts]:
    """Return an example of the repository with its files; nobody may change them."""
    return with_files(Project(INVENTORY / name))


def random_fabric(folder: Path, seed: int) -> tuple[Project, Texts]:
    """Return a small fabric of random shape, of SONiC and EOS switches."""
    pick = random.Random(seed)
    leaf, spine = (MODELS[pick.choice(sorted(MODELS))] for _ in range(2))
    units = [
        {"name": f"u{number}", "hosts": f"h{number}x[1-{pick.randint(1, 4)}]"}
        for number in range(pick.randint(2, 3))
    ]
    data = document(
        units=units,
        rails=pick.randint(1, 3),
        spines={"count": pick.randint(1, 3), "links_per_leaf": pick.randint(1, 2)},
        platforms={"leaf": {"sku": leaf}, "spine": {"sku": spine}},
        speeds={"host_gbps": 400, "uplink_gbps": 400},
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return with_files(Project(folder))


def with_files(project: Project) -> tuple[Project, Texts]:
    """Return a project with what is rendered for its switches."""
    return project, {
        name: {item.kind: item.text for item in items}
        for name, items in project.switch_artefacts.items()
    }


def prove(project: Project, texts: Texts) -> Proof:
    """Return what our own engine says of the files."""
    return _engine(project, texts).prove()


def network_of(project: Project, texts: Texts) -> Network:
    """Return the default VRFs of the first family, as the files have them."""
    return _engine(project, texts).default_networks()[0]


def _engine(project: Project, texts: Texts) -> Engine:
    files = {name: readers[project.devices[name].platform](text) for name, text in texts.items()}
    return Engine(project.fabric, project.devices, project.hosts, files)
