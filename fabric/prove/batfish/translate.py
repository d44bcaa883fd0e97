"""What a configuration says, in the form of SONiC: a CONFIG_DB and the text of FRR.

Batfish takes BGP from the text of FRR alone, and applies the policies of a peer only where that
text has the order and the words in which FRR prints it (Batfish 0.36, grammar ``Frr``).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.observe.configuration.frr import address_text, frr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration import Configured, ConfiguredPort

    Tables = dict[str, dict[str, dict[str, Any]]]


def sonic_files(switch: Configured) -> dict[str, bytes]:
    """Return the files of a switch below its folder in ``sonic_configs``."""
    return {
        "config_db.json": json.dumps(config_db(switch), indent=1).encode(),
        "frr.conf": frr(switch).encode(),
    }


def config_db(switch: Configured) -> Tables:
    """Return the tables of a CONFIG_DB: ports, VLANs with their members, and addresses."""
    tables: Tables = {"DEVICE_METADATA": {"localhost": {"hostname": switch.name}}}
    for name in (
        "PORT",
        "VLAN",
        "VLAN_MEMBER",
        "INTERFACE",
        "VLAN_INTERFACE",
        "LOOPBACK_INTERFACE",
    ):
        tables[name] = {}
    for vlan in switch.vlans:
        tables["VLAN"][f"Vlan{vlan}"] = {"vlanid": str(vlan), "members": members(switch, vlan)}
    for port in switch.ports.values():
        table, name = _table(port)
        if table == "INTERFACE":
            tables["PORT"][name] = _port(port)
        for entry in port.addresses if port.enabled else ():
            key = address_text(entry.address, entry.prefix_length)
            tables[table].update({name: {}, f"{name}|{key}": {}})
        for vlan, mode in _memberships(port):
            tables["VLAN_MEMBER"][f"Vlan{vlan}|{name}"] = {"tagging_mode": mode}
    return tables


def members(switch: Configured, vlan: int) -> list[str]:
    """Return the ports of a VLAN."""
    return [port.name for port in switch.ports.values() if vlan in (port.vlan, *port.tagged_vlans)]


def _table(port: ConfiguredPort) -> tuple[str, str]:
    """Return the table of the addresses of a port, and its name there."""
    if port.gateway_vlan is not None:
        return "VLAN_INTERFACE", f"Vlan{port.gateway_vlan}"
    if port.name.lower().startswith("lo"):
        return "LOOPBACK_INTERFACE", "Loopback0"
    return "INTERFACE", port.name


#: What a port gets whose file says no MTU and whose system has no known default: Batfish would take
#: 1,500 bytes, and an unknown MTU is not judged. SONiC's largest (sonic-port.yang).
_UNKNOWN_MTU_BYTES = 9216


def _port(port: ConfiguredPort) -> dict[str, str]:
    mtu = _UNKNOWN_MTU_BYTES if port.mtu_bytes is None else port.mtu_bytes
    return {"admin_status": "up" if port.enabled else "down", "mtu": str(mtu)}


def _memberships(port: ConfiguredPort) -> Iterator[tuple[int, str]]:
    if port.vlan is not None:
        yield port.vlan, "untagged"
    for vlan in port.tagged_vlans:
        yield vlan, "tagged"
