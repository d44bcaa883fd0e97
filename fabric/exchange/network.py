"""A plant as a networkx graph and back, with the attributes of ``docs/graph.md``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import networkx as nx

    from fabric.exchange.draft import Draft
    from fabric.exchange.plant import Cable, Plant

#: Attribute of a node by our field, where the names differ.
_NODE_WORDS = {"model": "sku", "system": "platform"}
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

    made: nx.MultiGraph[str] = nx.MultiGraph(name=plant.name)
    for device in plant.devices:
        values = {_NODE_WORDS.get(key, key): value for key, value in asdict(device).items()}
        made.add_node(values.pop("name"), **_known(values))
    edge = _flat_edge if flat else _edge
    for cable in plant.cables:
        near = cable.far if cable.far in plant.nic else cable.near
        key = " ".join(near)
        made.add_edge(cable.near[0], cable.far[0], key=key, **_known(edge(plant, cable)))
    return made


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
        known = {back.get(key, key): node.get(key) for key in fields}
        if known["kind"] == "host":
            known["role"] = None
            hosts.add(str(node.get("id")))
        draft.device(node.get("id"), place, known)
    for number, edge in enumerate(edges):
        if edge.get("enabled") is not False:
            _take_edge(draft, edge, f"edges[{number}]", hosts)


def _take_edge(draft: Draft, edge: Mapping[str, Any], what: str, hosts: set[str]) -> None:
    place = draft.place(what=what)
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
    figures = {name: edge.get(name) for name in ("speed_gbps", "cable_m")}
    draft.cable(ends[0], ends[1], place, figures)
    nic = next((end for end in ends if end[0] in hosts), None)
    if edge.get("kind") == "nic" and nic is not None:
        known = {name: edge.get(name) for name in _NIC}
        addresses = edge.get("addresses")
        told = addresses.get(nic[0]) if isinstance(addresses, dict) else edge.get("address")
        known |= {"address": told, "mac": edge.get("nic_mac")}
        draft.nic(*nic, place, known)


def _edge(plant: Plant, cable: Cable) -> dict[str, Any]:
    nic = plant.nic.get(cable.near) or plant.nic.get(cable.far)
    found: dict[str, Any] = {
        "kind": "nic" if nic else "uplink",
        "ports": dict((cable.near, cable.far)),
        "speed_gbps": cable.speed_gbps,
        "cable_m": cable.cable_m,
    }
    if nic is not None:
        found |= {name: getattr(nic, name) for name in _NIC}
        found["nic_mac"] = nic.mac
        found["addresses"] = {nic.host: nic.address} if nic.address else None
    return found


def _flat_edge(plant: Plant, cable: Cable) -> dict[str, Any]:
    found = _edge(plant, cable)
    addresses = found.pop("addresses", None) or {}
    del found["ports"]
    found |= dict(zip(_FLAT_ENDS, (*cable.near, *cable.far), strict=True))
    found["address"] = next(iter(addresses.values()), "")
    return found


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None and value != ""}
