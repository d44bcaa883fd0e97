"""What a device is known by, and devices that no server could tell apart."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from fabric.boot.leases import Lease, alike, matched
from fabric.boot.model import Device, Match
from fabric.core.findings import Finding, Severity

SUBNET = IPv4Network("10.9.0.0/24")


def device(platform: str, serial: str = "", mac: str = "", release: str = "") -> Device:
    return Device(
        f"{platform}1", platform, "", serial, mac, release, "10.9.0.11", "10.9.0.1", SUBNET
    )


KNOWN = {
    "sonic": (
        device("sonic", "ABC123", "02:00:00:00:00:01"),
        Match(61, b"##ABC123", "end", b"SONiC##"),
    ),
    "eos": (device("eos", "JPE123"), Match(60, b";JPE123", "end", b"Arista;")),
    "cumulus": (device("cumulus", "MT22", release="5.14"), Match(61, b"\0MT22")),
    "old cumulus": (
        device("cumulus", "MT22", "02:00:00:00:00:01", "5.9"),
        Match(0, b"\2\0\0\0\0\1"),
    ),
    "nxos": (device("nxos", "FDO22"), Match(61, b"\0FDO22")),
    "junos": (device("junos", "DN817"), Match(60, b"-DN817", "end", b"Juniper-")),
    "vrp8": (device("vrp8", "2102311"), Match(61, b"2102311 ", "begin")),
    "comware7": (device("comware7", "S1", "02:00:00:00:00:01"), Match(0, b"\2\0\0\0\0\1")),
    "esonic": (device("esonic", "S1", "02:00:00:00:00:01"), Match(0, b"\2\0\0\0\0\1")),
    "no serial": (device("sonic", "", "02:00:00:00:00:01"), Match(0, b"\2\0\0\0\0\1")),
    "host": (device("host", "S1", "02:00:00:00:00:01"), Match(0, b"\2\0\0\0\0\1")),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_serial_counts_where_the_system_sends_it(name: str) -> None:
    asked, match = KNOWN[name]
    assert matched(asked) == match


UNKNOWN = {
    "nothing yet": (device("eos"), "the serial is not known yet", Severity.WARNING),
    "a host": (device("host", "S1"), "no serial is sent", Severity.WARNING),
    "no serial in it": (device("comware7", "S1"), "no serial is sent", Severity.WARNING),
    "nothing, and no serial in it": (device("esonic"), "no serial is sent", Severity.WARNING),
    "an old release": (
        device("cumulus", "MT22", release="5.9"),
        "no serial is sent",
        Severity.WARNING,
    ),
    "odd": (device("eos", 'JPE"1'), "has other characters", Severity.ERROR),
    "a line": (device("eos", "JPE 1"), "has other characters", Severity.ERROR),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_who_is_not_known(name: str) -> None:
    asked, message, severity = UNKNOWN[name]
    finding = matched(asked)
    assert isinstance(finding, Finding)
    assert message in finding.message
    assert (finding.severity, finding.device) == (severity, asked.name)


def said(*leases: tuple[str, Match]) -> list[str]:
    made = [Lease(device(name, match.content.decode()), match) for name, match in leases]
    return [f"{one.device} {one.message}" for one in alike(made)]


def test_who_cannot_be_told_apart() -> None:
    long, short = Match(60, b";JPE1234", "end"), Match(60, b";JPE123", "end")
    assert said(("a", short), ("b", long)) == ["b1 has a serial that contains the serial of a1"]
    assert said(("a", short), ("b", short)) == ["b1 has the serial of a1"]
    assert not said(
        ("a", short), ("b", Match(61, b";JPE1234")), ("c", Match(60, b";JPE124", "end"))
    )
