"""Commands that restore the live settings of a host, as they were read before a change."""

from __future__ import annotations

import ipaddress
import re
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from fabric.core.units import dscp_to_traffic_class_byte
from fabric.systems.host.adapters.settings import restored
from fabric.systems.host.parsers import UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.observe.snapshot import Running

#: How the files of network stacks begin; what tells them apart follows.
FOLDER = "/etc/rocefab"
NETPLAN = "/etc/netplan/60-rocefab"
NETWORKD = "/etc/systemd/network/05-rocefab-"
PROFILES = "/etc/NetworkManager/system-connections/rocefab-"
_UDEV = "/etc/udev/rules.d/"
_FOLDER = re.compile(rf"{FOLDER}(/[A-Za-z0-9_-]{{1,64}})?")
_OWNERS = ("os", "fw")
_IPV6 = 6
_TRUSTS = ("pcp", "dscp")
_ALGORITHMS = ("strict", "ets", "vendor")
_PARAMETER = re.compile(r"(roce_[nr]p/)?[a-z0-9_]{1,64}")
_DEVICE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


def restore_commands(
    before: Running,
    now: dict[str, Any],
    paths: Iterable[str] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> list[str]:
    """Return commands that restore the live settings that were read before.

    ``now`` holds the settings that they replace, by NIC, ``settings`` those beside the NICs;
    ``paths`` are the files of the change.
    What the host said of itself becomes part of a command only when it is a number, an address or
    a plain name.
    """
    changed = {*before.files, *paths}
    commands = list(_stack_commands(before, changed))
    for interface, nic in sorted(before.config["nics"].items()):
        if not _DEVICE.fullmatch(interface):
            continue
        if "trust" in nic:
            by_dcb = nic.get("reader") == "dcb"
            commands += _dcb_commands(interface, nic) if by_dcb else _qos_commands(interface, nic)
        commands += _address_commands(interface, nic, now.get(interface, {}))
        commands += _marking_commands(interface, nic)
        commands += _dcqcn_commands(interface, nic, now.get(interface, {}))
    commands += restored(before.config.get("settings", {}), settings)
    return [*commands, *_unit_commands(changed), *_empty_folders(before, changed)]


def _unit_commands(paths: set[str]) -> Iterator[str]:
    """Yield what makes systemd and udev read their files again."""
    if any(path.startswith("/etc/systemd/system/") for path in paths):
        yield "systemctl daemon-reload"
    if any(path.startswith(_UDEV) or path.endswith(".link") for path in paths):
        yield "udevadm control --reload"


def _empty_folders(before: Running, paths: set[str]) -> Iterator[str]:
    """Yield what removes the folders of the scripts, and their marks, that a change made."""
    folders = {path.rpartition("/")[0] for path in paths if path.startswith(f"{FOLDER}/")}
    for folder in sorted({*folders, *([FOLDER] if folders else [])}, reverse=True):
        if _FOLDER.fullmatch(folder) and not any(
            path.startswith(f"{folder}/") for path in before.files
        ):
            name = folder.removeprefix("/etc/").replace("/", "-")
            # The lock of the device is in the folder of the marks: it stays.
            marks = [nic for nic in sorted(before.config["nics"]) if _DEVICE.fullmatch(nic)]
            yield f"rm -f {' '.join(f'/run/{name}/{nic}' for nic in marks)}"
            yield f"rmdir {folder} 2>/dev/null || true"


def _stack_commands(before: Running, paths: set[str]) -> Iterator[str]:
    """Yield what makes the network stacks read their files again."""
    if any(path.startswith(NETPLAN) for path in paths):
        yield "netplan apply"  # without a file it takes its own from /run/systemd/network
        # Whatever lets systemd read its units again makes netplan write its files again, and
        # networkd may have read half of one: it then takes the addresses from the interface.
        yield "sleep 1"
        yield "networkctl reload || true"
    if any(path.startswith(NETWORKD) for path in paths):
        yield "networkctl reload"
    if any(path.startswith(PROFILES) for path in paths):
        yield "nmcli connection reload"
    for path in sorted(before.files):
        name = path.removeprefix(PROFILES).removesuffix(".nmconnection")
        if path.startswith(PROFILES) and _DEVICE.fullmatch(name):
            yield f"nmcli connection up id rocefab-{name}"


def _qos_commands(interface: str, nic: dict[str, Any]) -> list[str]:
    """Two calls: --trust and --dscp2prio exclude each other; what is unknown is left out."""
    words = [f"mlnx_qos -i {interface} --pfc {_comma(nic['pfc'])}"]
    if nic["dcbx"] in _OWNERS:
        words.append(f"--dcbx {nic['dcbx']}")
    if nic["trust"] in _TRUSTS:
        words.append(f"--trust {nic['trust']}")
    classes = [str(number) for number in range(len(nic["pfc"]))]
    if nic["cable_m"] is not None:
        words.append(f"--cable_len {nic['cable_m']}")
    if all(number >= 0 for number in nic["priority_to_traffic_class"]):
        words.append(f"--prio_tc {_comma(nic['priority_to_traffic_class'])}")
    if all(nic["tsa"].get(number) in _ALGORITHMS for number in classes):
        shares = [
            nic["bandwidth_percent"][number] if nic["tsa"][number] == "ets" else 0
            for number in classes
        ]
        words.append(f"--tsa {_comma(nic['tsa'][number] for number in classes)}")
        words.append(f"--tcbw {_comma(shares)}")
    pairs = [f"--dscp2prio set,{dscp},{prio}" for dscp, prio in nic["dscp_to_priority"].items()]
    if nic["trust"] == "dscp" and pairs:
        return [" ".join(words), f"mlnx_qos -i {interface} {' '.join(pairs)}"]
    return [" ".join(words)]


def _dcb_commands(interface: str, nic: dict[str, Any]) -> Iterator[str]:
    """Flush first: the driver then trusts PCP, and what was mapped before is mapped again."""
    if nic["dcbx"] in _OWNERS:
        host = "host " if nic["dcbx"] == "os" else ""
        yield f"dcb dcbx set dev {interface} {host}ieee"
    yield f"dcb app flush dev {interface} dscp-prio"
    if nic["dscp_to_priority"]:
        pairs = " ".join(f"{dscp}:{prio}" for dscp, prio in nic["dscp_to_priority"].items())
        yield f"dcb app replace dev {interface} dscp-prio {pairs}"
    classes = [str(number) for number in range(len(nic["pfc"]))]
    if all(nic["tsa"].get(number) in _ALGORITHMS for number in classes):
        shares = [
            nic["bandwidth_percent"][number] if nic["tsa"][number] == "ets" else 0
            for number in classes
        ]
        yield (
            f"dcb ets set dev {interface} willing off "
            f"prio-tc {_pairs(nic['priority_to_traffic_class'])} "
            f"tc-tsa {_pairs(nic['tsa'][number] for number in classes)} tc-bw {_pairs(shares)}"
        )
    pauses = _pairs("on" if bit else "off" for bit in nic["pfc"])
    yield f"dcb pfc set dev {interface} prio-pfc {pauses} delay {int(nic['cable_m'])}"


def _address_commands(interface: str, old: dict[str, Any], now: dict[str, Any]) -> list[str]:
    commands = [f"ip link set dev {interface} mtu {int(old['mtu_bytes'])}"]
    mine, others = _addresses(old), _addresses(now)
    sources = {address.ip for address in mine}  # an address may stay, and its subnet go
    for address in others:
        if address not in mine:
            commands.append(f"ip addr del {address} dev {interface} || true")
        if address.ip not in sources:
            family = "-6 " if address.version == _IPV6 else ""
            commands.append(f"ip {family}rule del from {address.ip} || true")
    commands += [
        f"ip addr replace {address} dev {interface}" for address in mine if address not in others
    ]
    return commands


def _addresses(nic: dict[str, Any]) -> list[ipaddress.IPv4Interface | ipaddress.IPv6Interface]:
    addresses = []
    for text in nic.get("addresses", []):
        with suppress(ValueError):
            addresses.append(ipaddress.ip_interface(text))
    return addresses


def _marking_commands(interface: str, old: dict[str, Any]) -> list[str]:
    commands = []
    if isinstance(old["cnp_dscp"], int):
        file = f"/sys/class/net/{interface}/ecn/roce_np/cnp_dscp"
        commands.append(f"sh -c 'echo {old['cnp_dscp']} > {file}'")
    if old["traffic_class_dscp"] != UNAVAILABLE and _DEVICE.fullmatch(old["rdma_device"]):
        dscp = old["traffic_class_dscp"]
        value = -1 if dscp is None else dscp_to_traffic_class_byte(dscp)
        file = f"/sys/class/infiniband/{old['rdma_device']}/tc/1/traffic_class"
        commands.append(f"sh -c 'echo {value} > {file}'")
    return commands


def _dcqcn_commands(interface: str, old: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield a write for each DCQCN parameter that the change sets to something else."""
    folder = f"/sys/class/net/{interface}/ecn"
    if old.get("reader") == "dcb":
        device = f"$(basename $(readlink -f /sys/class/net/{interface}/device))"
        folder = f"/sys/kernel/debug/mlx5/{device}/cc_params"
    for name, value in old.get("dcqcn", {}).items():
        kept = now.get("dcqcn", {}).get(name, value)
        if _PARAMETER.fullmatch(name) and kept != value:
            yield f"sh -c 'echo {int(value)} > {folder}/{name}'"


def _comma(values: Iterable[object]) -> str:
    return ",".join(str(value) for value in values)


def _pairs(values: Iterable[object]) -> str:
    return " ".join(f"{number}:{value}" for number, value in enumerate(values))
