"""VRP8: golden files, what is refused, and where each line comes from."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.platforms.breakout import parse_mode
from fabric.platforms.catalogue import sku
from fabric.platforms.facts import Fact
from fabric.render import render_device
from fabric.systems.vrp8.platforms import FAMILIES, FAMILY_A
from fabric.systems.vrp8.view import Timers, timers
from tests.render.designs import CASES, text_of, variant
from tests.render.vrp8_designs import CHANGES, designs


def ports_of(text: str) -> dict[str, list[str]]:
    """Return the lines of each port."""
    found = re.findall(r"^interface (100GE\S+)\n((?: .*\n)+)", text, re.MULTILINE)
    return {name: [line[1:] for line in lines.splitlines()] for name, lines in found}


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_the_chain_of_the_lossless_class_is_whole(inventory: str, switch: str) -> None:
    """DSCP, queue, priority of PFC, and what each port in use says."""
    text = text_of(designs(inventory)[switch])
    profile = designs(inventory)[switch].qos_profiles[0]
    (one,) = profile.classes
    phbs = dict(re.findall(r"^ ip-dscp-inbound (\d+) phb (\w+) green$", text, re.MULTILINE))
    assert list(phbs) == [str(dscp) for dscp in range(64)]
    assert [dscp for dscp, phb in phbs.items() if phb == "af3"] == [str(one.roce_dscp)]
    assert [dscp for dscp, phb in phbs.items() if phb == "cs6"] == [str(profile.cnp_dscp)]
    assert re.search(r"^dcb pfc roce\n priority 3\n", text, re.MULTILINE)
    used = [lines for lines in ports_of(text).values() if lines != ["shutdown"]]
    assert used
    for lines in used:
        assert {"trust upstream roce", "dcb pfc enable roce mode manual"} <= set(lines)
        assert {"qos drr 0 to 5", "qos queue 3 wred roce-ecn", "qos queue 3 ecn"} <= set(lines)
        assert ("trust dscp" in lines) is ("undo portswitch" not in lines)
        shares = [line.split()[-1] for line in lines if "drr weight" in line]
        assert sum(map(int, shares)) == 100
        assert not [line for line in lines if line.startswith("qos queue 6")]


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_families_do_not_mix(inventory: str, switch: str) -> None:
    """Commands of one family are refused by the other."""
    device = designs(inventory)[switch]
    text = text_of(device)
    of_b = ("headroom-pool", "dscp-mapping", "deadlock-detect interval", " shaping cir 64 kbps")
    of_a = ("qos ecn enable", "deadlock-detect timer", "deadlock-recovery timer")
    mine, others = (of_a, of_b) if device.sku.asic == FAMILY_A else (of_b, of_a)
    watchdog = "watchdog" in (Path("inventory") / inventory / "fabric.yaml").read_text()
    assert [word for word in others if word in text] == []
    assert [
        word for word in mine if word not in text and (watchdog or "deadlock" not in word)
    ] == []
    if mine is of_b:
        assert text.index("headroom-pool") < text.index("dcb pfc enable")


@pytest.mark.parametrize(
    ("pool_bytes", "size"),
    [(8 << 20, "8 mbytes"), (100 << 10, "100 kbytes"), (1536 << 10, "1536 kbytes")],
)
def test_an_own_model_sets_the_headroom_pool(pool_bytes: int, size: str) -> None:
    leaf = designs("demo")["su1-rail0"]
    assert "headroom-pool size 4 mbytes slot 1\n" in text_of(leaf)
    facts = {"headroom_pool_bytes": Fact(pool_bytes, "mine", "vendor")}
    own = replace(leaf, sku=replace(leaf.sku, own_facts=facts))
    assert f"headroom-pool size {size} slot 1\n" in text_of(own)


def changed(folder: Path, old: str, new: str, devices: str = "") -> dict[str, DeviceDesign]:
    """Return the demo with one more change."""
    changes = {**CHANGES["demo"], old: new}
    return variant(folder / "i", "demo", changes, devices)


WATCHDOG = "watchdog: {action: drop, detection_ms: 400, restoration_ms: 400, poll_ms: 200}"
REFUSED = {
    "another queue": ("  pfc_priority: 3", "  pfc_priority: 4", "one number for both on all ports"),
    "queue of the other family": (
        "  pfc_priority: 3",
        "  pfc_priority: 6\n  queue: 6\n  traffic_class: 6\n  cnp_queue: 7\n  cnp_traffic_class: 7",
        "pauses queues from 0 to 5",
    ),
    "alert": ("action: drop", "action: alert", "action alert: it cannot"),
    "detection": ("detection_ms: 400", "detection_ms: 1600", "cannot count 1600 ms and 400 ms"),
    "question": ("rails: 2", "rails: 2", "contains a question mark"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_system_cannot_do_is_refused(name: str, tmp_path: Path) -> None:
    """Naming the device, the field and what to do; the spine is of family a."""
    old, new, message = REFUSED[name]
    port = "devices:\n  - names: spine01\n    ports:\n      100GE1/0/1: {description: why?}\n"
    device = changed(tmp_path, old, new, port if name == "question" else "")["spine01"]
    with pytest.raises(RenderError, match=f"^spine01: .*{message}"):
        render_device(device)


def test_a_model_of_no_known_family_is_refused() -> None:
    """A guess would be a command of the other family."""
    device = designs("demo")["su1-rail0"]
    with pytest.raises(RenderError, match=r"su1-rail0: tomahawk-4 .* set the asic of the model to"):
        render_device(replace(device, sku=replace(device.sku, asic="tomahawk-4")))


def test_two_watchdogs_are_refused(tmp_path: Path) -> None:
    """The timers are those of the switch."""
    devices = (
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      100GE1/0/1: {lossless: {watchdog: {detection_ms: 200}}}\n"
    )
    device = changed(tmp_path, "rails: 2", "rails: 2", devices)["su1-rail0"]
    with pytest.raises(RenderError, match="applies to the whole switch"):
        render_device(device)


@pytest.mark.parametrize(
    ("family", "detection", "recovery", "wanted"),
    [
        ("a", 400, 300, Timers(1, 400, 300)),
        ("a", 10, 1500, Timers(1, 10, 1500)),
        ("a", 9, 100, None),
        ("b", 400, 400, Timers(100, 4, 4)),
        ("b", 100, 100, Timers(100, 1, 1)),
        ("b", 150, 310, Timers(10, 15, 31)),
        ("b", 160, 310, None),
        ("b", 15_000, 31_000, Timers(1000, 15, 31)),
        ("b", 16_000, 1000, None),
        ("b", 100, 5, None),
    ],
)
def test_timers(family: str, detection: int, recovery: int, wanted: Timers | None) -> None:
    """Milliseconds, or the largest unit that fits both."""
    profile = designs("demo")["su1-rail0"].qos_profiles[0]
    times = replace(profile.watchdog, detection_ms=detection, restoration_ms=recovery)
    if wanted is None:
        with pytest.raises(RenderError, match="VRP004"):
            timers("leaf", FAMILIES[f"cloudengine-{family}"], times)
    else:
        assert timers("leaf", FAMILIES[f"cloudengine-{family}"], times) == wanted


FECS = {
    "rs": ("CE8855-32CQ4BQ", "rs", 100, False, "fec mode rs"),
    "none": ("CE8855-32CQ4BQ", "none", 100, False, "fec mode none"),
    "base-r at 25G": ("CE8855-32CQ4BQ", "fc", 25, False, "fec mode base-r"),
    "base-r of a part": ("CE8851-32CQ8DQ-P", "fc", 25, True, "fec mode base-r"),
    "base-r of a part in family b": ("CE8855-32CQ4BQ", "fc", 25, True, ""),
    "base-r at 100G": ("CE8851-32CQ8DQ-P", "fc", 100, False, ""),
    "base-r at 200G": ("CE8855-32CQ4BQ", "fc", 200, False, ""),
}


@pytest.mark.parametrize("name", FECS)
def test_fec_words(name: str) -> None:
    """Base-R is for 25G and 50G, and not for parts of a cage in family b."""
    model, word, speed_gbps, part, line = FECS[name]
    device = designs("demo")["su1-rail0"]
    first, *others = device.ports
    place = replace(first.place, mode=parse_mode("4x25G") if part else None, part=1)
    port = replace(first, fec=word, speed_gbps=speed_gbps, place=place)
    changed_port = replace(device, sku=sku(model), ports=(port, *others))
    if line:
        assert line in ports_of(text_of(changed_port))["100GE1/0/1"]
        return
    with pytest.raises(RenderError, match=f"FEC 'fc' is not available at {speed_gbps}G"):
        text_of(changed_port)


def test_ports_that_are_split(tmp_path: Path) -> None:
    """Each cage by a line before its parts, which stand in the place of the port."""
    changes = {
        **CHANGES["demo"],
        "leaf: {sku: ACS-MSN4700}": (
            'leaf: {sku: CE8851-32CQ8DQ-P, breakouts: [{cages: "1-2", mode: 4x25G}, '
            "{cages: '5', mode: 2x50G}]}"
        ),
        "speeds: {host_gbps: 400, uplink_gbps: 400}": "speeds: {host_gbps: 25, uplink_gbps: 100}",
    }
    text = text_of(variant(tmp_path / "i", "demo", changes)["su1-rail0"])
    assert re.findall(r"^port split .*", text, re.MULTILINE) == [
        "port split dimension interface 100GE1/0/1 split-type 4*25GE",
        "port split dimension interface 100GE1/0/2 split-type 4*25GE",
        "port split dimension interface 100GE1/0/5 split-type 2*50GE",
    ]
    assert text.rindex("port split ") < text.index("\ninterface 100GE")
    assert list(ports_of(text))[:10] == [
        *(f"100GE1/0/{cage}:{part}" for cage in (1, 2) for part in range(1, 5)),
        "100GE1/0/3",
        "100GE1/0/4",
    ]
    assert "dcb pfc enable roce mode manual" in ports_of(text)["100GE1/0/1:2"]


@pytest.mark.parametrize(
    ("mode", "word"), [("hash", "fixed"), ("flowlet", "eligible"), ("per-packet", "spray")]
)
def test_balancing(mode: Literal["hash", "flowlet", "per-packet"], word: str) -> None:
    """Said in each mode: when nothing is said, these models balance by flowlets."""
    device = replace(designs("demo")["su1-rail0"], ecmp_mode=mode)
    assert f"#\nload-balance ecmp\n ecmp mode {word}\n#\n" in text_of(device)
    other = replace(device, sku=replace(device.sku, name="CE6885-48YS8CQ"))
    if mode == "hash":
        assert "load-balance" not in text_of(other)
        return
    with pytest.raises(RenderError, match=f"CE6885-48YS8CQ does not support {mode} balancing"):
        text_of(other)


def test_more_policies_than_domains_are_refused() -> None:
    """Seven beside the one that is always there."""
    device = designs("demo")["su1-rail0"]
    profiles = tuple(replace(device.qos_profiles[0], index=index) for index in range(8))
    assert "diffserv domain" in text_of(replace(device, qos_profiles=profiles[:7]))
    with pytest.raises(RenderError, match="the ports use 8 policies, but the switch supports 7"):
        text_of(replace(device, qos_profiles=profiles))


def test_the_times_of_the_watchdog_stand_after_the_ports_that_pause() -> None:
    """The switch takes them where PFC is on already."""
    for inventory, switch in CASES:
        text = text_of(designs(inventory)[switch])
        if "dcb pfc deadlock" in text:
            assert text.index("dcb pfc deadlock") > text.rindex("dcb pfc enable")


def test_ports_that_differ(tmp_path: Path) -> None:
    """Marking and classification by a policy of the port; no PFC."""
    devices = (
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      100GE1/0/1: {lossless: {ecn: {kmax_bytes: 2000001}}}\n"
        "      100GE1/0/2: {lossless: {roce_dscp: 24}}\n"
        "      100GE1/0/17: {lossless: {pfc: false}}\n"
    )
    text = text_of(changed(tmp_path, "rails: 2", "rails: 2", devices)["su1-rail0"])
    ports = ports_of(text)
    marking = next(line for line in ports["100GE1/0/1"] if " wred " in line).split()[-1]
    assert f"drop-profile {marking}\n ecn buffer-size low-limit 150000 high-limit 2000001" in text
    domain = next(line for line in ports["100GE1/0/2"] if "upstream" in line).split()[-1]
    block = text.partition(f"diffserv domain {domain}\n")[2].partition("#")[0]
    assert " ip-dscp-inbound 24 phb af3 green\n" in block
    assert " ip-dscp-inbound 26 phb be green\n" in block
    assert not [line for line in ports["100GE1/0/17"] if "pfc" in line]


def test_without_pfc_nothing_pauses(tmp_path: Path) -> None:
    """Neither a pool nor a watchdog; marking stays."""
    text = text_of(changed(tmp_path, "  cnp_dscp: 48", "  cnp_dscp: 48\n  pfc: false")["su1-rail0"])
    assert "pfc" not in text
    assert "headroom" not in text
    assert "qos queue 3 ecn" in text


def test_bfd(tmp_path: Path) -> None:
    """Switched on, and one hop for each neighbour."""
    text = text_of(changed(tmp_path, "bgp: {", "bgp: {bfd: true, ")["su1-rail0"])
    assert "#\nbfd\n#\n" in text
    assert text.count(" bfd enable single-hop-prefer\n") == 2
    assert text.count(" bfd min-tx-interval 300 min-rx-interval 300 detect-multiplier 3\n") == 2
