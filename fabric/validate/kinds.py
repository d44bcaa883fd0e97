"""Kinds of ports: those with one lossless buffer are judged once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.platforms import platforms
from fabric.topology.model import NO_PORT
from fabric.topology.pause_response import PauseResponses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import HeadroomProfile, PortDesign
    from fabric.topology.model import Fabric, Ints

#: Bits of a key: response of the peer, cable length in m, speed in Gb/s, host port or not, lanes;
#: the rest is the class.
_BITS = (12, 17, 12, 1, 4)
#: Bits of a port number beside the row of its switch.
_PORT_BITS = 12


@dataclass(frozen=True, slots=True)
class LosslessKind:
    """All ports with one lossless buffer: the first of them, and how many there are."""

    device: DeviceDesign
    port: PortDesign
    headroom: HeadroomProfile
    ports: int
    switches: int

    @property
    def title(self) -> str:
        """Switch model, speed and length, for messages; also the length that is set, if another."""
        group = self.headroom
        length = f"{group.cable_m} m{group.setting_words}"
        return f"{self.device.sku.name} at {group.speed_gbps}G and {length}"


@dataclass(frozen=True, eq=False, slots=True)
class _Alike:
    """Cabled ports that follow from the same values: the first, and the switch row of each."""

    switch: int
    port: int
    switches: Ints


def lossless_kinds(fabric: Fabric, devices: Mapping[str, DeviceDesign]) -> tuple[LosslessKind, ...]:
    """Return every distinct lossless buffer of host ports and of uplinks, by their first port.

    Of ports that follow from the same values one is designed.
    """
    firsts: dict[tuple[str, int], tuple[DeviceDesign, PortDesign, HeadroomProfile]] = {}
    owners: dict[tuple[str, int], list[Ints]] = {}
    for alike in sorted(_alike(fabric), key=lambda one: (one.switch, one.port)):
        device = devices[fabric.switches.names[alike.switch]]
        port = next(port for port in device.ports if port.number == alike.port)
        if port.headroom:
            key = port.kind, id(port.headroom)
            firsts.setdefault(key, (device, port, port.headroom))
            owners.setdefault(key, []).append(alike.switches)
    every = {key: np.concatenate(rows) for key, rows in owners.items()}
    return tuple(
        LosslessKind(*first, len(every[key]), len(np.unique(every[key])))
        for key, first in firsts.items()
    )


def _alike(fabric: Fabric) -> list[_Alike]:
    switch, port, *values = _cabled_ports(fabric)
    kind, lanes = _classes(fabric, switch, port, _longest_m(fabric, switch, values[2]))
    key = kind
    for column, bits in zip((lanes, *values), reversed(_BITS), strict=True):
        key = key << bits | column
    order = np.lexsort((switch << _PORT_BITS | port, key))
    key, switch, port = key[order], switch[order], port[order]
    starts = np.flatnonzero(np.diff(key, prepend=-1)).tolist()
    ends = [*starts[1:], len(key)]
    return [
        _Alike(int(switch[start]), int(port[start]), switch[start:end])
        for start, end in zip(starts, ends, strict=False)  # without cables there is but an end
    ]


def _cabled_ports(fabric: Fabric) -> list[Ints]:
    """Return of each port with a cable: switch, number, 1 for a host, speed, length and peer."""
    nics, up = fabric.nics, fabric.uplinks
    cabled = nics.port != NO_PORT
    switches, hosts = PauseResponses(fabric).numbers
    nic = (nics.leaf, nics.port, nics.speed_gbps, nics.cable_m, hosts[nics.host])
    leaf, port, *values = (column[cabled] for column in nic)
    ends = [
        (leaf, port, 1, *values),
        (up.lower, up.lower_port, 0, up.speed_gbps, up.cable_m, switches[up.upper]),
        (up.upper, up.upper_port, 0, up.speed_gbps, up.cable_m, switches[up.lower]),
    ]
    columns = [[np.broadcast_to(value, end[0].shape) for value in end] for end in ends]
    return [np.concatenate(parts) for parts in zip(*columns, strict=True)]


def _longest_m(fabric: Fabric, switch: Ints, cable_m: Ints) -> Ints:
    """Return the longest cable of each switch whose ports have one setting; else 0."""
    longest = np.zeros(len(fabric.switches), np.int64)
    np.maximum.at(longest, switch, cable_m)
    shared = [platforms[sku.nos].one_cable_length for sku in fabric.switches.skus]
    return np.where(shared, longest, 0)


def _classes(fabric: Fabric, switch: Ints, port: Ints, longest_m: Ints) -> tuple[Ints, Ints]:
    """Return what else a buffer follows from, as a number for each port, and its lanes.

    Model, role, longest cable and overrides of a switch; where these change the policy of ports,
    each port of each switch is of its own class.
    """
    switches, overrides = fabric.switches, fabric.intent.device_overrides
    known: dict[tuple[object, ...], int] = {}
    numbers, own = np.empty(len(switches), np.int64), np.zeros(len(switches), bool)
    lanes: dict[int, Ints] = {}
    lane_rows = np.empty(len(switches), np.int64)
    for row, (name, sku) in enumerate(zip(switches.names, switches.skus, strict=True)):
        if id(sku) not in lanes:
            counts = [len(sku.lanes(number)) for number in range(1, sku.port_count + 1)]
            lanes[id(sku)] = np.array([0, *counts])
        mine = overrides.get(name, ())
        own[row] = any(change.lossless for one in mine for change in one.value.ports.values())
        key = (
            id(sku),
            int(switches.tier[row]),
            int(longest_m[row]),
            *(id(one.value) for one in mine),
        )
        numbers[row] = known.setdefault(key, len(known))
        lane_rows[row] = list(lanes).index(id(sku))
    width = max(len(counts) for counts in lanes.values())
    table = np.array([np.pad(counts, (0, width - len(counts))) for counts in lanes.values()])
    single = len(known) + (np.cumsum(own) << _PORT_BITS)
    kind = np.where(own[switch], single[switch] + port, numbers[switch])
    return kind, table[lane_rows[switch], port]
