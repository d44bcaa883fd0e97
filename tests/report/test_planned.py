"""What the page shows of a device: addresses of both families, and the policy that it gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from fabric.intent.policy import LosslessPolicy
from fabric.platforms import catalogue
from fabric.report.device import planned
from fabric.report.picture_details import details
from fabric.report.policy_rows import switch_policy_rows
from fabric.topology.clos import clos
from fabric.topology.drawing import cable_states
from fabric.workflow.project import Project
from tests.cases import each
from tests.topology.fabrics import INVENTORY

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.report.device import PlannedPort


def port(project: Project, device: str) -> PlannedPort:
    """Return the first port of a device."""
    found = planned(project, device)
    assert found
    return found.ports[0]


@each(
    ("inventory", "device", "address", "ipv6"),
    [
        ("dual-stack", "su1-rail0", "10.64.0.0/31", "fd00:64::20/127"),
        ("dual-stack", "gpu001", "10.64.0.1/31", "fd00:64::21/127"),
        ("dual-stack", "spine01", "10.254.0.0/31", "fd00:65::2/127"),
        ("ipv6", "gpu001", "", "fd00:64::21/127"),
        ("demo", "gpu001", "10.64.0.2/24", ""),
    ],
)
def test_of_both_families(inventory: str, device: str, address: str, ipv6: str) -> None:
    shown = port(Project(INVENTORY / inventory), device)
    assert (shown.address, shown.ipv6) == (address, ipv6)


@each(
    ("inventory", "device", "count"),
    [("demo", "su1-rail0", 2), ("tenants", "su1-rail0", 4), ("tenants", "spine01", 8)],
)
def test_sessions_between_loopbacks_are_planned(inventory: str, device: str, count: int) -> None:
    shown = planned(Project(INVENTORY / inventory), device)
    assert shown
    assert dict(shown.facts)["BGP sessions"] == str(count)


def test_of_a_nic_that_makes_its_address(tmp_path: Path) -> None:
    data = yaml.safe_load((INVENTORY / "ipv6/fabric.yaml").read_text())
    data["addressing"]["ipv6"]["assignment"] = "slaac"
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    shown = port(Project(tmp_path), "gpu001")
    assert (shown.address, shown.ipv6) == ("", "fd00:64::/64")


def nxos_fabric(folder: Path) -> Project:
    """Return the demo with leaves of NX-OS, whose host ports have an MTU of their own."""
    data = yaml.safe_load((INVENTORY / "demo/fabric.yaml").read_text())
    data["platforms"]["leaf"] = {"sku": "N9K-C9364D-GX2A"}
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    (folder / "devices").mkdir()
    port = "{lossless: {mtu: {port_bytes: 9216}}}"
    ports = ", ".join(f"Ethernet1/{number}: {port}" for number in (1, 2))
    text = f"devices:\n  - {{names: 'su1-rail[0-1]', ports: {{{ports}}}}}\n"
    (folder / "devices/ports.yaml").write_text(text)
    return Project(folder)


def test_the_policy_is_what_the_switch_gets(tmp_path: Path) -> None:
    project = nxos_fabric(tmp_path)
    leaf, other = (planned(project, name) for name in ("su1-rail0", "su2-rail0"))
    assert leaf
    assert other
    policy = dict(leaf.policy)
    assert policy["PFC watchdog"] == "drop, after a time that the switch chooses (NXO006)"
    assert policy["CNP traffic class, queue"] == "6, 6 (strict priority)"
    assert policy["MTU"] == "2 ports 9,216, 2 ports 9,100, hosts 9,000 bytes"
    assert dict(other.policy)["MTU"] == "ports 9,100, hosts 9,000 bytes"


def test_the_policy_of_a_host_has_the_classes_of_its_nics(tmp_path: Path) -> None:
    """Its apply.sh maps traffic to them; queues are of switches, here one that no NIC has."""
    data = yaml.safe_load((INVENTORY / "demo/fabric.yaml").read_text())
    data["lossless"] |= {"pfc_priority": 4, "cnp_traffic_class": 7, "cnp_queue": 6}
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    project = Project(tmp_path)
    host, leaf = (planned(project, name) for name in ("gpu001", "su1-rail0"))
    assert host
    assert leaf
    assert dict(leaf.policy)["CNP traffic class, queue"] == "7, 6 (strict priority)"
    policy = dict(host.policy)
    assert policy["PFC"] == "priority 4"
    assert policy["traffic class"] == "4"
    assert policy["CNP traffic class"] == "7 (strict priority)"
    assert not [name for name in policy if "queue" in name or "group" in name or name == "ECN"]
    qos = project.hosts["gpu001"].nics[0].qos
    assert dict(qos.dscp_to_priority)[qos.cnp_dscp] == 7


def test_the_policy_on_the_picture_is_that_of_the_page(tmp_path: Path) -> None:
    project = nxos_fabric(tmp_path)
    network = clos(project.fabric)
    reported = details(project, cable_states(project.fabric, network))
    for name in ("su1-rail0", "su2-rail0", "spine01", "gpu001"):
        device = planned(project, name)
        assert device
        assert reported["policies"][reported["devices"][name]["policy"]] == device.policy


@each(
    ("sku", "lossless", "words"),
    [
        ("S9820-64H", {}, "not configured (CMW003)"),
        ("ACS-MSN4700", {"watchdog": {"enabled": False}}, "off"),
        ("ACS-MSN4700", {"pfc": False}, "off"),
        ("ACS-MSN4700", {"watchdog": {"action": "forward"}}, "forward, after 400 ms"),
    ],
)
def test_the_watchdog_of_a_system(sku: str, lossless: dict[str, object], words: str) -> None:
    policy = LosslessPolicy.model_validate(lossless)
    rows = switch_policy_rows(policy, catalogue.sku(sku), "leaf", [])
    assert dict(rows)["PFC watchdog"] == words
