"""Cumulus Linux: golden files, deltas to the recipe, words of each release, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.render import render_device
from fabric.render.explain import explain
from fabric.systems.cumulus.platforms.lines import read
from fabric.systems.cumulus.platforms.tree import tree
from fabric.systems.cumulus.platforms.words import words
from tests.cases import each
from tests.render import tenants_designs
from tests.render.designs import CASES, designs_of, variant

SKUS = {
    "demo": {"ACS-MSN4700": "SN4700", "7060X6-64PE": "SN5600"},
    "rail-512": {"ACS-SN5600": "SN5600"},
    "a100-pcie": {"7050DX4-32S": "SN4700"},
}
designs = designs_of(SKUS)
TENANTS = [(name, switch) for system, name, switch in tenants_designs.CASES if system == "cumulus"]


def leaf() -> DeviceDesign:
    return designs("demo")["su1-rail0"]


def changed(tmp_path: Path, changes: dict[str, str], devices: str = "") -> str:
    """Return ``config.nv`` of the first leaf of the demo after edits of its inventory."""
    made = variant(tmp_path / "i", "demo", {**SKUS["demo"], **changes}, devices)
    return render_device(made["su1-rail0"])[0].text


@each(("inventory", "switch"), [*CASES, *TENANTS])
@each("release", ["5.10", "5.12.1", "5.13", "5.14", "5.15", "5.19"])
def test_every_line_is_in_the_command_tree(inventory: str, switch: str, release: str) -> None:
    """Of its release, and no line stands twice; what is cleared is a branch of the tree."""
    is_tenant = (inventory, switch) in TENANTS
    made = tenants_designs.designs("cumulus", inventory) if is_tenant else designs(inventory)
    design = made[switch]
    design = replace(design, sku=replace(design.sku, facts={"release": release}))
    config, clear, *_ = render_device(design)
    found = read(config.text)
    assert len(found) == len(config.text.splitlines())
    for path in [*found, *read(clear.text, "unset")]:
        node = tree(words(release))
        for word in path:
            following = node.next(word)
            assert following, f"{' '.join(path)}: {word}"
            node = following
        assert node.ends or path not in found, path


def test_clear_covers_every_line() -> None:
    """What is set lies in a branch that is cleared first, but for the type of the loopback."""
    config, clear = render_device(leaf())
    branches = read(clear.text, "unset")
    left = {p for p in read(config.text) if not any(p[: len(b)] == b for b in branches)}
    assert left == {("interface", "lo", "type", "loopback")}


def test_words_of_the_releases() -> None:
    """One line of each kind that changed."""
    texts = {}
    for release in ("5.12", "5.14", "5.15"):
        design = replace(leaf(), sku=replace(leaf().sku, facts={"release": release}))
        texts[release] = render_device(design)[0].text
    assert "nv set service syslog mgmt server 192.0.2.20 port 514\n" in texts["5.12"]
    for release in ("5.14", "5.15"):
        assert "nv set system syslog server 192.0.2.20 port 514\n" in texts[release]
    for release in ("5.12", "5.14"):
        assert "nv set service ntp mgmt server 192.0.2.10 iburst on\n" in texts[release]
        assert "nv set qos roce enable on\n" in texts[release]
        assert "nv set interface lo ip address 10.255.0.129/32\n" in texts[release]
    for line in (
        "nv set system ntp server 192.0.2.10 iburst enabled",
        "nv set system lldp tx-interval 30",
        "nv set qos roce state enabled",
        "nv set vrf default router bgp address-family ipv4-unicast state enabled",
        "nv set vrf default router bgp path-selection multipath aspath-ignore enabled",
        "nv set interface swp1 bridge domain br_default stp admin-edge enabled",
        "nv set interface lo ipv4 address 10.255.0.129/32",
    ):
        assert f"{line}\n" in texts["5.15"]
    assert " on\n" not in texts["5.15"]


@pytest.mark.parametrize("release", ["5.9", "5.20", "6.0", "4.4.5", "5", ""])
def test_an_unknown_release_is_refused(release: str) -> None:
    """Its words are not known."""
    design = replace(leaf(), sku=replace(leaf().sku, facts={"release": release}))
    with pytest.raises(RenderError, match="su1-rail0: Cumulus Linux .* is not known"):
        render_device(design)


def test_the_recipe_needs_no_delta_for_its_own_policy() -> None:
    """The demo is the recipe but for the other DSCPs of its two blocks, and the cable."""
    qos = [line for line in render_device(leaf())[0].text.splitlines() if " qos " in line]
    deltas = [line for line in qos if "mapping" in line]
    moved = [n for n in (*range(24, 32), *range(48, 56)) if n not in (26, 48)]
    assert deltas == [
        "nv set qos mapping default-global trust both",
        *(f"nv set qos mapping default-global dscp {n} switch-priority 0" for n in moved),
    ]
    assert not [line for line in qos if "scheduler" in line or "shared-alpha" in line]
    assert "nv set qos pfc default-global cable-length 40" in qos


def test_other_priorities_are_deltas(tmp_path: Path) -> None:
    """RoCE at DSCP 34 in priority 4: its block is freed, the block of the recipe is best effort."""
    old = "  roce_dscp: 26\n  cnp_dscp: 48\n  pfc_priority: 3\n"
    new = "  roce_dscp: 34\n  cnp_dscp: 48\n  pfc_priority: 4\n  traffic_class: 4\n"
    text = changed(tmp_path, {old: new})
    assert "dscp 34 switch" not in text  # 34 / 8 is 4 already
    assert "nv set qos mapping default-global dscp 33 switch-priority 0\n" in text
    assert "dscp 26 " not in text
    mapping = "nv set qos egress-queue-mapping default-global switch-priority"
    assert f"{mapping} 3 traffic-class 0\n{mapping} 4 traffic-class 3\n" in text
    assert "nv set qos pfc default-global switch-priority 4\n" in text


def test_a_dscp_outside_its_block(tmp_path: Path) -> None:
    """It is mapped by itself."""
    text = changed(tmp_path, {"roce_dscp: 26": "roce_dscp: 10"})
    assert "nv set qos mapping default-global dscp 10 switch-priority 3\n" in text
    assert "nv set qos mapping default-global dscp 26 switch-priority 0\n" in text
    assert "dscp 9 " not in text


def test_shares_thresholds_and_alpha(tmp_path: Path) -> None:
    """Each in its own line."""
    more = "lossless:\n  dynamic_th: -2\n  scheduler: {lossless_percent: 90, default_percent: 10}\n"
    ecn = {"kmin_bytes: 150000": "kmin_bytes: 200001", "pmax_percent: 100": "pmax_percent: 7"}
    text = changed(tmp_path, {"lossless:\n": more, **ecn})
    shares = "nv set qos egress-scheduler default-global traffic-class"
    assert f"{shares} 0 mode dwrr\n{shares} 0 bw-percent 10\n" in text
    assert f"{shares} 3 mode dwrr\n{shares} 3 bw-percent 90\n" in text
    assert "traffic-class 3 min-threshold 200001\n" in text
    assert "traffic-class 3 probability 7\n" in text
    assert "ingress-lossless-buffer shared-alpha alpha_1_4\n" in text


@pytest.mark.parametrize(("log", "word"), [(1, "alpha_2"), (6, "alpha_64"), (-7, "alpha_1_128")])
def test_alpha_is_a_power_of_two(tmp_path: Path, log: int, word: str) -> None:
    """As the guide lists them."""
    text = changed(tmp_path, {"lossless:\n": f"lossless:\n  dynamic_th: {log}\n"})
    assert f"shared-alpha {word}\n" in text


def test_pfc_off_is_the_lossy_recipe(tmp_path: Path) -> None:
    """Without cable length, and without a watchdog, which needs PFC."""
    text = changed(tmp_path, {"lossless:\n": "lossless:\n  pfc: false\n"})
    assert "nv set qos roce mode lossy\n" in text
    assert "cable-length" not in text
    assert "pfc-watchdog" not in text


OVERRIDE = "devices:\n  - names: su1-rail0\n    ports:\n      {}\n"


def test_ports_may_differ_in_watchdog_fec_and_text(tmp_path: Path) -> None:
    """And in what else belongs to a port."""
    ports = "swp1: {fec: fc, description: 'to gpu 1', lossless: {watchdog: {enabled: false}}}"
    ports += "\n      swp2: {lossless: {priority_group: 2, watchdog: {restoration_ms: 9}}}"
    text = changed(tmp_path, {}, OVERRIDE.format(ports))
    assert "nv set interface swp1 link fec baser\n" in text
    assert "nv set interface swp1 description to_gpu_1\n" in text
    assert "nv set interface swp1 qos pfc-watchdog" not in text
    assert "nv set interface swp2 qos pfc-watchdog state enable\n" in text


def test_bfd(tmp_path: Path) -> None:
    """Where it is asked for."""
    text = changed(tmp_path, {"bgp: {": "bgp: {bfd: true, "})
    assert "nv set vrf default router bgp neighbor 10.254.0.0 bfd enable on\n" in text


def test_the_neighbour_timeout_is_never_above_what_was_asked(tmp_path: Path) -> None:
    """An entry lives up to one and a half times the base time, which is in whole seconds."""
    text = changed(tmp_path, {"timeout_s: 240": "timeout_s: 241"})
    assert "nv set system global arp base-reachable-time 160\n" in text


REFUSED = {
    "priority is not class": ({"pfc_priority: 3": "pfc_priority: 4"}, "", "is not pfc_priority 4"),
    "another queue": (
        {"pfc_priority: 3": "pfc_priority: 3\n  queue: 4"},
        "",
        "RoCE recipe; use 3",
    ),
    "another CNP queue": ({"pfc_priority: 3": "pfc_priority: 3\n  cnp_queue: 7"}, "", "use 6"),
    "two policies": ({}, "swp1: {lossless: {roce_dscp: 24}}", "(of its switch|on all ports)"),
    "two thresholds": ({}, "swp1: {lossless: {dynamic_th: 1}}", "(of its switch|on all ports)"),
    "PFC off on a port": ({}, "swp1: {lossless: {pfc: false}}", "(of its switch|on all ports)"),
    "forward": ({"action: drop": "action: forward"}, "", "action forward does not exist"),
    "alert": ({"action: drop": "action: alert"}, "", "action alert does not exist"),
    "half a poll": ({"detection_ms: 400": "detection_ms: 500"}, "", "a multiple of poll_ms"),
    "quote": ({}, 'swp1: {description: "gpu\'s"}', "the description"),
    "semicolon": ({}, "swp1: {description: 'a; nv unset qos'}", "the description"),
    "template": ({}, "swp1: {description: '{{ 7 }}'}", "the description"),
    "reserved VLAN": ({"vlan_first: 101": "vlan_first: 3725"}, "", "VLAN 3725 is reserved"),
    "too many paths": ({"bgp: {": "bgp: {max_paths: 65, "}, "", "is above 64, the most of SN4700"),
    "MAC ageing": ({"arp: {": "arp: {mac_ageing_s: 65536, "}, "", "outside 1 to 65535"),
    "threshold": ({"lossless:\n": "lossless:\n  dynamic_th: 7\n"}, "", "is outside -7 to 6"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name: str, tmp_path: Path) -> None:
    """Naming the switch and what to do."""
    changes, ports, message = REFUSED[name]
    with pytest.raises(RenderError, match=rf"^su1-rail0: .*{message}"):
        changed(tmp_path, changes, OVERRIDE.format(ports) if ports else "")


def test_wide_asics_use_more_paths(tmp_path: Path) -> None:
    """128 on Spectrum-4."""
    skus = {"ACS-MSN4700": "SN5400", "7060X6-64PE": "SN5600", "bgp: {": "bgp: {max_paths: 128, "}
    made = variant(tmp_path / "i", "demo", skus)
    assert "multipaths ebgp 128\n" in render_device(made["su1-rail0"])[0].text


def test_a_line_break_never_begins_a_command() -> None:
    """The inventory refuses it; were it to come, so does the view."""
    device = leaf()
    port = replace(device.ports[0], description="x\nnv unset qos")
    with pytest.raises(RenderError, match="su1-rail0: the description"):
        render_device(replace(device, ports=(port, *device.ports[1:])))


def test_the_nearest_field_comes_first() -> None:
    """The field that a person would look for."""
    ((_, known), *_) = explain(leaf(), "robustness")
    assert "lossless.watchdog.detection_ms" in known[0].fields
    ((_, known), *_) = explain(leaf(), "min-threshold")
    assert known[0].fields == ("lossless.ecn.kmin_bytes",)


@each(("release", "word"), [("5.14", "enable"), ("5.15", "enabled"), ("5.19", "enabled")])
def test_the_watchdog_is_switched_in_the_words_of_the_release(release: str, word: str) -> None:
    design = leaf()
    design = replace(design, sku=replace(design.sku, facts={"release": release}))
    lines = [
        one for one in render_device(design)[0].text.splitlines() if "pfc-watchdog state" in one
    ]
    assert lines
    assert all(line.endswith(f" state {word}") for line in lines)
