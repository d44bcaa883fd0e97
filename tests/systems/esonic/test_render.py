"""Enterprise SONiC: golden files, what is refused, and where each line comes from."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.render import render_device
from tests.render.designs import CASES, text_of, variant
from tests.render.esonic_designs import CHANGES, designs


def ports_of(text: str) -> dict[str, str]:
    """Return the lines of each front panel port."""
    return dict(re.findall(r"interface (Ethernet\d+)\n((?: .*\n)+)", text))


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_the_chain_of_the_lossless_class_is_whole(inventory: str, switch: str) -> None:
    """DSCP, traffic class, priority group, queue, pause and marking meet on every lossless port."""
    text = text_of(designs(inventory)[switch])
    dscp = re.search(r"\n dscp 26 traffic-class (\d)\n", text)
    assert dscp
    group = re.search(rf"\n traffic-class {dscp[1]} priority-group (\d)\n", text)
    queue = re.search(rf"\n traffic-class {dscp[1]} queue (\d)\n", text)
    assert group
    assert queue
    assert f"\n pfc-priority {group[1]} queue {queue[1]}\n" in text
    paused = [body for body in ports_of(text).values() if "priority-flow-control priority" in body]
    assert len(paused) >= 4
    for body in paused:
        for line in (
            f" priority-flow-control priority {group[1]}\n",
            f" queue {queue[1]} wred-policy ROCE\n",
            " scheduler-policy ROCE\n",
            *(f" qos-map {kind} ROCE\n" for kind in ("dscp-tc", "tc-queue", "tc-pg")),
        ):
            assert line in body
        assert re.search(r" cable-length (5|40|300)m\n", body)
    assert text.count("buffer init lossless\n") == 1


def changed(folder: Path, old: str, new: str, devices: str = "") -> DeviceDesign:
    """Return the first leaf of the demo with one more change."""
    changes = {**CHANGES["demo"], old: new}
    return variant(folder / "i", "demo", changes, devices)["su1-rail0"]


REFUSED = {
    "priority": (
        "  pfc_priority: 3",
        "  pfc_priority: 5",
        "PFC on priority 5; use 3 or 4",
    ),
    "cable": (
        "uplink_m: 40",
        "uplink_m: 301",
        "cable of 301 m .* use cables up to 300 m",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_system_cannot_do_is_refused(name: str, tmp_path: Path) -> None:
    """Naming the device, the field and what to do."""
    old, new, message = REFUSED[name]
    with pytest.raises(RenderError, match=f"^su1-rail0: .*{message}"):
        render_device(changed(tmp_path, old, new))


def test_two_polling_intervals_are_refused(tmp_path: Path) -> None:
    """The watchdog of the switch has one."""
    devices = (
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      Ethernet0: {lossless: {watchdog: {poll_ms: 100}}}\n"
    )
    with pytest.raises(RenderError, match=r"poll_ms is 100 on some ports and 200"):
        render_device(changed(tmp_path, "rails: 2", "rails: 2", devices))


@pytest.mark.parametrize(
    ("cable_m", "line"), [(5, "5m"), (6, "40m"), (40, "40m"), (41, "300m"), (300, "300m")]
)
def test_a_cable_gets_the_next_longer_setting(cable_m: int, line: str, tmp_path: Path) -> None:
    """Too much headroom is no loss; too little is."""
    text = text_of(changed(tmp_path, "uplink_m: 40", f"uplink_m: {cable_m}"))
    assert f" cable-length {line}\n" in ports_of(text)["Ethernet128"]


def test_thresholds_are_rounded_up_to_the_unit(tmp_path: Path) -> None:
    """1000 bytes each."""
    text = text_of(changed(tmp_path, "kmax_bytes: 1500000", "kmax_bytes: 1500001"))
    assert " green minimum-threshold 150 maximum-threshold 1501 drop-probability 100\n" in text


def test_ports_that_differ(tmp_path: Path) -> None:
    """A policy of the port; no watchdog; no PFC, then any cable will do."""
    devices = (
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      Ethernet0: {fec: rs, lossless: {ecn: {kmax_bytes: 2000001}}}\n"
        "      Ethernet8: {lossless: {watchdog: {enabled: false}}}\n"
        "      Ethernet128: {cable_m: 500, lossless: {pfc: false}}\n"
    )
    text = text_of(changed(tmp_path, "rails: 2", "rails: 2", devices))
    ports = ports_of(text)
    assert " queue 3 wred-policy ROCE_1\n" in ports["Ethernet0"]
    assert " fec RS\n" in ports["Ethernet0"]
    assert "qos wred-policy ROCE_1\n" in text
    assert "maximum-threshold 2001 " in text
    assert "watchdog" not in ports["Ethernet8"]
    assert "priority-flow-control priority 3" in ports["Ethernet8"]
    assert "priority-flow-control" not in ports["Ethernet128"]
    assert "cable-length" not in ports["Ethernet128"]


def test_without_pfc_nothing_pauses(tmp_path: Path) -> None:
    """Neither buffers nor a watchdog."""
    text = text_of(changed(tmp_path, "  cnp_dscp: 48", "  cnp_dscp: 48\n  pfc: false"))
    assert "priority-flow-control" not in text
    assert "buffer init" not in text


def test_bfd(tmp_path: Path) -> None:
    """Each neighbour."""
    text = text_of(changed(tmp_path, "bgp: {", "bgp: {bfd: true, "))
    assert text.count("\n  bfd\n") == 2


def test_the_longest_length_is_not_spelled() -> None:
    """The database cannot tell ``ge 24 le 32`` from ``ge 24``: drift would never end."""
    rules = re.findall(r"^ip prefix-list .*", text_of(designs("demo")["spine01"]), re.MULTILINE)
    assert [rule.partition(" permit ")[2] for rule in rules] == [
        "10.255.0.0/24 ge 32",
        "10.64.0.0/16 ge 24",
    ]


def test_cages_that_are_broken_out(tmp_path: Path) -> None:
    """Each by a line before its ports, which are named after their first lanes."""
    changes = {
        **CHANGES["demo"],
        "leaf: {sku: ACS-MSN4700}": (
            'leaf: {sku: Z9332F-ON, host_ports: 7, breakouts: [{cages: "1", mode: 4x100G}, '
            "{cages: '3', mode: 2x200G}]}"
        ),
        "speeds: {host_gbps: 400,": "speeds: {host_gbps: 100,",
    }
    text = text_of(variant(tmp_path / "i", "demo", changes)["su1-rail0"])
    assert re.findall(r"^interface breakout .*", text, re.MULTILINE) == [
        "interface breakout port 1/1 mode 4x100G",
        "interface breakout port 1/3 mode 2x200G",
    ]
    assert text.rindex("interface breakout") < text.index("interface Ethernet")
    assert list(ports_of(text))[:9] == [
        f"Ethernet{lane}" for lane in (0, 2, 4, 6, 8, 16, 20, 24, 32)
    ]
    assert " speed 100000\n" in ports_of(text)["Ethernet2"]


def test_tiers_hash_apart() -> None:
    """With different seeds, over what the platform says."""
    leaf, spine = (text_of(designs("demo")[name]) for name in ("su1-rail0", "spine01"))
    assert "ip load-share hash seed 10\n" in leaf
    assert "ip load-share hash seed 25\n" in spine
    assert leaf.count("ip load-share hash ipv4 ") == 5


@pytest.mark.parametrize("text", ["x\nno router bgp", 'end" quotes'])
def test_text_that_would_end_is_refused(text: str) -> None:
    """A line break would begin a command, a quotation mark ends a description."""
    device = designs("demo")["su1-rail0"]
    first, *others = device.ports
    with pytest.raises(RenderError, match="su1-rail0: "):
        render_device(replace(device, ports=(replace(first, description=text), *others)))
