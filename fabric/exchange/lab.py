"""A fabric as a virtual lab: images of its nodes, and the interfaces of containers for ports."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from fabric.core.exports import refused
from fabric.core.hostlist import natural_key
from fabric.core.shown import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.exchange.plant import Device, End, Plant

#: What a reference of an image consists of: distribution/reference, reference.go.
_IMAGE = re.compile(r"[a-z0-9][a-zA-Z0-9._:/@-]{0,254}")
#: A name that Linux takes (IFNAMSIZ of include/uapi/linux/if.h, less the zero at its end).
_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}")
#: Interfaces that a container has: of the lab's management network, and the loopback.
_TAKEN = frozenset({"eth0", "lo"})
#: Ports of Arista switches that containers have: containerlab, docs/manual/kinds/ceos.md.
_ARISTA = re.compile(r"Ethernet([1-9][0-9]*(?:/[1-9][0-9]*){0,2})")


@dataclass(frozen=True)
class Lab:
    """A fabric, and the images that a user names for its nodes.

    Parameters
    ----------
    images : mapping
        Image of containers by kind of node.
    """

    plant: Plant
    images: Mapping[str, str] = field(default_factory=dict)

    def chosen(self, kinds: Mapping[str, str]) -> dict[str, str]:
        """Return the image of each kind, of the user or the usual one.

        Raises
        ------
        InputError
            When a kind is not among them, or an image is no reference of one.
        """
        for kind, image in self.images.items():
            if kind not in kinds:
                message = f"unknown kind {quoted(kind)}; available: {listed(sorted(kinds), 'and')}"
                raise refused("EXC014", message, "use --lab-image KIND=IMAGE")
            if not _IMAGE.fullmatch(image):
                message = f"{quoted(image)} is not the name of an image"
                raise refused("EXC014", message, "use the form registry/name:tag")
        return {**kinds, **self.images}


def interfaces(plant: Plant, *, numbered: frozenset[str], arista: frozenset[str]) -> dict[End, str]:
    """Return the interface of the container for each cabled port.

    Parameters
    ----------
    numbered : frozenset of str
        Switches whose interfaces are ``eth1`` and up, in the order of their ports.
    arista : frozenset of str
        Switches whose ``Ethernet1/2`` is ``eth1_2``.
    """
    ports: dict[str, list[str]] = defaultdict(list)
    for cable in plant.cables:
        for device, port in (cable.near, cable.far):
            ports[device].append(port)
    names: dict[End, str] = {}
    for device, mine in ports.items():
        mine.sort(key=natural_key)
        own = [
            "" if device in numbered else _arista(port) if device in arista else _linux(port)
            for port in mine
        ]
        names |= {(device, port): name for port, name in zip(mine, _filled(own), strict=True)}
    return names


def _arista(port: str) -> str:
    match = _ARISTA.fullmatch(port)
    return f"eth{match[1].replace('/', '_')}" if match else ""


def _linux(port: str) -> str:
    name = re.sub(r"[/:]", "_", port)
    return name if _INTERFACE.fullmatch(name) and name not in _TAKEN else ""


def _filled(names: list[str]) -> list[str]:
    """Return names, with the next free ``ethN`` for what has none, or that of another port."""
    used = set(names)
    rest = (name for name in (f"eth{number}" for number in count(1)) if name not in used)
    seen: set[str] = set()
    filled = []
    for name in names:
        filled.append(next(rest) if not name or name in seen else name)
        seen.add(name)
    return filled


def fabric_name(plant: Plant) -> str:
    """Return a name that a lab can have; names of inventories are such."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", plant.name).strip("-_") or "fabric"


def of_system(plant: Plant, *systems: str) -> frozenset[str]:
    """Return the switches of some systems."""
    return frozenset(item.name for item in plant.switches if item.system in systems)


def group_of(device: Device) -> str:
    """Return what a node is drawn with."""
    return device.role or device.kind
