"""containerlab: a topology with a container for each switch and host, and a veth for each cable.

Form: srl-labs/containerlab, schemas/clab.schema.json and docs/manual/topo-def-file.md. Interfaces:
docs/manual/kinds/ceos.md, sonic-vs.md and linux.md, "Interfaces mapping". containerlab gives each
node its management interface. What it does not know stands in labels and in the variables of links.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.exchange.exporters.dot import renamed
from fabric.exchange.lab import fabric_name, group_of, interfaces, of_system
from fabric.exchange.network import edge_of
from fabric.exchange.values import DEVICE_WORDS, known
from fabric.exchange.yaml_text import dump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.exchange.lab import Lab
    from fabric.exchange.plant import Device

#: Images by kind, as containerlab has them: lab-examples/frr01/frr01.clab.yml (frr and host),
#: docs/manual/kinds/ceos.md, docs/lab-examples/srl-sonic.md.
IMAGES = {
    "frr": "quay.io/frrouting/frr:10.5.1",
    "host": "wbitt/network-multitool:3.22.2",
    "arista_ceos": "ceos:4.32.0F",
    "sonic-vs": "docker-sonic-vs:202511",
}
#: Kind of a switch by its system; all others are Linux with FRR.
_KINDS = {"eos": "arista_ceos", "sonic": "sonic-vs", "esonic": "sonic-vs"}
_HEAD = "# Written by rocefab. Start it with: containerlab deploy -t FILE\n"
_LABELS = {key: words for key, words in DEVICE_WORDS.items() if key not in {"kind", "management"}}


def _topology(lab: Lab) -> Exported:
    return _written(lab, _KINDS)


def _frr(lab: Lab) -> Exported:
    return _written(lab, {})


def _written(lab: Lab, kinds: Mapping[str, str]) -> Exported:
    plant, images = lab.plant, lab.chosen(IMAGES)
    of_kind = {
        kind: of_system(plant, *(system for system, its in kinds.items() if its == kind))
        for kind in ("arista_ceos", "sonic-vs")
    }
    ends = interfaces(plant, numbered=of_kind["sonic-vs"], arista=of_kind["arista_ceos"])
    nodes = {item.name: _node(item, kinds, images) for item in plant.devices}
    used = dict.fromkeys(node["kind"] for node in nodes.values() if node["kind"] != "linux")
    links = [
        {
            "endpoints": [f"{end[0]}:{ends[end]}" for end in (cable.near, cable.far)],
            "vars": {"rocefab": known(edge_of(plant, cable))},
        }
        for cable in plant.cables
    ]
    topology: dict[str, Any] = {
        **({"kinds": {kind: {"image": images[kind]} for kind in used}} if used else {}),
        "nodes": nodes,
        "links": links,
    }
    name = fabric_name(plant)
    text = _HEAD + dump({"name": name, "topology": topology}).replace("$", "$$")
    return Exported((text_file("containerlab", "topology", f"{name}.clab.yml", text),))


def _node(device: Device, kinds: Mapping[str, str], images: Mapping[str, str]) -> dict[str, Any]:
    kind = kinds.get(device.system, "linux") if device.kind == "switch" else "linux"
    image = images["host" if device.kind == "host" else "frr"]
    labels = renamed(asdict(device), _LABELS)
    return known({
        "kind": kind,
        "image": image if kind == "linux" else "",
        "group": group_of(device),
        "labels": {key: str(value) for key, value in labels.items()} or None,
    })


exporters.add("containerlab")(
    Exporter(
        {"topology": _topology, "frr": _frr},
        standard=("topology",),
        about=About.LAB,
        lost=frozenset({"device.management"}),
        title="virtual lab of containerlab",
    )
)
