"""NX-OS: our samples value by value, recorded outputs where they are, and damage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ntc_templates.parse import parse_output

from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.state import (
    BgpPeer,
    EcnState,
    InterfaceState,
    LldpNeighbour,
    MacEntry,
    NeighbourEntry,
    Optic,
    PfcCounters,
    QueueCounters,
    Sensor,
    SystemFacts,
    WatchdogState,
)
from fabric.systems.nxos.parsers import counters, neighbours, optics, tables
from fabric.systems.nxos.parsers.marking import marking
from fabric.systems.nxos.parsers.text import blocks, whole_configuration
from tests.observe.test_fixtures import recorded
from tests.systems.outputs import Outputs, optics_part, recordings

NONE = (None,) * 4
CASES: dict[str, tuple[Callable[[str], Any], Any]] = {
    "version.json": (
        tables.system_facts,
        SystemFacts(
            "leaf1", "Nexus9000 C9332D-GX2B Chassis", "10.4(3)", "FDO12345678", uptime_s=93_784.0
        ),
    ),
    "interfaces.json": (
        tables.interfaces,
        {
            "Ethernet1/1": InterfaceState(
                up=True,
                enabled=True,
                speed_gbps=400.0,
                mtu_bytes=9216,
                description="gpu001 eth1",
                counters={
                    "in_bytes": 10,
                    "in_packets": 2,
                    "in_errors": 0,
                    "in_discards": 0,
                    "in_pause_frames": 0,
                    "in_crc_errors": 0,
                    "out_bytes": 5,
                    "out_packets": 1,
                    "out_errors": 0,
                    "out_discards": 7,
                    "out_pause_frames": 0,
                },
            ),
            "Ethernet1/2": InterfaceState(up=False, enabled=False, mtu_bytes=1500),
            "Vlan101": InterfaceState(up=True, enabled=True, mtu_bytes=9216),
        },
    ),
    "bgp.json": (
        tables.bgp_summary,
        {
            "10.254.0.0": BgpPeer(established=True, state="Established", asn=65100),
            "10.254.0.2": BgpPeer(established=False, state="Idle", asn=65546),
        },
    ),
    "arp.json": (
        tables.arp_entries,
        {
            "10.64.0.2%Vlan101": NeighbourEntry("02:42:ac:11:00:02", "Vlan101", 69.0),
            "10.64.0.2%Ethernet1/2": NeighbourEntry("02:42:ac:11:00:04", "Ethernet1/2", 1.0),
            "10.254.0.0": NeighbourEntry("02:42:ac:11:00:03", "Ethernet1/17", 0.5),
        },
    ),
    "macs.json": (
        tables.mac_entries,
        (
            MacEntry(101, "02:42:ac:11:00:02", "Ethernet1/1", 30.0),
            MacEntry(101, "02:42:ac:11:00:04", "Ethernet1/2"),
        ),
    ),
    "lldp.txt": (
        neighbours.lldp_neighbours,
        {
            "Ethernet1/17": (LldpNeighbour("spine01", "Ethernet1/1"),),
            "Ethernet1/1": (
                LldpNeighbour("a-host-with-quite-a-long-name", "eth1"),
                LldpNeighbour("spy", "0800.274f.332d"),
            ),
        },
    ),
    "bfd.txt": (neighbours.bfd_neighbours, {"10.254.0.0": True, "10.254.0.2": False}),
    "pfc.txt": (
        counters.pfc_priorities,
        {"Ethernet1/1": (3,), "Ethernet1/2": (), "Ethernet1/17": (3, 4)},
    ),
    "ecn.cfg": (
        marking,
        {
            ("Ethernet1/1", 3): EcnState(150_000, 1_500_000, 7.0),
            ("Ethernet1/2", 0): EcnState(1_000, 2_000, 100.0),
        },
    ),
    "queuing.txt": (
        counters.queue_counters,
        {
            ("Ethernet1/1", 0): QueueCounters(packets=12, dropped_packets=1),
            ("Ethernet1/1", 3): QueueCounters(packets=50, dropped_packets=6),
        },
    ),
    "pfc counters": (
        counters.pfc_counters,
        {"Ethernet1/1": PfcCounters((0, None, None, 8, *NONE), (0, None, None, 7, *NONE))},
    ),
    "watchdog.txt": (
        counters.watchdog,
        {("Ethernet1/1", 3): WatchdogState(None, 1, 2, dropped_packets=4)},
    ),
}


CASES |= {
    "optics.txt": (
        optics.optics,
        {"Ethernet1/1": Optic(40.44, (-17.7, -1.57), (0.76, None))},
    ),
    "temperatures.txt": (
        optics.temperatures,
        {
            "1 FRONT": Sensor(32, 70),
            "1 Back        (D3)": Sensor(28, 42),
            "1 FRONT #2": Sensor(35, 70),
        },
    ),
}


def part_of(name: str, found: Any, whole: Any) -> bool:
    """Tell whether nothing was said that the whole did not say."""
    if name == "optics.txt":
        return optics_part(found, whole)
    if name == "pfc counters":
        return all(
            seen in (None, real)
            for port, pauses in found.items()
            for ours, theirs in (
                (pauses.received, whole[port].received),
                (pauses.sent, whole[port].sent),
            )
            for seen, real in zip(ours, theirs, strict=True)
        )
    return bool(found.items() <= whole.items())


OUTPUTS = Outputs(
    nos="nxos",
    cases=CASES,
    files={"pfc counters": "queuing.txt"},
    marks=["\x1b[7m", "\x1b[K", "--More--", "\x08\x08", "\r"],
    marked=[name for name in CASES if not name.endswith(".json")],
    pieces=["{", "}", "null", "[]", "|"],
    uncounted={
        "ecn.cfg",
        "pfc.txt",
        "queuing.txt",
        "watchdog.txt",
        "optics.txt",
        "temperatures.txt",
        "bfd.txt",
        "lldp_detail.txt",
        "pfc counters",
    },
    part_of=part_of,
    others=[
        "",
        "\n",
        "% Invalid command\n",
        "Unbekannter Befehl\n",
        "[]",
        "null",
        "{}",
        '{"TABLE_x": 1}',
    ],
    wrong=[
        ("arp.json", '"cnt-total": 4', '"cnt-total": 5'),
        ("arp.json", "00:01:09", "yesterday"),
        ("bgp.json", '"state": "Idle"', '"state": ""'),
        ("bgp.json", "65100", "sixty"),
        ("interfaces.json", '"eth_inbytes": 10', '"eth_inbytes": "ten"'),
        ("macs.json", "0242.ac11.0002", "0242ac110002"),
        ("lldp.txt", "displayed: 3", "displayed: 4"),
        ("lldp.txt", "Eth1/17 ", "Ethernet"),
        ("ecn.cfg", "150 kbytes", "150 packets"),
        ("ecn.cfg", "version 10.4(3)", "x"),
        ("pfc.txt", "(18)", "(xx)"),
        ("pfc.txt", "(18)", ""),
        ("queuing.txt", "|   Dropped Pkts |               6|", "|   x |               6|"),
        ("pfc counters", "Active           7", "Active           -"),
        ("optics.txt", "-17.70 dBm", "-17.70 mW"),
        ("optics.txt", "0.76", "nan"),
        ("optics.txt", "  Rx Power      -1.57", "  Rx power      -1.57"),
        ("optics.txt", "Ethernet1/2\n", ""),
        ("temperatures.txt", "80           70           32 ", "80           32 "),
        ("temperatures.txt", "CurTemp", "Temp"),
        ("watchdog.txt", "|                       Restored|", "|                       Wrong|"),
    ],
)
sample, read = OUTPUTS.sample, OUTPUTS.read


def test_port_ids_may_hold_spaces() -> None:
    """Some hosts announce a slot and a port."""
    text = sample("lldp.txt").replace("S           eth1", "S           Slot 0 Port 1")
    found = neighbours.lldp_neighbours(text)["Ethernet1/1"][0]
    assert found == LldpNeighbour("a-host-with-quite-a-long-name", "Slot 0 Port 1")


def test_running_configuration() -> None:
    """Headers and our timers are no part of it; banners and jobs of others stay as they are."""
    text = sample("running.cfg")
    startup = text.replace("!Command: show running-config", "!Command: show startup-config")
    startup = startup.replace("!Time", "!Startup config saved at: x\n!Time")
    running = parsers["nxos"].running("leaf1", {"config": text, "startup": startup})
    assert running.saved is True
    assert running.config == running.canonical
    assert "rocefab-" not in running.config
    assert "version" not in running.config
    assert "banner motd #\n hostname of yours?\ninterface Ethernet1/1\n#\n" in running.config
    assert "scheduler job name theirs\ncopy running-config startup-config\nend-job\n" in (
        running.config
    )
    assert "scheduler schedule name theirs\n  job name theirs\n  time daily" in running.config
    assert whole_configuration("version 1\n" + running.config) == running.config
    changed = {"config": text, "startup": startup.replace("RAIL0", "RAIL1")}
    assert parsers["nxos"].running("leaf1", changed).saved is False
    assert parsers["nxos"].running("leaf1", {"config": text, "startup": ""}).saved is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "% Invalid command\n",
        "hostname x\n",
        "version 10.4(3)\nhostname x",
        "version 10.4(3)\nbanner motd #\nno end\n",
        "version 10.4(3)\nscheduler job name x\nshow clock\n",
        "version 10.4(3)\nhostname \x1b[7mx\n",
    ],
)
def test_running_configurations_that_are_not_whole(text: str) -> None:
    """Are unreadable."""
    with pytest.raises(UnreadableError):
        parsers["nxos"].running("x", {"config": text, "startup": ""})


def test_a_banner_on_one_line_ends_there() -> None:
    """What follows it is configuration."""
    assert blocks("banner motd #hello#\nhostname x\n") == [
        ["banner motd #hello#"],
        ["hostname x"],
    ]


#: Recorded outputs: the parser and what it must find.
RECORDED: dict[str, tuple[Callable[[str], Any], Callable[[Any], bool]]] = {
    "show_bgp_all_summary_vrf_all.json": (tables.bgp_summary, lambda found: found == {}),
    "show_interface.json": (
        tables.interfaces,
        lambda found: list(found) == ["mgmt0", "Ethernet2/1", "Ethernet2/2", "Ethernet2/3"],
    ),
    "show_interface_priority-flow-control.txt": (
        counters.pfc_priorities,
        lambda found: found == {"Ethernet1/2": (0, 3), "Ethernet1/5": ()},
    ),
    "show_ip_arp.json": (
        tables.arp_entries,
        lambda found: found == {"1.1.1.1": NeighbourEntry("00:0a:00:0a:00:0a", "Ethernet2/1")},
    ),
    "show_lldp_neighbors.txt": (
        neighbours.lldp_neighbours,
        lambda found: found["Ethernet1/1"][0].system_name == "nx-osv9000-3-long-name.com",
    ),
    "show_lldp_neighbors_n9k2.txt": (
        neighbours.lldp_neighbours,
        lambda found: set(found) == {"mgmt0", "Ethernet1/1", "Ethernet1/2"},
    ),
    "show_mac_address-table.json": (tables.mac_entries, lambda found: found == ()),
    "show_queuing_interface.txt": (
        counters.queue_counters,
        lambda found: found[("Ethernet2/1", 3)] == QueueCounters(50, 6),
    ),
    "show_queuing_pfc-queue_detail.txt": (
        counters.watchdog,
        lambda found: found == {("Ethernet1/23", 3): WatchdogState(None, 1, 2, 4)},
    ),
    "show_running_config_all_interface_7.0.3.cfg": (
        lambda text: blocks(whole_configuration(text)),
        lambda found: len(found) == 4 and "  priority-flow-control mode auto" in found[2],
    ),
}
#: Recorded outputs that nothing reads, and why.
UNREAD = {
    "show_checkpoint_summary.txt": "checkpoints are asked for one by one, by their names",
    "show_interface_status.txt": "show interface is read in JSON, with more in it",
    "show_ip_arp_detail.txt": "the table is read in JSON; the sample is cut to 60 of 1625 rows",
    "show_ip_arp_summary_vrf_all.txt": "the rows of show ip arp vrf all are counted",
    "show_lldp_neighbors_detail.txt": "show lldp neighbors has a row for each, and counts them",
    "show_ip_bgp_summary.txt": "show bgp all summary vrf all is read in JSON",
    "show_lldp_timers.txt": "settings are read from the running configuration",
    "show_mac_address-table_aging-time.txt": "settings are read from the running configuration",
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(name: str) -> None:
    """Outputs of real devices."""
    parse, right = RECORDED[name]
    assert right(parse(recorded(f"nxos/{name}")))


def test_bgp_of_a_vrf_with_neighbours() -> None:
    """The recorded default VRF has none in IPv4, so another one takes its place."""
    text = recorded("nxos/show_bgp_all_summary_vrf_all.json")
    text = text.replace('"default"', '"other"').replace('"RED-PRE-PROD"', '"default"')
    found = tables.bgp_summary(text)
    assert found["10.1.1.177"] == BgpPeer(established=True, state="Established", asn=64862)
    assert set(found) == {"10.1.1.177", "10.1.1.179"}


def test_every_recorded_output_is_accounted_for() -> None:
    """Read, or in the list of those that are not."""
    assert recordings("nxos") - {"SOURCES.md"} == set(RECORDED) | set(UNREAD)


def test_optics_and_temperatures_as_the_public_templates_read_them() -> None:
    """The figures that ntc-templates has for each lane and sensor of our samples."""
    lanes = parse_output("cisco_nxos", "show interface transceiver details", sample("optics.txt"))
    [optic] = optics.optics(sample("optics.txt")).values()
    said = [(row["rx_value"], row["tx_value"]) for row in lanes]
    assert said == [("-17.70", "0.76"), ("-1.57", "N/A")]
    assert list(zip(optic.received_dbm, optic.sent_dbm, strict=True)) == [
        (float(received), None if sent == "N/A" else float(sent)) for received, sent in said
    ]
    whole = "\n".join(line for line in sample("temperatures.txt").split("\n") if "N/A" not in line)
    rows = parse_output("cisco_nxos", "show environment temperature", whole)
    found = optics.temperatures(sample("temperatures.txt"))
    assert [(one.celsius, one.limit_celsius) for one in found.values()] == [
        (float(row["current_value"]), float(row["minor_threshold"])) for row in rows
    ]


def test_a_watchdog_that_is_switched_off_is_no_storm() -> None:
    """Its queues are neither watched nor stopped."""
    text = OUTPUTS.sample("watchdog.txt")
    assert counters.watchdog(text.replace("[Enabled]", "[Disabled]")) == {}
