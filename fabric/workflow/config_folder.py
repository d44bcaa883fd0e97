"""Running configurations in a folder, as `rocefab audit` takes them, for the import."""

from __future__ import annotations

from ipaddress import ip_interface
from typing import TYPE_CHECKING, Any

from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import printable
from fabric.core.user_files import check_numbers
from fabric.exchange.models import model_of
from fabric.exchange.values import is_management, text_of
from fabric.intent.yaml.file import input_error
from fabric.observe.configuration import WHOLE, readers
from fabric.observe.configuration.lossless import Lossless, identity_of, lossless_readers
from fabric.observe.configuration.model import is_address
from fabric.observe.configuration.recognition import system_of
from fabric.observe.configuration.servers import servers_of
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.lldp import neighbours_of
from fabric.workflow.audit import LLDP
from fabric.workflow.saved import files_of
from fabric.workflow.switch_vrfs import tunnel_end_of, vrfs_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.observe.configuration import Configured, ConfiguredPort
    from fabric.observe.configuration.lossless import PortPolicy

_ALL_BITS = 32


def read_configurations(source: Path) -> list[dict[str, Any]]:
    """Return what the configurations of switches say of their ports, sessions and neighbours.

    Files that no system recognises are passed over; an output of LLDP beside a configuration has
    its name and the ending ``.lldp``.

    Raises
    ------
    InputError
        With a finding for each configuration that cannot be read.
    """
    findings: list[Finding] = []
    rows: dict[str, dict[str, Any]] = {}
    for file in files_of(source):
        text = text_of(file)
        check_numbers(file, FileKind.CONFIGURATION, text)
        system = system_of(text)
        if system is None:
            continue
        try:
            row = _row(file, system, text)
        except (UnreadableError, KeyError, ValueError, RecursionError) as error:
            findings.append(_finding(file, f"the configuration cannot be read: {error}"))
            continue
        first = rows.setdefault(row["device"], row)
        if first is not row:
            first["notes"].append(_twice(file))
    if not rows and not findings:
        findings.append(_finding(source, "no system recognises a configuration here"))
    if findings:
        raise input_error(findings, str(source))
    return list(rows.values())


def _finding(path: Path, message: str) -> Finding:
    fix = "provide one whole running configuration of each switch"
    place = Position(printable(str(path)))
    return Finding("EXC006", Severity.ERROR, message[:300], fix, position=place)


def _twice(file: Path) -> tuple[str, str, str]:
    fix = "keep one file of each switch"
    return "files are of a switch that was read already, and are ignored", fix, file.name


def _row(file: Path, system: str, text: str) -> dict[str, Any]:
    configured = readers[system](dict.fromkeys(WHOLE, text))
    lossless = _lossless(system, text)
    named = lossless.model or identity_of(system, text)[1]
    model = model_of(named, system)
    bgp = configured.bgp
    peers = bgp.peers.values() if bgp else ()
    seen = file.with_suffix(LLDP)
    neighbours = neighbours_of(text_of(seen))[1] if seen.is_file() else {}
    gateways: dict[int | None, list[str]] = {
        port.gateway_vlan: [*_addresses(port)]
        for port in configured.ports.values()
        if port.gateway_vlan is not None
    }
    return {
        "device": configured.name or file.stem,
        "system": system,
        "model": model,
        "notes": [_unknown(named, file)] if named and not model else [],
        "asn": bgp.asn if bgp else None,
        "allowas_in": max((peer.allowas_in or 0 for peer in peers), default=0),
        "loopback": _loopback(configured),
        "management": servers_of(system, text),
        "vrfs": vrfs_of(configured),
        "tunnel_end": tunnel_end_of(configured),
        "front_ports": {name: port.speed_gbps for name, port in lossless.ports.items()},
        "unnumbered": [peer for peer in bgp.peers if not is_address(peer)] if bgp else [],
        "ports": {
            name: {
                "description": port.description,
                "enabled": port.enabled,
                **_figures(lossless.ports.get(name)),
                "addresses": [*_addresses(port)],
                "ipv6": [*_ipv6(port)],
                "vlan": port.vlan,
                "gateways": gateways.get(port.vlan, []),
            }
            for name, port in configured.ports.items()
            if port.gateway_vlan is None and not is_management(name)
        },
        "lldp": {
            port: [(item.system_name, item.port_id or item.description) for item in mine]
            for port, mine in neighbours.items()
        },
    }


def _lossless(system: str, text: str) -> Lossless:
    """Return what the file says of ports beyond addresses; nothing where that cannot be read."""
    try:
        return lossless_readers[system].read(text)
    except UnreadableError:
        return Lossless(system)


def _figures(port: PortPolicy | None) -> dict[str, float | None]:
    """Return speed and length of the cable of a port, as far as the file sets them."""
    names = ("speed_gbps", "cable_m", "longest_m")
    return {name: getattr(port, name) if port else None for name in names}


def _unknown(model: str, file: Path) -> tuple[str, str, str]:
    what = "switch models of configurations are not in the catalogue, and are ignored"
    fix = "set the model with --model; `rocefab show platforms` lists the names"
    return what, fix, f"{printable(model)} ({file.name})"


def _addresses(port: ConfiguredPort) -> Iterator[str]:
    for line in port.addresses:
        if line.prefix_length < _ALL_BITS and not line.is_ipv6:
            yield line.text


def _ipv6(port: ConfiguredPort) -> Iterator[str]:
    for line in port.addresses:
        own = ip_interface(line.text) if line.is_ipv6 else None
        if own and not own.is_link_local and own.network.num_addresses > 1:
            yield line.text


def _loopback(configured: Configured) -> str:
    """Return the router id where a port has it as its only host address, else nothing."""
    hosts = [
        line.text.partition("/")[0]
        for port in configured.ports.values()
        for line in port.addresses
        if line.prefix_length == _ALL_BITS and not line.is_ipv6
    ]
    router_id = configured.bgp.router_id if configured.bgp else ""
    return router_id if router_id in hosts else hosts[0] if len(hosts) == 1 else ""
