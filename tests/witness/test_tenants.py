"""Tenants on every system that has them: lines, readers, explanations and changes agree."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from fabric.design.model import DeviceDesign
from fabric.observe.configuration import Configured, readers
from tests.witness.changes import fresh, laid, owned, step
from tests.witness.faults import Counted, Fault, chosen, faults
from tests.witness.systems import System, Witnessed, witnessed
from tests.witness.tables import ROWS
from tests.witness.tenants import TENANT_SYSTEMS, settings_of

#: What is said of each fabric that `prove` and `audit` do not judge here.
_OTHERS = ("prove",)


@pytest.fixture(scope="module", params=TENANT_SYSTEMS)
def works(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Witnessed]:
    """Return what a system makes of each setting."""
    system: System = TENANT_SYSTEMS[request.param]
    folder = tmp_path_factory.mktemp("inventories")
    return {
        title: witnessed(folder / str(number), system, title, setting)
        for number, (title, setting) in enumerate(settings_of(request.param).items())
    }


def test_no_setting_is_refused(works: dict[str, Witnessed]) -> None:
    assert {title: work.refused for title, work in works.items() if work.refused} == {}


def _is_ours(system: str, title: str, fault: Fault) -> bool:
    """Tell whether a fault is one of tenants, and not one that every fabric of the system has."""
    is_judged = fault.kind not in _OTHERS or fault.text.startswith("not understood")
    setting = "scope merge" if title.startswith("merge") else title
    return is_judged and not any(row.covers(system, setting, fault) for row in ROWS)


def test_the_homes_of_a_line_agree(works: dict[str, Witnessed], tmp_path: Path) -> None:
    """Beside what is so without tenants."""
    counted = Counted()
    seen: set[str] = set()
    plain = {
        fault
        for title, work in works.items()
        if title.startswith("no tenants")
        for fault in faults(work, tmp_path / "audited", seen, counted)
    }
    met = [
        f"{title}: {fault}"
        for title, work in works.items()
        if not title.startswith("no tenants")
        for fault in faults(work, tmp_path / "audited", seen, counted)
        if _is_ours(work.system.name, title, fault) and fault not in plain
    ]
    assert "\n".join(met) == ""


def read(design: DeviceDesign, work: Witnessed) -> Configured:
    """Return what is read of the files of a switch."""
    files = {file.kind: file.text for file in work.files[design.name]}
    return readers[design.platform](files)


def test_the_reader_says_what_the_design_means(works: dict[str, Witnessed]) -> None:
    for title, work in works.items():
        for design in work.designs.values():
            switch = read(design, work)
            assert set(switch.vrfs) == {vrf.name for vrf in design.vrfs}, (title, design.name)
            for vrf in design.vrfs:
                mine = switch.vrfs[vrf.name]
                assert mine.vni == vrf.vni, title
                assert mine.routes, title
                assert mine.route_distinguisher == vrf.route_distinguisher, title
                targets = [vrf.route_target] if vrf.vni else []
                for lines in (mine.imports, mine.exports):
                    assert [one.target for one in lines] == targets, (title, design.name)
                assert mine.advertises is bool(vrf.vni), title
                kinds = [(one.kind, bool(one.policy)) for one in mine.redistributions]
                assert kinds == [("connected", True)] * bool(vrf.vni or vrf.imports), title
                assert sorted(one.source for one in mine.leaks) == sorted(vrf.imports), title
            _ports(title, design, switch)
            _evpn(title, design, switch)


def _ports(title: str, design: DeviceDesign, switch: Configured) -> None:
    vrfs = {port.name: port.vrf for port in design.ports if port.vrf}
    by_vlan = {vlan.vlan: vlan.vrf for vlan in design.vlans if vlan.vrf}
    of_ports = {name: port.vrf for name, port in switch.ports.items() if port.vrf}
    gateways = {
        port.gateway_vlan: port.vrf
        for port in switch.ports.values()
        if port.vrf and port.gateway_vlan
    }
    assert gateways == by_vlan, title
    assert {name: vrf for name, vrf in of_ports.items() if name in vrfs} == vrfs, title
    for port in design.ports:
        if port.quarantined:
            own = switch.ports[port.name]
            assert not own.enabled, title
            assert (own.addresses, own.vlan, own.vrf) == ([], None, ""), title


def _evpn(title: str, design: DeviceDesign, switch: Configured) -> None:
    if design.evpn is None:
        assert switch.evpn is None, title
        return
    evpn = switch.evpn
    assert evpn is not None
    sessions = design.evpn.sessions or design.bgp.neighbours
    assert set(evpn.peers) == {peer.session for peer in sessions}, title
    assert evpn.keeps_all_targets, title
    if design.evpn.source:
        assert evpn.source == (design.evpn.source if design.vrfs else ""), title
    if design.vrfs:
        assert (evpn.copies_dscp, evpn.copies_ecn, evpn.restores_ecn) == (True, True, True), title
    elif design.role != "leaf":
        assert evpn.keeps_next_hops or evpn.keeps_next_hop == set(evpn.peers), title


def test_changes_lead_there_and_back(works: dict[str, Witnessed]) -> None:
    """From setting to setting and back, also to and from a fabric without tenants."""
    met = []
    titles = [*works, next(iter(works))]
    for first, second in pairwise(titles):
        for one, other in ((first, second), (second, first)):
            before, after = works[one], works[other]
            for switch in set(before.files) & set(after.files):
                design, files = after.designs[switch], after.files[switch]
                box = laid(design, before.files[switch])
                faults_here = [*owned(design, files[0].text), *step(box, files, "there")]
                met += [f"{one} -> {other}: {switch}: {fault}" for fault in faults_here]
    assert "\n".join(met) == ""


def test_tenants_come_to_a_switch_that_is_fresh_from_the_box(works: dict[str, Witnessed]) -> None:
    work = works["evpn"]
    for name in chosen(work):
        assert [*step(fresh(work.designs[name]), work.files[name], "there")] == []


def test_a_part_that_is_merged_keeps_nothing_of_a_tenant_that_is_gone(
    works: dict[str, Witnessed],
) -> None:
    """Where others own the rest of the configuration."""
    before, after = works["merge"], works["merge, a tenant removed"]
    for switch in before.files:
        box = laid(before.designs[switch], before.files[switch])
        assert [*step(box, after.files[switch], "there")] == []
        text = str(box.config)
        assert [word for word in ("Vrf18", "50018") if word in text] == [], switch
        assert ("Vrf17" in text) is (after.designs[switch].role == "leaf")
