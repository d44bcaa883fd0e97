"""`scope: merge` in the lab: lines of others outlive plan, apply and roll back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from fabric.systems.cumulus.platforms.lines import write
from fabric.systems.junos.lab.store import lines_of
from fabric.workflow.apply import Options, apply, status
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift
from tests.change import labs
from tests.change.labs import planned

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)


def one_by_one(switch, sections: Iterable[str]) -> None:
    for lines in sections:
        switch.hand_edit(lines)


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A switch of the smallest fabric, and what others add to it.

    Parameters
    ----------
    device, sku, inventory : str
        The switch, its model, and the fabric.
    foreign : tuple of str
        Lines with the section that they stand in, if any; the first line is in a section of ours.
    kmax : tuple of str
        The upper threshold of marking, in the inventory before and after a change.
    marking : tuple of str
        The same on the switch.
    text : callable
        What runs.
    edit : callable
        Adds lines.
    """

    device: str = labs.LEAF
    sku: str
    inventory: str
    foreign: tuple[str, ...]
    kmax: tuple[str, str] = ("kmax_bytes: 1500000", "kmax_bytes: 1400000")
    marking: tuple[str, str]
    text: Callable[[Any], str]
    edit: Callable[[Any, Iterable[str]], None] = one_by_one


def in_session(switch, sections: Iterable[str]) -> None:
    switch.open_foreign_session("colleague", "\n".join(sections))
    switch.state.commit("colleague")


def by_cells(switch, cells: Iterable[str]) -> None:
    """Set fields of SONiC, each ``TABLE|row field=value``."""
    for cell in cells:
        row, field, value = re.fullmatch(r"(\S+) (\w+)=(.*)", cell).groups()
        table, _, key = row.partition("|")
        switch.hand_edit(table, key, field, value)


def cells_of(switch) -> str:
    return "\n".join(
        f"{table}|{row} {field}={value}"
        for table, rows in switch.running.items()
        for row, fields in rows.items()
        for field, value in fields.items()
    )


LABS = {
    "sonic": Lab(
        sku="ACS-MSN4700",
        inventory=labs.INVENTORY,
        foreign=(
            "PORT|Ethernet0 dom_polling=disabled",
            "VLAN|Vlan3999 vlanid=3999",
            "VLAN_MEMBER|Vlan3999|Ethernet0 tagging_mode=tagged",
            "PORT|Ethernet8 description=others",
            "BGP_NEIGHBOR|192.0.2.7 asn=65000",
            "SCHEDULER|theirs.2 type=DWRR",
            "SNMP|LOCATION Location=row7",
        ),
        marking=("green_max_threshold=1500000", "green_max_threshold=1400000"),
        text=cells_of,
        edit=by_cells,
    ),
    "cumulus": Lab(
        sku="SN4700",
        inventory=labs.CUMULUS,
        foreign=(
            "nv set interface swp1 lldp dcbx-pfc-tlv on",
            "nv set bridge domain br_default vlan 3666",
            "nv set interface swp9 description others",
            "nv set vrf default router bgp neighbor 192.0.2.7 remote-as 65000",
            "nv set vrf default router bgp neighbor 192.0.2.7 type numbered",
            "nv set service ntp mgmt server 192.0.2.77",
            "nv set system snmp-server listening-address 192.0.2.2",
        ),
        marking=("max-threshold 1500000", "max-threshold 1400000"),
        text=lambda switch: write(switch.applied),
    ),
    "eos": Lab(
        device=labs.SPINE,
        sku="7060X6-64PE",
        inventory=labs.INVENTORY,
        foreign=(
            "interface Ethernet1/1\n   load-interval 30",
            "vlan 3999\n   name STORAGE",
            "interface Ethernet9/1\n   description of others",
            "snmp-server location row 7",
            "router bgp 65100\n   neighbor 192.0.2.7 remote-as 65000",
            "ntp server 192.0.2.77",
        ),
        marking=("1500000", "1400000"),
        text=lambda switch: switch.running_text,
        edit=in_session,
    ),
    "nxos": Lab(
        sku="N9K-C9332D-GX2B",
        inventory=labs.NXOS,
        foreign=(
            "interface Ethernet1/1\nno lldp transmit",
            "vlan 3999\nname STORAGE",
            "interface Ethernet1/9\ndescription of others",
            "snmp-server location row 7",
            "router bgp 65101\nneighbor 192.0.2.7\nremote-as 65000",
            "ntp server 192.0.2.77",
        ),
        marking=("maximum-threshold 1500", "maximum-threshold 1400"),
        text=lambda switch: switch.running_text,
    ),
    "vrp8": Lab(
        sku="CE8855-32CQ4BQ",
        inventory=labs.VRP8,
        foreign=(
            "interface Vlanif101\n ip address 203.0.113.9 255.255.255.0 sub",
            "vlan batch 3999",
            "interface 100GE1/0/9\n description of others",
            "bgp 65101\n peer 192.0.2.7 as-number 65000",
            "drop-profile theirs\n color green low-limit 50 high-limit 60 discard-percentage 10",
            "ntp unicast-server 192.0.2.77",
        ),
        marking=("high-limit 1500000", "high-limit 1400000"),
        text=lambda switch: switch.running_text,
    ),
    "comware7": Lab(
        sku="S9820-64H",
        inventory=labs.COMWARE7,
        foreign=(
            "interface HundredGigE1/0/1\nlink-delay 5",
            "vlan 3999\nname STORAGE",
            "interface HundredGigE1/0/9\ndescription of others",
            "bgp 65101\npeer 192.0.2.7 as-number 65000",
            "qos wred queue table THEIRS\nqueue 1 low-limit 10 high-limit 20",
            "ntp-service unicast-server 192.0.2.77",
        ),
        marking=("high-limit 7212", "high-limit 6731"),
        text=lambda switch: switch.text,
    ),
    "esonic": Lab(
        sku="Z9332F-ON",
        inventory=labs.ESONIC,
        foreign=(
            "interface Ethernet0\n switchport trunk allowed Vlan 3999",
            "qos scheduler-policy THEIRS\n queue 1\n  type strict",
            "interface Ethernet8\n description others",
            "router bgp 65101\n neighbor 192.0.2.7\n  remote-as 65000",
            "snmp-server location row7",
            "ntp server 192.0.2.77",
        ),
        marking=("maximum-threshold 1500", "maximum-threshold 1400"),
        text=lambda switch: switch.running_text,
    ),
    "junos": Lab(
        device=labs.SPINE,
        sku="QFX5230-64CD",
        inventory=labs.JUNOS,
        foreign=(
            "set interfaces et-0/0/0 unit 0 family inet mtu 1500",
            "set interfaces et-0/0/9 description others",
            "set interfaces lo0 unit 0 family inet address 192.0.2.10/32",
            "set protocols bgp group fabric neighbor 192.0.2.7 peer-as 65000",
            "set class-of-service schedulers VIDEO priority low",
            "set system ntp server 192.0.2.77",
        ),
        kmax=("kmax_bytes: 7500000", "kmax_bytes: 15000000"),
        marking=("interpolate fill-level 9\n", "interpolate fill-level 17\n"),
        text=lambda switch: lines_of(switch.store.committed),
    ),
}


def applied(project, connections, state):
    result = apply(planned(project, connections), state, connections, OPTIONS, labs.silent)
    assert result.ok, result.reasons
    return result


@pytest.mark.parametrize(
    ("system", "scope"), [*((name, "merge") for name in sorted(LABS)), ("eos", "whole")]
)
def test_lines_of_others_outlive_a_change_and_its_way_back(
    tmp_path, monkeypatch, system, scope
) -> None:
    one = LABS[system]
    text = one.inventory.replace(f"sku: {one.sku}", f"sku: {one.sku}, scope: {scope}", 1)
    with labs.running_lab(tmp_path, monkeypatch, text) as (lab, project, connections):
        state, switch = tmp_path / "state", lab[one.device]

        def lines() -> set[str]:
            return {line.strip() for line in one.text(switch).splitlines()}

        applied(project, connections, state)
        before = lines()
        one.edit(switch, one.foreign)
        theirs = lines() - before
        assert one.foreign[0].splitlines()[-1].strip() in theirs
        assert len(theirs) >= len(one.foreign)
        plan = planned(project, connections)
        assert (one.device in plan.devices) is (scope == "whole")
        (mine,) = [
            item
            for item in drift(project, connections, labs.ALL, labs.silent)
            if item.device == one.device
        ]
        assert bool(mine.drift) is (scope == "whole")
        changed = labs.changed(tmp_path / "inventory", *one.kmax)
        applied(changed, connections, state)
        assert one.marking[1] in one.text(switch)
        if scope == "whole":
            assert not theirs <= lines()
            return
        assert theirs <= lines()
        run = status(state)[-1]["run"]
        assert rollback(run, state, connections, labs.silent).ok
        assert one.marking[0] in one.text(switch)
        assert theirs <= lines()
