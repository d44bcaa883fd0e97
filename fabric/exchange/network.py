"""A plant as a networkx graph and back; the realised network as a plant.

The attributes are those of ``docs/reference/graph.md``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabric.exchange.plant import DISABLED, Cable, Device, Nic, Plant, PlantTenant
from fabric.exchange.values import CABLE_WORDS, known
from fabric.topology.graph import graph
from fabric.topology.naming import nic_names
from fabric.topology.tenants import UNASSIGNED, route_target, vrf_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import networkx as nx

    from fabric.exchange.draft import Draft, Place
    from fabric.exchange.plant import End
    from fabric.topology.model import Fabric


#: Attribute of a node by our field, where the names differ.
_NODE_WORDS = {"model": "sku", "system": "platform"}
_FLAT_ADDRESSES, _FLAT_IPV6 = ("near_address", "far_address"), ("near_ipv6", "far_ipv6")
_FLAT_ENDS = ("near_device", "near_port", "far_device", "far_port")
_NIC = ("rail", "nic_port", "rdma_device")


def network(plant: Plant, *, flat: bool = False) -> nx.MultiGraph[str]:
    """Return devices as nodes and cables as edges.

    Parameters
    ----------
    flat : bool
        Only attributes that are text or numbers, for forms that know no others.
    """
    import networkx as nx

    drawn: nx.MultiGraph[str] = nx.MultiGraph(name=plant.name)
    for device in plant.devices:
        values = {_NODE_WORDS.get(key, key): value for key, value in asdict(device).items()}
        drawn.add_node(values.pop("name"), **known(values))
    edge = _flat_edge if flat else edge_of
    for cable in plant.cables:
        near = cable.far if cable.far in plant.nic else cable.near
        key = " ".join(near)
        drawn.add_edge(cable.near[0], cable.far[0], key=key, **known(edge(plant, cable)))
    return drawn


def take(
    draft: Draft, nodes: Iterable[Mapping[str, Any]], edges: Iterable[Mapping[str, Any]]
) -> None:
    """Take nodes and edges in as plain mappings; a node has its name as ``id``."""
    back = {ours: field for field, ours in _NODE_WORDS.items()}
    fields = (
        *("kind", "role", "unit", "pod", "rack", "rail", "plane", "asn", "loopback"),
        *("sku", "platform", "management", "serial", "mac"),
    )
    hosts: set[str] = set()
    for number, node in enumerate(nodes):
        place = draft.place(what=f"nodes[{number}]")
        values = {back.get(key, key): node.get(key) for key in fields}
        if values["kind"] == "host":
            values["role"] = None
            hosts.add(str(node.get("id")))
        draft.device(node.get("id"), place, values, source_role=True)
    for number, edge in enumerate(edges):
        take_edge(draft, edge, draft.place(what=f"edges[{number}]"), hosts)


def take_edge(draft: Draft, edge: Mapping[str, Any], place: Place, hosts: Collection[str]) -> None:
    """Take the attributes of an edge in, as `edge_of` has them."""
    ports = edge.get("ports")
    if isinstance(ports, dict):
        ends = [(str(device), str(port)) for device, port in ports.items()]
    else:
        flat = [str(edge.get(name, "")) for name in _FLAT_ENDS]
        ends = [(flat[0], flat[1]), (flat[2], flat[3])]
    if len(ends) != 2 or not all(all(end) for end in ends):  # noqa: PLR2004 - both ends
        message = "expected two ends, each with a device and a port"
        draft.wrong("EXC006", message, "use the form {device: port, device: port}", place)
        return
    figures = {name: edge.get(name) for name in CABLE_WORDS}
    figures["state"] = DISABLED if edge.get("enabled") is False else None
    addresses, ipv6 = edge.get("addresses"), edge.get("ipv6")
    for of_ends, names in ((addresses, _FLAT_ADDRESSES), (ipv6, _FLAT_IPV6)):
        if isinstance(of_ends, dict):
            known_ends = (None if end[0] in hosts else of_ends.get(end[0]) for end in ends)
            figures |= dict(zip(names, known_ends, strict=True))
    draft.cable(ends[0], ends[1], place, figures)
    nic = next((end for end in ends if end[0] in hosts), None)
    if edge.get("kind") == "nic" and nic is not None:
        values = {name: edge.get(name) for name in _NIC}
        address = addresses.get(nic[0]) if isinstance(addresses, dict) else edge.get("address")
        own = ipv6.get(nic[0]) if isinstance(ipv6, dict) else ipv6
        values |= {"address": address, "mac": edge.get("nic_mac"), "ipv6": own}
        draft.nic(*nic, place, values)


def edge_of(plant: Plant, cable: Cable) -> dict[str, Any]:
    """Return the attributes of a cable, and of its NIC where it has one."""
    nic = plant.nic.get(cable.near) or plant.nic.get(cable.far)
    attributes: dict[str, Any] = {
        "kind": "nic" if nic else "uplink",
        "ports": dict((cable.near, cable.far)),
        "speed_gbps": cable.speed_gbps,
        "cable_m": cable.cable_m,
        "vlan": cable.vlan,
        "enabled": False if cable.state == DISABLED else None,
    }
    if nic is not None:
        attributes |= {name: getattr(nic, name) for name in _NIC}
        attributes["nic_mac"] = nic.mac
    ends = dict(zip((cable.near[0], cable.far[0]), cable.addresses, strict=True))
    addresses = known(ends | ({nic.host: nic.address} if nic else {}))
    attributes["addresses"] = addresses or None
    ends = dict(zip((cable.near[0], cable.far[0]), cable.ipv6, strict=True))
    attributes["ipv6"] = known(ends | ({nic.host: nic.ipv6} if nic else {})) or None
    return attributes


def _flat_edge(plant: Plant, cable: Cable) -> dict[str, Any]:
    attributes = edge_of(plant, cable)
    del attributes["addresses"], attributes["ipv6"], attributes["ports"]
    attributes |= dict(zip(_FLAT_ENDS, (*cable.near, *cable.far), strict=True))
    attributes |= dict(zip(_FLAT_ADDRESSES, cable.addresses, strict=True))
    attributes |= dict(zip(_FLAT_IPV6, cable.ipv6, strict=True))
    nic = plant.nic.get(cable.near) or plant.nic.get(cable.far)
    attributes |= {"address": nic.address, "ipv6": nic.ipv6} if nic else {"address": ""}
    return attributes


def plant(fabric: Fabric) -> Plant:
    """Return devices, cables and cabled NICs of a realised network."""
    network = graph(fabric)
    edges = [data for *_, data in network.edges(data=True) if all(data["ports"].values())]
    macs = _macs(fabric)
    nodes: list[tuple[str, dict[str, Any]]] = [
        (name, dict(data)) for name, data in network.nodes(data=True)
    ]
    pods = {data["unit"]: data.get("pod") for _, data in nodes if data["role"] == "leaf"}
    return Plant(
        fabric.intent.fabric.name,
        tuple(
            _device(fabric, name, {**data, "pod": data.get("pod") or pods.get(data["unit"])})
            for name, data in nodes
        ),
        tuple(_cable(data) for data in edges),
        tuple(_nic(fabric, data, macs) for data in edges if data["kind"] == "nic"),
        tenants=_tenants(fabric),
    )


def _tenants(fabric: Fabric) -> tuple[PlantTenant, ...]:
    tenants, nics = fabric.tenants, fabric.nics
    if tenants is None:
        return ()
    ends: list[set[End]] = [set() for _ in tenants.items]
    for row, owner in enumerate(tenants.of_nic.tolist()):
        if owner != UNASSIGNED and nics.port[row]:
            host, leaf = fabric.hosts.names[int(nics.host[row])], int(nics.leaf[row])
            interface = nic_names(fabric, host)[row % fabric.nics_per_host].interface
            port = fabric.switches.names[leaf], fabric.port_name(leaf, int(nics.port[row]))
            ends[owner] |= {(host, interface), port}
    return tuple(
        PlantTenant(
            item.value.name,
            vrf_name(item.value),
            "" if tenants.is_local else route_target(tenants.tenancy, item.value),
            frozenset(own),
            tuple(tenants.names[other] for other in tenants.partners(row)),
        )
        for row, (item, own) in enumerate(zip(tenants.items, ends, strict=True))
    )


def _device(fabric: Fabric, name: str, data: dict[str, Any]) -> Device:
    unit, pod = data["unit"] or "", data["pod"]
    if data["kind"] == "host":
        of_host = [item.value for item in fabric.intent.host_overrides.get(name, ())]
        rack, serial = _last(of_host, "rack"), _last(of_host, "serial")
        return Device(name, "host", unit=unit, pod=_text(pod), rack=rack, serial=serial)
    overrides = [item.value for item in fabric.intent.device_overrides.get(name, ())]
    return Device(
        name,
        "switch",
        role=data["role"],
        unit=unit,
        pod=_text(pod),
        rail=data["rail"],
        plane=data.get("plane"),
        model=data["sku"],
        system=data["platform"],
        asn=data["asn"],
        loopback=data["loopback"],
        rack=_last(overrides, "rack"),
        serial=_last(overrides, "serial"),
        mac=_last(overrides, "mac"),
    )


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _last(overrides: list[Any], field: str) -> str:
    """Return what the last override says of a field; empty where none does."""
    return next((text for item in reversed(overrides) if (text := getattr(item, field))), "")


def _macs(fabric: Fabric) -> dict[tuple[str, int, int], str]:
    """Return MAC addresses by host, rail and port of the NIC; a later override wins."""
    return {
        (name, nic.rail, getattr(nic, "nic_port", 0)): nic.mac
        for name, overrides in fabric.intent.host_overrides.items()
        for override in overrides
        for nic in override.value.nics
        if nic.mac
    }


def _cable(data: dict[str, Any]) -> Cable:
    one, other = data["ports"].items()
    (near, far), (near6, far6) = (
        [data.get(name, {}).get(end[0], "") for end in (one, other)]
        for name in ("addresses", "ipv6")
    )
    if data["kind"] == "nic":
        near = near6 = ""  # the host comes first, and its address is that of its NIC
    return Cable.between(
        *(one, other, data["speed_gbps"], data["cable_m"], (near, far), data.get("vlan")),
        state="" if data["enabled"] else DISABLED,
        ipv6=(near6, far6),
    )


def _nic(fabric: Fabric, data: dict[str, Any], macs: dict[tuple[str, int, int], str]) -> Nic:
    host, interface = next(
        (name, port) for name, port in data["ports"].items() if name in fabric.host_row
    )
    names = [own.interface for own in nic_names(fabric, host)]
    nic_port = names.index(interface) % (len(names) // fabric.rails)
    return Nic(
        host,
        interface,
        data["rail"],
        nic_port,
        data["rdma_device"],
        data["addresses"][host],
        macs.get((host, data["rail"], nic_port), ""),
        data.get("ipv6", {}).get(host, ""),
    )
