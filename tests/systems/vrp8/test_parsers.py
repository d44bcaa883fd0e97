"""VRP8: our samples value by value, the vendor's samples where they are, and damage."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.state import (
    BgpPeer,
    EcnState,
    InterfaceState,
    LldpNeighbour,
    MacEntry,
    NeighbourEntry,
    PfcCounters,
    QueueCounters,
    SystemFacts,
    WatchdogState,
)
from fabric.systems.vrp8.parsers import lossless, ports, tables
from fabric.systems.vrp8.parsers.text import blocks, whole_configuration
from tests.observe.test_fixtures import recorded
from tests.systems.outputs import Outputs, recordings

NONE = (None,) * 3
COUNTERS = {
    "in_bytes": 207592,
    "in_packets": 616,
    "in_discards": 4,
    "in_pause_frames": 12,
    "in_errors": 3,
    "in_crc_errors": 2,
    "out_bytes": 1325324,
    "out_packets": 9268,
    "out_discards": 5,
    "out_pause_frames": 77,
}
STOPPED = {"in_bytes": 0, "in_packets": 0, "out_bytes": 0, "out_packets": 0, "in_discards": 0}
CASES: dict[str, tuple[Callable[[str], Any], Any]] = {
    "version.txt": (
        tables.system_facts,
        SystemFacts(
            "leaf1",
            "CE8855-32CQ4BQ",
            "V300R023C00",
            "2102AB1234567890",
            "00:e0:fc:12:34:56",
            106_320.0,
        ),
    ),
    "interfaces.txt": (
        ports.interfaces,
        {
            "100GE1/0/1": InterfaceState(
                True, True, 100.0, 9100, "rs", "gpu001 eth1", counters=COUNTERS
            ),
            "100GE1/0/2": InterfaceState(False, False, None, 9194, counters=STOPPED),
            "Vlanif101": InterfaceState(True, True, None, 9100),
        },
    ),
    "lldp.txt": (
        tables.lldp_neighbours,
        {
            "100GE1/0/17": (LldpNeighbour("spine01", "100GE1/0/1", "su1-rail0 100GE1/0/17"),),
            "100GE1/0/1": (LldpNeighbour("gpu001", "eth1"), LldpNeighbour("", "0242-ac11-0002")),
        },
    ),
    "bgp.txt": (
        tables.bgp_peers,
        {
            "10.254.0.0": BgpPeer(True, "Established", 65100),
            "10.254.0.2": BgpPeer(False, "Idle", 65546),
            "10.254.0.4": BgpPeer(False, "Idle(Admin)", 65200),
        },
    ),
    "bfd.txt": (tables.bfd_sessions, {"10.254.0.0": True, "10.254.0.2": False}),
    "arp.txt": (
        tables.arp_entries,
        {
            "10.64.0.2": NeighbourEntry("02:42:ac:11:00:02", "Vlanif101"),
            "10.254.0.0": NeighbourEntry("02:42:ac:11:00:03", "100GE1/0/17"),
        },
    ),
    "macs.txt": (
        tables.mac_entries,
        (
            MacEntry(101, "02:42:ac:11:00:02", "100GE1/0/1", 30.0),
            MacEntry(101, "02:42:ac:11:00:03", "100GE1/0/2"),
        ),
    ),
    "pfc.txt": (
        lossless.pfc_priorities,
        {"100GE1/0/1": (4,), "100GE1/0/2": (5,), "100GE1/0/3": ()},
    ),
    "config.cfg": (lossless.marking, {("100GE1/0/1", 3): EcnState(150_000, 1_500_000, 7.0)}),
    "counters.txt": (
        lossless.pfc_counters,
        {
            "100GE1/0/1": PfcCounters((*NONE, 120, 0, *NONE), (*NONE, 75, 9, *NONE)),
            "100GE1/0/2": PfcCounters((*NONE, 8, None, *NONE), (*NONE, 7, None, *NONE)),
        },
    ),
    "watchdog": (
        lossless.watchdog,
        {
            ("100GE1/0/1", 3): WatchdogState(None, 2, 1),
            ("100GE1/0/1", 4): WatchdogState(None, 0, 0),
            ("100GE1/0/2", 3): WatchdogState(None, 0, 0),
        },
    ),
    "marked.txt": (
        lossless.marked,
        {
            "100GE1/0/1": InterfaceState(counters={"out_ecn_marked_packets": 17}),
            "100GE1/0/2": InterfaceState(counters={"out_ecn_marked_packets": 0}),
        },
    ),
    "queues.txt": (
        lossless.queue_counters,
        {
            (f"100GE1/0/{port}", queue): QueueCounters(1000 * port + queue, queue)
            for port in (1, 2)
            for queue in range(8)
        },
    ),
}


OUTPUTS = Outputs(
    nos="vrp8",
    cases=CASES,
    files={"watchdog": "counters.txt"},
    marks=["\x1b[7m", "\x1b[16D", "  ---- More ----", "\x08\x08", "\r"],
    marked=CASES,
    pieces=["#", "-", ":"],
    uncounted={"interfaces.txt", "lldp.txt", "queues.txt"},
    part_of=lambda _, found, whole: (
        {key for key in found if found[key] != whole[key]} <= {"Vlanif101"}
    ),
    others=[
        "",
        "\n",
        "Error: Unrecognized command found at '^' position.\n",
        "Fehler: was?\n",
        "x\n",
    ],
    wrong=[
        ("version.txt", "ESN of slot 1", "ESN"),
        ("version.txt", "V300R023C00)", ")"),
        ("interfaces.txt", "Speed:               100000", "Speed:                 fast"),
        ("interfaces.txt", "1325324 bytes", "many bytes"),
        ("lldp.txt", "has 2 neighbor", "has 3 neighbor"),
        ("lldp.txt", "System name                        :gpu001\n", ""),
        ("bgp.txt", "peers      : 3", "peers      : 4"),
        ("bgp.txt", "       Idle        0", "               0"),
        ("bfd.txt", ": 1/1", ": 2/0"),
        ("bfd.txt", "Down      D/IP-IF", "Gone      D/IP-IF"),
        ("arp.txt", "Total:5", "Total:6"),
        ("arp.txt", "0242-ac11-0002", "0242-ac11"),
        ("macs.txt", "items: 3", "items: 4"),
        ("macs.txt", "0242-ac11-0002", "0242-ac11-00"),
        ("pfc.txt", "enable roce", "enable other"),
        ("pfc.txt", "100  LinkUp", "100  Fine"),
        ("config.cfg", "buffer-size low-limit", "buffer-size cell low-limit"),
        ("config.cfg", "wred roce-ecn", "wred gone"),
        ("counters.txt", "                                              75 ", "  x "),
        ("marked.txt", "100GE1/0/1                    17", "100GE1/0/1                    --"),
        (
            "queues.txt",
            "     3         0                1003",
            "     x         0                1003",
        ),
    ],
)
sample, read = OUTPUTS.sample, OUTPUTS.read


def test_running_configuration() -> None:
    """Comments and separators are no part of it; texts of others stay as they are."""
    text = sample("config.cfg")
    later = text.replace("07:13:54", "08:00:00")
    running = parsers["vrp8"].running("leaf1", {"config": text, "startup": later})
    assert running.saved is True
    assert running.config == running.canonical
    assert running.config.startswith("sysname leaf1\n")
    assert 'information "sysname of yours?\n#\nbgp 1\n end"\n' in running.config
    assert "2026" not in running.config
    changed = {"config": text, "startup": later.replace("priority 5", "priority 6")}
    assert parsers["vrp8"].running("leaf1", changed).saved is False
    assert parsers["vrp8"].running("leaf1", {"config": text, "startup": ""}).saved is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "sysname x\nreturn\n",
        "#\nsysname x\n",
        "#\nsysname x\nreturn",
        "#\n  below nothing\nreturn\n",
        '#\nheader login information "no end\n#\nreturn\n',
        "#\nsysname \x1b[7mx\nreturn\n",
        "Error: x\nreturn\n",
    ],
)
def test_running_configurations_that_are_not_whole(text: str) -> None:
    """Are unreadable."""
    with pytest.raises(UnreadableError):
        parsers["vrp8"].running("x", {"config": text, "startup": ""})


def test_what_is_off_has_nothing() -> None:
    """The driver says so in place of an answer that the switch refuses."""
    assert tables.bgp_peers("bgp is off\n") == {}
    assert tables.bfd_sessions("bfd is off\n") == {}
    assert tables.lldp_neighbours("lldp is off\n") == {}
    assert read("arp.txt", "bgp is off\n") is None


def test_pfc_that_is_off_for_the_switch() -> None:
    """Pauses nowhere, whatever the ports say."""
    text = sample("pfc.txt").replace(
        "sysname leaf1\n", "sysname leaf1\n#\ndcb pfc global disable\n"
    )
    assert set(lossless.pfc_priorities(text).values()) == {()}


def outputs(text: str) -> list[str]:
    """Return the outputs of a file that holds several, without the commands above them."""
    parts = re.split(r"(?m)^(?:<\S+>|\[[~*]?\S+\])\s*display .*\n", text)
    return [f"{part.rstrip()}\n" for part in parts if part.strip()]


VENDOR = "vendor-doc/"
#: Recorded outputs: the parser, which output of the file, and what it must find.
RECORDED: dict[str, tuple[Callable[[str], Any], int, Callable[[Any], bool]]] = {
    "huawei_vrp_display_bgp_peer.raw": (
        tables.bgp_peers,
        0,
        lambda found: (
            set(found) == {f"192.168.1.{number}" for number in range(11, 15)}
            and found["192.168.1.11"] == BgpPeer(True, "Established", (635 << 16) + 66)
        ),
    ),
    "huawei_vrp_display_bgp_peer2.raw": (
        lambda text: tables.bgp_peers(text.replace("local AS", "Local AS")),
        0,
        lambda found: [peer.established for peer in found.values()] == [False, True],
    ),
    "huawei_vrpv8_display_arp_all.raw": (
        tables.arp_entries,
        0,
        lambda found: (
            found["10.110.1.5"] == NeighbourEntry("f4:1d:6b:bc:4c:b7", "Eth-Trunk0")
            and "10.110.1.6" not in found
        ),
    ),
    "huawei_vrp_display_mac-address.raw": (
        tables.mac_entries,
        0,
        lambda found: found[0] == MacEntry(10, "b8:d6:f6:ff:73:90", "XGE0/0/1"),
    ),
    "huawei_vrp_display_mac-address2.raw": (tables.mac_entries, 0, lambda found: len(found) == 2),
    VENDOR + "display_mac-address.ref.txt": (tables.mac_entries, 0, lambda found: found == ()),
    VENDOR + "display_arp_All_views.ref.txt": (
        tables.arp_entries,
        0,
        lambda found: found == {},  # all of them are of VPN instances
    ),
    VENDOR + "display_lldp_neighbor.ref.txt": (
        tables.lldp_neighbours,
        0,
        lambda found: found == {"100GE1/0/1": (LldpNeighbour("232.167", "100GE1/0/1"),)},
    ),
    VENDOR + "display_dcb_pfc.ref.txt": (
        lossless.pfc_counters,
        0,
        lambda found: found["100GE1/0/1"].received == (None,) * 5 + (0, None, None),
    ),
    VENDOR + "display_dcb_pfc_deadlock_trigger_status.ref.txt": (
        lambda text: lossless.pfc_priorities("#\nsysname x\n#\nreturn\n" + text),
        0,
        lambda found: found == {},  # the configuration above it has no ports
    ),
    VENDOR + "display_qos_ecn_statistics.ref.txt": (
        lossless.marked,
        0,
        lambda found: found["10GE1/0/1"].counters == {"out_ecn_marked_packets": 0},
    ),
    VENDOR + "display_qos_queue_statistics.ref.txt": (
        lossless.queue_counters,
        0,
        lambda found: found["10GE1/0/1", 6] == QueueCounters(1330, 0),
    ),
    VENDOR + "display_interface.ref.txt": (
        ports.interfaces,
        2,
        lambda found: (
            found["10GE1/0/1"].speed_gbps == 10.0
            and found["10GE1/0/1"].counters["in_packets"] == 616
        ),
    ),
}
_COUNTERS = "display interface main has more counters, port by port"
_EXACT = "thresholds are read from the configuration, exactly"
_PROFILE = "settings are read from the running configuration"
_CHANGES = "what is under way is asked for by the driver, not read as state"
#: Recorded outputs that nothing reads, and why.
UNREAD = {
    "huawei_vrp_display_interface1.raw": "of a campus switch; other lines than a CloudEngine",
    "huawei_vrp_display_interface_brief.raw": _COUNTERS,
    "huawei_vrp_display_interface_brief2.raw": _COUNTERS,
    "huawei_vrp_display_startup.raw": "the saved configuration itself is compared",
    "huawei_vrp_display_vlan.raw": _PROFILE,
    VENDOR + "display_interface_brief.ref.txt": _COUNTERS,
    VENDOR + "display_interface_counters.ref.txt": _COUNTERS,
    VENDOR + "display_lldp_neighbor_brief.ref.txt": "nothing in it counts its rows",
    VENDOR + "display_lldp_neighbor_brief.txt": "nothing in it counts its rows",
    VENDOR
    + "display_qos_queue_statistics.txt": "one port, not named in the output; slot 1 is read",
    VENDOR + "display_qos_ecn_threshold.ref.txt": f"rounded to kbytes; {_EXACT}",
    VENDOR + "display_ai-ecn_calculated_state.ref.txt": "AI ECN is not configured by rocefab",
    VENDOR + "display_ai-ecn_calculated_state.txt": "AI ECN is not configured by rocefab",
    VENDOR + "display_dcb.txt": _PROFILE,
    VENDOR + "display_dcb_ets-profile.txt": "ETS profiles exclude the scheduling that is rendered",
    VENDOR + "display_dcb_pfc-profile.ref.txt": _PROFILE,
    VENDOR + "display_dcb_pfc_buffer.ref.txt": "the defaults hold; nothing is rendered",
    VENDOR + "display_dcb_pfc_uplink-group_statistics.txt": "uplink groups are not rendered",
    VENDOR + "display_rail-group_status.leaf.txt": "rail groups are not rendered",
    VENDOR + "display_qos_buffer-monitoring_result.txt": "one port, not named in the output",
    VENDOR + "display_qos_buffer_egress-usage.ref.txt": "the fill of this moment, no highest one",
    VENDOR + "display_qos_buffer_ingress-usage.ref.txt": "the fill of this moment, no highest one",
    VENDOR + "display_qos_headroom-usage.ref.txt": "of a whole chip, or of a port without its name",
    VENDOR + "display_configuration_candidate.ref.txt": _CHANGES,
    VENDOR + "display_configuration_commit_list.ref.txt": _CHANGES,
    VENDOR + "display_configuration_rollback_result.ref.txt": _CHANGES,
    VENDOR + "display_configuration_trial_status.ref.txt": _CHANGES,
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(name: str) -> None:
    """Outputs of the vendor's documents and of older systems."""
    parse, number, right = RECORDED[name]
    assert right(parse(outputs(recorded(f"huawei-vrp8/{name}"))[number]))


def test_every_recorded_output_is_accounted_for() -> None:
    """Read, or in the list of those that are not."""
    assert recordings("huawei-vrp8") - {"SOURCES.md"} == set(RECORDED) | set(UNREAD)
    assert not set(RECORDED) & set(UNREAD)


def test_blocks() -> None:
    """Separators, comments and the end are none."""
    text = "!x\n#\nbgp 1\n router-id 10.0.0.1\n #\n ipv4-family unicast\n  network 1\n#\nreturn\n"
    assert blocks(text) == [["bgp 1", " router-id 10.0.0.1", " ipv4-family unicast", "  network 1"]]
    assert whole_configuration(text).splitlines()[0] == "bgp 1"


def test_sessions_over_ports_stand_behind_the_others() -> None:
    """Both tables are read; the layout of the second is that of the command reference."""
    none = " BGP local router ID : 10.4.4.4\n Total number of peers : 0\n"
    text = (
        " BGP local router ID        : 10.4.4.4\n Local AS number            : 100\n"
        " Total number of peers      : 2\n Peers in established state : 1\n\n"
        "  Peer                             V          AS  MsgRcvd  MsgSent  OutQ  Up/Down"
        "       State  PrefRcv       Interface\n"
        "  FE80::3A9C:B2FF:FE21:300         4         100      294      297     0 04:12:09"
        " Established        0         100GE1/0/8\n"
        "  FE80::3A9C:B2FF:FE21:301         4         200     1699     1709     0 24:34:46"
        "        Idle        0         100GE1/0/1\n"
    )
    assert tables.bgp_peers(none + text) == {
        "100GE1/0/8": BgpPeer(True, "Established", 100),
        "100GE1/0/1": BgpPeer(False, "Idle", 200),
    }
