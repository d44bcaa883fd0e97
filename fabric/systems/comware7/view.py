"""What the Comware 7 templates cannot decide: tables, queues, cells, and what cannot be said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from ipaddress import ip_interface
from typing import TYPE_CHECKING

from fabric.core.netmask import with_mask
from fabric.core.units import s_to_min
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import own_cell_bytes, to_units
from fabric.render.object_names import ObjectNames
from fabric.systems.comware7.platforms import MAP_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile

#: Words of the queues 0 to 7 (grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd CMD-help, qos wfq).
QUEUE_WORDS = ("be", "af1", "af2", "af3", "af4", "ef", "cs6", "cs7")
PRIORITIES = range(8)
#: Values of one line of a map table: enough to read it, few enough for any line.
VALUES_PER_LINE = 8


@dataclass(frozen=True, slots=True)
class MapTable:
    """A map table: lines of (values, what they become)."""

    name: str
    lines: tuple[tuple[tuple[int, ...], int], ...]


@dataclass(frozen=True, slots=True)
class WredTable:
    """Marking of the lossless queues: (queue, low limit, high limit), in cells of the model."""

    name: str
    queues: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class FamilyView:
    """A family of routes of BGP.

    Parameters
    ----------
    networks, summaries : tuple of (address, mask)
        What is originated, and what is announced in place of it. The mask of IPv6 is a length.
    sessions : tuple of str
        Peers that exchange its routes.
    paths : int
        Equal paths: never more than these peers, since the range is that of the model.
    """

    name: str
    networks: tuple[tuple[str, str], ...]
    summaries: tuple[tuple[str, str], ...]
    sessions: tuple[str, ...]
    paths: int


@dataclass(frozen=True, slots=True)
class PortView:
    """A port with the words that its policy comes to; ``headroom_cells`` 0 is not rendered.

    ``prefix`` is what a NIC makes its address of; empty where it does not.
    """

    design: PortDesign
    address: str = ""
    mask: str = ""
    prefix: str = ""
    queues: tuple[tuple[str, int | None], ...] = ()
    wred: str = ""
    headroom_cells: int = 0


@dataclass(frozen=True, slots=True)
class Comware7View:
    """What the Comware 7 templates see.

    Parameters
    ----------
    map_tables : tuple of MapTable
        DSCP to class and priority, class to queue.
    wred : tuple of WredTable
        Marking; empty where thresholds cannot be rendered.
    families : tuple of FamilyView
        Families of routes of BGP.
    """

    map_tables: tuple[MapTable, ...]
    wred: tuple[WredTable, ...]
    ports: tuple[PortView, ...]
    gateways: tuple[tuple[int, str, str, int], ...]
    families: tuple[FamilyView, ...]
    arp_minutes: int


def view(device: DeviceDesign) -> Comware7View:
    """Return the view of a design."""
    cell_bytes = own_cell_bytes(device.sku)
    names = ObjectNames()
    tables = {
        profile.index: names.name("wred", _wred(profile, cell_bytes), f"ROCE{profile.suffix}")
        for profile in device.qos_profiles
        if cell_bytes and any(one.own_thresholds for one in profile.classes)
    }
    return Comware7View(
        map_tables=tuple(_map_tables(device.qos_profiles[0])),
        wred=tuple(WredTable(*one) for one in names.objects("wred")),
        ports=tuple(_ports(device, tables, cell_bytes)),
        gateways=tuple(
            (vlan.vlan, *with_mask(vlan.gateway_interface), vlan.mtu_bytes) for vlan in device.vlans
        ),
        families=tuple(_families(device)),
        arp_minutes=int(s_to_min(device.neighbours.arp_timeout_s)),
    )


def _families(device: DeviceDesign) -> Iterator[FamilyView]:
    networks = (device.loopback, *device.host_networks)
    yield _family(device, "ipv4", networks, device.summaries)
    if device.uses_ipv6:
        yield _family(device, "ipv6", device.host_networks6, device.summaries6)


def _family(
    device: DeviceDesign, name: str, networks: tuple[str, ...], summaries: tuple[str, ...]
) -> FamilyView:
    sessions = tuple(peer.address for peer in device.bgp.neighbours if name in peer.families)
    return FamilyView(
        name,
        tuple(map(with_mask, networks)),
        tuple(map(with_mask, summaries)),
        sessions,
        paths=max(min(device.bgp.max_paths, len(sessions)), 1),
    )


def _map_tables(profile: QosProfile) -> Iterator[MapTable]:
    identity, *by_dscp = MAP_TABLES
    yield MapTable(identity, tuple(((value,), value) for value in PRIORITIES))
    lines = tuple(_lines(profile.dscp_to_traffic_class))
    yield from (MapTable(name, lines) for name in by_dscp)


def _lines(mapped: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    for start in range(0, len(mapped), VALUES_PER_LINE):
        row = range(start, start + VALUES_PER_LINE)
        for export in dict.fromkeys(mapped[dscp] for dscp in row):
            yield tuple(dscp for dscp in row if mapped[dscp] == export), export


def _wred(profile: QosProfile, cell_bytes: int) -> tuple[tuple[int, int, int], ...]:
    unit = marking_unit("comware7")
    return tuple(
        (
            one.queue,
            to_units(one.kmin_bytes, unit, cell_bytes=cell_bytes),
            to_units(one.kmax_bytes, unit, cell_bytes=cell_bytes),
        )
        for one in profile.classes
        if one.own_thresholds
    )


def _ports(
    device: DeviceDesign, tables: dict[int, str], cell_bytes: int | None
) -> Iterator[PortView]:
    queues = {
        profile.index: tuple((QUEUE_WORDS[item.queue], item.percent) for item in profile.queues)
        for profile in device.qos_profiles
    }
    for port in device.ports:
        if port.qos is None:
            yield PortView(port)
            continue
        address, mask = with_mask(port.address) if port.address else ("", "")
        row = port.headroom.row if port.headroom else None
        index = port.qos.index
        yield PortView(
            port,
            address,
            mask,
            prefix=str(ip_interface(port.ipv6).network) if port.announces_router else "",
            queues=queues[index],
            wred=tables.get(index, ""),
            headroom_cells=math.ceil(row.headroom_bytes / cell_bytes) if row and cell_bytes else 0,
        )
