"""PTM's ``topology.dot``, with what we know of devices and NICs as attributes beside."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.exchange.dot_text import quote
from fabric.exchange.values import CABLE_WORDS, DEVICE_WORDS, NIC_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.exchange.plant import Cable, Device, Nic, Plant


def _dot(plant: Plant) -> Exported:
    lines = [f"graph {quote(plant.name)} {{"]
    lines += [f"  {quote(item.name)}{_attributes(_node(item))};" for item in plant.devices]
    lines += [_edge(plant, cable) for cable in plant.cables]
    text = "\n".join((*lines, "}")) + "\n"
    return Exported((text_file("dot", "topology", "topology.dot", text),))


def _node(device: Device) -> dict[str, object]:
    return renamed(asdict(device), DEVICE_WORDS)


def _edge(plant: Plant, cable: Cable) -> str:
    (one, port), (other, far_port) = cable.near, cable.far
    values = renamed(asdict(cable), CABLE_WORDS)
    nic = plant.nic.get(cable.near) or plant.nic.get(cable.far)
    if nic is not None:
        values |= {"nic_host": nic.host, **nic_words(nic)}
    ends = f"{quote(one)}:{quote(port)} -- {quote(other)}:{quote(far_port)}"
    return f"  {ends}{_attributes(values)};"


def nic_words(nic: Nic) -> dict[str, object]:
    """Return what is known of a NIC by the names of attributes."""
    return renamed(asdict(nic), NIC_WORDS)


def renamed(
    values: Mapping[str, object], words: Mapping[str, tuple[str, ...]]
) -> dict[str, object]:
    """Return fields by the names that we write them under; unknown ones are left out."""
    return {
        names[0]: values[field] for field, names in words.items() if values[field] not in {"", None}
    }


def _attributes(values: Mapping[str, object]) -> str:
    text = " ".join(f"{name}={quote(str(value))}" for name, value in values.items())
    return f" [{text}]" if text else ""


exporters.add("dot")(Exporter({"topology": _dot}, about=About.FABRIC, title="graph for Graphviz"))
