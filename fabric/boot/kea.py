"""Reservations for Kea DHCPv4 (kea.readthedocs.io, "The DHCPv4 Server"; tried with 2.2.0).

A device that is known by a whole option or by its MAC has a reservation. One whose serial is a
part of an option has a class and a pool of one address: a reservation takes whole options alone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.boot.model import (
    BOOT_FILE,
    CLIENT_ID,
    INSTALLER_URL,
    ONIE_CLASS,
    PROVISION_URL,
    TFTP_ADDRESSES,
    TFTP_SERVER,
    VENDOR_CLASS,
    Answer,
    zero_and_serial,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.boot.leases import Lease
    from fabric.boot.model import Device, Match
    from fabric.topology.model import ManagementEnds

#: POAP of NX-OS does not complete with less than an hour (Cisco NX-OS Fundamentals guide 10.6).
LEASE_S = 86_400
_SPACE = "vendor-encapsulated-options-space"
_VENDOR = 43
_NAMES = {
    TFTP_SERVER: "tftp-server-name",
    BOOT_FILE: "boot-file-name",
    TFTP_ADDRESSES: "tftp-servers",
    PROVISION_URL: "provision-url",
    _VENDOR: "vendor-encapsulated-options",
    INSTALLER_URL: "v4-captive-portal",
}


def kea(leases: Sequence[Lease], ends: ManagementEnds) -> str:
    """Return the configuration of a Kea server that answers these devices and no other one."""
    by_class = [lease for lease in leases if lease.match.option and not lease.match.is_whole]
    whole = [lease for lease in leases if not lease.match.option or lease.match.is_whole]
    subnet = {
        "id": 1,
        "subnet": str(ends.subnet),
        "option-data": [{"name": "routers", "data": str(ends.gateway)}],
        "pools": [
            {"pool": f"{one.device.address}/32", "client-class": one.device.name}
            for one in by_class
        ],
        "reservations": [_reservation(one) for one in whole],
    }
    server: dict[str, Any] = {
        "interfaces-config": {"interfaces": ["*"]},
        "valid-lifetime": LEASE_S,
        "host-reservation-identifiers": ["client-id", "hw-address"],
        "option-def": _definitions(leases),
        "client-classes": [one for lease in leases for one in _classes(lease)],
        "subnet4": [subnet],
    }
    if any(lease.installer for lease in leases):
        # ONIE and the system that it installs have one MAC, and two client ids.
        server["match-client-id"] = False
    return json.dumps({"Dhcp4": server}, indent=2) + "\n"


def _definitions(leases: Sequence[Lease]) -> list[dict[str, Any]]:
    """Return the options that Kea does not know by itself."""
    rows = [
        {"name": _NAMES[PROVISION_URL], "code": PROVISION_URL, "type": "string", "space": "dhcp4"},
        {
            "name": _NAMES[TFTP_ADDRESSES],
            "code": TFTP_ADDRESSES,
            "type": "ipv4-address",
            "array": True,
            "space": "dhcp4",
        },
    ]
    codes = {
        code
        for lease in leases
        for answer in lease.answers
        if not isinstance(answer.content, str)
        for code in answer.content
    }
    return rows + [
        {"name": f"sub-{code}", "code": code, "type": "string", "space": _SPACE}
        for code in sorted(codes)
    ]


def _reservation(lease: Lease) -> dict[str, Any]:
    content = lease.match.content.hex(":")
    kind = "client-id" if lease.match.option == CLIENT_ID else "hw-address"
    return {
        kind: content,
        "ip-address": lease.device.address,
        "hostname": lease.device.name,
        "option-data": _options(lease.answers),
    }


def _classes(lease: Lease) -> Iterator[dict[str, Any]]:
    """Yield the classes of a device: what it is known by, and what ONIE gets on it."""
    device, match = lease.device, lease.match
    by_class = match.option and not match.is_whole
    system = f"boot:{device.name}" if lease.installer else device.name
    if by_class:
        yield _class(system, _test(match), device, lease.answers)
    if not lease.installer:
        return
    installer = f"onie:{device.name}"
    answers = (Answer(INSTALLER_URL, lease.installer),)
    yield _class(installer, _test_onie(device), device, answers)
    if by_class:
        yield {"name": device.name, "test": f"member('{system}') or member('{installer}')"}


def _class(name: str, test: str, device: Device, answers: Sequence[Answer]) -> dict[str, Any]:
    host_name = {"name": "host-name", "data": device.name, "always-send": True}
    return {"name": name, "test": test, "option-data": [host_name, *_options(answers)]}


def _test_onie(device: Device) -> str:
    """Return what tells ONIE on a device: its client id, or its MAC, as far as they are known."""
    known = []
    if device.serial:
        known.append(f"option[{CLIENT_ID}].hex == 0x{zero_and_serial(device).content.hex()}")
    if device.mac:
        known.append(f"pkt4.mac == 0x{device.mac.replace(':', '')}")
    return f"{_part(VENDOR_CLASS, 0, ONIE_CLASS.encode())} and ({' or '.join(known)})"


def _test(match: Match) -> str:
    start = -len(match.content) if match.where == "end" else 0
    serial = _part(match.option, start, match.content)
    return f"{_part(match.option, 0, match.mark)} and {serial}" if match.mark else serial


def _part(option: int, start: int, content: bytes) -> str:
    return f"substring(option[{option}].hex, {start}, {len(content)}) == 0x{content.hex()}"


def _options(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Return the options; those of a class and of a reservation are not merged below one code."""
    rows: list[dict[str, Any]] = []
    for answer in answers:
        if isinstance(answer.content, str):
            rows.append({"name": _NAMES[answer.code], "data": answer.content, "always-send": True})
            continue
        rows += [
            {"name": f"sub-{code}", "space": _SPACE, "data": text, "always-send": True}
            for code, text in answer.content.items()
        ]
        rows.append({"name": _NAMES[answer.code], "always-send": True})
    return rows
