"""VRFs and tunnels of others stay in a fabric without tenants, and go with the last tenant."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from fabric.change.adapter import Draft, adapters
from fabric.change.model import Change
from fabric.core.artefact import Artefact
from fabric.design.designs import Designs
from fabric.observe.snapshot import Running
from fabric.render import render_device
from tests.change import labs
from tests.systems.scope_cases import SYSTEMS

#: Inventories of the smallest fabric whose leaf is of a system.
INVENTORIES = {
    "eos": labs.of_models({"ACS-MSN4700": "7060X6-64PE"}),
    "sonic": labs.INVENTORY,
    **{name: SYSTEMS[name].inventory for name in ("cumulus", "esonic", "junos", "nxos")},
}
#: What others have on a switch.
FOREIGN = {
    "cumulus": (
        "nv set evpn enable on\n"
        "nv set nve vxlan enable on\n"
        "nv set nve vxlan source address 192.0.2.10\n"
        "nv set vrf Vrf100 table auto\n"
        "nv set vrf Vrf100 evpn vni 100100\n"
        "nv set vrf Vrf100 router bgp autonomous-system 65000\n"
        "nv set router policy prefix-list PL-Vrf100 type ipv4\n"
        "nv set router policy route-map RM-Vrf100 rule 10 action permit\n"
    ),
    "eos": (
        "vrf instance Vrf100\n"
        "interface Vxlan1\n   vxlan source-interface Loopback1\n   vxlan vrf Vrf100 vni 100100\n"
        "ip routing vrf Vrf100\n"
    ),
    "esonic": (
        "ip vrf Vrf100\n"
        "interface vxlan vtep1\n source-ip 192.0.2.10\n map vni 100100 vrf Vrf100\n"
        "router bgp 65101 vrf Vrf100\n router-id 192.0.2.10\n"
    ),
    "junos": (
        "set routing-instances Vrf100 instance-type vrf\n"
        "set routing-instances Vrf100 interface et-0/0/63.100\n"
        "set routing-instances Vrf100 protocols evpn ip-prefix-routes vni 100100\n"
        "set policy-options policy-statement Vrf100-OUT term all then accept\n"
    ),
    "nxos": (
        "nv overlay evpn\n"
        "feature nv overlay\n"
        "feature vn-segment-vlan-based\n"
        "vrf context Vrf100\n  vni 100100 l3\n"
        "interface loopback1\n  ip address 192.0.2.10/32\n"
        "interface nve1\n  source-interface loopback1\n  member vni 100100 associate-vrf\n"
    ),
    "sonic": '{"VRF": {"Vrf100": {"vni": "100100"}}}',
}
TENANCY = {"form": "local", "unassigned": "keep"}
RED = {"name": "red", "id": 17, "hosts": "gpu1"}


class Preview:
    """Stands for a switch that is asked for the difference: lines that go and come."""

    def __init__(self, running: str) -> None:
        self._running = running

    def preview(self, candidate: Any) -> str:
        """Return the lines of one side alone, each with its mark."""
        old, new = map(_lines, (self._running, candidate.text))
        gone = [f"-{line}" for line in old if line not in new]
        return "\n".join([*gone, *(f"+{line}" for line in new if line not in old)])


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.lstrip().startswith("!")]


@cache
def files(system: str, scope: str, *tenants: str) -> list[Artefact]:
    """Return the files of the leaf: without tenants, with tenancy alone, or with a tenant."""
    data = yaml.safe_load(INVENTORIES[system])
    data["platforms"]["leaf"]["scope"] = scope
    data["addressing"]["vlan_per"] = "none"
    if tenants:
        data |= {"tenancy": TENANCY, "tenants": [RED] if "red" in tenants else []}
    with TemporaryDirectory() as folder:
        (Path(folder) / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
        return render_device(Designs(folder).devices[labs.LEAF])


def config(system: str, rendered: list[Artefact], foreign: str = "") -> Any:
    """Return what runs."""
    text = rendered[0].text
    if system != "sonic":
        return text + foreign
    return json.loads(text) | (json.loads(foreign) if foreign else {})


def drafted(system: str, runs: Any, rendered: list[Artefact]) -> Draft:
    """Return what is planned, but for the kernel."""
    running = Running(labs.LEAF, system, runs, runs, saved=True, files={})
    driver: Any = Preview(runs)
    return adapters[system].draft(running, [f for f in rendered if f.kind != "sysctl"], driver)


@pytest.mark.parametrize("scope", ["whole", "merge"])
@pytest.mark.parametrize("system", INVENTORIES)
def test_they_stay_in_a_fabric_without_tenants(system: str, scope: str) -> None:
    rendered = files(system, scope)
    runs = config(system, rendered, FOREIGN[system])
    draft = drafted(system, runs, rendered)
    assert draft.changes == ()
    assert draft.conflicts == ()


@pytest.mark.parametrize("scope", ["whole", "merge"])
@pytest.mark.parametrize("system", INVENTORIES)
def test_a_vrf_without_a_tenant_goes_where_the_fabric_has_tenancy(system: str, scope: str) -> None:
    """Also from a switch on which no tenant has a NIC."""
    before, after = files(system, scope, "tenancy", "red"), files(system, scope, "tenancy")
    paths = [change.path for change in drafted(system, config(system, before), after).changes]
    assert any("Vrf17" in path for path in paths)
    left = config(system, after, FOREIGN[system])
    paths = [change.path for change in drafted(system, left, after).changes]
    assert any("Vrf100" in path for path in paths)


@pytest.mark.parametrize("system", INVENTORIES)
def test_a_port_in_a_vrf_says_that_the_fabric_had_tenants(system: str) -> None:
    before, after = files(system, "whole", "tenancy", "red"), files(system, "whole")
    draft = drafted(system, config(system, before), after)
    gone = {change.path for change in draft.changes if not change.after}
    marks = {
        "cumulus": "vrf Vrf17 table",
        "eos": "vrf instance Vrf17",
        "esonic": "ip vrf Vrf17",
        "junos": "routing-instances Vrf17 instance-type virtual-router",
        "nxos": "vrf context Vrf17",
        "sonic": "VRF|Vrf17|",
    }
    assert marks[system] in gone


@pytest.mark.parametrize("system", INVENTORIES)
def test_a_port_of_ours_in_a_vrf_of_others_stays_where_they_own_a_part(system: str) -> None:
    """Without tenants; with them the port leaves the VRF."""
    before = files(system, "merge", "tenancy", "red")
    rendered = files(system, "merge")
    marked = [*rendered, *(one for one in before if one.kind == "tenants")]
    of_vrf = [
        [one for one in drafted(system, config(system, before), these).changes if _is_of(one)]
        for these in (rendered, marked)
    ]
    assert of_vrf[0] == []
    assert of_vrf[1] != []


def _is_of(change: Change) -> bool:
    return "Vrf17" in f"{change.path} {change.before}"
