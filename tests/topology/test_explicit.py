"""Explicit cables and explicit designs: what they say, what gives way, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import CapacityError
from fabric.core.units import ipv4_text
from fabric.topology.model import NO_PORT
from tests.cases import examples
from tests.topology.fabrics import HEADER, cables, csv, fabric, folder_of, refused

UNITS = [{"name": "u1", "hosts": "a[1-2]"}, {"name": "u2", "hosts": "b[1-2]"}]
EXPLICIT: dict[str, Any] = {
    "design": "explicit",
    "spines": None,
    "units": UNITS,
    "switches": [
        {"names": "top[1-2]", "role": "spine"},
        {"names": "u1-r0", "role": "leaf", "unit": "u1", "rail": 0},
        {"names": "u1-r1", "role": "leaf", "unit": "u1", "rail": 1},
        {"names": "u2-all", "role": "leaf", "unit": "u2"},
    ],
}


def test_a_cable_of_a_host_wins_over_the_designed_one() -> None:
    plain = fabric()
    built = folder_of(csv("su1-rail0,Ethernet96,a1,eth1"))
    assert cables(built) - cables(plain) == {("a1 eth1", "su1-rail0 Ethernet96")}
    assert cables(plain) - cables(built) == {("a1 eth1", "su1-rail0 Ethernet0")}
    [gone] = built.gave_way
    assert (gone.near, gone.far, gone.row.line) == ("a1 eth1", "su1-rail0 Ethernet0", 2)
    assert (built.nics.address == plain.nics.address).all()


def test_a_host_gives_way_to_another_one() -> None:
    """a1 takes the port of a2, which has no cable then."""
    built = folder_of(csv("a1,eth1,su1-rail0,Ethernet8"))
    row = built.nic_row("a2", 0)
    assert not built.nics.enabled[row]
    assert built.nics.port[row] == NO_PORT
    assert row not in built.nics_of_leaf(0).tolist()
    assert {gone.near for gone in built.gave_way} == {"a1 eth1", "a2 eth1"}


def test_a_cable_between_switches_wins_and_keeps_the_link_of_its_port() -> None:
    plain = fabric()
    built = folder_of(csv("spine02,Ethernet240,su1-rail0,Ethernet128"))
    assert cables(built) - cables(plain) == {("su1-rail0 Ethernet128", "spine02 Ethernet240")}
    [gone] = built.gave_way
    assert (gone.near, gone.far) == ("su1-rail0 Ethernet128", "spine01 Ethernet0")
    before, after = plain.uplinks_of(0)[0], built.uplinks_of(0)[0]
    assert built.uplinks.upper_address[after] == plain.uplinks.upper_address[before]


#: Rows of a file on a leaf with two designed uplinks and as many links -> links of its cables, as
#: the last byte of the upper end, by leaf port.
LINKS = {
    "the plug at the spine moves": (
        ("su1-rail0,Ethernet128,spine01,Ethernet248",),
        {"Ethernet128": 0, "Ethernet136": 2},
    ),
    "the plug at the leaf moves": (
        ("su1-rail0,Ethernet248,spine02,Ethernet0",),
        {"Ethernet128": 0, "Ethernet248": 2},
    ),
    "both plugs at the leaf swap": (
        ("su1-rail0,Ethernet136,spine01,Ethernet0", "su1-rail0,Ethernet128,spine02,Ethernet0"),
        {"Ethernet136": 2, "Ethernet128": 0},
    ),
    "one plug moves into the port of the other cable": (
        ("su1-rail0,Ethernet136,spine01,Ethernet0", "su1-rail0,Ethernet248,spine02,Ethernet248"),
        {"Ethernet136": 2, "Ethernet248": 0},
    ),
}


@pytest.mark.parametrize("name", LINKS)
def test_a_moved_cable_needs_no_further_link(name: str) -> None:
    rows, links = LINKS[name]
    built = folder_of(csv(*rows), addressing__uplinks_per_leaf=2)
    up, mine = built.uplinks, built.uplinks_of(0)
    ports = [built.port_name(0, int(up.lower_port[row])) for row in mine]
    assert dict(zip(ports, (up.upper_address[mine] % 256).tolist(), strict=True)) == links


def test_a_cable_in_addition_takes_the_last_link_of_its_leaf() -> None:
    built = folder_of(
        csv(
            "su1-rail0,Ethernet248,spine01,Ethernet248",
            "# two",
            "su1-rail0,Ethernet240,spine02,Ethernet248",
        )
    )
    rows = built.uplinks_of(0)
    assert built.gave_way == ()
    assert [ipv4_text(int(ip)) for ip in built.uplinks.upper_address[rows]] == [
        "10.254.0.0",
        "10.254.0.2",
        "10.254.0.124",
        "10.254.0.126",
    ]


def test_the_designed_cable_written_down_changes_nothing() -> None:
    built = folder_of(csv("a1,eth1,su1-rail0,Ethernet0", "spine01,Ethernet0,su1-rail0,Ethernet128"))
    assert built.gave_way == ()
    assert cables(built) == cables(fabric())


def test_speed_and_length() -> None:
    header = f"{HEADER},speed_gbps,cable_m"
    rows = ("a1,eth1,su1-rail0,Ethernet0,100,3", "su1-rail0,Ethernet128,spine01,Ethernet0,200,")
    built = folder_of(csv(*rows, header=header))
    nic, up = built.nic_row("a1", 0), built.uplinks
    assert (built.nics.speed_gbps[nic], built.nics.cable_m[nic]) == (100, 3)
    link = built.uplinks_of(0)[0]
    assert (up.speed_gbps[link], up.cable_m[link]) == (200, 40)


def test_without_generated_cables() -> None:
    built = folder_of(csv("a1,eth1,su1-rail0,Ethernet0"), cabling="explicit")
    assert cables(built) == {("a1 eth1", "su1-rail0 Ethernet0")}
    assert built.gave_way == ()


DOT = """
/* the same */
graph "fabric" {
  graph [hostidtype="hostname"]
  node [shape=box]; "a1";
  "a1":"eth1" -- "su1-rail0":"Ethernet96"  // no semicolon
  su1_rail0;  subgraph racks { rank = same }
  "spine02":"Ethernet240" -- "su1-rail0":Ethernet128 [speed_gbps=200, color="red",
     cable_m="7"];
# a comment
}
"""


def test_dot_says_the_same() -> None:
    built = folder_of(DOT, "cabling.dot")
    header = f"{HEADER},speed_gbps,cable_m"
    rows = ("a1,eth1,su1-rail0,Ethernet96,,", "su1-rail0,Ethernet128,spine02,Ethernet240,200,7")
    assert cables(built) == cables(folder_of(csv(*rows, header=header)))
    link = built.uplinks_of(0)[0]
    assert (built.uplinks.speed_gbps[link], built.uplinks.cable_m[link]) == (200, 7)


def test_dot_needs_no_line_ends() -> None:
    text = 'graph f { "a1":eth1 -- "su1-rail0":Ethernet96 "a2":eth1 -- "su1-rail0":Ethernet104 }'
    rows = ("a1,eth1,su1-rail0,Ethernet96", "a2,eth1,su1-rail0,Ethernet104")
    assert cables(folder_of(text, "cabling.dot")) == cables(folder_of(csv(*rows)))


LEAF = "su1-rail0,Ethernet0"
BAD_CABLES = {
    "unknown device": (
        f"a9,eth1,{LEAF}",
        "2:1: cabling.device: there is no switch or host 'a9'; known: a[1-3]",
    ),
    "misspelt device": (
        "a1,eth1,su1-rail00,Ethernet0",
        "2:9: cabling.peer_device: there is no switch or host 'su1-rail00'; did you mean 'su1-",
    ),
    "unknown port": (
        "a1,eth1,su1-rail0,Ethernet1",
        "2:19: cabling.peer_port: there is no port 'Ethernet1' on su1-rail0; did you mean",
    ),
    "unknown NIC": (f"a1,eth9,{LEAF}", "2:4: cabling.port: there is no NIC 'eth9' on a1"),
    "port that the model lacks": (
        "a1,eth1,su1-rail0,Ethernet256",
        "there is no port 'Ethernet256' on su1-rail0",
    ),
    "to itself": (f"{LEAF},{LEAF}", "both ends of the cable are the same port"),
    "to another port": (f"{LEAF},su1-rail0,Ethernet8", "the cable connects two ports of su1-rail0"),
    "between leaves": (
        f"{LEAF},su2-rail0,Ethernet0",
        "2:21: cabling.peer_device: the cable connects two leaves, which would create a loop",
    ),
    "between hosts": ("a1,eth1,a2,eth1", "the cable connects two hosts"),
    "host to spine": ("a1,eth1,spine01,Ethernet0", "the cable connects a host and a spine"),
    "a formula": (f"=cmd|' /C calc'!A0,eth1,{LEAF}", "there is no switch or host"),
}


@pytest.mark.parametrize(("row", "expected"), BAD_CABLES.values(), ids=BAD_CABLES)
def test_bad_cables(row: str, expected: str) -> None:
    [result] = refused(csv(row))
    assert expected in result
    assert result.startswith("inventory/cabling.csv:2:")


def test_all_bad_cables_at_once() -> None:
    result = refused(csv(*(row for row, _ in BAD_CABLES.values())))
    assert len(result) == len(BAD_CABLES)


def test_a_port_twice() -> None:
    [result] = refused(csv("a1,eth1,su1-rail0,Ethernet0", "a2,eth1,su1-rail0,Ethernet0"))
    assert "cabling.csv:3:19: cabling.peer_port: the port already has a cable on line 2" in result
    assert "[TOP003]" in result


SWITCH_PORT = '"su1-rail0":"Ethernet0"'


def test_a_port_twice_on_one_line() -> None:
    text = f'graph f {{ "a1":eth1 -- {SWITCH_PORT}; "a2":eth1 -- {SWITCH_PORT} }}'
    [result] = refused(text, "cabling.dot")
    assert "the port already has a cable on line 1" in result


def test_a_speed_that_the_port_lacks() -> None:
    header = f"{HEADER},speed_gbps"
    [result] = refused(csv("a1,eth1,su1-rail0,Ethernet0,800", header=header))
    assert "2:29: cabling.speed_gbps: su1-rail0 Ethernet0 has no speed of 800G; it offers" in result


def test_a_speed_that_nobody_says() -> None:
    [result] = refused(
        csv("u1-r0,Ethernet128,top1,Ethernet0"), **EXPLICIT, speeds__uplink_gbps=None
    )
    assert "2:7: cabling.port: the speed of the cable is not set; set speeds.uplink" in result


def test_more_cables_than_links() -> None:
    rows = [f"su1-rail0,Ethernet{8 * n},spine01,Ethernet{8 * n}" for n in range(3)]
    with pytest.raises(CapacityError) as raised:
        folder_of(csv(*rows), cabling="explicit", addressing__uplinks_per_leaf=2)
    [result] = raised.value.findings
    assert "su1-rail0 has more uplink cables than its 2 reserved links" in str(result)


def test_an_explicit_design() -> None:
    rows = (
        "a1,eth1,u1-r0,Ethernet8",
        "u1-r1,Ethernet0,a1,eth2",
        "b1,eth1,u2-all,Ethernet0",
        "b1,eth2,u2-all,Ethernet8",
        "u1-r0,Ethernet128,top1,Ethernet0",
        "u2-all,Ethernet128,top1,Ethernet8",
    )
    built = folder_of(csv(*rows), **EXPLICIT)
    assert built.switches.names == ("u1-r0", "u1-r1", "u2-all", "top1", "top2")
    assert built.switches.rail.tolist() == [0, 1, -1, -1, -1]
    assert len(cables(built)) == len(rows)
    off = [built.hosts.names[int(host)] for host in built.nics.host[~built.nics.enabled]]
    assert off == ["a2", "a2", "b2", "b2"]
    assert built.nics.leaf[built.nic_row("a2", 1)] == 1, (
        "an idle NIC stays with the leaf of its rail"
    )
    assert [ipv4_text(int(ip)) for ip in built.nics.address[built.nics.enabled]] == [
        *("10.64.0.2", "10.64.1.2", "10.64.2.2", "10.64.3.2")
    ]
    assert [ipv4_text(int(ip)) for ip in built.uplinks.upper_address] == [
        "10.254.0.0",
        "10.254.1.0",
    ]
    assert built.switches.asn.tolist() == [65101, 65102, 65103, 65100, 65100]


def test_what_the_list_says_of_a_switch() -> None:
    switches = [
        {"names": "t1", "role": "spine", "asn": 64700, "sku": "ACS-SN5600"},
        {"names": "l[1-2]", "role": "leaf", "unit": "u1", "asn": 65001, "loopback": "10.1.0.1"},
        {"names": "r", "role": "leaf", "unit": "u2"},
    ]
    built = folder_of(csv(), **{**EXPLICIT, "switches": switches})
    assert built.switches.asn.tolist() == [65001, 65002, 65103, 64700]
    assert ipv4_text(int(built.switches.loopback[1])) == "10.1.0.2"
    assert built.switches.skus[3].name == "ACS-SN5600"


@examples(15)
@given(more=st.integers(1, 3), rows=st.integers(0, 2))
def test_an_explicit_design_grows_at_its_end(more: int, rows: int) -> None:
    text = ["a1,eth1,u1-r0,Ethernet8", "u1-r0,Ethernet128,top1,Ethernet0"]
    before = folder_of(csv(*text), **EXPLICIT)
    extra = [{"names": f"u1-x[1-{more}]", "role": "leaf", "unit": "u1", "rail": 0}]
    extra += [{"names": f"top1[1-{more}]", "role": "spine"}]
    text += [f"u1-r1,Ethernet{8 * n},top11,Ethernet{8 * n}" for n in range(rows)]
    after = folder_of(csv(*text), **{**EXPLICIT, "switches": [*EXPLICIT["switches"], *extra]})
    for row, name in enumerate(before.switches.names):
        now = after.switch_row[name]
        assert before.switches.asn[row] == after.switches.asn[now]
        assert before.switches.loopback[row] == after.switches.loopback[now]
    assert cables(before) <= cables(after)
    assert (before.nics.address == after.nics.address).all()
    assert after.uplinks.upper_address[0] == before.uplinks.upper_address[0]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no switches": ({"switches": []}, "fabric.switches: the explicit design has no switches"),
    "spines": ({"spines": {"count": 1}}, "fabric.spines: an explicit design takes its switches"),
    "switches of a generated design": (
        {"design": "classic-tor", "spines": {"count": 1}},
        "fabric.switches: the switches of a classic-tor fabric are derived from its units",
    ),
    "a leaf without unit": (
        {"switches": [*EXPLICIT["switches"], {"names": "x", "role": "leaf"}]},
        "fabric.switches[4]: a leaf serves the hosts of a unit; set its unit",
    ),
    "an unknown unit": (
        {"switches": [*EXPLICIT["switches"], {"names": "x", "role": "leaf", "unit": "u9"}]},
        "fabric.switches[4].unit: there is no unit 'u9'",
    ),
    "a rail too many": (
        {
            "switches": [
                *EXPLICIT["switches"],
                {"names": "x", "role": "leaf", "unit": "u1", "rail": 2},
            ]
        },
        "fabric.switches[4].rail: rail 2 does not exist; the last rail is 1",
    ),
    "a plane too many": (
        {"switches": [*EXPLICIT["switches"], {"names": "x", "role": "spine", "plane": 1}]},
        "fabric.switches[4].plane: the fabric has one plane",
    ),
    "planes without ports": (
        {"planes": 2, "switches": [one | {"plane": 0} for one in EXPLICIT["switches"]]},
        "fabric.planes: planes is 2, but each NIC uses 1 port",
    ),
    "a switch in no plane": (
        {
            "planes": 2,
            "nic_ports": 2,
            "switches": [one | {"plane": 0} for one in EXPLICIT["switches"][:-1]]
            + [EXPLICIT["switches"][-1]],
        },
        "fabric.switches[3]: the leaf has no plane, but the fabric has 2 planes; set plane: 0",
    ),
    "no model": (
        {"switches": [*EXPLICIT["switches"], {"names": "x", "role": "super-spine"}]},
        "fabric.switches[4]: the model of a super-spine is not set; set platforms.super_spine",
    ),
    "an unknown model": (
        {"switches": [*EXPLICIT["switches"], {"names": "x", "role": "spine", "sku": "ACS"}]},
        "fabric.switches[4].sku: there is no switch model 'ACS'",
    ),
    "a rail that no leaf serves": (
        {"switches": [*EXPLICIT["switches"][:2], EXPLICIT["switches"][3]]},
        "fabric.units[0]: no leaf serves rail 1 of unit u1",
    ),
    "a name twice": (
        {"switches": [*EXPLICIT["switches"], {"names": "top1", "role": "spine"}]},
        "two devices are named 'top1'",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), REFUSED.values(), ids=REFUSED)
def test_refused_designs(changes: dict[str, Any], expected: str) -> None:
    [result] = refused(csv(), **{**EXPLICIT, **changes})
    assert expected in result
    assert result.startswith("inventory/fabric.yaml:")
