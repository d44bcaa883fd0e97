"""Community SONiC: tenants in its tables, what is read of them, and changes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from fabric.core.json_text import parse_json
from fabric.observe.configuration import Configured, Discard, readers
from fabric.systems.sonic.daemons import Daemons
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.render.test_golden import compare
from tests.systems.tenant_fabrics import (
    MOVES,
    STATES,
    around,
    faults,
    from_the_box,
    left_of_a_merge,
    project,
)
from tests.witness.changes import drafted, laid

LEAF, QUARANTINED = "su2-rail0", "su2-rail1"
PLANS = ("none", "nic")


def fabric(folder: Path, state: str = "two", form: str = "local", plan: str = "none") -> Project:
    """Return a fabric of SONiC."""
    addressing = {"vlan_per": plan}
    return project(folder / f"{form}-{state}-{plan}", "sonic", form, state, addressing=addressing)


def tables(one: Project, name: str = LEAF) -> dict[str, Any]:
    """Return the tables of a switch."""
    config: dict[str, Any] = json.loads(one.switch_artefacts[name][0].text)
    return config


def read(config: dict[str, Any]) -> Configured:
    """Return what a CONFIG_DB says."""
    return readers["sonic"]({"config_db": json.dumps(config, indent=1)})


@pytest.mark.parametrize("plan", PLANS)
def test_golden(plan: str, tmp_path: Path, *, update_golden: bool) -> None:
    """A leaf with both tenants, and one with a NIC in quarantine; both ways to configure BGP."""
    devices = fabric(tmp_path, plan=plan).devices
    for name in (LEAF, QUARANTINED):
        compare(devices[name], f"tenants-local-{plan}", update_golden=update_golden)


def test_what_evpn_lacks_is_said(tmp_path: Path) -> None:
    """By the names of the keys."""
    messages = [one.message for one in check(fabric(tmp_path, form="evpn")).findings]
    said = [one for one in messages if "advertise-ipv4-unicast" in one]
    assert said
    assert all(f"{key}" in said[0] for key in ("route-distinguisher", "import-rts", "export-rts"))


@pytest.mark.parametrize("plan", PLANS)
def test_all_homes_agree(plan: str, tmp_path: Path) -> None:
    """Template, stand-in, readers and explain; a first change."""
    one = fabric(tmp_path, plan=plan)
    off = ".ports.Ethernet8.dynamic_th.3: 0 is shown as None"  # a port that is down has no group
    assert [told for told in faults(one) if (told[0], told[1].text) != (QUARANTINED, off)] == []
    assert list(from_the_box(one)) == []


@pytest.mark.parametrize("plan", PLANS)
def test_changes_lead_there_and_back(plan: str, tmp_path: Path) -> None:
    """On a strict stand-in, on every switch."""
    states = {state: fabric(tmp_path, state, plan=plan) for state in STATES}
    for first, second in MOVES:
        assert list(around(states[first], states[second])) == [], (first, second)


def steps(before: Project, after: Project) -> list[tuple[str, Any]]:
    """Return the steps of a change of the leaf, each with its kind."""
    box = laid(before.devices[LEAF], before.switch_artefacts[LEAF])
    candidate: Any = drafted(box, after.switch_artefacts[LEAF]).candidate
    return [(step.kind, parse_json(step.text)) for step in candidate.steps]


@pytest.mark.parametrize("plan", PLANS)
def test_the_order_of_a_move(plan: str, tmp_path: Path) -> None:
    """Down, addresses, interface; then the interface with its addresses; up at last."""
    table = "INTERFACE" if plan == "none" else "VLAN_INTERFACE"
    taken = steps(fabric(tmp_path, plan=plan), fabric(tmp_path, "moved", plan=plan))
    first, second, third, *others, last = taken
    assert first == ("load", {"PORT": {"Ethernet0": {"admin_status": "down"}}})
    assert second[0] == third[0] == "drop"
    assert all("|" in row for row in second[1][table])
    assert not any("|" in row for row in third[1][table])
    assert last == ("load", {"PORT": {"Ethernet0": {"admin_status": "up"}}})
    paths = [one["path"] for kind, step in others if kind == "patch" for one in step]
    assert any(path.startswith(f"/{table}") for path in paths)
    assert "VRF" in paths[-1]


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize(("first", "second"), MOVES)
def test_the_daemons_follow_each_step(plan: str, first: str, second: str, tmp_path: Path) -> None:
    """intfmgrd takes no other VRF in place; each interface ends where the tables say."""
    before, after = fabric(tmp_path, first, plan=plan), fabric(tmp_path, second, plan=plan)
    for one, other in ((before, after), (after, before)):
        config = tables(one)
        daemons = Daemons(config, "mellanox")
        for kind, content in steps(one, other):
            _take(config, kind, content, daemons)
        assert [line for line in daemons.log if "directly" in line] == []
        for name in ("INTERFACE", "VLAN_INTERFACE"):
            for row, fields in tables(other).get(name, {}).items():
                if "|" not in row:
                    assert daemons.vrfs[row] == fields.get("vrf_name", "")


def _take(config: dict[str, Any], kind: str, content: Any, daemons: Daemons) -> None:
    """Do what a step does."""
    if kind == "patch":
        new = jsonpatch.apply_patch(copy.deepcopy(config), content)
        config.clear()
        config.update(new)
    for name, rows in content.items() if kind != "patch" else ():
        for row, fields in rows.items():
            if kind == "load":
                held = config.setdefault(name, {}).setdefault(row, {})
                held.update(fields)
            else:
                config[name].pop(row)
        if not config[name]:
            del config[name]
    daemons.see()


def test_another_vrf_in_place_is_skipped(tmp_path: Path) -> None:
    """What a patch without steps of its own would do."""
    config = tables(fabric(tmp_path))
    daemons = Daemons(config, "mellanox")
    config["INTERFACE"]["Ethernet0"]["vrf_name"] = "Vrf18"
    daemons.see()
    assert daemons.vrfs["Ethernet0"] == "Vrf17"
    assert daemons.log == ["Ethernet0 can not change to Vrf18 directly, skipping"]


def test_vrfs_of_others_stay(tmp_path: Path) -> None:
    """Those that no tenant can have."""
    before, after = fabric(tmp_path), fabric(tmp_path, "quarantine")
    box = laid(before.devices[LEAF], before.switch_artefacts[LEAF])
    box.switch.running["VRF"]["VrfStorage"] = {}
    draft = drafted(box, after.switch_artefacts[LEAF])
    box.apply(draft.candidate)
    assert box.switch.running["VRF"] == {"VrfStorage": {}}


@pytest.mark.parametrize("plan", PLANS)
def test_a_leaf_in_quarantine_keeps_its_bgp(plan: str, tmp_path: Path) -> None:
    """Another way to configure BGP would restart the switch."""
    for state in ("two", "quarantine"):
        row = tables(fabric(tmp_path, state, plan=plan))["DEVICE_METADATA"]["localhost"]
        assert ("frr_mgmt_framework_config" in row) is (plan == "none")


#: Rows that are planted in the tables of a leaf, and what is left over of them.
PLANTED = {
    "a VRF that is not there": ("INTERFACE", "Ethernet0", {"vrf_name": "Vrf99"}, True),
    "a tunnel": ("VRF", "Vrf17", {"vni": "50017"}, True),
    "routes of the default VRF": ("VRF", "Vrf17", {"fallback": "true"}, False),
    "BGP of a VRF": ("BGP_GLOBALS", "Vrf17", {"local_asn": "65101"}, True),
    "a family of a VRF": ("BGP_GLOBALS_AF", "Vrf17|ipv4_unicast", {}, True),
    "a network of a VRF": ("BGP_GLOBALS_AF_NETWORK", "Vrf17|ipv4_unicast|10.0.0.0/8", {}, True),
    "a session of a VRF": ("BGP_NEIGHBOR", "Vrf17|10.64.0.33", {"asn": "65001"}, True),
    "a route of a VRF": ("STATIC_ROUTE", "Vrf17|0.0.0.0/0", {"nexthop": "10.64.0.33"}, False),
    "a route of no VRF": ("STATIC_ROUTE", "Vrf99|0.0.0.0/0", {"nexthop": "10.64.0.33"}, True),
    "a route of IPv6": ("STATIC_ROUTE", "Vrf17|::/0", {"nexthop": "fd00::1"}, True),
    "a route into a VRF": (
        *("STATIC_ROUTE", "default|10.0.0.0/8"),
        {"nexthop": "10.64.0.33", "nexthop-vrf": "Vrf17"},
        False,
    ),
    "a tunnel map": ("VXLAN_TUNNEL_MAP", "vtep|map_7_Vlan7", {"vlan": "Vlan7", "vni": "7"}, True),
    "another VRF": ("VRF", "VrfStorage", {}, False),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_rows(name: str, tmp_path: Path) -> None:
    """What no tenant of this form has is a row that is not understood, never one of the default."""
    table, row, fields, is_left = PLANTED[name]
    config = tables(fabric(tmp_path))
    clean = read(config)
    assert clean.leftovers == []
    config.setdefault(table, {})[row] = fields
    switch = read(config)
    assert (f"{table}|{row}" in [one.text for one in switch.leftovers]) is is_left
    assert clean.bgp
    assert switch.bgp
    assert switch.bgp.peers.keys() == clean.bgp.peers.keys()
    assert [one for one in switch.static_routes if one.egress != "Vrf17"] == []


def test_static_routes_of_a_vrf(tmp_path: Path) -> None:
    """Fields are lists, as the design of SONiC has them; without an item it is the own VRF."""
    config = tables(fabric(tmp_path))
    config["STATIC_ROUTE"] = {
        "Vrf17|10.0.0.0/8": {
            "nexthop": "0.0.0.0,10.0.0.9,0.0.0.0",
            "ifname": "Ethernet0,,Ethernet8",
            "distance": "10,0,30",
            "nexthop-vrf": "default,,Vrf18",
            "blackhole": "false,false,true",
        }
    }
    config["VRF"]["Vrf17"] = {"fallback": "true"}
    switch = read(config)
    routes = [(one.next_hop, one.egress) for one in switch.vrfs["Vrf17"].static_routes]
    assert routes == [("Ethernet0", ""), ((10 << 24) + 9, None), (Discard(), "Vrf18")]
    assert switch.vrfs["Vrf17"].falls_through
    assert switch.leftovers == []


@pytest.mark.parametrize("plan", PLANS)
def test_what_is_read(plan: str, tmp_path: Path) -> None:
    """Ports, or gateways of VLANs, in their VRFs; nothing of tenants is announced."""
    one = fabric(tmp_path, plan=plan)
    design = one.devices[LEAF]
    switch = read(tables(one))
    assert [*switch.vrfs] == [vrf.name for vrf in design.vrfs]
    meant = {port.name: port.vrf for port in design.ports if port.vrf}
    meant |= {f"Vlan{vlan.vlan}": vlan.vrf for vlan in design.vlans}
    assert {port.name: port.vrf for port in switch.ports.values() if port.vrf} == meant
    assert switch.bgp
    assert len(switch.bgp.originations) == 1


def test_a_part_that_is_merged_keeps_nothing_of_a_tenant_that_is_gone(tmp_path: Path) -> None:
    """Where others own the rest of the configuration."""
    assert not any(left_of_a_merge(tmp_path, "sonic", "local").values())
