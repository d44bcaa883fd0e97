"""Saved outputs of hosts, read: each by the parser of its tool, the settings of a NIC together."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from fabric.observe.hostfacts.dcb import (
    parse_dcb_app,
    parse_dcb_buffer,
    parse_dcb_ets,
    parse_dcb_pfc,
)
from fabric.observe.hostfacts.ethtool import parse_ethtool, parse_ethtool_pause
from fabric.observe.hostfacts.gids import show_gids
from fabric.observe.hostfacts.ibstat import parse_ibdev2netdev
from fabric.observe.hostfacts.ip import parse_ip_addr
from fabric.observe.hostfacts.mlnx_qos import NicQos, mlnx_qos
from fabric.observe.hostfacts.ofed import parse_traffic_class
from fabric.observe.parsers import UnreadableError
from fabric.observe.saved.model import OF_ONE, PARAMETER, Mark, Output, SavedHost, SavedNic, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from fabric.observe.hostfacts.ip import IpAddresses

T = TypeVar("T")
#: systemd.net-naming-scheme(7): a virtual function has the name of its NIC and ``v`` with its
#: number; the NIC itself may have ``np`` with its port.
#: A prompt with the command, such as `root@gpu001:~# mlnx_qos -i eth1`.
_PROMPT = re.compile(r"\A\s*\S.*[#$>%] ?(sudo )?\S*mlnx_qos\b.*\n")
_FUNCTION = re.compile(r"(\w+?)v\d+")


def saved_hosts(texts: Mapping[Path, str]) -> list[SavedHost]:
    """Return the hosts that saved outputs are about, by the folders that they are in.

    An output that is cut, or the second of one kind, is among those that could not be read.
    """
    hosts: dict[Path, SavedHost] = {}
    for file, text in texts.items():
        folder = file.resolve().parent
        host = hosts.setdefault(folder, SavedHost(folder.name))
        kind = kind_of(text, file)
        key = kind, _name(kind, file, text)
        if not kind:
            reason = "no tool that is known printed this" if text.strip() else "it is empty"
            host.unread.append((Output(file, text), reason))
        elif key in host.outputs:
            other = host.outputs[key].file.name
            host.unread.append((Output(file, text), f"{other} is {kind} of the same host too"))
        else:
            host.outputs[key] = Output(file, text)
    for host in hosts.values():
        _read(host)
    return list(hosts.values())


def _name(kind: str, file: Path, text: str) -> str:
    if kind.startswith("ethtool"):
        head = re.search(r"^(?:Pause parameters|Settings) for (\S+):", text, re.MULTILINE)
        return head[1] if head else ""
    return (file.stem.partition("-")[2] or file.stem) if kind in OF_ONE else ""


def _read(host: SavedHost) -> None:
    """Fill a host from its outputs."""
    for (kind, name), output in host.outputs.items():
        if kind == "mlnx_qos":
            _settings(host, name, output, _parsed(host, kind, name, qos_after_prompt))
        elif kind == "dcb_pfc":
            _settings(host, name, output, _dcb(host, name))
        elif kind == "sysctl":
            rows = PARAMETER.findall(output.text)
            host.parameters = {
                (group + ("6" if family == "6" else ""), nic.replace("/", "."), key): int(value)
                for family, group, nic, key, value in rows
            }
    host.gids = _parsed(host, "show_gids", "", show_gids)
    for gid in host.gids or ():
        if gid.interface:
            _nic(host, gid.interface, host.outputs["show_gids", ""])
    _complete(host)


def _settings(host: SavedHost, name: str, output: Output, qos: NicQos | None) -> None:
    if qos:
        nic = _nic(host, name, output)
        nic.qos = qos
        keys = [(f"dcb_{part}", name) for part in ("ets", "app", "buffer")]
        nic.parts = [host.outputs[key] for key in keys if key in host.outputs]


def _nic(host: SavedHost, name: str, output: Output) -> SavedNic:
    return host.nics.setdefault(name, SavedNic(name, output))


def _complete(host: SavedHost) -> None:
    """Give the NICs what other outputs say of them."""
    addresses = _parsed(host, "ip_addr", "", parse_ip_addr) or ()
    host.devices = _devices(host, addresses)
    for name, nic in host.nics.items():
        nic.addresses = next((row for row in addresses if row.interface == name), None)
        pause = _parsed(host, "ethtool_pause", name, parse_ethtool_pause)
        if pause and (pause.receive or pause.transmit):
            nic.pauses = host.outputs["ethtool_pause", name]
        link = _parsed(host, "ethtool", name, parse_ethtool)
        nic.rate_bps = link.rate_bps if link else None
    for (kind, device), output in host.outputs.items():
        if kind == "traffic_class":
            setting = _parsed(host, kind, device, parse_traffic_class)
            if setting:
                unmarked = not setting.rules and setting.dscp is None
                for nic in _nics_of(host, device):
                    nic.marks.append(Mark(output, setting.dscp, unmarked))


def _nics_of(host: SavedHost, device: str) -> list[SavedNic]:
    """Return the NICs of an RDMA device whose settings are saved; what it has, where none are."""
    names = host.devices.get(device, frozenset())
    nics = [nic for name, nic in host.nics.items() if name in names]
    return [nic for nic in nics if nic.qos] or nics


def _devices(host: SavedHost, addresses: Sequence[IpAddresses]) -> dict[str, frozenset[str]]:
    """Return the interfaces of each RDMA device, with the NICs below them."""
    names: dict[str, set[str]] = defaultdict(set)
    output = host.outputs.get(("ibdev2netdev", ""))
    has_rows = output is not None and bool(output.text.strip())
    for row in (_parsed(host, "ibdev2netdev", "", parse_ibdev2netdev) or ()) if has_rows else ():
        names[row.device].add(row.interface)
    for gid in host.gids or ():
        if gid.interface:
            names[gid.device].add(gid.interface)
    known = {*host.nics, *(row.interface for row in addresses), *chain(*names.values())}
    below = _below(known, addresses)
    return {device: _with_lower(mine, below) for device, mine in names.items()}


def _below(known: Collection[str], addresses: Iterable[IpAddresses]) -> dict[str, set[str]]:
    """Return the devices that each bond, VLAN interface and virtual function sends by."""
    below: dict[str, set[str]] = defaultdict(set)
    for row in addresses:
        if row.master:
            below[row.master].add(row.interface)
        if row.link:
            below[row.interface].add(row.link)
    for name in known:
        if function := _FUNCTION.fullmatch(name):
            parent = re.compile(rf"{re.escape(function[1])}(np\d+)?")
            below[name] |= {other for other in known if parent.fullmatch(other)}
    return below


def qos_after_prompt(text: str) -> NicQos:
    """Parse ``mlnx_qos`` behind the command that a terminal shows before it."""
    return mlnx_qos(_PROMPT.sub("", text))


def _with_lower(names: Collection[str], below: Mapping[str, set[str]]) -> frozenset[str]:
    every, fresh = set(names), set(names)
    while fresh:
        fresh = {lower for name in fresh for lower in below.get(name, ())} - every
        every |= fresh
    return frozenset(every)


def _dcb(host: SavedHost, name: str) -> NicQos | None:
    """Return what ``dcb`` says, in the words of ``mlnx_qos``; an empty map is trust in PCP."""
    pfc = _parsed(host, "dcb_pfc", name, parse_dcb_pfc)
    ets = _parsed(host, "dcb_ets", name, parse_dcb_ets)
    buffers = _parsed(host, "dcb_buffer", name, parse_dcb_buffer)
    marks = _parsed(host, "dcb_app", name, parse_dcb_app)
    if pfc is None:
        return None
    return NicQos(
        dcbx="unknown",
        trust="unknown" if marks is None else "dscp" if marks else "pcp",
        pfc=tuple(int(on) for on in pfc.enabled),
        dscp_to_priority=marks or {},
        priority_to_traffic_class=ets.priority_to_traffic_class if ets else (),
        tsa=dict(enumerate(ets.tsa)) if ets else {},
        bandwidth_percent=dict(enumerate(ets.bandwidth_percent)) if ets else {},
        cable_m=pfc.delay,
        buffer_bytes=buffers.buffer_bytes if buffers else None,
        priority_to_buffer=buffers.priority_to_buffer if buffers else None,
    )


def _parsed(host: SavedHost, kind: str, name: str, parse: Callable[[str], T]) -> T | None:
    """Return what an output says, None where it is not there or cannot be read."""
    output = host.outputs.get((kind, name))
    try:
        return parse(output.text) if output else None
    except UnreadableError as error:
        assert output
        host.unread.append((output, str(error)))
        return None
