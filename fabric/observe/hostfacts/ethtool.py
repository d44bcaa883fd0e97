"""``ethtool``: link, FEC, pause and driver of a network device.

jonmasters/ethtool and its netlink part (mkubecek/ethtool, netlink/settings.c, fec.c, pause.c).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabric.core.units import mbps_to_bps
from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.values import (
    choice,
    headed,
    interface_name,
    number,
    pairs,
    pci_address,
    shown,
    wanted,
    whole_lines,
    word,
)
from fabric.observe.parsers import UnreadableError

_SPEED = re.compile(r"([0-9]{1,8})Mb/s(?: \(.{1,40}\))?")
_FIRMWARE = re.compile(r"([0-9A-Za-z][0-9A-Za-z.:/_-]{0,40})(?: \([0-9A-Za-z_]{1,20}\))?.{0,40}")
#: ``ETHTOOL_A_FEC_MODES`` as ethtool prints them; old versions write BaseR, newer ones BASER.
_FEC = ("None", "Off", "Auto", "RS", "BaseR", "BASER", "LLRS")


#: Names of mlx5 are words; bnxt_en puts the ring before them (``[0]: rx_discards``).
_COUNTER = re.compile(r"(?:\[[0-9]{1,4}\]: ?)?[A-Za-z0-9_][A-Za-z0-9_./ -]{0,63}")


@dataclass(frozen=True, slots=True)
class EthtoolLink:
    """Link of a network device; no speed is known while it is down."""

    interface: str
    up: bool
    rate_bps: int | None = None
    autonegotiation: bool | None = None


@dataclass(frozen=True, slots=True)
class EthtoolFec:
    """FEC that was asked for and FEC in force, in lower case (``rs``, ``baser``, ``none``)."""

    interface: str
    configured: tuple[str, ...]
    active: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EthtoolPause:
    """Pause of the whole link (IEEE 802.3x); not PFC."""

    interface: str
    receive: bool
    transmit: bool


@dataclass(frozen=True, slots=True)
class EthtoolDriver:
    """Driver of a network device; ``pci_address`` is None for a virtual one."""

    driver: str
    firmware: str | None
    pci_address: str | None


@reads("ethtool", "ethtool {interface}")
def parse_ethtool(text: str) -> EthtoolLink:
    """Parse the settings of a link, or raise UnreadableError."""
    name, lines = headed(text, "Settings for ")
    values = pairs(line for line in lines if line.strip().count(":"))
    up = choice(wanted(values, "Link detected").split(" ")[0], ("yes", "no"), "state of a link")
    speed = values.get("Speed", "Unknown!")
    match = _SPEED.fullmatch(speed)
    if not match and not speed.startswith("Unknown!"):
        raise UnreadableError(f"{shown(speed)} is not a speed")
    negotiation = {"on": True, "off": False}.get(values.get("Auto-negotiation", ""))
    rate = round(mbps_to_bps(int(match[1]))) if match else None
    return EthtoolLink(interface_name(name.removesuffix(":")), up == "yes", rate, negotiation)


@reads("ethtool_fec", "ethtool --show-fec {interface}")
def parse_ethtool_fec(text: str) -> EthtoolFec:
    """Parse FEC, or raise UnreadableError; old and new versions name the lines differently."""
    name, lines = headed(text, "FEC parameters for ")
    values = pairs(lines)
    configured = values.get("Supported/Configured FEC encodings")
    configured = values.get("Configured FEC encodings", configured)
    active = values.get("Active FEC encoding", values.get("Active FEC encodings"))
    if configured is None or not active:
        raise UnreadableError("ethtool printed no FEC in force")
    return EthtoolFec(interface_name(name.removesuffix(":")), _modes(configured), _modes(active))


def _modes(text: str) -> tuple[str, ...]:
    return tuple(choice(mode, _FEC, "FEC").lower() for mode in text.split())


@reads("ethtool_pause", "ethtool -a {interface}")
def parse_ethtool_pause(text: str) -> EthtoolPause:
    """Parse the pause of the whole link, or raise UnreadableError."""
    name, lines = headed(text, "Pause parameters for ")
    values = pairs(lines)
    receive, transmit = (
        choice(wanted(values, way), ("on", "off"), "state of pause") == "on" for way in ("RX", "TX")
    )
    return EthtoolPause(interface_name(name.removesuffix(":")), receive, transmit)


@reads("ethtool_driver", "ethtool -i {interface}")
def parse_ethtool_driver(text: str) -> EthtoolDriver:
    """Parse driver, firmware and PCI address, or raise UnreadableError."""
    values = pairs(whole_lines(text))
    bus = wanted(values, "bus-info")
    firmware = wanted(values, "firmware-version")
    match = _FIRMWARE.fullmatch(firmware)
    if firmware not in {"", "N/A"} and not match:
        raise UnreadableError(f"{shown(firmware)} is not a version of firmware")
    return EthtoolDriver(
        word(wanted(values, "driver"), "driver"),
        match[1] if match and firmware != "N/A" else None,
        None if bus in {"", "N/A"} else pci_address(bus),
    )


@reads("ethtool_statistics", "ethtool -S {interface}")
def parse_ethtool_statistics(text: str) -> dict[str, int]:
    """Parse the counters of a driver by its own names.

    Raises
    ------
    UnreadableError
        When a line is no counter, or a counter stands twice.
    """
    _, lines = headed(text, "NIC statistics:")
    counters: dict[str, int] = {}
    for line in lines:
        name, _, value = line.strip().rpartition(": ")
        if not _COUNTER.fullmatch(name) or name in counters:
            raise UnreadableError(f"ethtool printed {shown(line)}")
        counters[name] = number(value, f"value of {name}")
    return counters
