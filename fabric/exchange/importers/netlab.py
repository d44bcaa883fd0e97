"""netlab: nodes with devices and groups, and the links between two of them.

Form: ipspace/netlab, docs/nodes.md, docs/links.md (five ways to write a link) and docs/groups.md.
Indices of interfaces follow netsim/augment/links.py, ``get_unique_ifindex``: the lowest one that is
free, in the order of the links. What plugins and components make is read from the output of
``netlab create -o json=FILE``.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from fabric.core.shown import quoted
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.lab_words import kind_and_role
from fabric.exchange.network import take_edge
from fabric.exchange.notes import Notes
from fabric.exchange.values import DEVICE_WORDS
from fabric.exchange.yaml_source import YamlSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabric.exchange.plant import End
    from fabric.exchange.yaml_source import Where

_FIX = "see docs/nodes.md and docs/links.md of netlab"
_EXPANDED = "import the output of `netlab create -o json=FILE`"
#: Index of the first interface where it is not 1: netsim/devices, ``ifindex_offset``.
_FIRST_INDEX = {
    **dict.fromkeys(("asav", "cisco8000v", "iosxr", "junos", "sonic", "xr"), 0),
    **dict.fromkeys(("csr", "fortios", "routeros", "routeros7"), 2),
}
_MAX_INDEX = 1000
#: Links without a cable (netsim/defaults/attributes.yml, ``link.type``).
_VIRTUAL = {"loopback", "tunnel", "vlan_member"}
#: Attributes of links that are not read; the unit of a bandwidth is that of each device.
_NOT_READ = {"bandwidth", "ipv4", "ipv6"}
#: The kind of a node of ours, and netlab's word for a device without routing (docs/node/roles.md).
_HOST = "host"


class _Topology:
    def __init__(self, path: Path, settings: Settings) -> None:
        self._draft = Draft.of(path, settings)
        self._source = YamlSource(path, self._draft, _FIX)
        self._notes = Notes(str(path))
        self._roles = settings.roles
        self._devices: dict[str, str] = {}
        self._groups_of: dict[str, list[str]] = defaultdict(list)
        self._group_device: dict[str, str] = {}
        self._hosts: set[str] = set()
        self._used: dict[str, set[int]] = defaultdict(set)
        self._numbers: dict[End, int] = {}

    def imported(self) -> Imported:
        nodes = dict(self._nodes())
        if not nodes:
            self._draft.wrong("EXC006", "there are no nodes", _EXPANDED, self._draft.place())
        self._groups()
        for name, (where, node) in nodes.items():
            self._node(name, where, node)
        for place, links in self._link_lists():
            for where, link in self._links(place, links):
                self._link(where, link)
        for key in ("plugin", "components"):
            if self._source.data.get(key):
                self._notes.warn(f"{key}: nodes and links that it makes are not read", _EXPANDED)
        name = self._source.text(("name",), self._source.data.get("name"))
        plant = self._draft.plant(name)
        return Imported(plant, self._notes.all(), numbers=self._numbers)

    def _nodes(self) -> Iterator[tuple[str, tuple[Where, dict[str, Any]]]]:
        value = self._source.data.get("nodes")
        if isinstance(value, dict):
            whole: dict[str, tuple[Where, dict[str, Any]]] = {}
            for key, node in value.items():
                where: Where = ("nodes", key)
                name, dot, rest = str(key).partition(".")  # docs/topology/hierarchy.md
                body = {rest: node} if dot else self._source.mapping(where, node)
                whole.setdefault(name, (where, {}))[1].update(body)
            yield from whole.items()
            return
        for number, item in enumerate(self._source.items(("nodes",), value)):
            where = ("nodes", number)
            node = self._source.mapping(where, item) if isinstance(item, dict) else {"name": item}
            yield self._source.text(where, node.pop("name", None)), (where, node)

    def _groups(self) -> None:
        """Take in which nodes are in each group, and its device."""
        groups = self._source.mapping(("groups",), self._source.data.get("groups"))
        for name, group in groups.items():
            where: Where = ("groups", name)
            if name.startswith("_"):
                continue
            body = self._source.mapping(where, group)
            self._group_device[name] = self._source.text((*where, "device"), body.get("device"))
            inner, members = (*where, "members"), body.get("members")
            members = [members] if isinstance(members, str) else members
            for at, member in enumerate(self._source.items(inner, members)):
                self._groups_of[self._source.text((*inner, at), member)].append(name)

    def _node(self, name: str, where: Where, node: dict[str, Any]) -> None:
        groups = list(self._groups_of[name])
        for at, group in enumerate(self._source.items((*where, "group"), node.get("group"))):
            groups.append(self._source.text((*where, "group", at), group))
        defaults = self._source.mapping(("defaults",), self._source.data.get("defaults"))
        devices = (
            self._source.text((*where, "device"), node.get("device")),
            *(self._group_device.get(group, "") for group in groups),
            self._source.text(("defaults", "device"), defaults.get("device")),
            self._source.text(("defaults.device",), self._source.data.get("defaults.device")),
        )
        device = next((word for word in devices if word), "")
        self._devices[name] = device
        own = self._source.mapping((*where, "rocefab"), node.get("rocefab"))
        values = self._values(where, node, own, (device, groups))
        if values["kind"] == _HOST:
            self._hosts.add(name)
        self._draft.device(name, self._source.place(where), values)

    def _values(
        self,
        where: Where,
        node: dict[str, Any],
        own: dict[str, Any],
        sort: tuple[str, list[str]],
    ) -> dict[str, object]:
        """Return what is known of a node: of ours, of its groups, role and device."""
        values: dict[str, object] = {key: own[key] for key in DEVICE_WORDS if key in own}
        device, groups = sort
        role = self._source.text((*where, "role"), node.get("role"))
        words = (str(values.pop("role", "")), *groups, role if role == _HOST else "")
        bgp = self._source.mapping((*where, "bgp"), node.get("bgp"))
        asn = values.get("asn") or bgp.get("as") or node.get("bgp.as")
        mgmt = self._source.mapping((*where, "mgmt"), node.get("mgmt"))
        told_of = (mgmt.get(one) or node.get(f"mgmt.{one}") for one in ("ipv4", "ipv6"))
        address = values.get("management") or next(filter(None, told_of), None)
        told = kind_and_role(words, device, self._roles)
        if told["kind"] == _HOST:
            asn = values.pop("asn", None)
        return {**told, **values, "asn": asn, "management": address}

    def _link_lists(self) -> Iterator[tuple[Where, object]]:
        """Yield where links stand: by themselves, then those of VLANs and VRFs (docs/links.md)."""
        yield ("links",), self._source.data.get("links")
        for table in ("vlans", "vrfs"):
            for name, row in self._source.mapping((table,), self._source.data.get(table)).items():
                if isinstance(row, dict) and "links" in row:
                    fix = "name their interfaces if the ports are others"
                    self._notes.add(
                        "links of VLANs and VRFs are numbered after all others", fix, name
                    )
                    yield (table, name, "links"), row["links"]

    def _links(self, where: Where, value: object) -> Iterator[tuple[Where, Any]]:
        """Yield the links of lists, mappings of lists, and groups of links."""
        if isinstance(value, dict):
            for key, item in value.items():
                yield from self._links((*where, key), item)
            return
        items = [value] if isinstance(value, str) else self._source.items(where, value)
        for number, item in enumerate(items):
            mine: Where = where if isinstance(value, str) else (*where, number)
            if isinstance(item, dict) and "members" in item:
                yield from self._links((*mine, "members"), item["members"])
            elif isinstance(item, dict) and _true(item.get("disable")):
                name = " - ".join(node for node, _ in self._ends(mine, item, item))
                self._notes.add("links with disable are ignored", "nothing to do", name)
            else:
                yield mine, item

    def _link(self, where: Where, link: object) -> None:
        attributes = self._source.mapping(where, link) if isinstance(link, dict) else {}
        kind = self._source.text((*where, "type"), attributes.get("type"))
        ends = self._ends(where, link, attributes)
        name = " - ".join(node for node, _ in ends)
        for key in sorted(_NOT_READ & attributes.keys()):
            fix = "set addresses and speeds in the inventory"
            self._notes.add(f"links have {key}, which is not read", fix, name)
        if kind in _VIRTUAL:
            what = f"links of type {kind} have no cable and are ignored"
            self._notes.add(what, "nothing to do", name)
            return
        if "lag" in attributes:
            self._notes.add("links with members of a LAG are ignored", _EXPANDED, name)
            return
        unknown = [node for node, _ in ends if node not in self._devices]
        if unknown:
            fix = "add the nodes if they are part of the fabric"
            self._notes.add("links to undefined nodes are ignored", fix, name)
            return
        named = [self._port(where, node, interface) for node, interface in ends]
        if len(named) != 2:  # noqa: PLR2004 - both ends of a cable
            fix = "write a link for each cable"
            self._notes.add("links with another number of nodes than two are ignored", fix, name)
        elif named[0][0] == named[1][0]:
            fix = "correct one of the ends if it is a cable"
            self._notes.add("links from a node to itself are ignored", fix, name)
        else:
            self._cable(where, attributes, named)

    def _ends(
        self, where: Where, link: object, attributes: dict[str, Any]
    ) -> list[tuple[str, dict[str, Any]]]:
        """Return the nodes of a link, each with the attributes of its interface."""
        if isinstance(link, str):
            return [(node.strip(), {}) for node in link.split("-")]
        if isinstance(link, list):
            return [(self._source.text((*where, at), node), {}) for at, node in enumerate(link)]
        if not isinstance(link, dict):
            self._source.wrong(where, f"{quoted(str(link))} is not a link")
            return []
        if "interfaces" not in attributes:
            return [
                (key, self._source.mapping((*where, key), value))
                for key, value in attributes.items()
                if key in self._devices
            ]
        inner = (*where, "interfaces")
        rows = self._source.items(inner, attributes["interfaces"])
        ends = [self._source.mapping((*inner, at), row) if isinstance(row, dict)
                else {"node": row} for at, row in enumerate(rows)]  # fmt: skip
        return [
            (self._source.text((*inner, at), end.get("node")), end) for at, end in enumerate(ends)
        ]

    def _port(self, where: Where, node: str, interface: Mapping[str, Any]) -> End:
        """Return the port of a node, and keep its number."""
        first = _FIRST_INDEX.get(self._devices[node], 1)
        used = self._used[node]
        index = interface.get("ifindex")
        if index is None:
            index = next(at for at in range(first, first + len(used) + 1) if at not in used)
        elif type(index) is not int or not first <= index < _MAX_INDEX:
            message = f"ifindex of {node} is {quoted(str(index))}, not a number from {first}"
            self._source.wrong(where, message)
            return node, "eth0"
        used.add(index)
        name = self._source.text(where, interface.get("ifname")) or f"eth{index}"
        self._numbers[self._draft.short(node), name] = index - first + 1
        return node, name

    def _cable(self, where: Where, attributes: dict[str, Any], ends: list[End]) -> None:
        place = self._source.place(where)
        own = attributes.get("rocefab")
        if isinstance(own, dict) and isinstance(own.get("ports"), dict):
            if {str(name) for name in own["ports"]} == {node for node, _ in ends}:
                take_edge(self._draft, own, place, self._hosts)
                return
            fix = "remove the attribute rocefab from links that you connect elsewhere"
            name = " - ".join(node for node, _ in ends)
            self._notes.add("links have attributes of other nodes, which are ignored", fix, name)
        self._draft.cable(ends[0], ends[1], place, {})


def _true(value: object) -> bool:
    """Tell whether netlab takes a word for true."""
    return str(value).lower() in {"true", "yes", "on"}


def _read(path: Path, settings: Settings) -> Imported:
    return _Topology(path, settings).imported()


importers.add("netlab")(Importer(_read))
