"""Which device gets which answer, and which devices cannot be told apart yet."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.boot.devices import BMC
from fabric.boot.model import Match, boots
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.boot.model import Answer, Boot, Device

RULE = "ZTP001"
#: What a finding about one device is about.
SERIAL, MAC = "serial", "mac"
#: What a DHCP server takes in a text without quotes; serials of all vendors are made of it.
_PLAIN = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Lease:
    """A reservation: who is meant, and what it is answered.

    Parameters
    ----------
    installer : str
        Address of the image that it gets when ONIE asks for it; empty for none.
    """

    device: Device
    match: Match
    answers: tuple[Answer, ...] = ()
    installer: str = ""


def boot_of(platform: str) -> Boot | None:
    """Return how devices of a system start from the box; None where nothing is known of it."""
    return dict(boots.items()).get(platform)


def odd_serial(device: Device) -> Finding | None:
    """Return what is wrong with a serial that a server or a script could misread."""
    if not device.serial or _PLAIN.fullmatch(device.serial):
        return None
    text = f"the serial {device.serial!r} has other characters than letters, digits, . _ and -"
    return _note(device, text, "write it as the device sends it", Severity.ERROR, SERIAL)


def matched(device: Device) -> Match | Finding:
    """Return what a device is known by: its serial where the system sends it, else its MAC."""
    boot = boot_of(device.platform)
    if odd := odd_serial(device):
        return odd
    by_serial = boot.match(device) if boot and device.serial else None
    if by_serial is not None:
        return by_serial
    if device.mac:
        return Match(0, bytes.fromhex(device.mac.replace(":", "")))
    if boot and not device.serial and boot.match(device) is not None:
        return _note(
            device,
            "the serial is not known yet: no address",
            "run `rocefab adopt-serials`, or set serial or management_mac",
        )
    return _note(
        device,
        "no serial is sent with a request, and the MAC is not known: no address",
        f"set {'bmc_mac' if device.platform == BMC else 'management_mac'}",
    )


def _note(
    device: Device, text: str, fix: str, severity: Severity = Severity.WARNING, field: str = ""
) -> Finding:
    return Finding(RULE, severity, text, fix, field, device=device.name)


def alike(leases: Sequence[Lease]) -> Iterator[Finding]:
    """Yield devices that a server cannot tell apart; the field is ``serial`` or ``mac``."""
    of_serial: dict[str, Lease] = {}
    of_option: dict[int, list[Lease]] = defaultdict(list)
    for lease in leases:
        of_option[lease.match.option].append(lease)
        serial = lease.device.serial
        other = of_serial.setdefault(serial, lease) if serial else lease
        if other is not lease:
            yield _alike(lease, f"has the serial of {other.device.name}")
    for group in of_option.values():
        whole: dict[bytes, Lease] = {}
        for lease in group:
            other = whole.setdefault(lease.match.content, lease)
            if other is not lease and not lease.match.option:
                yield _alike(lease, f"has the MAC of {other.device.name}", MAC)
        for lease, text in _inside([*whole.values()]):
            yield _alike(lease, text)


def _inside(leases: list[Lease]) -> Iterator[tuple[Lease, str]]:
    """Yield devices whose serial stands in the serial of another one."""
    parts = {one.match.content: one for one in leases if not one.match.is_whole}
    lengths = {len(part) for part in parts}
    for lease in leases:
        text = lease.match.content
        for length in lengths - {len(text)}:
            for start in range(len(text) - length + 1):
                other = parts.get(text[start : start + length])
                if other is not None:
                    yield lease, f"has a serial that contains the serial of {other.device.name}"


def _alike(lease: Lease, text: str, field: str = SERIAL) -> Finding:
    fix = "correct the serial, or set management_mac and no serial on both"
    fix = fix if field == SERIAL else "set the MAC that is printed on the device"
    return _note(lease.device, text, fix, Severity.ERROR, field)
