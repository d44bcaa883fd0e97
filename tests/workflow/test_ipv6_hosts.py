"""Hosts with IPv6 in the lab: verified NIC by NIC, probed, applied and rolled back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.workflow.apply import Options, apply, status
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.probe import make_plan
from fabric.workflow.probe_run import run as run_probes
from fabric.workflow.project import Project
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import Selection, verify
from tests.cases import each
from tests.change import labs
from tests.change.labs import planned, unhealthy
from tests.topology.fabrics import document, ipv6_plan
from tests.workflow.host_lab import applied_lab, silent

HOSTS = Selection(switches=False)
PLANS: dict[str, dict[str, Any]] = {
    "beside": ipv6_plan(rdma=True),
    "alone": ipv6_plan(alone=True),
    "slaac": ipv6_plan(alone=True, assignment="slaac"),
}
OPTIONS = Options(timer_s=120, verify_s=10.0, poll_s=0.1)


def write(folder: Path, plan: str, stack: str = "netplan-networkd") -> Path:
    """Write an inventory of two hosts of EOS switches."""
    models = {"leaf": {"sku": "7060X6-64PE"}, "spine": {"sku": "7060X6-64PE"}}
    units = [{"name": "su1", "hosts": "a1"}, {"name": "su2", "hosts": "b1"}]
    data = document(**PLANS[plan], platforms=models, units=units)
    data["speeds"] = {"host_gbps": 400, "uplink_gbps": 400}
    data["arp"] = {"timeout_s": 240}
    data["host"] |= {"interfaces": "eth[1-2]", "rdma_devices": "mlx5_[1-2]"}
    data["host"] |= {"network_stack": stack, "management_rdma_device": "mlx5_0"}
    folder.mkdir()
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return folder


def told(project: Project, connections: Path) -> set[tuple[str, str]]:
    """Return device and check of all that is said of the hosts."""
    health = verify(project, connections, HOSTS, silent)
    assert not [item.error for item in health if item.error]
    return {(item.device, one.subject) for item in health for one in item.deviations}


@each("plan", PLANS)
def test_a_host_is_as_planned_and_reached(plan: str, tmp_path: Path) -> None:
    """GIDs are found by their content, of the family that RDMA uses."""
    (tmp_path / plan).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        inventory = write(tmp_path / plan / "inventory", plan)
        with applied_lab(tmp_path / plan, patch, inventory) as (lab, project, connections):
            assert told(project, connections) == set()
            probes = make_plan(project, HOSTS)
            reported = run_probes(probes, connections, HOSTS, "bandwidth", silent)
            assert reported.ok, reported.failures
            assert reported.slowest_gbps == pytest.approx(0.995 * 400 * 4096 / 4198, abs=0.01)
            lab["a1"].spec.options["perftest"] = "4.5"
            told_old = run_probes(probes, connections, HOSTS, "bandwidth", silent)
            words = "ib_write_bw of a1 has no --ipv6-addr, and there is no IPv4 to connect by"
            reasons = {row["failure"].partition(":")[0] for row in told_old.failures}
            assert reasons == (set() if plan == "beside" else {words})


#: Command on a1, and what is said of it, by plan.
FAULTS = {
    ("ip addr del fd00:64::41/127 dev eth1", "alone"): {"H10"},
    ("ip addr add fd00:64::77/120 dev eth1", "alone"): set(),
    ("ip -6 rule del from fd00:64::41 table 100 priority 100", "beside"): {"H13"},
    ("ip -6 route del fd00:64::/48 table 100", "beside"): {"H13"},
    ("ip addr del 10.64.0.1/31 dev eth1", "beside"): {"H10"},
    ("ip addr add fd00:64::bad:1/64 dev eth1", "slaac"): {"H10"},
}


@each("plan", PLANS)
def test_each_fault_is_seen_by_its_check(plan: str, tmp_path: Path) -> None:
    """A privacy address is a second GID of a NIC that makes its own."""
    (tmp_path / plan).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        inventory = write(tmp_path / plan / "inventory", plan)
        with applied_lab(tmp_path / plan, patch, inventory) as (lab, project, connections):
            for (command, of), checks in FAULTS.items():
                if of == plan:
                    assert lab["a1"].run_detached(command)[0] == 0
                    said = {check for device, check in told(project, connections)}
                    assert said - {"H17"} == checks, command
                    lab["a1"].on_reboot()
                    assert lab["a1"].run_detached("sh /etc/rocefab/apply.sh")[0] == 0


STACKS = ("netplan-networkd", "networkd", "networkmanager")


@each(("plan", "stack"), [(plan, stack) for plan in ("beside", "slaac") for stack in STACKS])
def test_a_change_of_ipv6_is_whole_and_undone(
    plan: str, stack: str, tmp_path: Path, monkeypatch: Any
) -> None:
    """Rules, routes, addresses and kernel parameters of both families come and go."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    folder = tmp_path / f"{plan}-{stack}"
    folder.mkdir()
    project, state = Project(write(folder / "inventory", plan, stack)), folder / "state"
    look = "ip -j addr show; ip -6 -j rule show; ip -6 -j route show table all; sysctl -a -r ipv6"
    with laboratory(project, folder / "lab") as lab:
        connections = folder / "lab" / CONNECTIONS
        before = lab["a1"].run_detached(look)
        result = apply(planned(project, connections), state, connections, OPTIONS, labs.silent)
        assert result.ok, result.reasons
        assert unhealthy(project, connections) == []
        assert planned(project, connections).devices == {}
        assert lab["a1"].run_detached(look) != before
        back = rollback(status(state)[-1]["run"], state, connections, labs.silent)
        assert back.ok, back.reasons
        assert lab["a1"].run_detached(look) == before


def test_each_family_is_pinged(tmp_path: Path) -> None:
    """RDMA uses IPv6, and IPv4 that is cut is seen too."""
    (tmp_path / "beside").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        inventory = write(tmp_path / "beside" / "inventory", "beside")
        with applied_lab(tmp_path / "beside", patch, inventory) as (lab, project, connections):
            nic = project.hosts["b1"].nics[0]
            (own,) = (one for one in nic.addresses if not one.is_ipv6)
            assert (
                lab["b1"].run_detached(f"ip addr del {own.interface} dev {nic.interface}")[0] == 0
            )
            probes = make_plan(project, HOSTS)
            reported = run_probes(probes, connections, HOSTS, "ping", silent)
            failures = {one["failure"] for one in reported.failures}
            start = f"ping could not start from {own.address}"
            assert failures == {f"0 of 3 replies from {own.address}", start}
