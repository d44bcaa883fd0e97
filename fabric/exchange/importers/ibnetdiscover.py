"""InfiniBand as ``ibnetdiscover`` prints it: switches and channel adapters, port by port.

Form: linux-rdma/rdma-core, infiniband-diags/man/ibnetdiscover.8.in.rst, "TOPOLOGY FILE FORMAT",
and infiniband-diags/ibnetdiscover.c. Node descriptions: ``MF0;leaf-1:MQM8790/U1`` of managed
switches, ``gpu01 mlx5_0`` of adapters (rdma-ndd). Models of InfiniBand are not imported.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.notes import Notes
from fabric.exchange.values import is_name, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.exchange.plant import End

_NODE = re.compile(r'(Switch|Ca|Rt)\s+(\d+)\s+"([A-Z]-[0-9a-f]{1,16})"\s+#\s*"([^"]*)".*')
_PORT = re.compile(
    r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"([A-Z]-[0-9a-f]{1,16})"\[(\d+)\](?:\([0-9a-f]+\))?\s*#(.*)'
)
_WIDTH = re.compile(r"\b(1|2|4|8|12)x([A-Z]+[0-9]*)\b")
_HEAD = re.compile(r"(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=.*")
#: Gb/s of a lane: InfiniBand Architecture Specification, volume 2, link speeds.
_LANE_GBPS = {
    "SDR": 2.5,
    "DDR": 5,
    "QDR": 10,
    "FDR10": 10,
    "EDR": 25,
    "HDR": 50,
    "NDR": 100,
    "XDR": 200,
}
#: What cables of Ethernet have; ``fabric.intent.scalars`` has the same.
_GBPS = {10, 25, 40, 50, 100, 200, 400, 800}
_MANAGED = re.compile(r"[A-Z0-9]+;([^:;]+):[^/]*/U\d+")
#: RDMA devices, as ``rdma-ndd`` writes them; older descriptions have ``HCA-1``.
_DEVICE = re.compile(r"[a-z]+[0-9]*_[a-z0-9_]*[0-9]+")
#: Descriptions that no host has set: those of the factory (NVIDIA/topograph, tests/output/
#: ibnetdiscover/example.out: "MT4129 ConnectX7   Mellanox Technologies"), and of a nameless host.
_NO_HOST = re.compile(r"(MT\d+ .*|localhost\b.*|\(none\).*|)")
_AGGREGATION = "Aggregation Node"
_FORM = "provide the output of ibnetdiscover"


@dataclass
class _Node:
    kind: str
    ports: int
    text: str
    line: int


class _Network:
    def __init__(self, path: Path, settings: Settings) -> None:
        self._draft = Draft.of(path, settings)
        self._notes = Notes(str(path))
        self._nodes: dict[str, _Node] = {}
        self._links: list[tuple[tuple[str, int], tuple[str, int], str, int]] = []
        self._names: dict[str, str] = {}
        self._numbers: dict[End, int] = {}
        self._read(text_of(path))

    def imported(self) -> Imported:
        if not self._nodes:
            self._draft.wrong("EXC006", "there are no nodes", _FORM, self._draft.place())
        self._names = dict(self._named())
        for identity, name in self._names.items():
            node = self._nodes[identity]
            kind = "switch" if node.kind == "Switch" else "host"
            self._draft.device(name, self._draft.place(node.line), {"kind": kind})
        linked: set[End] = set()
        for one, other, text, line in self._links:
            self._link(one, other, text, line, linked)
        return Imported(self._draft.plant(), self._notes.all(), numbers=self._numbers)

    def _read(self, text: str) -> None:
        current = ""
        for number, line in enumerate(text.splitlines(), 1):
            plain = line.strip()
            node, port = _NODE.fullmatch(plain), _PORT.fullmatch(plain)
            if node:
                current = node[3]
                self._nodes.setdefault(current, _Node(node[1], int(node[2]), node[4], number))
            elif port and current:
                ends = (current, int(port[1])), (port[2], int(port[3]))
                self._links.append((*ends, port[4], number))
            elif plain and not plain.startswith("#") and not _HEAD.fullmatch(plain):
                message = "the line is neither a node nor a port"
                self._draft.wrong("EXC006", message, _FORM, self._draft.place(number))

    def _named(self) -> Iterator[tuple[str, str]]:
        """Yield a name for each node; switches with one description have that of their GUID."""
        plain = {key: self._plain(node) for key, node in self._nodes.items()}
        short = {key: self._draft.short(name) for key, name in plain.items()}
        times = Counter(short[key] for key, node in self._nodes.items() if node.kind == "Switch")
        for key, node in self._nodes.items():
            name = plain[key]
            if node.kind == "Rt" or _AGGREGATION in node.text:
                fix = "nothing to do: they carry no traffic of hosts"
                self._notes.add("routers and aggregation nodes are ignored", fix, node.text)
            elif node.kind == "Switch" and (times[short[key]] > 1 or not is_name(short[key])):
                fix = "name them with --names FILE, or a node-name map of ibnetdiscover"
                yield key, f"switch-{key.partition('-')[2]}"
                self._notes.add("switches have no unique name", fix, key)
            elif node.kind == "Ca" and _NO_HOST.fullmatch(node.text.strip()):
                fix = "name them with --names FILE, or a node-name map of ibnetdiscover"
                yield key, f"host-{key.partition('-')[2]}"
                self._notes.add(
                    "adapters have no name of a host; each is one by its GUID", fix, key
                )
            else:
                yield key, name

    def _plain(self, node: _Node) -> str:
        managed = _MANAGED.fullmatch(node.text.strip())
        words = node.text.split()
        text = managed[1] if managed else node.text.strip()
        return words[0] if node.kind == "Ca" and words else text

    def _link(
        self, one: tuple[str, int], other: tuple[str, int], text: str, line: int, linked: set[End]
    ) -> None:
        place = self._draft.place(line)
        if one[0] not in self._names or other[0] not in self._names:
            if other[0] not in self._nodes:
                fix = "provide the complete output"
                name = f"{one[0]}[{one[1]}] to {other[0]}[{other[1]}]"
                self._notes.add("links to undefined nodes are ignored", fix, name)
            return
        ends = [self._end(*one), self._end(*other)]
        for (identity, port), end in zip((one, other), ends, strict=True):
            if self._nodes[identity].kind == "Switch":
                self._numbers[self._draft.short(end[0]), end[1]] = port
            elif end not in linked:
                linked.add(end)
                device = end[1].partition("-")[0]
                known = {"rdma_device": device} if _DEVICE.fullmatch(device) else {}
                self._draft.nic(*end, place, known)
        self._draft.cable(ends[0], ends[1], place, {"speed_gbps": _gbps(text)})

    def _end(self, identity: str, port: int) -> End:
        """Return an end; an adapter is an interface, with the port where it has several."""
        node = self._nodes[identity]
        if node.kind == "Switch":
            return self._names[identity], str(port)
        words = node.text.split()
        adapter = words[1] if len(words) > 1 else "ib"
        return self._names[identity], adapter if port == 1 else f"{adapter}-p{port}"


def _gbps(text: str) -> int | None:
    match = _WIDTH.search(text)
    gbps = int(match[1]) * _LANE_GBPS.get(match[2], 0) if match else 0
    return int(gbps) if gbps in _GBPS else None


def _read(path: Path, settings: Settings) -> Imported:
    return _Network(path, settings).imported()


importers.add("ibnetdiscover")(Importer(_read, has_roles=False))
