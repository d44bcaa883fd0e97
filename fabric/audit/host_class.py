"""NICs of a host in the form of ports of a switch: what both have is judged by the same rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.observe.configuration.lossless import Lossless, PortPolicy, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.hostfacts.mlnx_qos import NicQos
    from fabric.observe.saved.model import Output, SavedHost

#: System of a host in the neutral form.
HOST = "host"
#: What only switches do: mark ECN, and watch for pauses that do not end.
SWITCHES_ALONE = frozenset(("AUD003", "AUD006"))


def lossless(host: SavedHost) -> Lossless:
    """Return what a host says of the lossless class, with its NICs as ports."""
    result = Lossless(HOST, host.name)
    for nic in host.nics.values():
        if nic.qos:
            port = result.port(nic.name, nic.output.line(r"enabled|\"prio_pfc\""))
            port.routed = True
            port.sends_dscp = nic.roce_dscp
            port.tagged = _is_tagged(host, nic.name)
            _fill(port, nic.qos, nic.output)
    return result


def _is_tagged(host: SavedHost, name: str) -> bool:
    """Tell whether addresses of a NIC are on an interface with a tag: by its link, or its name."""
    near = {other for names in host.devices.values() if name in names for other in names}
    return any(
        nic.name in near
        and bool((nic.addresses and nic.addresses.link) or re.search(r"\.\d+$", nic.name))
        for nic in host.carriers
    )


def lossless_of_nics(name: str, nics: Mapping[str, Any]) -> Lossless:
    """Return the lossless priorities and MTU of the NICs of a host, as of ports of a switch."""
    result = Lossless(HOST, name)
    for nic, values in nics.items():
        port = result.ports[nic] = PortPolicy(name=nic, routed=True)
        mtu = values.get("mtu_bytes")
        port.mtu_bytes = Value(mtu, 0) if mtu else None
        flags = values.get("pfc") or []
        port.pfc = {number: 0 for number, on in enumerate(flags) if on}
        dscps = values.get("dscp_to_priority") or {}
        port.dscp_to_class = {int(dscp): int(number) for dscp, number in dscps.items()}
        port.class_to_queue = dict(enumerate(values.get("priority_to_traffic_class") or ()))
        shares = values.get("bandwidth_percent") or {}
        port.percent = {
            int(number): Value(shares[number], 0)
            for number, word in (values.get("tsa") or {}).items()
            if word == "ets" and number in shares
        }
        sent = values.get("traffic_class_dscp")
        port.sends_dscp = sent if isinstance(sent, int) else None
    return result


def _fill(port: PortPolicy, qos: NicQos, output: Output) -> None:
    port.pfc = {number: port.line for number, on in enumerate(qos.pfc) if on}
    port.trusts_pcp = {"pcp": True, "dscp": False, "none": False}.get(qos.trust)
    port.trusts_dscp = {"dscp": True, "pcp": False, "none": False}.get(qos.trust)
    port.dscp_to_class = dict(qos.dscp_to_priority)
    port.class_to_queue = dict(enumerate(qos.priority_to_traffic_class))
    for number, word in qos.tsa.items():
        line = output.line(rf"^tc: {number} ") or port.line
        if word == "strict":
            port.strict[number] = line
        elif word == "ets":
            port.percent[number] = Value(qos.bandwidth_percent.get(number, 0), line)
