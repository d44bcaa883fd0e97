"""Text forms of a few show commands of the EOS stand-in; the others exist in JSON only.

Known: column layouts from networktocode/ntc-templates ``tests/arista_eos``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.systems.eos.lab.view import View

    Result = dict[str, Any]


def _short(name: str) -> str:
    return name.replace("Ethernet", "Et").replace("Management", "Ma").replace("Port-Channel", "Po")


def _version(_view: View, found: Result) -> str:
    return (
        f"Arista {found['modelName']}\nHardware version: {found['hardwareRevision']}\n"
        f"Serial number: {found['serialNumber']}\nSystem MAC address: "
        f"{found['systemMacAddress']}\n\nSoftware image version: {found['version']}\n"
        f"Internal build version: {found['internalVersion']}\n\n"
        f"Uptime: {int(found['uptime'] // 60)} minutes\n"
    )


def _hostname(_view: View, found: Result) -> str:
    return f"Hostname: {found['hostname']}\nFQDN:     {found['fqdn']}\n"


def _lldp(_view: View, found: Result) -> str:
    rows = [
        f"{_short(one['port']):10} {one['neighborDevice']:30} {one['neighborPort']:26} {one['ttl']}"
        for one in found["lldpNeighbors"]
    ]
    head = [f"Number of table inserts  : {len(rows)}", "",
            "Port       Neighbor Device ID             Neighbor Port ID           TTL"]  # fmt: skip
    return "\n".join([*head, *rows]) + "\n"


def _status(_view: View, found: Result) -> str:
    rows = ["Port       Name                   Status       Vlan        Duplex  Speed Type"]
    for name, one in found["interfaceStatuses"].items():
        info = one["vlanInformation"]
        vlan = info.get("vlanId", info["interfaceMode"])
        speed = f"{one['bandwidth'] // 10**9}G"
        rows.append(
            f"{_short(name):10} {one['description'][:22]:22} {one['linkStatus']:12} {vlan!s:10}"
            f"    full {speed:>6} "
        )
    return "\n".join(rows) + "\n"


def _bgp(_view: View, found: Result) -> str:
    rows: list[str] = []
    for vrf in found["vrfs"].values():
        rows += [
            f"BGP summary information for VRF {vrf['vrf']}",
            f"Router identifier {vrf['routerId']}, local AS number {vrf['asn']}",
            "Neighbor         V  AS      MsgRcvd   MsgSent  InQ OutQ  Up/Down State  PfxRcd",
        ]
        for address, one in vrf["peers"].items():
            state = {"Established": "Estab"}.get(one["peerState"], one["peerState"])
            messages = f"{one['msgReceived']:9} {one['msgSent']:9}"
            rows.append(
                f"{address:16} 4  {one['asn']:6} {messages}    0    0"
                f" 00:10:00 {state:6} {one['prefixReceived']}"
            )
    return "\n".join(rows) + "\n"


TEXTS: dict[str, Callable[[View, Result], str]] = {
    "show version": _version,
    "show hostname": _hostname,
    "show lldp neighbors": _lldp,
    "show interfaces status": _status,
    "show ip bgp summary [ vrf all ]": _bgp,
}
