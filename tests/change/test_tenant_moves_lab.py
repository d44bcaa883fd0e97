"""A host moves from one tenant to another on the lab: what passes, what stops it, what goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import DeviceError, InputError, JournalError
from fabric.intent.inventory import load
from fabric.lab.faults import Fault
from fabric.lab.vrfs import LeafPort
from fabric.systems.eos.lab.sessions import EosState
from fabric.workflow import apply as applying
from fabric.workflow import rollback as rolling_back
from fabric.workflow.apply import Options, Result
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Plan, Selection, plan
from fabric.workflow.plan_text import describe
from fabric.workflow.project import Project
from fabric.workflow.tenant import TenantEditor, members_of
from tests.change import labs

EXAMPLE = Path(__file__).parents[2] / "inventory" / "tenants"
OPTIONS = Options(timer_s=60, verify_s=4.0, poll_s=0.1)
RED, BLUE = "Vrf17", "Vrf18"
LEAVES = "su1-rail[0-1]"
FAR = ("su2-rail0", "su2-rail1")
WRONG_TARGETS = """
router bgp 65103
   vrf Vrf17
      route-target import evpn 65000:50018
      route-target export evpn 65000:50018
"""


class KilledError(BaseException):
    """Ends a run as a kill does: nothing is undone, and no end is written."""


@dataclass
class Site:
    """A lab on which an inventory with two tenants is applied."""

    lab: Any
    inventory: Path
    folder: Path

    @property
    def state(self) -> Path:
        """Where runs are written down."""
        return self.folder / "state"

    def connections(self, *without: str) -> Path:
        """Return the connections file, without some hosts."""
        file = self.folder / "lab" / CONNECTIONS
        if not without:
            return file
        data = json.loads(file.read_text())
        for name in without:
            del data["devices"][name]
        part = self.folder / "part.json"
        part.write_text(json.dumps(data))
        part.chmod(0o600)
        return part

    def move(self, host: str) -> None:
        """Edit the inventory: the next step of a move to blue."""
        TenantEditor(self.inventory).move("blue", members_of(load(self.inventory), host, ()))

    def planned(self, only: str = "", *without: str) -> Plan:
        """Return a plan."""
        files = self.connections(*without)
        return plan(Project(self.inventory), files, Selection(only=only), "rail", labs.silent)

    def applied(
        self, made: Plan, *without: str, said: Callable[[str, str], None] = labs.silent
    ) -> Result:
        """Return how a plan was applied."""
        return applying.apply(made, self.state, self.connections(*without), OPTIONS, said)

    def step(self, host: str, only: str = "") -> None:
        """Edit, plan and apply."""
        self.move(host)
        result = self.applied(self.planned(only))
        assert result.ok, result.reasons

    def port(self, leaf: str, host: str) -> str:
        """Return the leaf port of a host."""
        ports = Project(self.inventory).devices[leaf].ports
        return next(port.name for port in ports if port.peer == host)

    def vrf(self, leaf: str, host: str) -> str:
        """Return the VRF of the leaf port of a host; ``shut`` where it is shut down."""
        port = self.port(leaf, host)
        own = re.search(rf"(?m)^interface {port}\n((?:   .*\n)*)", self.lab[leaf].running_text)
        assert own
        found = re.search(r"^   vrf (\S+)$", own[1], re.MULTILINE)
        assert not (found and "   shutdown" in own[1])
        return "shut" if "   shutdown" in own[1] else found[1] if found else "default"

    def vrfs(self, host: str, unit: str = "su1") -> list[str]:
        """Return the VRFs of its ports, of both rails."""
        return [self.vrf(f"{unit}-rail{rail}", host) for rail in (0, 1)]

    def routes(self, host: str, leaf: str) -> list[bool]:
        """Tell whether red has routes to the subnets of a host on a leaf."""
        nics = Project(self.inventory).hosts[host].nics
        nets = (ip_interface(f"{nic.address}/31").network for nic in nics)
        return [self.lab[leaf].has_route(RED, str(net)) for net in nets]

    def answers(self, source: str, target: str) -> bool:
        """Tell whether the first NIC of a host answers another one."""
        hosts = Project(self.inventory).hosts
        ends = [hosts[name].nics[0].address for name in (source, target)]
        code, _ = self.lab[source].run_detached(f"ping -n -c 1 -I {ends[0]} {ends[1]}")
        return bool(code == 0)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("moves")
    data = yaml.safe_load((EXAMPLE / "fabric.yaml").read_text(encoding="utf-8"))
    data["units"] = [
        {"name": "su1", "hosts": "gpu[001-007]"},
        {"name": "su2", "hosts": "gpu[008-009]"},
    ]
    data["tenants"] = [
        {"name": "red", "id": 17, "hosts": "gpu[001-008]"},
        {"name": "blue", "id": 18, "hosts": "gpu009"},
    ]
    inventory = folder / "inventory"
    inventory.mkdir()
    (inventory / "fabric.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCEFAB_PASSWORD", "lab-password")
        with laboratory(Project(inventory), folder / "lab") as lab:
            ready = Site(lab, inventory, folder)
            result = ready.applied(ready.planned())
            assert result.ok, result.reasons
            yield ready


@pytest.fixture(autouse=True)
def no_faults(site: Site) -> Iterator[None]:
    yield
    for name in site.lab.names():
        site.lab[name].faults.clear()
    site.lab["gpu001"].probing.paths.vrfs.stuck.clear()


def gates(site: Site) -> list[str]:
    """Return what the gates of the last run said."""
    run = applying.status(site.state)[-1]["run"]
    return [
        event.detail
        for event in applying.record(site.state, run).events
        if event.detail.startswith("gate")
    ]


def test_a_documented_move_passes_all_gates(site: Site) -> None:
    assert site.answers("gpu001", "gpu002")
    assert not site.answers("gpu001", "gpu009")
    site.move("gpu002")
    out = site.planned()
    port = site.port("su1-rail0", "gpu002")
    assert f"    ONE WAY: {port} leaves red (Vrf17) and is shut down\n" in describe(out)
    leaves = ("su1-rail0", "su1-rail1")
    assert {name: item.revoked_at for name, item in out.devices.items() if item.revoked_at} == {
        "gpu002": leaves
    }
    asked = "gate withdrawal: 2 subnets that leave a tenant must be gone from 4 other leaves"
    assert f"\n{asked}\n" in describe(out)
    assert all(site.routes("gpu002", leaf) == [True, True] for leaf in FAR)
    result = site.applied(out)
    assert result.ok, result.reasons
    assert gates(site).count("gate withdrawal: passed, 3 leaves") == 2
    assert all(site.routes("gpu002", leaf) == [False, False] for leaf in FAR)
    assert site.vrfs("gpu002") == ["shut", "shut"]
    assert not site.answers("gpu001", "gpu002")
    run = applying.status(site.state)[-1]["run"]
    assert rolling_back.would_go_back(run, site.state) == []
    assert len(rolling_back.would_stay(run, site.state)) == len((leaves, "gpu002"))
    site.move("gpu002")
    into = site.planned()
    assert not any(item.revoked_at for item in into.devices.values())
    text = describe(into)
    assert f"    {port} enters blue (Vrf18)\n" in text
    assert "\ngate tenant: 2 pings to NICs that enter a tenant must be answered\n" in text
    result = site.applied(into)
    assert result.ok, result.reasons
    assert site.vrfs("gpu002") == [BLUE, BLUE]
    assert site.answers("gpu009", "gpu002")
    assert not site.answers("gpu001", "gpu002")
    said = gates(site)
    assert [one for one in said if "isolation" in one][-1] == "gate isolation: passed, 2 pings"
    unasked = ["gate tenant: not asked in this wave"] * len(leaves)
    assert [one for one in said if "tenant" in one] == [*unasked, "gate tenant: passed, 2 pings"]


def test_what_is_wrong_behind_the_configuration_stops_a_move(site: Site) -> None:
    """The host keeps its addresses, so that each leaf shows it in its own wave."""
    site.step("gpu003", LEAVES)
    site.move("gpu003")
    stuck = site.lab["gpu001"].probing.paths.vrfs.stuck
    port = LeafPort("su1-rail0", site.port("su1-rail0", "gpu003"))
    stuck[port] = RED
    result = site.applied(site.planned(LEAVES))
    assert not result.ok
    assert re.match(r"gate isolation: gpu00\d \S+ to gpu003 \S+: another ", result.reasons[0])
    assert result.rolled_back == ("su1-rail0",)
    assert site.vrfs("gpu003") == ["shut", "shut"]

    stuck[port] = "Vrf99"
    result = site.applied(site.planned(LEAVES))
    assert re.match(r"gate tenant: gpu00\d \S+ to gpu003 \S+: 0 of 3 replies", result.reasons[0])
    assert site.vrfs("gpu003") == ["shut", "shut"]

    stuck.clear()
    others = [f"gpu00{number}" for number in (1, 2, 4, 5, 6, 7)]
    site.lab["su2-rail0"].hand_edit(WRONG_TARGETS)
    result = site.applied(site.planned(LEAVES, *others), *others)
    assert result.reasons[0].startswith("gate isolation: gpu008 ")
    assert site.vrfs("gpu003") == ["shut", "shut"]
    site.lab["su2-rail0"].hand_edit(WRONG_TARGETS.replace("route-target", "no route-target"))

    alone = describe(site.planned(LEAVES, "gpu003"))
    assert "gpu003 in the new tenant: not probed, no login to it" in alone
    result = site.applied(site.planned(LEAVES))
    assert result.ok, result.reasons
    assert site.vrfs("gpu003") == [BLUE, BLUE]


def test_a_leaf_that_keeps_the_route_or_is_silent_stops_the_way_out(site: Site) -> None:
    """Nothing is undone: what is shut stays shut, and the next leaf waits."""
    site.move("gpu001")
    leaf = site.lab["su1-rail0"]
    away(site, "su2-rail0", "show ip route")
    result = site.applied(site.planned(LEAVES))
    assert not result.ok
    assert result.reasons[0].startswith("gate withdrawal: su2-rail0 cannot be asked for routes: ")
    assert site.vrfs("gpu001") == ["shut", RED]
    assert leaf.text_of(leaf.state.startup) == leaf.running_text, "a restart would undo it"

    site.lab["su2-rail0"].faults.clear()
    net = ip_interface(f"{Project(site.inventory).hosts['gpu001'].nics[1].address}/31").network
    site.lab["su2-rail0"].hand_edit(f"ip route vrf {RED} {net} Null0")
    result = site.applied(site.planned(LEAVES))
    (reason,) = result.reasons
    leak = (
        f"gate withdrawal: su2-rail0 still has a route to {net} in {RED}, which left that VRF on "
    )
    assert reason.startswith(f"{leak}su1-rail1: look there where the route comes from, remove it, ")
    assert site.vrfs("gpu001") == ["shut", "shut"]
    site.lab["su2-rail0"].hand_edit(f"no ip route vrf {RED} {net} Null0")


def test_the_vrf_of_a_port_is_read_back(site: Site) -> None:
    """A switch that takes a change and has the port in its old tenant all the same."""
    leaf, port = site.lab["su1-rail0"], site.port("su1-rail0", "gpu001")
    commit = EosState.commit

    def commit_wrongly(state: EosState, name: str, timer_s: int = 0) -> None:
        commit(state, name, timer_s)
        if state is leaf.state:
            leaf.edit(state.running, f"interface {port}\nvrf {RED}\n")

    if site.vrfs("gpu001") != ["shut", "shut"]:  # the test before it did not run
        site.step("gpu001", LEAVES)
    assert site.vrfs("gpu001") == ["shut", "shut"]
    site.move("gpu001")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EosState, "commit", commit_wrongly)
        result = site.applied(site.planned(LEAVES))
    assert not result.ok
    assert f"interface {port}: vrf {RED} is not as planned" in result.reasons[0]
    assert site.vrfs("gpu001") == ["shut", "shut"]


def test_who_has_no_partner_asks_its_gateway(site: Site) -> None:
    site.step("gpu004", LEAVES)
    site.move("gpu004")
    others = [f"gpu00{number}" for number in (1, 2, 3, 5, 6, 7, 8, 9)]
    made = site.planned(LEAVES, *others)
    assert made.leaf_pings is not None
    asked = [ping for pings in made.leaf_pings.joined.values() for ping in pings]
    assert [ping.target_host for ping in asked] == ["su1-rail0", "su1-rail1"]
    result = site.applied(made, *others)
    assert result.ok, result.reasons
    assert gates(site) == ["gate tenant: passed, 1 ping"] * 2


def test_of_two_operators_the_second_apply_is_rejected_whole(site: Site) -> None:
    site.move("gpu005")
    first, second = site.planned(), site.planned()
    assert site.applied(first).ok
    with pytest.raises(InputError, match="red does not have rail 0 of gpu005"):
        TenantEditor(site.inventory).revoke("red", members_of(load(site.inventory), "gpu005", ()))
    before = {leaf: site.lab[leaf].running_text for leaf in ("su1-rail0", "su1-rail1")}
    result = site.applied(second)
    assert not result.ok
    assert not result.confirmed
    assert len(result.reasons) == len(second.devices)
    for reason in result.reasons:
        assert re.search(r"changed after it was planned: .* as planned already; run ", reason)
    assert {leaf: site.lab[leaf].running_text for leaf in before} == before
    site.step("gpu005")
    assert site.vrfs("gpu005") == [BLUE, BLUE]


def away(site: Site, leaf: str, pattern: str = "") -> None:
    """Let a leaf answer nothing any more, from a command on."""
    site.lab[leaf].faults.add(Fault("cut_at_command", pattern=pattern, times=0))


def test_a_leaf_that_is_away_before_a_move_stops_all_of_it(site: Site) -> None:
    site.move("gpu006")
    made = site.planned()
    away(site, "su1-rail1")
    with pytest.raises(DeviceError):
        site.planned()
    result = site.applied(made)
    assert not result.ok
    assert not result.confirmed
    assert "su1-rail1" in result.reasons[0]
    assert site.vrfs("gpu006") == [RED, RED]

    site.lab["su1-rail1"].faults.clear()
    assert site.applied(made).ok
    assert site.vrfs("gpu006") == ["shut", "shut"]


def test_a_kill_on_the_way_out_leads_on_by_resume_or_a_new_plan(site: Site) -> None:
    site.move("gpu007")
    made = site.planned()

    def killed(device: str, text: str) -> None:
        if not device and text.startswith("wave 2 of 3: su1-rail1"):
            away(site, "su1-rail1")
            raise KilledError

    with pytest.raises(KilledError):
        site.applied(made, said=killed)
    assert site.vrfs("gpu007") == ["shut", RED]
    run = applying.status(site.state)[-1]
    assert run["state"] == "interrupted"
    with pytest.raises(JournalError) as caught:
        site.applied(made)
    assert str(caught.value) == (
        f"run {run['run']} was interrupted; resume it with `rocefab apply --resume`; it is not "
        "rolled back, since it takes ports out of a tenant"
    )
    files = site.connections()
    back = rolling_back.rollback(run["run"], site.state, files, labs.silent)
    assert not back.rolled_back
    assert any("resume its run with apply --resume" in reason for reason in back.reasons)

    again = applying.resume(site.state, files, OPTIONS, labs.silent)
    assert not again.ok
    assert "su1-rail1" in again.reasons[0]
    assert applying.status(site.state)[run["run"] - 1]["state"] == "failed"
    assert site.vrfs("gpu007") == ["shut", RED]
    site.lab["su1-rail1"].faults.clear()
    again = site.applied(site.planned())
    assert again.ok, again.reasons
    assert site.vrfs("gpu007") == ["shut", "shut"]


def test_a_leaf_that_is_lost_on_the_way_in_ends_in_quarantine(site: Site) -> None:
    site.step("gpu008")
    site.move("gpu008")

    def lost(device: str, text: str) -> None:
        if (device, text) == ("su2-rail1", "verified"):
            away(site, "su2-rail1")

    result = site.applied(site.planned(), said=lost)
    assert not result.ok
    assert result.confirmed == ("su2-rail0",)
    states = {row["device"]: row for row in applying.status(site.state, result.run)}
    assert states["su2-rail1"]["state"] == "failed"
    assert "its commit timer" in states["su2-rail1"]["detail"]
    assert site.vrf("su2-rail0", "gpu008") == BLUE
    site.lab["su2-rail1"].expire_timer()
    assert site.vrf("su2-rail1", "gpu008") == "shut"

    site.lab["su2-rail1"].faults.clear()
    again = site.applied(site.planned())
    assert again.ok, again.reasons
    assert site.vrfs("gpu008", "su2") == [BLUE, BLUE]
