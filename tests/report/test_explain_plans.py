"""explain: a line about a NIC names the fields of the plan of its unit, and no others."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import yaml

from fabric.core.errors import InputError
from fabric.workflow.explain import explain
from fabric.workflow.project import Project
from tests.cases import each
from tests.topology.fabrics import INVENTORY

ROUTED = ["routed_hosts", "routed_prefix_length"]
IPV4 = ["hosts", "routed_prefix_length"]
IPV6 = ["ipv6.hosts", "ipv6.assignment"]
VLANS = ["hosts", "host_prefix_length"]


def fields(project: Project, device: str, text: str) -> list[str]:
    """Return the fields of `addressing` that the first line with a text follows from."""
    values = explain(project, device, text)[0].values
    head = "fabric.addressing."
    return [one.field.removeprefix(head) for one in values if one.field.startswith(head)]


@each(
    ("device", "text", "expected"),
    [
        ("su2-rail0", "10.96.0.32/31", ROUTED),
        ("su1-rail0", "10.64.0.1/24", [*VLANS, "gateway_offset"]),
        ("gpu003", "addresses: [10.96.0.33/31]", ROUTED),
        ("gpu001", "addresses: [10.64.0.2/24]", [*VLANS, "first_host_offset"]),
        ("spine01", "permit 10.96.0.0/16", ROUTED),
    ],
)
def test_of_units_with_plans_of_their_own(device: str, text: str, expected: list[str]) -> None:
    assert fields(Project(INVENTORY / "routed"), device, text) == expected


@each(
    ("inventory", "device", "text", "expected"),
    [
        ("dual-stack", "su1-rail0", "10.64.0.0/31", [*IPV4, "vlan_per"]),
        ("dual-stack", "su1-rail0", "fd00:64::20/127", [*IPV6, "vlan_per"]),
        ("dual-stack", "gpu001", "addresses:", [*IPV4, *IPV6, "vlan_per"]),
        ("dual-stack", "gpu001", 'to: "fd00:64::20/127"', [*IPV6, "vlan_per"]),
        ("dual-stack", "gpu001", "to: 10.64.0.0/31", [*IPV4, "vlan_per"]),
        ("dual-stack", "spine01", "permit fd00:64::/48", ["ipv6.hosts", "advertise"]),
        ("dual-stack", "su1-rail0", "neighbor 10.254.0.0 peer group", ["uplinks"]),
        ("dual-stack", "su1-rail0", "neighbor fd00:65::2 peer group", ["ipv6.uplinks"]),
        ("ipv6", "gpu001", "addresses:", [*IPV6, "vlan_per"]),
        ("ipv6", "su1-rail0", "fd00:64::20/127", [*IPV6, "vlan_per"]),
    ],
)
def test_of_each_family(inventory: str, device: str, text: str, expected: list[str]) -> None:
    """A line names the fields of the family of its addresses; of both where it holds both."""
    assert fields(Project(INVENTORY / inventory), device, text) == expected


@each("leaf", ["eos-leaf", "nxos-leaf", "junos-leaf", "esonic-leaf", "cumulus-leaf", "sonic-leaf"])
def test_of_a_longer_subnet_on_each_system(leaf: str, tmp_path: Path) -> None:
    """Its line is that of a port, though that of a gateway of a VLAN may look the same."""
    data = yaml.safe_load((INVENTORY / "mixed/fabric.yaml").read_text())
    data["addressing"] |= {"vlan_per": "none", "routed_prefix_length": 28}
    folder = tmp_path / leaf
    (folder / "devices").mkdir(parents=True)
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    own = INVENTORY / "mixed/devices/systems.yaml"
    (folder / "devices/systems.yaml").write_text(own.read_text())
    project = Project(folder)
    (port,) = project.devices[leaf].routed_nics
    answer = explain(project, leaf, port.address)[0]
    assert answer.template.rpartition("/")[2] == "interfaces.j2"
    assert fields(project, leaf, port.address) == ["hosts", "routed_prefix_length", "vlan_per"]


@each(
    ("device", "text", "expected"),
    [
        ("su1-rail0", "no switchport", ["addressing.vlan_per"]),
        ("spine01", "no switchport", []),
        ("su1-rail0", "speed ", ["speeds.host_gbps"]),
        ("spine01", "speed ", ["speeds.uplink_gbps"]),
    ],
)
def test_a_line_of_a_port_follows_from_what_decides_ports_of_its_kind(
    device: str, text: str, expected: list[str]
) -> None:
    answer = explain(Project(INVENTORY / "dual-stack"), device, text)[0]
    assert [one.field.removeprefix("fabric.") for one in answer.values] == expected


def test_no_field_is_named_twice() -> None:
    for device in ("su1-rail0", "spine01", "gpu001"):
        for text in ("", "10.", "fd00", "no switchport"):
            with suppress(InputError):
                for answer in explain(Project(INVENTORY / "dual-stack"), device, text):
                    places = [(one.field, str(one.position)) for one in answer.values]
                    assert len(places) == len(set(places)), answer
