"""Outputs that somebody saved on hosts: which tool printed a file, and what all of them say.

The folder of a file names its host, and what stands behind the first hyphen of its name is the NIC
or the RDMA device: ``host01/mlnx_qos-eth1.txt``. Which tool it is shows in the content alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.observe.hostfacts.dcb import parse_dcb_app, parse_dcb_buffer, parse_dcb_ets
from fabric.observe.hostfacts.dcb import parse_dcb_pfc as parse_pfc
from fabric.observe.hostfacts.ethtool import parse_ethtool, parse_ethtool_pause
from fabric.observe.hostfacts.gids import show_gids
from fabric.observe.hostfacts.ibstat import parse_ibdev2netdev
from fabric.observe.hostfacts.ip import parse_ip_addr
from fabric.observe.hostfacts.mlnx_qos import NicQos, mlnx_qos
from fabric.observe.hostfacts.ofed import parse_traffic_class
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from fabric.observe.hostfacts.gids import Gid
    from fabric.observe.hostfacts.ip import IpAddresses

#: ``sysctl -a`` writes ``rail1/101`` for a name with a dot.
_PARAMETER = re.compile(
    r"^net\.ipv4\.(conf|neigh)\.([^.\s]{1,15})\.([a-z0-9_]+) ?= ?(-?\d{1,10})[ \t]*$", re.MULTILINE
)
#: What an output of each tool holds and others do not.
_SIGNS = {
    "mlnx_qos": r"^PFC configuration:",
    "show_gids": r"^DEV\s+PORT\s+INDEX\s+GID\b",
    "ibdev2netdev": r"^\S+ port \d+ ==> \S+ \(",
    "traffic_class": r"^(Global tclass=|\S*tclass=-?\d+$)",
    "ethtool_pause": r"^Pause parameters for ",
    "ethtool": r"^Settings for ",
    "sysctl": _PARAMETER.pattern,
    "ip_addr": r'^\[\s*\{[^}]*"ifname"(?s:.*)"addr_info"',
    "dcb_pfc": r'^\{[^}]*"prio_pfc"',
    "dcb_ets": r'^\{[^}]*"tc_tsa"',
    "dcb_app": r'^\{[^}]*"dscp_prio"',
    "dcb_buffer": r'^\{[^}]*"prio_buffer"',
}
#: Outputs about one NIC, or one RDMA device, that do not name it.
_OF_ONE = {"mlnx_qos", "traffic_class", "dcb_pfc", "dcb_ets", "dcb_app", "dcb_buffer"}


@dataclass(frozen=True, slots=True)
class Output:
    """A saved output with its place."""

    file: Path
    text: str

    def line(self, pattern: str) -> int:
        """Return the first line in which a pattern is, 0 if in none."""
        lines = enumerate(self.text.splitlines(), 1)
        return next((number for number, line in lines if re.search(pattern, line)), 0)


@dataclass(slots=True)
class SavedNic:
    """What was saved of one NIC; None is what was not.

    Parameters
    ----------
    output : Output
        Where its settings stand, or else its GIDs.
    parts : list of Output
        More of its settings: those of ``dcb`` come one by one.
    pauses : Output or None
        That which shows pause of the whole link to be on.
    mark, roce_dscp
        The traffic class of all flows of its RDMA device, and the DSCP of it.
    """

    name: str
    output: Output
    parts: list[Output] = field(default_factory=list)
    qos: NicQos | None = None
    pauses: Output | None = None
    rate_bps: int | None = None
    addresses: IpAddresses | None = None
    mark: Output | None = None
    roce_dscp: int | None = None

    def place(self, pattern: str) -> tuple[Output, int]:
        """Return the output of settings with a line of a pattern, and that line."""
        places = ((output, output.line(pattern)) for output in (self.output, *self.parts))
        return next((place for place in places if place[1]), (self.output, 0))


@dataclass(slots=True)
class SavedHost:
    """What was saved on one host.

    Parameters
    ----------
    outputs : dict of (kind, name) to Output
        The name is that of a NIC or of an RDMA device, empty for what is about the host.
    nics : dict of str to SavedNic
        NICs with settings of QoS or with a GID.
    parameters : dict of (group, name, key) to int
        Kernel parameters such as ``("conf", "all", "arp_ignore")``.
    """

    name: str
    outputs: dict[tuple[str, str], Output] = field(default_factory=dict)
    nics: dict[str, SavedNic] = field(default_factory=dict)
    gids: tuple[Gid, ...] | None = None
    parameters: dict[tuple[str, str, str], int] = field(default_factory=dict)


def kind_of(text: str) -> str:
    """Return the tool that printed a text, empty if none that is known."""
    return next((kind for kind, sign in _SIGNS.items() if re.search(sign, text, re.MULTILINE)), "")


def saved_hosts(texts: Mapping[Path, str]) -> list[SavedHost]:
    """Return the hosts that saved outputs are about, by the folders that they are in.

    Raises
    ------
    UnreadableError
        When an output is cut, or a host has two of one kind; with the file.
    """
    hosts: dict[Path, SavedHost] = {}
    for file, text in texts.items():
        folder = file.resolve().parent
        host = hosts.setdefault(folder, SavedHost(folder.name))
        kind = kind_of(text)
        if not kind:
            raise UnreadableError(f"{file}: no tool of hosts that is known printed this")
        key = kind, _name(kind, file, text)
        if key in host.outputs:
            other = host.outputs[key].file.name
            raise UnreadableError(f"{file}: {other} is {kind} of the same host too")
        host.outputs[key] = Output(file, text)
    for host in hosts.values():
        _read(host)
    return list(hosts.values())


def _name(kind: str, file: Path, text: str) -> str:
    if kind.startswith("ethtool"):
        head = re.search(r"^(?:Pause parameters|Settings) for (\S+):", text, re.MULTILINE)
        return head[1] if head else ""
    return (file.stem.partition("-")[2] or file.stem) if kind in _OF_ONE else ""


def _read(host: SavedHost) -> None:
    """Fill a host from its outputs."""
    for (kind, name), output in host.outputs.items():
        if kind == "mlnx_qos":
            _nic(host, name, output).qos = _parsed(mlnx_qos, output)
        elif kind == "dcb_pfc":
            _nic(host, name, output).qos = _dcb(host, name, output)
        elif kind.startswith("dcb_") and ("dcb_pfc", name) in host.outputs:
            _nic(host, name, host.outputs["dcb_pfc", name]).parts.append(output)
        elif kind == "show_gids":
            host.gids = _parsed(show_gids, output)
        elif kind == "sysctl":
            rows = _PARAMETER.findall(output.text)
            host.parameters = {
                (group, nic.replace("/", "."), key): int(value) for group, nic, key, value in rows
            }
    for gid in host.gids or ():
        if gid.interface:
            _nic(host, gid.interface, host.outputs["show_gids", ""])
    _complete(host)


def _nic(host: SavedHost, name: str, output: Output) -> SavedNic:
    return host.nics.setdefault(name, SavedNic(name, output))


def _complete(host: SavedHost) -> None:
    """Give the NICs what other outputs say of them."""
    devices = _devices(host)
    links = host.outputs.get(("ip_addr", ""))
    addresses = _parsed(parse_ip_addr, links) if links else ()
    for name, nic in host.nics.items():
        nic.addresses = next((row for row in addresses if row.interface == name), None)
        pause = host.outputs.get(("ethtool_pause", name))
        if pause:
            setting = _parsed(parse_ethtool_pause, pause)
            nic.pauses = pause if setting.receive or setting.transmit else None
        link = host.outputs.get(("ethtool", name))
        nic.rate_bps = _parsed(parse_ethtool, link).rate_bps if link else None
    for (kind, device), output in host.outputs.items():
        owner = host.nics.get(devices.get(device, ""))
        if kind == "traffic_class" and owner:
            owner.mark, owner.roce_dscp = output, _parsed(parse_traffic_class, output).dscp


def _devices(host: SavedHost) -> dict[str, str]:
    """Return the NIC of each RDMA device."""
    links = host.outputs.get(("ibdev2netdev", ""))
    rows = _parsed(parse_ibdev2netdev, links) if links else ()
    nics = {gid.device: gid.interface for gid in reversed(host.gids or ()) if gid.interface}
    return nics | {row.device: row.interface for row in rows}


def _dcb(host: SavedHost, name: str, output: Output) -> NicQos:
    """Return what ``dcb`` says, in the words of ``mlnx_qos``; an empty map is trust in PCP."""
    pfc = _parsed(parse_pfc, output)
    ets, app, buffers = (
        host.outputs.get((f"dcb_{part}", name)) for part in ("ets", "app", "buffer")
    )
    shares = _parsed(parse_dcb_ets, ets) if ets else None
    sizes = _parsed(parse_dcb_buffer, buffers) if buffers else None
    marks = _parsed(parse_dcb_app, app) if app else {}
    return NicQos(
        dcbx="unknown",
        trust="dscp" if marks else "pcp" if app else "unknown",
        pfc=tuple(int(on) for on in pfc.enabled),
        dscp_to_priority=marks,
        priority_to_traffic_class=shares.priority_to_traffic_class if shares else (),
        tsa=dict(enumerate(shares.tsa)) if shares else {},
        bandwidth_percent=dict(enumerate(shares.bandwidth_percent)) if shares else {},
        cable_m=pfc.delay,
        buffer_bytes=sizes.buffer_bytes if sizes else None,
        priority_to_buffer=sizes.priority_to_buffer if sizes else None,
    )


def _parsed(parse: Callable[[str], Any], output: Output) -> Any:
    try:
        return parse(output.text)
    except UnreadableError as error:
        raise UnreadableError(f"{output.file}: {error}") from error
