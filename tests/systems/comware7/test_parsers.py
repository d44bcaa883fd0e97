"""H3C Comware 7: our samples value by value, recorded outputs where they are, and damage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.state import (
    BgpPeer,
    InterfaceState,
    LldpNeighbour,
    MacEntry,
    NeighbourEntry,
    SystemFacts,
)
from fabric.systems.comware7.parsers import config, ports, tables
from fabric.systems.comware7.parsers.text import lldp_is_on, whole_configuration
from fabric.systems.comware7.platforms.text import dump, tree
from tests.observe.test_fixtures import recorded
from tests.systems.outputs import Outputs, recordings

LLDP = "Global status of LLDP: Enable\nBridge mode of LLDP: customer-bridge\n"
CASES: dict[str, tuple[Callable[[str], Any], Any]] = {
    "facts.txt": (
        tables.system_facts,
        SystemFacts("su1-rail0", "S9820-64H", "", "210235A0000000000001", "02:00:00:00:00:01"),
    ),
    "interface.txt": (
        ports.interfaces,
        {
            "HundredGigE1/0/1": InterfaceState(
                up=True,
                enabled=True,
                speed_gbps=100.0,
                description="gpu001 eth1",
                counters={
                    "in_packets": 70,
                    "in_bytes": 7000,
                    "in_pause_frames": 4,
                    "in_errors": 2,
                    "in_crc_errors": 1,
                    "out_packets": 50,
                    "out_bytes": 5000,
                    "out_pause_frames": 3,
                    "out_errors": 0,
                },
            ),
            "HundredGigE1/0/2": InterfaceState(up=False, enabled=False),
            "Vlan-interface101": InterfaceState(up=True, enabled=True, mtu_bytes=9100),
        },
    ),
    "lldp.txt": (
        ports.lldp_neighbours,
        {
            "HundredGigE1/0/1": (LldpNeighbour("gpu001", "eth1", "to leaf"),),
            "HundredGigE1/0/17": (
                LldpNeighbour("spine01", "HundredGigE1/0/1", "su1-rail0 HundredGigE1/0/17"),
            ),
        },
    ),
    "bgp.txt": (
        tables.bgp_peers,
        {
            "10.254.0.0": BgpPeer(established=True, state="Established", asn=65100),
            "10.254.0.2": BgpPeer(established=False, state="Connect", asn=65546),
        },
    ),
    "arp.txt": (
        tables.arp_entries,
        {
            "10.64.0.2": NeighbourEntry("02:00:00:00:02:01", "Vlan-interface101"),
            "10.254.0.0": NeighbourEntry("02:00:00:00:02:02", "HundredGigE1/0/17"),
        },
    ),
    "macs.txt": (
        tables.mac_entries,
        (MacEntry(101, "02:00:00:00:02:01", "HundredGigE1/0/1"),),
    ),
    "maps.txt": (
        config.map_tables,
        {
            "dot1p-lp": (2, 0, 1, 3, 4, 5, 6, 7),
            "dscp-dot1p": tuple(dscp // 8 for dscp in range(64)),
            "dscp-lp": tuple(3 if dscp == 26 else 0 for dscp in range(64)),
        },
    ),
    "running.cfg": (
        config.paused_priorities,
        {"HundredGigE1/0/1": (1, 3, 4, 5), "HundredGigE1/0/2": (), "HundredGigE1/0/3": ()},
    ),
}


def part_of(found: Any, whole: Any) -> bool:
    """Tell whether all that was found is in the whole; a field may be unknown."""
    if isinstance(found, tuple):
        return set(found) <= set(whole)
    return all(
        all(
            getattr(item, field.name) in (None, "", {}, getattr(whole[key], field.name))
            for field in fields(item)
        )
        if isinstance(item, InterfaceState)
        else item == whole[key] or one_less(item, whole[key])
        for key, item in found.items()
    )


def one_less(item: Any, whole: Any) -> bool:
    """Tell whether a neighbour is that of the whole without its description."""
    return isinstance(item, tuple) and all(
        (a.system_name, a.port_id) == (b.system_name, b.port_id) and a.description == ""
        for a, b in zip(item, whole, strict=True)
    )


OUTPUTS = Outputs(
    nos="comware7",
    cases=CASES,
    marks=["\x1b[7m", "\x1b[K", "--More--", "---- More ----", "\r"],
    marked=CASES,
    pieces=["#", "%", ":", "["],
    uncounted={"interface.txt", "lldp.txt", "arp.txt", "macs.txt"},
    part_of=lambda _, found, whole: part_of(found, whole),
    others=[
        "",
        "\n",
        " % Unrecognized command found at '^' position.\n",
        "% 命令不可识别\n",
        "return\n",
    ],
    wrong=[
        ("arp.txt", "0200-0000-0201", "02000000020100"),
        ("arp.txt", "10.64.0.2 ", "10.64.0.300 "),
        ("arp.txt", "HGE1/0/17", "?"),
        ("bgp.txt", "peers: 2", "peers: 3"),
        ("bgp.txt", "state: 1", "state: 2"),
        ("bgp.txt", "10.254.0.2", "10.254.0.999"),
        ("macs.txt", "Learned", "gelernt"),
        ("macs.txt", "HundredGigE1/0/1 ", "x "),
        ("maps.txt", "  26    :    3", "  27    :    3"),
        ("maps.txt", "NAME: dscp-lp", "NAME: dscp-dscp"),
        ("interface.txt", "Current state: UP\nLine", "Line"),
        ("interface.txt", "         0 lost carrier, - no carrier\n", ""),
        ("lldp.txt", " Port ID             : eth1\n", ""),
        ("lldp.txt", " System name         : spine01\n", ""),
        ("running.cfg", "1,3-5", "none"),
        ("running.cfg", " version 7.1.070, Release 6555P01\n", ""),
        ("facts.txt", "DEVICE_SERIAL_NUMBER : 210235A0000000000001\n", ""),
        ("facts.txt", " sysname su1-rail0\n", ""),
    ],
)
sample, read = OUTPUTS.sample, OUTPUTS.read


def test_priorities_of_the_whole_switch_hold_where_a_port_says_nothing() -> None:
    """And those of a port count before them."""
    text = sample("running.cfg").replace(
        "#\n lldp global enable\n",
        "#\n priority-flow-control enable\n priority-flow-control no-drop dot1p 4\n",
    )
    assert config.paused_priorities(text) == {
        "HundredGigE1/0/1": (1, 3, 4, 5),
        "HundredGigE1/0/2": (3,),
        "HundredGigE1/0/3": (4,),
    }


def texts(**changes: str) -> dict[str, str]:
    """Return what the driver reads."""
    text = sample("running.cfg")
    return {"config": text, "startup": text, "maps": sample("maps.txt"), "lldp": LLDP, **changes}


def running(**changes: str) -> Any:
    """Return the running configuration of the samples with changes."""
    return parsers["comware7"].running("leaf1", texts(**changes))


def test_running_configuration() -> None:
    """Headers stay texts, lists are lines, and what defaults hide is said."""
    found = running()
    assert found.saved is True
    assert found.config == found.canonical
    root = tree(found.config)
    assert "header motd %\n#\n sysname of yours?\nreturn to sender\n%" in root.children
    assert {"vlan 1", "vlan 101", "vlan 102", "sysname su1-rail0"} <= root.children.keys()
    assert "lldp global enable" in root.children
    assert "import 26 export 3" in root.children["qos map-table dscp-lp"].children
    assert next(iter(root.children["qos map-table dot1p-lp"].children)) == "import 0 export 2"
    family = root.children["bgp 65101"].children["address-family ipv4 unicast"]
    assert list(family.children) == ["peer 10.254.0.0 enable"]
    assert tree(dump(root)) == root


def test_the_mark_of_a_change_is_no_part_of_it() -> None:
    """Nor is it a difference from what is saved."""
    mark = "#\nroute-policy rocefab-run-1-1-aa deny node 65535\n#\nbgp"
    marked = sample("running.cfg").replace("#\nbgp", mark)
    assert marked != sample("running.cfg")
    assert running(config=marked) == running()
    theirs = running(config=marked.replace("rocefab-", "their-"))
    assert "route-policy their-run-1-1-aa deny node 65535" in tree(theirs.config).children


def test_saved_or_not() -> None:
    """A difference anywhere, or nothing that was ever saved."""
    other = sample("running.cfg").replace("vlan 101 to 102", "vlan 101")
    assert running(startup=other).saved is False
    assert running(startup="").saved is False


def test_lldp_that_is_off() -> None:
    """The line is printed only where it is not the default, so the status is asked for."""
    off = running(lldp=LLDP.replace("Enable", "Disable"))
    assert "lldp global enable" not in tree(off.config).children
    assert lldp_is_on(LLDP)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config", ""),
        ("config", "#\n sysname x\n#\nreturn\n"),
        ("config", "#\n version 7.1\n#\n sysname x\n#\n"),
        ("config", "#\n version 7.1\n#\nreturn\n#\n sysname x\n#\nreturn\n"),
        ("config", "#\n version 7.1\n#\n header motd %\nno end\n#\nreturn\n"),
        ("config", "#\n version 7.1\n#\n ---- More ----\n#\nreturn\n"),
        ("startup", "#\n version 7.1\n"),
        ("maps", ""),
        ("lldp", ""),
        ("lldp", f"{LLDP}{LLDP}"),
    ],
)
def test_answers_that_are_not_whole(name: str, text: str) -> None:
    """Are unreadable."""
    with pytest.raises(UnreadableError):
        running(**{name: text})


#: Recorded outputs: the parser, what it must find, and what the recording lacks at its end.
RECORDED: dict[str, tuple[Callable[[str], Any], Callable[[Any], bool], str]] = {
    "hp_comware_display_arp.raw": (tables.arp_entries, lambda found: len(found) == 3, ""),
    "hp_comware_display_bgp_peer_ipv4.raw": (
        tables.bgp_peers,
        lambda found: sum(peer.established for peer in found.values()) == 3,
        "",
    ),
    "hp_comware_display_bgp_peer_ipv4_low_uptime.raw": (
        tables.bgp_peers,
        lambda found: found["2.2.2.30"] == BgpPeer(established=True, state="Established", asn=200),
        "\n",
    ),
    "hp_comware_display_device_manuinfo_5930.raw": (
        lambda text: tables.system_facts(f" sysname x\n{text}"),
        lambda found: (found.serial, found.mac) == ("CN43GG2001", "00:e0:fc:00:58:00"),
        "",
    ),
    "hp_comware_display_interface.raw": (
        ports.interfaces,
        lambda found: found["Vlan-interface2000"].mtu_bytes == 1500 and len(found) == 4,
        "",
    ),
    "hp_comware_display_interface2.raw": (
        ports.interfaces,
        lambda found: found["FortyGigE1/0/49"].up is False,
        "",
    ),
    "hp_comware_display_interface10.raw": (
        ports.interfaces,
        lambda found: (
            found["FortyGigE2/0/31"].mtu_bytes == 9008
            and found["FortyGigE2/0/31"].counters["in_packets"] == 1079870545982
        ),
        "\n",
    ),
    "hp_comware_display_interface12.raw": (
        ports.interfaces,
        lambda found: (
            found["HundredGigE3/0/23"].enabled is False
            and found["Ten-GigabitEthernet13/2/12"].speed_gbps == 1.0
        ),
        "\n",
    ),
    "hp_comware_display_interface_release_09119P17.raw": (
        ports.interfaces,
        lambda found: found["GigabitEthernet0/0/1"].description == "### WAN ###",
        "",
    ),
    "hp_comware_display_lldp_neighbor-information_verbose.raw": (
        ports.lldp_neighbours,
        lambda found: (
            found["Ten-GigabitEthernet1/0/0/2"]
            == (LldpNeighbour("SW2", "Ten-GigabitEthernet1/0/0/5", "TO_CORE_2"),)
        ),
        "",
    ),
    "hp_comware_display_mac-address.raw": (tables.mac_entries, lambda found: len(found) == 4, ""),
}
#: Recorded outputs that nothing reads, and why.
NOT_READ = {
    "SOURCES.md": "no output",
    "hp_comware_display_counters_bound_interface.raw": "display interface has the same and more",
    "hp_comware_display_interface_brief.raw": "display interface has the same and more",
    "hp_comware_display_interface_brief_release_9119P17.raw": "display interface has it",
    "hp_comware_display_lldp_neighbor-information_list.raw": "the verbose form has full names",
    "hp_comware_display_vlan_brief.raw": "the running configuration tells it",
    "vendor-doc/display_buffer.txt": "sizes of a manual; buffers are not configured",
    "vendor-doc/display_buffer_usage.txt": "percents of the whole switch; no field for them",
    "vendor-doc/display_qos_map-table_dot1p-lp.txt": "one table of three; see below",
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(name: str) -> None:
    """Real devices."""
    parse, is_right, lacks = RECORDED[name]
    assert is_right(parse(recorded(f"comware7/{name}") + lacks))


def test_every_recording_is_read_or_has_a_reason() -> None:
    """A new one is not overlooked."""
    assert recordings("comware7") == RECORDED.keys() | NOT_READ.keys()


def test_the_default_that_is_not_the_identity() -> None:
    """The sample of the manual, with our other two tables behind it."""
    text = recorded("comware7/vendor-doc/display_qos_map-table_dot1p-lp.txt")
    others = sample("maps.txt").partition("MAP-TABLE NAME: dscp-dot1p")
    rows = "".join(line for line in text.splitlines(keepends=True) if "display" not in line)
    found = config.map_tables(rows + others[1] + others[2])
    assert found["dot1p-lp"] == (2, 0, 1, 3, 4, 5, 6, 7)


def test_configuration_of_a_header_on_one_line() -> None:
    """What follows it is configuration."""
    root = whole_configuration("#\n version 7\n#\n header login %hi%\n#\n sysname x\n#\nreturn\n")
    assert list(root.children) == ["header login %hi%", "sysname x"]
