"""netlab: a topology with a node for each switch and host, and a link for each cable.

Form: ipspace/netlab, docs/nodes.md, docs/links.md and docs/extend-attributes.md; devices:
netsim/devices. What netlab does not know stands in the attribute ``rocefab`` of nodes and links.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabric.core.exports import About, Exported, Exporter, exporters, refused, text_file
from fabric.core.hostlist import natural_key
from fabric.exchange.lab import fabric_name
from fabric.exchange.network import edge_of
from fabric.exchange.values import known
from fabric.exchange.yaml_text import dump

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.exchange.lab import Lab
    from fabric.exchange.plant import Device, End, Plant

#: Devices of netlab that are containers; netlab has an image of each.
_DEVICES = ("eos", "frr", "linux")
#: Identifiers of netlab have at most 16 characters unless its constant says more
#: (netsim/augment/nodes.py); ours have 63.
_NAME_LENGTH = 63
_HEAD = "# Written by rocefab. Start it with: netlab up FILE\n"


def _topology(lab: Lab) -> Exported:
    return _written(lab, {"eos": "eos"})


def _frr(lab: Lab) -> Exported:
    return _written(lab, {})


def _written(lab: Lab, devices: Mapping[str, str]) -> Exported:
    plant, indices = lab.plant, _indices(lab.plant)
    dotted = [item.name for item in plant.devices if "." in item.name]
    if dotted:  # docs/topology/hierarchy.md
        message = f"{dotted[0]} has a dot, which starts a level of a netlab topology"
        raise refused("EXC014", message, "use names without a domain, or export containerlab")
    lab.chosen(dict.fromkeys(_DEVICES, ""))
    routed = all(item.asn for item in plant.switches)
    tree = {
        "name": fabric_name(plant),
        "provider": "clab",
        "defaults": _defaults(lab.images),
        # Spines share an AS number and have no sessions with each other (docs/module/bgp.md).
        **({"bgp": {"sessions": {"ipv4": ["ebgp"]}}} if routed else {}),
        "nodes": {item.name: _node(item, devices, routed=routed) for item in plant.devices},
        "links": [
            {
                "interfaces": [
                    {"node": end[0], "ifindex": indices[end]} for end in (cable.near, cable.far)
                ],
                "rocefab": known(edge_of(plant, cable)),
            }
            for cable in plant.cables
        ],
    }
    return Exported((text_file("netlab", "topology", "topology.yml", _HEAD + dump(tree)),))


def _defaults(images: Mapping[str, str]) -> dict[str, Any]:
    own = {device: {"clab": {"image": image}} for device, image in images.items()}
    return {
        "device": "frr",
        "const": {"MAX_NODE_ID_LENGTH": _NAME_LENGTH},
        "attributes": {"node": {"rocefab": "dict"}, "link": {"rocefab": "dict"}},
        **({"devices": own} if own else {}),
    }


def _node(device: Device, devices: Mapping[str, str], *, routed: bool) -> dict[str, Any]:
    own = {key: value for key, value in asdict(device).items() if key != "name"}
    if device.kind == "host":
        return {"device": "linux", "rocefab": known(own)}
    bgp = {"module": ["bgp"], "bgp": {"as": device.asn}} if routed else {}
    return {"device": devices.get(device.system, "frr"), **bgp, "rocefab": known(own)}


def _indices(plant: Plant) -> dict[End, int]:
    """Return the index of each port among the cabled ones of its device, from 1."""
    ports: dict[str, list[str]] = defaultdict(list)
    for device, port in _ends(plant):
        ports[device].append(port)
    return {
        (device, port): index
        for device, mine in ports.items()
        for index, port in enumerate(sorted(mine, key=natural_key), 1)
    }


def _ends(plant: Plant) -> Iterator[End]:
    for cable in plant.cables:
        yield cable.near
        yield cable.far


exporters.add("netlab")(
    Exporter(
        {"topology": _topology, "frr": _frr},
        standard=("topology",),
        about=About.LAB,
        title="virtual lab of netlab",
    )
)
