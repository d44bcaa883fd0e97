"""Subnets that leave a tenant: which, and which other leaves may not have them after the wave."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.change.model import Missing, Plan, parse_plan
from fabric.change.rollout import LeafPings, Withdrawal
from fabric.observe.snapshot import Running
from fabric.workflow import withdrawals as asking
from fabric.workflow.plan_text import describe
from fabric.workflow.project import Project
from fabric.workflow.tenant_moves import TenantMoves, tenant_moves
from fabric.workflow.withdrawals import describe_withdrawals, withdrawals
from tests.cases import each
from tests.change import memory_fabric
from tests.systems.tenant_fabrics import BLUE, RED, SYSTEMS, project

#: gpu001 leaves red, which gpu003 behind the leaves of su2 keeps.
TWO = [RED | {"hosts": "gpu[001,003]"}, BLUE | {"hosts": "gpu002"}]
AFTER = [RED | {"hosts": "gpu003"}, BLUE | {"hosts": "gpu002"}]
#: Red had gpu001 alone.
LAST = [RED | {"hosts": "gpu001"}, BLUE | {"hosts": "gpu002"}]
NONE_LEFT = [RED, BLUE | {"hosts": "gpu002"}]
EOS: dict[str, Any] = {"speeds": {"host_gbps": 100, "uplink_gbps": 100}}
STAY = "tenants of the form local stay on their leaf"
ALL = "gate withdrawal: 2 subnets that leave a tenant must be gone from 3 other leaves"


@pytest.fixture(autouse=True)
def eos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SYSTEMS, "eos", EOS)


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    memory_fabric.use_memory_drivers(monkeypatch)
    memory_fabric.create(tmp_path)
    return memory_fabric.make_plan(tmp_path)


class Site:
    """A fabric before and after an edit of its tenants, and a plan for some of its leaves."""

    def __init__(self, folder: Path, plan: Plan, system: str, form: str, **states: Any) -> None:
        self.before = project(folder / "before", system, form, tenants=states["before"])
        self.after = project(folder / "after", system, form, tenants=states["after"])
        self.plan = plan

    def moves(self, *names: str) -> dict[str, TenantMoves]:
        """Return what is done to the leaves that are read."""
        return {name: self._moves(self.before, name) for name in names}

    def _moves(self, before: Project, name: str) -> TenantMoves:
        text = before.switch_artefacts[name][0].text
        running = Running.of_text(name, before.devices[name].platform, text, saved=True)
        return tenant_moves(self.after.devices, running, {})

    def planned(
        self, *read: str, missing: str = "", file: Path | None = None
    ) -> tuple[Withdrawal, ...]:
        """Return what other leaves are asked for; those of su1 change."""
        moves = self.moves(*read)
        going = [name for name in read if moves[name].left]
        plan = replace(
            self.plan,
            devices=dict.fromkeys(going, self.plan.devices["leaf1"]),
            waves=tuple((name,) for name in going),
            unchanged=tuple(name for name in read if name not in going),
            missing={missing: Missing("away", "")} if missing else {},
        )
        return withdrawals(self.after, plan, moves, file)


LEAVES = ("su1-rail0", "su1-rail1", "su2-rail0", "su2-rail1")
#: Form, tenants before and after, leaves that are read, one that is not; lines of the plan.
CASES = {
    "a host of a tenant with more": (("evpn", TWO, AFTER, LEAVES, ""), [ALL]),
    "a part of the fabric is read": (
        ("evpn", TWO, AFTER, LEAVES[:2], ""),
        [
            "gate withdrawal: 1 subnet that leaves a tenant must be gone from 1 other leaf",
            "gate withdrawal: not checked: su2-rail[0-1] (it is not in the connections)",
        ],
    ),
    "a leaf was away": (
        ("evpn", TWO, AFTER, LEAVES[:3], "su2-rail1"),
        [
            "gate withdrawal: 2 subnets that leave a tenant must be gone from 2 other leaves",
            "gate withdrawal: not checked: su2-rail1 (it could not be read for the plan)",
        ],
    ),
    "the last host of a tenant": (
        ("evpn", LAST, NONE_LEFT, LEAVES, ""),
        [
            "gate withdrawal: 1 subnet that leaves a tenant must be gone from 1 other leaf",
            "gate withdrawal: nothing is asked for su1-rail1: no other leaf has Vrf17",
        ],
    ),
    "on its leaf": (
        ("local", TWO, AFTER, LEAVES, ""),
        [
            f"gate withdrawal: nothing is asked for su1-rail[0-1]: {STAY}",
        ],
    ),
    "nothing leaves": (("evpn", AFTER, TWO, LEAVES, ""), []),
}


@each("name", CASES)
def test_what_the_plan_says(tmp_path: Path, plan: Plan, name: str) -> None:
    (form, before, after, read, missing), expected = CASES[name]
    site = Site(tmp_path / name, plan, "eos", form, before=before, after=after)
    assert [*describe_withdrawals(site.planned(*read, missing=missing))] == expected


def test_who_is_asked_for_what(tmp_path: Path, plan: Plan) -> None:
    """The VRF of red ends on the first leaf with its wave, so that the second wave asks it not."""
    site = Site(tmp_path, plan, "eos", "evpn", before=TWO, after=AFTER)
    first, second = site.planned(*LEAVES)
    assert (first.leaf, first.vrf, first.prefixes) == ("su1-rail0", "Vrf17", ("10.64.0.0/31",))
    assert first.systems == dict.fromkeys(LEAVES[1:], "eos")
    assert (second.leaf, second.systems) == ("su1-rail1", dict.fromkeys(LEAVES[2:], "eos"))


def test_a_leaf_that_the_connections_name_is_asked(tmp_path: Path, plan: Plan) -> None:
    site = Site(tmp_path, plan, "eos", "evpn", before=TWO, after=AFTER)
    file = tmp_path / "connections.json"
    file.write_text(json.dumps({"devices": {"su2-rail1": {}}}))
    file.chmod(0o600)
    first, second = site.planned(*LEAVES[:2], file=file)
    assert [*first.systems] == ["su1-rail1", "su2-rail1"]
    assert second.unasked == {"su2-rail0": "it is not in the connections"}


def test_a_system_without_a_reader_is_not_checked(
    tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "route_readings", {})
    site = Site(tmp_path, plan, "eos", "evpn", before=TWO, after=AFTER)
    text = "gate withdrawal: not checked: su1-rail1,su2-rail[0-1] (nothing reads routes of eos)"
    assert [*describe_withdrawals(site.planned(*LEAVES))] == [text]


def test_the_subnet_of_a_vlan_stays_with_its_other_ports(tmp_path: Path) -> None:
    more: dict[str, Any] = {
        "addressing": {"vlan_per": "nic"},
        "units": [{"name": "su1", "hosts": "gpu[001-002]"}, {"name": "su2", "hosts": "gpu003"}],
    }
    before, after = (
        project(tmp_path / hosts, "eos", "evpn", tenants=[RED | {"hosts": hosts}], **more)
        for hosts in ("gpu[001-003]", "gpu[002-003]")
    )
    text = before.switch_artefacts["su1-rail0"][0].text
    running = Running.of_text("su1-rail0", "eos", text, saved=True)
    design = after.devices["su1-rail0"]
    assert tenant_moves(after.devices, running, {}).left == {"Vrf17": ("10.64.0.0/24",)}
    # The other host is to be in the VLAN of the one that leaves.
    (kept,) = design.vlans
    ports = tuple(replace(port, vlan=101) if port.vlan else port for port in design.ports)
    shared = replace(design, vlans=(replace(kept, vlan=101),), ports=ports)
    assert tenant_moves({"su1-rail0": shared}, running, {}).left == {"Vrf17": ()}


def test_a_plan_file_keeps_them_and_checks_them(plan: Plan) -> None:
    one = Withdrawal("leaf1", "Vrf17", ("10.64.0.0/31",), {"leaf2": "eos"}, {"leaf3": "away"})
    whole = replace(plan, leaf_pings=LeafPings({}, "none", withdrawn=(one,)))
    assert parse_plan(whole.to_json(), "plan").leaf_pings == whole.leaf_pings
    text = describe(whole)
    assert (
        "\ngate withdrawal: 1 subnet that leaves a tenant must be gone from 1 other leaf\n" in text
    )
    assert "\ngate withdrawal: not checked: leaf3 (away)\n" in text
