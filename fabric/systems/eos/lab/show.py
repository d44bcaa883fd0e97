"""The show commands of the EOS stand-in, in JSON.

Known: key names and nesting, from captures and unit-test data of napalm-automation/napalm
``test/eos/mocked_data`` and aristanetworks/anta ``tests/units/anta_tests``; the watchdog lists only
ports on which it ever fired; the ECN counter is a string, ``-`` where a queue does not count.
Assumed: values that no client of ours reads (hardware revision, memory, forwarding details), and
``state`` of the VRF-wide lists; JSON revisions are ignored.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from fabric.systems.eos.lab.show_bgp import BGP_SHOWS
from fabric.systems.eos.lab.show_counters import COUNTER_SHOWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.systems.eos.lab.view import Port, View

    Result = dict[str, Any]
    Show = Callable[[View, list[str]], Result]

_HARDWARE = {
    "if-vlan": "vlan", "if-loopback": "loopback", "if-portchannel": "portChannel",
}  # fmt: skip


def dotted_mac(mac: str) -> str:
    """Write a MAC address as ``001c.7300.0001``."""
    digits = mac.replace(":", "").replace(".", "").lower()
    return ".".join(digits[at : at + 4] for at in range(0, 12, 4))


def _version(view: View, _words: list[str]) -> Result:
    uptime_s = view.state.uptime_s
    return {
        "modelName": view.spec.model, "serialNumber": view.spec.serial,
        "systemMacAddress": view.spec.mac, "hwMacAddress": view.spec.mac,
        "version": view.version, "internalVersion": f"{view.version}-lab",
        "mfgName": "Arista", "hardwareRevision": "11.00", "architecture": "x86_64",
        "configMacAddress": "00:00:00:00:00:00", "imageFormatVersion": "3.0",
        "isIntlVersion": False, "memTotal": 16000000, "memFree": 12000000,
        "uptime": round(uptime_s, 2), "bootupTimestamp": time.time() - uptime_s,
    }  # fmt: skip


def _hostname(view: View, _words: list[str]) -> Result:
    domain = view.state.running.setting("dns domain")
    return {
        "hostname": view.hostname,
        "fqdn": f"{view.hostname}.{domain}" if domain else view.hostname,
    }


def _status(port: Port) -> str:
    if not port.enabled:
        return "disabled"
    return "connected" if port.linked else "notconnect"


def _line(port: Port) -> str:
    return "up" if port.up else "down"


def _ip_block(port: Port) -> Result:
    address = port.address
    return {
        "primaryIp": {"address": str(address.ip) if address else "0.0.0.0",
                      "maskLen": address.network.prefixlen if address else 0},
        "secondaryIps": {}, "secondaryIpsOrderedList": [],
        "virtualIp": {"address": "0.0.0.0", "maskLen": 0},
        "broadcastAddress": "255.255.255.255", "dhcp": False,
    }  # fmt: skip


def _interface(view: View, port: Port) -> Result:
    counted = view.count(port.name)
    found: Result = {
        "name": port.name, "description": port.description, "mtu": port.mtu,
        "interfaceStatus": _status(port), "lineProtocolStatus": _line(port),
        "hardware": _HARDWARE.get(port.node.mode, "ethernet"), "bandwidth": port.speed_bps,
        "forwardingModel": "routed" if port.routed else "bridged",
        "interfaceAddress": [_ip_block(port)] if port.address else [],
        "lastStatusChangeTimestamp": time.time() - view.state.uptime_s,
    }  # fmt: skip
    if port.node.mode != "if-loopback":
        found["physicalAddress"] = found["burnedInAddress"] = view.spec.mac
    if port.node.mode in ("if-ethernet", "if-management", "if-portchannel"):
        found["duplex"] = "duplexFull"
        found["interfaceCounters"] = {
            "inDiscards": counted.in_discards, "outDiscards": counted.out_discards,
            "totalInErrors": counted.in_errors, "totalOutErrors": counted.out_errors,
            **dict.fromkeys(_ZEROS, 0),
        }  # fmt: skip
    return found


_ZEROS = [f"{way}{kind}" for way in ("in", "out")
          for kind in ("Octets", "UcastPkts", "MulticastPkts", "BroadcastPkts")]  # fmt: skip


def _interfaces(view: View, words: list[str]) -> Result:
    wanted = words[2:3]
    return {
        "interfaces": {
            port.name: _interface(view, port)
            for port in view.ports() if not wanted or port.name in wanted
        }
    }  # fmt: skip


def _interfaces_status(view: View, _words: list[str]) -> Result:
    found: Result = {}
    for port in view.ports():
        if port.node.mode in ("if-loopback", "if-vlan"):
            continue
        vlans: Result = {"interfaceMode": "routed", "interfaceForwardingModel": "routed"}
        if not port.routed:
            mode = "trunk" if port.trunk else "bridged"
            vlans = {"interfaceMode": mode, "interfaceForwardingModel": "bridged"}
            vlans |= {} if port.trunk else {"vlanId": port.access_vlan}
        found[port.name] = {
            "description": port.description, "linkStatus": _status(port),
            "lineProtocolStatus": _line(port), "bandwidth": port.speed_bps,
            "duplex": "duplexFull", "autoNegotiateActive": False, "interfaceType": "",
            "vlanInformation": vlans,
        }  # fmt: skip
    return {"interfaceStatuses": found}


def _ip_interface(view: View, _words: list[str]) -> Result:
    return {
        "interfaces": {
            port.name: {
                "name": port.name, "mtu": port.mtu, "enabled": port.enabled,
                "lineProtocolStatus": _line(port), "interfaceStatus": _status(port),
                "ipv4Routable240": False, "vrf": port.node.setting("vrf") or "default",
                "interfaceAddress": _ip_block(port),
            }
            for port in view.ports() if port.address
        }
    }  # fmt: skip


def _ipv6_interface(view: View, _words: list[str]) -> Result:
    found: Result = {}
    for port in view.ports():
        rows = [node.line.split()[2] for node in port.node.below("ipv6 address ")]
        if rows or port.node.has("ipv6 enable"):
            found[port.name] = {
                "name": port.name, "mtu": port.mtu, "lineProtocolStatus": _line(port),
                "linkLocal": {"address": "fe80::1", "subnet": "fe80::/64"},
                "addresses": [{"address": r.split("/")[0], "subnet": r} for r in rows],
            }  # fmt: skip
    return {"interfaces": found}


def _lldp(view: View, _words: list[str]) -> Result:
    rows = [
        {"port": one.local_port, "neighborDevice": one.system_name,
         "neighborPort": one.port_id, "ttl": 120}
        for one in view.lldp()
    ]  # fmt: skip
    return {
        "lldpNeighbors": rows, "tablesInserts": len(rows), "tablesDeletes": 0, "tablesDrops": 0,
        "tablesAgeOuts": 0, "tablesLastChangeTime": time.time() - view.state.uptime_s,
    }  # fmt: skip


def _lldp_detail(view: View, words: list[str]) -> Result:
    wanted = [word for word in words[3:] if word != "detail"]
    ports = [port.name for port in view.ports() if "Ether" in port.name or "Manage" in port.name]
    found: dict[str, Result] = {
        name: {"lldpNeighborInfo": []} for name in ports if not wanted or name in wanted
    }
    for one in view.lldp():
        if wanted and one.local_port not in wanted:
            continue
        found.setdefault(one.local_port, {"lldpNeighborInfo": []})["lldpNeighborInfo"].append({
            "systemName": one.system_name, "systemDescription": "", "ttl": 120,
            "chassisIdType": "macAddress", "chassisId": dotted_mac(one.chassis_mac),
            "systemCapabilities": {"bridge": True, "router": True},
            "neighborInterfaceInfo": {
                "interfaceIdType": "interfaceName", "interfaceId": f'"{one.port_id}"',
                "interfaceId_v2": one.port_id, "interfaceDescription": "",
            },
        })  # fmt: skip
    return {"lldpNeighbors": found}


def _arp(view: View, _words: list[str]) -> Result:
    rows = [
        {"hwAddress": dotted_mac(one.mac), "address": one.address, "interface": one.interface,
         "age": one.age_s}
        for one in view.arp
    ]  # fmt: skip
    cables = view.cables
    for _, bgp, _ in view.bgp():
        for peer in view.peers(bgp):
            cable = cables.get(peer.interface)
            if peer.established and cable and cable.chassis_mac and "%" not in peer.address:
                mac = dotted_mac(cable.chassis_mac)
                rows.append({"hwAddress": mac, "address": peer.address,
                             "interface": peer.interface, "age": 0})  # fmt: skip
    return {
        "vrfs": {
            "default": {
                "ipV4Neighbors": rows, "dynamicEntries": len(rows), "staticEntries": 0,
                "totalEntries": len(rows), "notLearnedEntries": 0,
            }
        }
    }  # fmt: skip


def _mac_table(view: View, _words: list[str]) -> Result:
    cables, rows = view.cables, []
    for port in view.ethernets():
        cable = cables.get(port.name)
        if port.up and not port.routed and cable and cable.chassis_mac:
            rows.append({
                "macAddress": cable.chassis_mac.lower(), "interface": port.name,
                "vlanId": port.access_vlan, "entryType": "dynamic", "moves": 1,
                "lastMove": time.time() - view.state.uptime_s,
            })  # fmt: skip
    return {"unicastTable": {"tableEntries": rows}, "multicastTable": {"tableEntries": []}}


def _inventory(view: View, _words: list[str]) -> Result:
    return {
        "systemInformation": {
            "name": view.spec.model, "description": view.spec.model, "mfgDate": "2024-01-01",
            "hardwareRev": "11.00", "hwEpoch": "02.00", "serialNum": view.spec.serial,
        },
        "powerSupplySlots": {}, "fanTraySlots": {}, "xcvrSlots": {}, "storageDevices": {},
    }  # fmt: skip


SHOWS: dict[str, Show] = {
    "show version": _version,
    "show hostname": _hostname,
    "show interfaces [ <port> ]": _interfaces,
    "show interfaces status": _interfaces_status,
    "show ip interface": _ip_interface,
    "show ipv6 interface": _ipv6_interface,
    "show lldp neighbors": _lldp,
    "show lldp neighbors [ <port> ] detail": _lldp_detail,
    "show arp vrf all": _arp,
    "show mac address-table": _mac_table,
    "show inventory": _inventory,
    **BGP_SHOWS,
    **COUNTER_SHOWS,
}
