"""A session between loopbacks is up when both ends configure it, and one over a cable is up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric.change.expectation import deviations, of_switch
from fabric.devices.driver import Connection, drivers
from fabric.lab.lab import Lab
from fabric.lab.wiring import specs, wire
from fabric.observe import read_snapshot
from fabric.workflow.project import Project
from tests.systems.tenant_fabrics import SYSTEMS, project

PASSWORD = "hunter2-of-the-lab"
LEAF, SPINE = "su1-rail0", "spine01"
FABRICS: dict[str, dict[str, Any]] = {
    "eos": {"speeds": {"host_gbps": 100, "uplink_gbps": 100}},
    "junos": {"platforms": {"leaf": {"sku": "QFX5130-32CD"}, "spine": {"sku": "QFX5220-32CD"}}},
}
DOWN = "10.255.0.1: state is Active, expected Established"
CABLE = "10.254.0.0: state is Active, expected Established"
ABSENT = "10.255.0.1: no such session"
EOS, JUNOS = "router bgp 65100\n", "set protocols bgp group overlay"
#: System, switch and lines of an edit, and what the leaf has not as planned.
CASES = {
    "eos: as planned": ("eos", LEAF, "", ()),
    "eos: the peer has no such session": ("eos", SPINE, f"{EOS}no neighbor 10.255.0.129", (DOWN,)),
    "eos: the leaf has no such session": (
        *("eos", LEAF, "router bgp 65101\nno neighbor 10.255.0.1", (ABSENT,)),
    ),
    "eos: another AS": (*("eos", SPINE, f"{EOS}neighbor 10.255.0.129 remote-as 65999", (DOWN,)),),
    "eos: the peer has another loopback": (
        *("eos", SPINE, "interface Loopback0\nip address 10.255.0.99/32", (DOWN,)),
    ),
    "eos: the peer starts from a cable": (
        *("eos", SPINE, f"{EOS}no neighbor EVPN-LEAVES update-source", (DOWN,)),
    ),
    "eos: the peer takes none behind a hop": (
        *("eos", SPINE, f"{EOS}no neighbor EVPN-LEAVES ebgp-multihop", (DOWN,)),
    ),
    "eos: the cable is down": (*("eos", SPINE, "interface Ethernet1/1\nshutdown", (CABLE, DOWN)),),
    "eos: no session over the cable": (
        *("eos", SPINE, f"{EOS}no neighbor 10.254.0.1", (CABLE, DOWN)),
    ),
    "junos: as planned": ("junos", LEAF, "", ()),
    "junos: the peer has no such session": (
        *("junos", SPINE, "delete protocols bgp group overlay neighbor 10.255.0.129", (DOWN,)),
    ),
    "junos: another AS": (
        *("junos", SPINE, f"{JUNOS} neighbor 10.255.0.129 peer-as 65999", (DOWN,)),
    ),
    "junos: the peer takes none behind a hop": (
        *("junos", SPINE, "delete protocols bgp group overlay multihop", (DOWN,)),
    ),
    "junos: the cable is down": (
        *("junos", SPINE, "set interfaces et-0/0/0 disable", (CABLE, DOWN)),
    ),
}


def wrong(planned: Project, lab: Lab, switch: str) -> tuple[str, ...]:
    """Return which sessions of a switch are not as planned."""
    spec = lab[switch].spec
    driver = drivers[spec.platform](
        Connection(
            device=switch,
            platform=spec.platform,
            address=lab[switch].address,
            port=lab[switch].port,
            username=spec.username,
            password=PASSWORD,
            trust=lab[switch].trust,
        )
    )
    driver.open()
    try:
        seen = read_snapshot(driver, ("bgp",))
    finally:
        driver.close()
    found = deviations(of_switch(planned.devices[switch], {}), seen)
    return tuple(f"{one.item}: {one.message}" for one in found if one.subject == "bgp")


@pytest.mark.parametrize("system", FABRICS)
def test_sessions_between_loopbacks(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SYSTEMS, system, FABRICS[system])
    planned = project(tmp_path / "inventory", system, "evpn")
    own = {name: case[1:] for name, case in CASES.items() if case[0] == system}
    for name, (switch, edit, expected) in own.items():
        with Lab(specs(planned.devices, {}, PASSWORD)) as lab:
            wire(lab, planned.devices)
            for each_switch, files in planned.switch_artefacts.items():
                lab[each_switch].hand_edit(files[0].text)
            lab[switch].hand_edit(edit)
            assert wrong(planned, lab, LEAF) == expected, name


@pytest.mark.parametrize("system", FABRICS)
def test_loopbacks_that_the_lab_did_not_start_with(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SYSTEMS, system, FABRICS[system])
    pools = {"loopbacks": "10.252.0.0/24", "uplinks": "10.251.0.0/21"}
    before = project(tmp_path / "before", system, "evpn")
    after = project(tmp_path / "after", system, "evpn", addressing=pools)
    with Lab(specs(before.devices, {}, PASSWORD)) as lab:
        wire(lab, before.devices)
        for switch, files in after.switch_artefacts.items():
            lab[switch].hand_edit(files[0].text)
        assert [wrong(after, lab, switch) for switch in (LEAF, SPINE)] == [(), ()]
