"""NX-OS: golden files, what is refused, and where each line comes from."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.render import render_device
from tests.render.designs import CASES, text_of, variant
from tests.render.nxos_designs import CHANGES, designs


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_the_chain_of_the_lossless_class_is_whole(inventory: str, switch: str) -> None:
    """DSCP, group, no-drop class, marked queue and pausing ports carry one number."""
    text = text_of(designs(inventory)[switch])
    group = re.search(r"class ROCE\n    set qos-group (\d)", text)
    assert group
    number = group[1]
    assert f"class type network-qos c-8q-nq{number}\n    pause pfc-cos {number}\n" in text
    queue = re.search(rf"c-out-8q-q{number}\n    bandwidth .*\n    (random-detect .*)\n", text)
    assert queue
    assert queue[1].endswith(" ecn")
    assert text.count("random-detect") == 1
    shares = [int(share) for share in re.findall(r"bandwidth remaining percent (\d+)", text)]
    assert sum(shares) == 100
    assert len(shares) == 7
    paused = text.count("priority-flow-control mode on")
    assert paused == text.count("service-policy type qos input ROCE-IN") > 0


def changed(folder: Path, old: str, new: str, devices: str = "") -> DeviceDesign:
    """Return the first leaf of the demo with one more change."""
    changes = {**CHANGES["demo"], old: new}
    return variant(folder / "i", "demo", changes, devices)["su1-rail0"]


REFUSED = {
    "classes": ("  pfc_priority: 3", "  pfc_priority: 4", "NX-OS has one number for all three"),
    "queue": (
        "  pfc_priority: 3",
        "  pfc_priority: 3\n  queue: 4",
        "NX-OS has one number for all three",
    ),
    "forward": ("action: drop", "action: forward", "action forward is not supported"),
    "alert": ("action: drop", "action: alert", "action alert is not supported"),
    "cable": ("uplink_m: 40", "uplink_m: 101", "a lossless cable of 101 m"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_system_cannot_do_is_refused(name: str, tmp_path: Path) -> None:
    """Naming the device, the field and what to do."""
    old, new, message = REFUSED[name]
    with pytest.raises(RenderError, match=f"^su1-rail0: .*{message}"):
        render_device(changed(tmp_path, old, new))


def test_cnp_numbers_that_differ_are_refused() -> None:
    """Group 7 cannot go to queue 6."""
    device = designs("demo")["su1-rail0"]
    profile = replace(device.qos_profiles[0], cnp_queue=6)
    with pytest.raises(RenderError, match="on NX-OS CNPs go to 7"):
        render_device(replace(device, qos_profiles=(profile,)))


def test_a_second_map_is_refused(tmp_path: Path) -> None:
    """network-qos is one for the whole switch."""
    port = "devices:\n  - names: su1-rail0\n    ports:\n      Ethernet1/1: "
    devices = f"{port}{{lossless: {{roce_dscp: 24}}}}\n"
    device = changed(tmp_path, "rails: 2", "rails: 2", devices)
    with pytest.raises(RenderError, match="of a port is not 26, the value of its switch"):
        render_device(device)


def test_fec_words() -> None:
    """Those that are published; off is not."""
    device = designs("demo")["su1-rail0"]
    first, *others = device.ports
    for word, line in (("rs", "  fec rs-fec\n"), ("fc", "  fec fc-fec\n")):
        port = replace(first, fec=word)
        assert line in text_of(replace(device, ports=(port, *others)))
    with pytest.raises(RenderError, match="does not support FEC of ports \\(none\\)"):
        render_device(replace(device, ports=(replace(first, fec="none"), *others)))


def test_ports_that_differ(tmp_path: Path) -> None:
    """ECN by a policy of the port; no watchdog; no PFC, then any cable will do."""
    devices = (
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      Ethernet1/1: {lossless: {ecn: {kmax_bytes: 2000001}}}\n"
        "      Ethernet1/2: {lossless: {watchdog: {enabled: false}}}\n"
        "      Ethernet1/17: {cable_m: 500, lossless: {pfc: false}}\n"
    )
    text = text_of(changed(tmp_path, "rails: 2", "rails: 2", devices))
    ports = dict(re.findall(r"interface (Ethernet1/\d+)\n((?:  .*\n)+)", text))
    assert "  service-policy type queuing output ROCE-OUT_1\n" in ports["Ethernet1/1"]
    assert "maximum-threshold 2001 kbytes" in text
    assert "watch-dog" not in ports["Ethernet1/2"]
    assert "priority-flow-control mode on" in ports["Ethernet1/2"]
    assert "priority-flow-control mode off" in ports["Ethernet1/17"]
    assert "watch-dog" not in ports["Ethernet1/17"]


def test_ports_that_differ_in_other_values_share_the_queuing_policy(tmp_path: Path) -> None:
    """An MTU is none of a queue; a policy whose queues differ keeps the number of its profile."""
    devices = (
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      Ethernet1/17: {lossless: {mtu: {port_bytes: 9100}}}\n"
        "      Ethernet1/18: {lossless: {mtu: {port_bytes: 9100}, ecn: {kmax_bytes: 2000001}}}\n"
    )
    text = text_of(changed(tmp_path, "rails: 2", "rails: 2", devices))
    names = re.findall(r"policy-map type queuing (ROCE-OUT\S*)", text)
    assert names == ["ROCE-OUT", "ROCE-OUT_2"]
    ports = dict(re.findall(r"interface (Ethernet1/\d+)\n((?:  .*\n)+)", text))
    assert "type queuing output" not in ports["Ethernet1/17"]
    assert "  mtu 9100\n" in ports["Ethernet1/17"]
    assert "  service-policy type queuing output ROCE-OUT_2\n" in ports["Ethernet1/18"]


def test_interfaces_of_vlans_are_a_feature_of_switches_that_have_some() -> None:
    for name, device in designs("demo").items():
        line = "\nfeature interface-vlan\n"
        assert (line in text_of(device)) == bool(device.vlans), name


def test_without_pfc_nothing_pauses(tmp_path: Path) -> None:
    """Neither a class nor a watchdog."""
    text = text_of(changed(tmp_path, "  cnp_dscp: 48", "  cnp_dscp: 48\n  pfc: false"))
    assert "pause" not in text
    assert "watch-dog" not in text
    assert "priority-flow-control mode on" not in text


def test_bfd(tmp_path: Path) -> None:
    """Feature, timers of the routed ports, and each neighbour."""
    text = text_of(changed(tmp_path, "bgp: {", "bgp: {bfd: true, "))
    assert "feature bfd\n" in text
    assert text.count("  bfd interval 300 min_rx 300 multiplier 3\n") == 2
    assert text.count("    bfd\n") == 2


@pytest.mark.parametrize(("own", "size"), [("", None), (", buffer_bytes: 500000", 500_000)])
def test_pause_buffer(own: str, size: int | None, tmp_path: Path) -> None:
    """For cables beyond 100 m: threshold and headroom of the longest cable, or what is given."""
    given = f"{{pause_threshold_bytes: 12480, resume_threshold_bytes: 12000{own}}}"
    changes = {
        **CHANGES["demo"],
        "uplink_m: 40": "uplink_m: 1200",
        "  cnp_dscp: 48": f"  cnp_dscp: 48\n  pause_buffer: {given}",
    }
    device = variant(tmp_path / "i", "demo", changes)["su1-rail0"]
    needs = [profile.calculated_bytes or 0 for profile in device.headroom_profiles]
    assert needs == sorted(needs)
    assert needs[0] < needs[-1]
    whole = size or 12480 + needs[-1]
    assert {profile.headroom_bytes for profile in device.headroom_profiles} == {whole - 12480}
    line = f"    pause buffer-size {whole} pause-threshold 12480 resume-threshold 12000\n"
    text = text_of(device)
    assert f"policy-map type queuing ROCE-PAUSE\n  class type queuing c-in-q3\n{line}" in text
    assert "system qos\n  service-policy type queuing input ROCE-PAUSE\n" in text
