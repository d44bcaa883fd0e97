"""Junos: our samples value by value, recorded outputs where they are, and damage."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ntc_templates.parse import parse_output

from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.state import (
    BgpPeer,
    InterfaceState,
    LldpNeighbour,
    MacEntry,
    NeighbourEntry,
    Optic,
    PfcCounters,
    QueueCounters,
    Sensor,
    SystemFacts,
)
from fabric.systems.junos.parsers import config, interfaces, optics, tables
from tests.observe.test_fixtures import recorded
from tests.systems.outputs import Outputs, recordings

COUNTERS = {
    "rx_bytes": 1000,
    "tx_bytes": 2000,
    "rx_packets": 10,
    "tx_packets": 20,
    "rx_errors": 1,
    "rx_drops": 2,
    "tx_errors": 4,
    "tx_drops": 5,
    "carrier_transitions": 3,
    "fec_corrected": 6,
    "fec_uncorrected": 0,
}
CASES: dict[str, tuple[str, Callable[[str], Any], Any]] = {
    "version": (
        "version.txt",
        tables.system_facts,
        SystemFacts("su1-rail0", "qfx5240-64od", "23.4X100-D31.6-EVO"),
    ),
    "bgp": (
        "bgp.txt",
        tables.bgp_summary,
        {
            "10.254.0.0": BgpPeer(True, "Establ", 65100, 19_417.0, 0),
            "10.254.0.2": BgpPeer(False, "Active", 65100, None, 2),
            "10.254.0.4": BgpPeer(True, "Establ", 4_200_000_001, 42.0, 0),
        },
    ),
    "lldp": (
        "lldp.txt",
        tables.lldp_neighbours,
        {
            "et-0/0/0": (LldpNeighbour("gpu001", "eth1"),),
            "et-0/0/1": (LldpNeighbour("", "52:54:00:aa:00:12"),),
            "et-0/0/32": (LldpNeighbour("spine01", "et-0/0/0"),),
            "et-0/0/33": (
                LldpNeighbour("spine02", "a long description of a port"),
                LldpNeighbour("spy", "Ethernet1/1"),
            ),
        },
    ),
    "arp": (
        "arp.txt",
        tables.arp_entries,
        {
            "10.64.0.2": NeighbourEntry("52:54:00:aa:00:01", "irb.101 [et-0/0/0.0]"),
            "10.254.0.0": NeighbourEntry("52:54:00:00:01:01", "et-0/0/32.0"),
            "10.64.0.3": NeighbourEntry("52:54:00:aa:00:02", "irb.101"),
        },
    ),
    "macs": (
        "macs.txt",
        tables.mac_entries,
        (
            MacEntry(101, "52:54:00:aa:00:01", "et-0/0/0"),
            MacEntry(101, "52:54:00:aa:00:02", "et-0/0/1", 120.0),
        ),
    ),
    "interfaces": (
        "interfaces.xml",
        interfaces.interfaces,
        {
            "et-0/0/0": InterfaceState(True, True, 400.0, 9100, "FEC119", "gpu001 eth1", COUNTERS),
            "et-0/0/2": InterfaceState(up=False, enabled=False),
        },
    ),
    "pfc_counters": (
        "interfaces.xml",
        interfaces.pfc_counters,
        {"et-0/0/0": PfcCounters((0, 0, 0, 7, 0, 0, 0, 0), (0, 0, 0, 12, 0, 0, 0, 0))},
    ),
    "queues": (
        "interfaces.xml",
        interfaces.queue_counters,
        {("et-0/0/0", 3): QueueCounters(packets=19, dropped_packets=1)},
    ),
    "optics": (
        "optics.xml",
        optics.optics,
        {
            "et-0/0/0": Optic(34.8, (-1.8, None), (0.51, 0.47)),
            "et-0/0/1": Optic(None, (-2.49,), (-2.86,)),
        },
    ),
    "temperatures": ("environment.xml", optics.temperatures, {"FPC 0 CPU": Sensor(41)}),
    "pfc": ("config.set", config.pfc_priorities, {"et-0/0/0": (3, 4)}),
}
OUTPUTS = Outputs(
    nos="junos",
    cases={name: case[1:] for name, case in CASES.items()},
    files={name: case[0] for name, case in CASES.items()},
    lines=dict.fromkeys(("version", "bgp", "arp"), 0),
    rubbish=CASES,
    pieces=["<", ">", "["],
    # The answer stands in an XML element that must close, so a cut one does not get here.
    uncounted={"lldp", "pfc"},
    part_of=lambda _, found, whole: all(
        set(rows) <= set(whole[key]) for key, rows in found.items()
    ),
)
sample, read = OUTPUTS.sample, OUTPUTS.read
MARKS = ["\x1b[7m", "\x1b[K", "--More--", "\x08\x08", "\r"]


def test_every_reading_has_a_sample() -> None:
    """And is made by the function that is tested here."""
    readings = parsers["junos"].readings
    assert {name: read for name, (_, read) in readings.items()} == {
        name: case[1] for name, case in CASES.items()
    }


@given(number=st.integers(0, 2**32))
def test_marks_of_a_pager_or_terminal_are_noticed(number: int) -> None:
    """Wherever they stand; in XML they may stand between elements, where nothing is read."""
    for name, mark in product(CASES, MARKS):
        text = sample(name)
        place = number % (len(text) - 1)
        if mark == "\r" and text[place] == "\n":
            continue  # the end of a line as terminals write it
        found = read(name, text[:place] + mark + text[place:])
        if CASES[name][0].endswith(".xml") and mark in {"--More--", "\r"}:
            assert found is None or type(found) is type(CASES[name][2]), (name, mark)
        else:
            assert found is None, (name, mark)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bgp", "error: BGP n'est pas actif\n"),
        ("interfaces", "<rpc-reply><rpc-error/></rpc-reply>"),
        ("interfaces", '<!DOCTYPE x [<!ENTITY a "b">]><interface-information/>'),
        ("arp", "MAC Address Address Interface Flags\n"),
        ("version", "Nom: leaf1\nModele: qfx5240\n"),
        ("pfc", "set class-of-service interfaces et-0/0/0 congestion-notification-profile A\n"),
    ],
)
def test_other_answers_are_unreadable(name: str, text: str) -> None:
    """Errors, other languages, parts of the truth."""
    assert read(name, text) is None


def test_a_peer_that_was_discovered_goes_by_its_port() -> None:
    """Its address is that of the link, and changes with the switch."""
    text = (
        "Groups: 1 Peers: 1 Down peers: 0\nAuto-discovered peers: 1\n"
        "Peer                     AS      InPkt     OutPkt    OutQ   Flaps Last Up/Dwn State\n"
        "fe80::205:86ff:fe3d:f503%et-0/0/1.0       65500         18         17       0       0 "
        "       6:38 Establ\n  inet.0: 0/0/0/0\n"
    )
    assert tables.bgp_summary(text) == {"et-0/0/1": BgpPeer(True, "Establ", 65500, 398.0, 0)}


def test_no_bgp() -> None:
    """A switch that is fresh from the box."""
    assert tables.bgp_summary("BGP is not running\n") == {}


def test_running_configuration() -> None:
    """One spelling and one order, but for what is in an order of its own."""
    text = sample("pfc")
    running = parsers["junos"].running("x", {"config": text})
    assert (running.platform, running.saved, running.config) == ("junos", None, running.canonical)
    lines = running.config.splitlines()
    assert sorted(lines) == sorted(text.splitlines())
    assert [line.split()[5] for line in lines if "policy-statement" in line] == ["b", "b", "a"]
    shuffled = [lines[-1], *lines[:-1]]
    again = parsers["junos"].running("x", {"config": "\n".join([*shuffled, ""])})
    assert again.fingerprint == running.fingerprint
    swapped = text.replace("term b", "term c").replace("term a", "term b")
    other = parsers["junos"].running("x", {"config": swapped})
    assert other.fingerprint != running.fingerprint
    for damaged in ("", "\n", text[:-1], f"{text}hostname x\n", f"{text}--More--\n"):
        with pytest.raises(UnreadableError):
            parsers["junos"].running("x", {"config": damaged})


# -- recorded outputs


def junos(name: str) -> str:
    """Return a recorded output; its collection has taken the last line end away."""
    return recorded(f"junos/{name}").rstrip() + "\n"


#: Outputs of other commands and models than those that are asked for.
NOT_READ = {
    "juniper_junos_show_ethernet-switching_interfaces.raw": "EX with the old form of VLANs",
    "juniper_junos_show_interfaces.raw": "text; the ports are read from XML",
    "juniper_junos_show_interfaces2.raw": "text; the ports are read from XML",
    "juniper_junos_show_interfaces_irb.raw": "text; a logical interface has no state of its own",
    "show_interfaces_extensive.qfx.txt": "text, cut by its source; the XML beside it is read",
    "vendor-doc/show_class-of-service_shared-buffer.qfx3500.txt": "another family of 2012",
    "SOURCES.md": "says where the others come from",
}
READ = {
    "juniper_junos_show_arp_no-resolve.raw",
    "juniper_junos_show_ethernet-switching_table_14.1X53-D47.6.raw",
    "juniper_junos_show_lldp_neighbors.raw",
    "juniper_junos_show_lldp_neighbors_ae7.raw",
    "juniper_junos_show_version_qfx5100.raw",
    "juniper_junos_show_vlans.raw",
    "show_bgp_summary.raw",
    "show_interfaces_extensive.qfx.22.4R0.xml",
}


def test_every_recorded_output_is_read_or_named() -> None:
    """The configurations are read in tests/platforms."""
    assert {name for name in recordings("junos") if not name.startswith("jvd/")} == READ | set(
        NOT_READ
    )


def test_recorded_version() -> None:
    """Of a QFX5100 with the name of its member above."""
    assert tables.system_facts(junos("juniper_junos_show_version_qfx5100.raw")) == SystemFacts(
        "asxx.xx.xx", "qfx5100-48t-6q", "21.4R3-S3.4"
    )


def test_recorded_bgp() -> None:
    """Six sessions, two of them of one address in two tables."""
    found = tables.bgp_summary(junos("show_bgp_summary.raw"))
    assert len(found) == 5
    assert {(peer.established, peer.asn) for peer in found.values()} == {(True, 64496)}
    assert found["203.0.113.0"] == BgpPeer(True, "Establ", 64496, 3_934_942.0, 21)


@pytest.mark.parametrize(
    ("name", "rows"),
    [("juniper_junos_show_lldp_neighbors", 2), ("juniper_junos_show_lldp_neighbors_ae7", 4)],
)
def test_recorded_lldp(name: str, rows: int) -> None:
    """The rows that the public template finds too."""
    text = junos(f"{name}.raw")
    found = tables.lldp_neighbours(text)
    template = parse_output("juniper_junos", "show lldp neighbors", text)
    assert len(template) == rows
    assert found == {
        row["local_interface"]: (LldpNeighbour(row["neighbor_name"], row["neighbor_interface"]),)
        for row in template
    }


def test_recorded_arp() -> None:
    """The rows that the public template finds too."""
    text = junos("juniper_junos_show_arp_no-resolve.raw")
    template = parse_output("juniper_junos", "show arp no-resolve", text)
    assert len(template) == 9
    assert tables.arp_entries(text) == {
        row["ip_address"]: NeighbourEntry(row["mac_address"], row["interface"]) for row in template
    }


def test_recorded_vlans_and_macs() -> None:
    """The table of MAC addresses asks for the tags of its VLANs, of another recording."""
    vlans = junos("juniper_junos_show_vlans.raw")
    assert tables.vlan_tags(vlans) == {
        "v100-Control": 100,
        "v1005-HelpDesk": 1005,
        "v109-TEMP-Project-Data": 109,
    }
    table = junos("juniper_junos_show_ethernet-switching_table_14.1X53-D47.6.raw")
    assert read("macs", vlans + table) is None
    named = "default-switch BD-903691 17\ndefault-switch Vlan3117 3117\n"
    head = vlans.splitlines()[0]
    found = tables.mac_entries(f"{head}\n{named}{table}")
    assert found == (
        MacEntry(17, "3c:8c:93:50:dc:c0", "ae2"),
        MacEntry(17, "52:54:00:f5:30:2b", "ae2"),
        MacEntry(3117, "00:0c:29:84:d2:f8", "xe-0/0/3"),
    )


def test_recorded_interface() -> None:
    """A QFX with MAC and PFC counters."""
    text = junos("show_interfaces_extensive.qfx.22.4R0.xml")
    (port,) = interfaces.interfaces(text).items()
    assert port[0] == "et-0/0/24"
    assert (port[1].up, port[1].enabled, port[1].speed_gbps) == (True, True, 40.0)
    assert (port[1].mtu_bytes, port[1].fec, port[1].description) == (9202, None, "to.fw")
    assert port[1].counters["tx_bytes"] == 32_313_870_891_611
    zeros = (0,) * 8
    assert interfaces.pfc_counters(text) == {"et-0/0/24": PfcCounters(zeros, zeros)}
    queues = interfaces.queue_counters(text)
    assert [queue for _, queue in queues] == [0, 3, 4, 7]
    assert queues["et-0/0/24", 0] == QueueCounters(packets=29_690_976_297, dropped_packets=0)
