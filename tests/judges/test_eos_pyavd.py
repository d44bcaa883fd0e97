"""pyavd, Arista's own generator, renders the same design; the lines must be ours."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from fabric.design.model import DeviceDesign
from fabric.render import render_device
from tests.judges.avd_model import UNCOVERED, structured
from tests.judges.conftest import missing_judge
from tests.render.designs import design, switches, variant

EOS_LEAVES = {
    "leaf: {sku: ACS-MSN4700}": "leaf: {sku: 7050DX4-32S}",
    "spine: {sku: 7060X6-64PE}": "spine: {sku: 7060X6-64PE}",
}
DNX = {"sku: 7050DX4-32S": "sku: 7280DR3AK-36S", "sku: 7060X6-64PE": "sku: 7280DR3AK-36S"}
PORT_OVERRIDES = """\
devices:
  - names: su1-rail0
    ports:
      Ethernet1/1: {enabled: false, description: 'a "quoted" {{ 7*7 }} ! text'}
      Ethernet2/1: {fec: rs, lossless: {pfc: false}}
      Ethernet17/1: {fec: fc, lossless: {ecn: {kmin_bytes: 200000}, watchdog: {enabled: false}}}
      Ethernet18/1: {fec: none, lossless: {watchdog: {action: alert, detection_ms: 200}}}
"""
VARIANTS = {
    "vlan-per-nic": {"vlan_first: 101": "vlan_per: nic\n  vlan_first: 101"},
    "routed": {"  host_prefix_length: 24\n  vlan_first: 101 # VLAN of rail 0": "  vlan_per: none"},
    "routed-28": {
        "  host_prefix_length: 24\n  vlan_first: 101 # VLAN of rail 0": "  vlan_per: none\n"
        "  routed_prefix_length: 28"
    },
    "leaf-prefix": {
        "  host_prefix_length: 24\n  vlan_first: 101 # VLAN of rail 0": "  vlan_per: none\n"
        "  advertise: leaf"
    },
    "ipv6": {
        "  host_prefix_length: 24\n  vlan_first: 101 # VLAN of rail 0": "  vlan_per: none\n"
        "  ipv6: {hosts: 'fd00:64::/48'}",
        "bgp: {spine_asn": "bgp: {peering: unnumbered, spine_asn",
    },
    "ipv6-numbered": {
        "  host_prefix_length: 24\n  vlan_first: 101 # VLAN of rail 0": "  vlan_per: none\n"
        "  ipv6: {hosts: 'fd00:64::/48', uplinks: 'fd00:65::/64'}",
    },
    "ipv6-slaac-leaf-prefix": {
        "  hosts: 10.64.0.0/16 # each host routes all of it through the rail\n"
        "  host_prefix_length: 24\n  vlan_first: 101 # VLAN of rail 0": "  vlan_per: none\n"
        "  advertise: leaf\n  ipv6: {hosts: 'fd00:64::/48', assignment: slaac}",
        "bgp: {spine_asn": "bgp: {peering: unnumbered, spine_asn",
    },
    "units-of-both": {
        '[003-004]"}': '[003-004]", vlan_per: none}',
        "  host_prefix_length: 24": "  routed_hosts: 10.96.0.0/16\n  host_prefix_length: 24",
    },
    "port-overrides": {},
    "bfd": {"bgp: {spine_asn": "bgp: {bfd: true, max_paths: 8, keepalive_s: 1, spine_asn"},
    "own-as-number": {"bgp: {spine_asn": "bgp: {allowas_in: 2, bfd: true, spine_asn"},
    "unnumbered": {"bgp: {spine_asn": "bgp: {peering: unnumbered, spine_asn"},
    "flowlet": {"arp: {": "ecmp: {mode: flowlet}\narp: {"},
    "cluster": {"arp: {": "ecmp: {mode: cluster}\narp: {"},
    "buffer-alpha": {"pfc_priority: 3": "pfc_priority: 3\n  dynamic_th: -2"},
    "buffer-alpha-above-1": {"pfc_priority: 3": "pfc_priority: 3\n  dynamic_th: 3"},
    "dnx": DNX,
    "dnx-queue-pairs": {
        **DNX,
        "arp: {": "ecmp: {hash_queue_pairs: true}\narp: {",
    },
    "no-watchdog": {"watchdog: {action: drop": "watchdog: {enabled: false, action: drop"},
    "one-subnet": {
        "hosts: 10.64.0.0/16": "hosts: 10.64.0.0/22",
        "prefix_length: 24": "prefix_length: 26",
    },
    "two-classes": {
        "  roce_dscp: 26\n": "  classes:\n"
        "    - {name: rdma, dscps: [3, 26], pfc_priority: 3, scheduler_percent: 30}\n"
        "    - {name: storage, dscps: [34], pfc_priority: 4, ecn: {kmin_bytes: 200000}}\n",
        "  pfc_priority: 3\n": "",
    },
    "two-classes-alpha": {
        "  roce_dscp: 26\n": "  classes:\n"
        "    - {name: rdma, dscps: [3, 26], pfc_priority: 3, scheduler_percent: 30}\n"
        "    - {name: storage, dscps: [34], pfc_priority: 4, ecn: {kmin_bytes: 200000}}\n",
        "  pfc_priority: 3\n": "  dynamic_th: 1\n",
    },
    "other-numbers": {
        "roce_dscp: 26": "roce_dscp: 34",
        "pfc_priority: 3": "pfc_priority: 4\n  queue: 5\n  traffic_class: 4",
    },
}


@pytest.fixture(scope="module")
def pyavd() -> Any:
    """Return the module pyavd."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import pyavd
        except ImportError:
            missing_judge("pyavd (dependency group dev)")
    return pyavd


def _blocks(text: str) -> list[list[str]]:
    """Return the top-level blocks: a line without indentation and the lines below it."""
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if not line.strip() or line.strip() in {"!", "end"} or line in UNCOVERED:
            continue
        if line[0] != " ":
            blocks.append([])
        blocks[-1].append(line)
    return blocks


def _judge(pyavd: Any, device: DeviceDesign) -> None:
    config = structured(device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        violations = pyavd.validate_structured_config(config).validation_result.violations
        theirs = pyavd.get_device_config(config)
    assert [(item.path, item.message) for item in violations] == []
    ours = render_device(device)[0].text
    for mine, wanted in zip(_blocks(ours), _blocks(theirs), strict=False):
        assert mine == wanted
    assert len(_blocks(ours)) == len(_blocks(theirs))


@pytest.mark.parametrize(
    ("inventory", "switch"),
    [("demo", "spine01"), *(("a100-pcie", name) for name in switches("a100-pcie"))],
)
def test_examples_have_the_lines_of_pyavd(pyavd: Any, inventory: str, switch: str) -> None:
    """Block by block, in pyavd's order."""
    _judge(pyavd, design(inventory, switch))


@pytest.mark.parametrize("switch", ["rack1-leaf", "east-spine01", "core01"])
def test_three_tiers_have_the_lines_of_pyavd(pyavd: Any, tmp_path: Path, switch: str) -> None:
    """A spine of a pod has two groups of sessions."""
    designs = variant(tmp_path / "inventory", "three-tier", {"ACS-MSN4700": "7060X6-64PE"})
    _judge(pyavd, designs[switch])


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_have_the_lines_of_pyavd(pyavd: Any, tmp_path: Path, name: str) -> None:
    """Overrides and other policies too."""
    devices = PORT_OVERRIDES if name == "port-overrides" else ""
    changes = EOS_LEAVES | VARIANTS[name]
    designs = variant(tmp_path / "inventory", "demo", changes, devices)
    for switch in ("su1-rail0", "spine01"):
        _judge(pyavd, designs[switch])


TENANTS = {
    "evpn": {},
    "local": {"form: evpn": "form: local"},
    "vlans": {"vlan_per: none": "vlan_per: nic\n  vlan_first: 101"},
    "unnumbered": {"bgp: {spine_asn": "bgp: {peering: unnumbered, spine_asn"},
    "own-pools-and-as-number": {
        "id: 17, hosts": "id: 17, pools: [10.80.0.0/16], hosts",
        "bgp: {spine_asn": "bgp: {allowas_in: 2, bfd: true, spine_asn",
    },
    "kept": {"unassigned: quarantine": "unassigned: keep"},
}


@pytest.mark.parametrize("name", TENANTS)
def test_tenants_have_the_lines_of_pyavd(pyavd: Any, tmp_path: Path, name: str) -> None:
    """VRFs, tunnels and EVPN on leaves, its relay on a spine, and a port in quarantine."""
    designs = variant(tmp_path / "inventory", "tenants", TENANTS[name])
    for switch in ("su2-rail0", "su2-rail1", "spine01"):
        _judge(pyavd, designs[switch])


def test_a_changed_line_is_seen(pyavd: Any) -> None:
    """The judge does refuse: a design that differs in one number."""
    device = design("demo", "spine01")
    changed = structured(device)
    changed["mac_address_table"]["aging_time"] += 1
    theirs = _blocks(pyavd.get_device_config(changed))
    ours = _blocks(render_device(device)[0].text)
    assert [mine for mine, other in zip(ours, theirs, strict=True) if mine != other] == [
        ["mac address-table aging-time 300"]
    ]
