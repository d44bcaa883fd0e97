"""NX-OS: golden files, what is refused, and where each line comes from."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.render import render_device
from fabric.render.engine import template_folder
from fabric.render.explain import entries, explain
from fabric.systems.nxos import render as nxos
from fabric.systems.nxos.platforms import OWNED_LINES
from tests.render.designs import variant
from tests.render.nxos_designs import CHANGES, designs
from tests.render.test_explain import _exists

GOLDEN = Path(__file__).parents[2] / "golden" / "nxos"
#: Fields whose lines no example has.
OPTIONAL = {
    "bgp.bfd",
    "devices.breakouts",
    "devices.ports.fec",
    "ecmp.mode",
    "lossless.pause_buffer",
    "lossless.pause_buffer.buffer_bytes",
    "lossless.scheduler.lossless_percent",
}
CASES = [
    ("demo", "su1-rail0"),
    ("demo", "spine01"),
    ("rail-512", "su1-rail0"),
    ("rail-512", "spine01"),
    ("a100-pcie", "rack1-leaf"),
]


def text_of(device: DeviceDesign) -> str:
    """Return the configuration of a switch."""
    return render_device(device)[0].text


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_golden(inventory: str, switch: str, *, update_golden: bool) -> None:
    """Files that a person has read."""
    text = text_of(designs(inventory)[switch])
    path = GOLDEN / inventory / switch / "running-config.nxos"
    if update_golden:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()
    assert {item.name for item in path.parent.iterdir()} == {path.name}


def test_every_template_is_rendered() -> None:
    """A file without a feature would be a dead one."""
    folder = template_folder() / "nxos"
    assert {path.stem for path in folder.iterdir()} == set(nxos.FEATURES)


@pytest.mark.parametrize(("inventory", "switch"), CASES[:2])
def test_every_line_is_explained(inventory: str, switch: str) -> None:
    """Line by line, apart from separators."""
    lines = [line for line in explain(designs(inventory)[switch], "") if line.line.strip() != "!"]
    assert len(lines) > 100
    assert [line.line for line in lines if not line.explanations] == []


def test_explanations_name_fields_that_exist() -> None:
    """A field that was renamed must be renamed here too; each pattern fits some line."""
    whole = "".join(text_of(designs(inventory)[switch]) for inventory, switch in CASES)
    for entry in entries("nxos"):
        for field in entry.fields:
            assert _exists(field), (entry.template, field)
        shown = re.search(entry.pattern, whole, re.MULTILINE)
        assert shown or set(entry.fields) & OPTIONAL, entry.pattern


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_every_top_level_line_is_owned(inventory: str, switch: str) -> None:
    """A line that is not named as ours would be left on the switch when the design drops it."""
    owned = re.compile("|".join(OWNED_LINES))
    lines = text_of(designs(inventory)[switch]).splitlines()
    assert [line for line in lines if line[0] not in " !" and not owned.fullmatch(line)] == []


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


@pytest.mark.parametrize("text", ["x; reload", "{{ 7 * 7 }}", "a ! b", "banner motd #"])
def test_hostile_text_stays_data(text: str) -> None:
    """A description changes its own line and no other."""
    device = designs("demo")["su1-rail0"]
    first, *others = device.ports
    hostile = text_of(replace(device, ports=(replace(first, description=text), *others)))
    pairs = zip(text_of(device).splitlines(), hostile.splitlines(), strict=True)
    assert [new for old, new in pairs if old != new] == [f"  description {text}"]


def test_line_breaks_are_refused() -> None:
    """They would begin a command."""
    device = designs("demo")["su1-rail0"]
    first, *others = device.ports
    port = replace(first, description="x\nno feature bgp")
    with pytest.raises(RenderError, match=r"templates/nxos/interfaces\.j2:\d+: "):
        render_device(replace(device, ports=(port, *others)))


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
    headrooms = [profile.headroom_bytes or 0 for profile in device.headroom_profiles]
    assert headrooms == sorted(headrooms)
    assert headrooms[0] < headrooms[-1]
    whole = size or 12480 + headrooms[-1]
    line = f"    pause buffer-size {whole} pause-threshold 12480 resume-threshold 12000\n"
    text = text_of(device)
    assert f"policy-map type queuing ROCE-PAUSE\n  class type queuing c-in-q3\n{line}" in text
    assert "system qos\n  service-policy type queuing input ROCE-PAUSE\n" in text
