"""Running configurations: cables from descriptions, peer networks and LLDP.

What configurations say is put as what LLDP would see, so that the same rules say which cables are
sure. Descriptions count where both ends agree, or where one names the other and that says nothing
else; two ports in one network of two addresses (RFC 3021, RFC 6164) are a cable.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.importers import lldp
from fabric.exchange.link_pools import in_order_of_links
from fabric.exchange.longest_cables import with_lengths
from fabric.exchange.port_text import far_end
from fabric.exchange.values import malformed
from fabric.exchange.vrfs import joined
from fabric.intent.scalars import LINK_LENGTHS, PAIR6

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabric.exchange.plant import End

    Rows = list[dict[str, Any]]

#: The highest value of `bgp.allowas_in`.
_MOST_OFTEN = 9
#: Lengths of networks that only the two ends of a cable have, by version of IP.
_OF_CABLES = {4: {*LINK_LENGTHS}, 6: {PAIR6}}


def parse(data: Any, shown: str, settings: Settings) -> Imported:
    """Return the fabric that configurations describe.

    Parameters
    ----------
    data : list of dict
        A mapping for each switch: ``device``, ``system``, ``model``, ``asn``, ``loopback``,
        ``management`` with the servers of each field, its
        ``ports`` with ``description``, ``speed_gbps``, ``cable_m``, ``longest_m``, ``addresses``,
        ``ipv6``, ``vlan`` and its ``gateways``, ``allowas_in``, ``vrfs`` of tenants, the
        address of its ``tunnel_end``, speeds of its ``front_ports``, and ``lldp`` where that was
        read.

    Raises
    ------
    InputError
        When a device cannot be taken in.
    """
    imported = lldp.parse([*_Evidence(data).seen()], shown, settings)
    often = max((row["allowas_in"] for row in data), default=0)
    short = Draft.of(shown, settings, closed=True).short
    texts = {
        (short(row["device"]), port): str(known["description"])
        for row in data
        for port, known in row["ports"].items()
        if known["description"]
    }
    longest = {
        (short(row["device"]), port): known["longest_m"]
        for row in data
        for port, known in row["ports"].items()
        if known["longest_m"]
    }
    switches = {short(row["device"]) for row in data}
    plant, notes = with_lengths(imported.plant, longest, switches, shown)
    return replace(
        imported,
        plant=replace(plant, cables=in_order_of_links(plant)),
        notes=(*imported.notes, *notes),
        allowas_in=min(often, _MOST_OFTEN),
        descriptions=texts,
        management=_servers(data),
        tunnel_ends={short(row["device"]): row["tunnel_end"] for row in data},
        vrfs=joined({short(row["device"]): row["vrfs"] for row in data}),
        ports={short(row["device"]): row["front_ports"] for row in data},
    )


def _servers(data: Rows) -> dict[str, list[str]]:
    """Return the servers of all switches by field of ``management``, those of most switches first.

    A fabric has one list for all of its switches.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in data:
        for field, servers in row["management"].items():
            counts[field].update(servers)
    found = {field: [name for name, _ in of.most_common()] for field, of in counts.items()}
    return {field: servers for field, servers in found.items() if servers}


class _Evidence:
    def __init__(self, data: Rows) -> None:
        self._rows = data
        self._names = {row["device"].lower(): row["device"] for row in data}
        self._ports = {row["device"]: {name.lower(): name for name in row["ports"]} for row in data}
        self._alone: list[End] = []
        self._pairs = self._peers()

    def seen(self) -> Iterator[dict[str, Any]]:
        unread: dict[str, dict[str, Any]] = defaultdict(dict)
        for row in self._rows:
            device = row["device"]
            far_ends = {port: self._far_ends(row, port) for port in row["ports"]}
            for device_far, port_far in (end for ends in far_ends.values() for end in ends):
                if device_far.lower() not in self._names and port_far:
                    unread[device_far][port_far] = {}
            yield {
                "device": device,
                "platform": row["system"],
                "values": {"asn": row["asn"], "loopback": row["loopback"]},
                "notes": [*row["notes"], *self._notes(row, far_ends)],
                "state": {
                    "facts": {"hostname": device, "model": row["model"]},
                    "interfaces": {port: _reached(known) for port, known in row["ports"].items()},
                    "lldp": {
                        port: [{"system_name": name, "port_id": far} for name, far in ends]
                        for port, ends in far_ends.items()
                    },
                },
            }
        for name, interfaces in unread.items():
            state = {"facts": {"hostname": name}, "interfaces": interfaces, "lldp": {}}
            yield {"device": name, "platform": "", "kind": "", "state": state, "unread": True}

    def _far_ends(self, row: Mapping[str, Any], port: str) -> list[End]:
        """Return the far ends that are named for a port: of LLDP, else of all the rest."""
        seen = row["lldp"].get(port)
        if seen:
            return [(str(name), str(far)) for name, far in seen]
        pair = self._pairs.get((row["device"], port))
        description = row["ports"][port]["description"]
        named = far_end(description, row["device"], self._ports, self._names)
        if pair and named and named[0] == pair[0] and named[1] in {"", pair[1]}:
            return [pair]
        return [end for end in dict.fromkeys((pair, named)) if end]

    def _peers(self) -> dict[End, End]:
        """Return the ends of networks that exactly two ports share, each by the other."""
        by_network: dict[str, set[End]] = defaultdict(set)
        for row in self._rows:
            for port, known in row["ports"].items():
                for text in (*known["addresses"], *known["ipv6"]):
                    network = ipaddress.ip_interface(text).network
                    if network.prefixlen in _OF_CABLES[network.version]:
                        by_network[str(network)].add((row["device"], port))
        pairs: dict[End, End] = {}
        for ends in by_network.values():
            both = sorted(ends)
            if len(both) == 1:
                self._alone += both
            elif len(both) == 2 and both[0][0] != both[1][0]:  # noqa: PLR2004 - a cable
                pairs |= {both[0]: both[1], both[1]: both[0]}
        return pairs

    def _notes(
        self, row: Mapping[str, Any], far_ends: Mapping[str, list[End]]
    ) -> Iterator[tuple[str, str, str]]:
        fix = "add the configuration of the other end, or describe the port"
        lonely = {port for device, port in self._alone if device == row["device"]}
        lonely |= {port for port in row["unnumbered"] if port in far_ends}
        for port in sorted(lonely):
            if not far_ends[port]:
                what = "ports have a peer that no file names; their cables are unknown"
                yield what, fix, f"{row['device']} {port}"


def _reached(port: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a port: its address, or that of the gateway of its VLAN, and more.

    The address of a family is told where there is one alone.
    """
    families = {"address": port["addresses"] or port["gateways"], "ipv6": port["ipv6"]}
    address = {key: texts[0] for key, texts in families.items() if len(texts) == 1}
    vlan = {"vlan": port["vlan"]} if port["vlan"] else {}
    figures = {key: port[key] for key in ("speed_gbps", "cable_m")}
    return address | vlan | figures | {"enabled": port["enabled"]}


def _read(path: Path, settings: Settings) -> Imported:
    del settings
    fix = "specify a folder with running configurations"
    raise malformed(path, "this is neither a configuration nor a folder of them", fix)


importers.add("configs")(Importer(_read, parse, has_roles=False))
