"""Sessions over ports, on every system that has them: what is proved, and what breaks it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from fabric.prove.batfish.snapshot import snapshot
from fabric.workflow.project import Project
from tests.cases import each
from tests.prove.batfish.subjects import subject_of
from tests.prove.fabrics import Texts, prove
from tests.prove.test_systems import CHANGES, UNNUMBERED, fabric_of

#: The line of an uplink, or of a session, without which it does not come up; empty for none.
LINES = {
    "cumulus": r"nv set vrf default router bgp neighbor swp\d+ remote-as \d+\n",
    "esonic": r" ipv6 enable\n",
    "nxos": r"  ip forward\n",
    "vrp8": r" ipv6 nd ra halt disable\n",
    "junos": r"set protocols router-advertisement interface \S+\n",
}
#: Models of a leaf and of a spine, and what the inventory needs for them.
MODELS = {
    "sonic": ("ACS-MSN4700", "ACS-MSN4700"),
    "eos": ("7060X6-64PE", "7060X6-64PE"),
    "cumulus": ("SN4700", "SN5600"),
    "esonic": ("Z9332F-ON", "Z9664F-ON"),
    "junos": ("QFX5240-64OD", "QFX5240-64OD"),
    "nxos": ("N9K-C9332D-GX2B", "N9K-C9364D-GX2A"),
    "vrp8": ("CE8855-32CQ4BQ", "CE8851-32CQ8DQ-P"),
}
NEEDS = {
    "vrp8": {"host_gbps: 400, uplink_gbps: 400": "host_gbps: 100, uplink_gbps: 100"},
}
#: NX-OS sends CNPs from a queue that others keep for themselves.
CNPS = """
devices:
  - names: %s
    lossless: {cnp_traffic_class: 7, cnp_queue: 7, mtu: {port_bytes: 9216}}
"""
ONE_LEAF = "devices:\n  - {names: su2-rail0, peering: numbered}\n"


def _fabric(
    folder: Path, system: str, devices: str = "", more: Mapping[str, str] = MappingProxyType({})
) -> tuple[Project, Texts]:
    if devices:
        (folder / "devices").mkdir()
        (folder / "devices" / "test.yaml").write_text(devices)
    changes = {**CHANGES[system]["demo"], UNNUMBERED: f"{UNNUMBERED}, peering: unnumbered"}
    changes |= more
    return fabric_of(folder, "demo", changes)


@pytest.mark.parametrize("devices", ["", ONE_LEAF], ids=["all", "one leaf numbered"])
@pytest.mark.parametrize("system", LINES)
def test_every_session_comes_up(tmp_path: Path, system: str, devices: str) -> None:
    """Those of ports, and those between addresses beside them."""
    proof = prove(*_fabric(tmp_path, system, devices))
    assert proof.breaches == ()
    assert (proof.sessions, proof.lost_pairs) == (16, 0)


@pytest.mark.parametrize("leaf", MODELS)
@each("spine", MODELS)
def test_sessions_come_up_between_systems(tmp_path: Path, leaf: str, spine: str) -> None:
    """Each end has the port, the AS number and the next hops that the other wants."""
    folder = tmp_path / spine
    (folder / "devices").mkdir(parents=True)
    for names, system in {"su[1-2]-rail[0-1]": leaf, "spine[01-02]": spine}.items():
        if system == "nxos":
            (folder / "devices" / f"{names[:2]}.yaml").write_text(CNPS % names)
    changes = {
        "leaf: {sku: ACS-MSN4700}": f"leaf: {{sku: {MODELS[leaf][0]}}}",
        "spine: {sku: 7060X6-64PE}": f"spine: {{sku: {MODELS[spine][1]}}}",
        UNNUMBERED: f"{UNNUMBERED}, peering: unnumbered",
    }
    for system, change in NEEDS.items():
        changes |= change if system in {leaf, spine} else {}
    project, texts = fabric_of(folder, "demo", changes)
    proof = prove(project, texts)
    assert proof.breaches == ()
    assert (proof.sessions, proof.lost_pairs) == (16, 0)


@pytest.mark.parametrize("system", LINES)
def test_a_missing_line_is_named(tmp_path: Path, system: str) -> None:
    """Without it a session stays down, and it is not proved."""
    project, texts = _fabric(tmp_path, system)
    files = texts["spine01"]
    kind = next(kind for kind, text in files.items() if re.search(LINES[system], text))
    shorter = {**files, kind: re.sub(LINES[system], "", files[kind], count=1)}
    proof = prove(project, {**texts, "spine01": shorter})
    assert "BAT003" in {breach.rule for breach in proof.breaches}


#: A line that gives an uplink of a spine an IPv4 address, behind the one that opens the port.
ADDRESSES = {
    "cumulus": (
        "nv set interface swp1 type swp\n",
        "nv set interface swp1 ip address 10.9.9.0/31\n",
    ),
    "esonic": ("interface Ethernet0\n", " ip address 10.9.9.0/31\n"),
}


@each("system", ADDRESSES)
def test_an_address_that_was_left_is_named(tmp_path: Path, system: str) -> None:
    """FRR would make the session between IPv4 addresses."""
    folder = tmp_path / system
    folder.mkdir()
    project, texts = _fabric(folder, system)
    head, line = ADDRESSES[system]
    files = {kind: text.replace(head, head + line) for kind, text in texts["spine01"].items()}
    proof = prove(project, {**texts, "spine01": files})
    assert any("10.9.9.0/31 too: FRR makes" in breach.message for breach in proof.breaches)


def test_parallel_links_need_addresses_of_their_own(tmp_path: Path) -> None:
    """NX-OS gives all ports one link-local address unless it is told otherwise."""
    changes = {"links_per_leaf: 1": "links_per_leaf: 2"}
    project, texts = _fabric(tmp_path, "nxos", more=changes)
    assert prove(project, texts).breaches == ()
    (kind,) = texts["su1-rail0"]
    text = texts["su1-rail0"][kind].replace("  ipv6 link-local use-bia\n", "")
    proof = prove(project, {**texts, "su1-rail0": {kind: text}})
    assert any("one link-local address" in breach.message for breach in proof.breaches)


@each("system", LINES)
def test_batfish_gets_the_form_that_has_such_sessions(tmp_path: Path, system: str) -> None:
    """It has none in the grammars of NX-OS and Junos, so no text of these is proved by it."""
    folder = tmp_path / system
    folder.mkdir()
    written = snapshot(subject_of(*_fabric(folder, system)))
    assert (written.one_grammar, len(written.translated)) == (system in {"nxos", "junos"}, 6)
    assert all(
        "neighbor" in written.files[f"sonic_configs/{name}/frr.conf"].decode()
        for name in written.translated
    )
