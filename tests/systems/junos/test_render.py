"""Junos: golden files, what is refused, and where each line comes from."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.qos.ecn.edge import largest_queue_bytes
from fabric.render import render_device
from fabric.render.explain import find
from fabric.systems.junos.platforms.grammar import statements
from fabric.systems.junos.platforms.hierarchy import read_tree
from fabric.systems.junos.platforms.text import line_text, read_set
from fabric.systems.junos.platforms.tree import tree_text
from fabric.systems.junos.view import view
from tests.render.designs import CASES, text_of, variant
from tests.render.junos_designs import CHANGES, WATCHDOG, designs

HOSTILE = ['a "quoted" \\ text', "{{ 7*7 }}", "' ; reload now", "# x", "a [ b ] { c; }", "a\\"]


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_the_grammar_knows_every_line(inventory: str, switch: str) -> None:
    """None stands twice, and the hierarchical form says the same without loss."""
    text = text_of(designs(inventory)[switch])
    lines = read_set(text)
    assert "".join(f"{line_text(line)}\n" for line in lines) == text
    assert len(set(lines)) == len(lines)
    back = read_tree(tree_text(words for _, words in lines))
    flat = {
        tuple(word for step in statement for word in step.words)
        for _, words in back
        for statement in statements(words)
    }
    assert flat == {words for _, words in lines}


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("set interfaces et-0/0/1 mtu 9114", "lossless.mtu.port_bytes"),
        (
            "set class-of-service congestion-notification-profile ROCE pfc-watchdog recovery 400",
            "lossless.watchdog.restoration_ms",
        ),
        ("set vlans RAIL0 vlan-id 101", "addressing.vlan_first"),
        ("set protocols bgp group fabric neighbor 10.0.0.1 peer-as 65001", "bgp.spine_asn"),
    ],
)
def test_the_first_explanation_is_the_nearest(line: str, field: str) -> None:
    """The field that a person would look for comes first."""
    assert field in find("junos", line)[0].fields


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_the_chain_of_the_lossless_class_is_whole(inventory: str, switch: str) -> None:
    """DSCP, class, queue, PFC by DSCP and the queue that a pause stops belong together."""
    device = designs(inventory)[switch]
    text, (base,) = text_of(device), device.qos_profiles[0].classes
    head = "set class-of-service "
    bits, priority = f"{base.roce_dscp:06b}", f"{base.pfc_priority:03b}"
    classifier = f"{head}classifiers dscp ROCE forwarding-class NO-LOSS loss-priority low"
    profile = f"{head}congestion-notification-profile ROCE"
    for line in (
        f"{classifier} code-points {bits}",
        f"{head}forwarding-classes class NO-LOSS queue-num {base.queue}",
        f"{head}forwarding-classes class NO-LOSS no-loss",
        f"{head}forwarding-classes class NO-LOSS pfc-priority {base.pfc_priority}",
        f"{profile} input dscp code-point {bits} pfc",
        f"{profile} output ieee-802.1 code-point {priority} flow-control-queue {base.queue}",
        f"{head}schedulers LOSSLESS explicit-congestion-notification",
        f"{head}schedulers CNP priority strict-high",
    ):
        assert text.count(f"{line}\n") == 1, line
    cabled = [port.name for port in device.ports if port.kind != "unused"]
    for port in cabled:
        assert f"{head}interfaces {port} congestion-notification-profile ROCE\n" in text
        assert f"{head}interfaces {port} scheduler-map ROCE\n" in text
    assert text.count("congestion-notification-profile ROCE\n") == len(cabled)


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_percents_come_to_exactly_one_hundred(inventory: str, switch: str) -> None:
    """Both sides of the shared buffer, and the shares of the queues; Kmin is below Kmax."""
    text = text_of(designs(inventory)[switch])
    for side in ("ingress", "egress"):
        parts = re.findall(rf"shared-buffer {side} buffer-partition \S+ percent (\d+)", text)
        assert sum(map(int, parts)) == 100, side
    lossless = re.findall(r"buffer-partition lossless percent (\d+)", text)
    assert lossless[0] == lossless[1]
    assert sum(map(int, re.findall(r"transmit-rate percent (\d+)", text))) == 100
    kmin, kmax = map(int, re.findall(r"fill-level (\d+)", text))
    assert 0 < kmin < kmax <= 100


#: Equal paths and bgp.max_paths -> `chassis maximum-ecmp`.
LIMITS = {
    (16, 64): "",
    (16, 256): "",
    (17, 32): "32",
    (17, 64): "64",
    (64, 65): "128",
    (200, 256): "256",
}


@pytest.mark.parametrize("paths", LIMITS)
def test_more_than_sixteen_equal_paths_need_a_limit(paths: tuple[int, int]) -> None:
    device = designs("demo")["su1-rail0"]
    bgp = replace(device.bgp, equal_paths=paths[0], max_paths=paths[1])
    text = text_of(replace(device, bgp=bgp))
    assert "".join(re.findall(r"set chassis maximum-ecmp (\d+)\n", text)) == LIMITS[paths]


def test_a_threshold_is_a_percent_of_the_largest_queue() -> None:
    """The lossless 66 % of the 70 % that is shared of 165.2 MB, rounded up."""
    device = designs("demo")["su1-rail0"]
    assert largest_queue_bytes(device.sku) == 76_322_400
    profile = view(device).profiles[0]
    assert (profile.classes[0].kmin_percent, profile.classes[0].kmax_percent) == (
        1,
        10,
    )  # of 750 kB and 7.5 MB


def changed(folder: Path, old: str, new: str, devices: str = "") -> DeviceDesign:
    """Return the first leaf of the demo with one more change."""
    changes = {**CHANGES["demo"], old: new}
    return variant(folder / "i", "demo", changes, devices)["su1-rail0"]


def ports(*rows: str) -> str:
    """Return overrides of ports of the leaf."""
    return "devices:\n  - names: su1-rail0\n    ports:\n" + "".join(f"      {r}\n" for r in rows)


REFUSED = {
    "alert": (
        WATCHDOG,
        "watchdog: {action: alert}",
        "action alert does not exist on Junos",
    ),
    "polls": (
        WATCHDOG,
        "watchdog: {poll_ms: 150}",
        "detection_ms 400 is not a multiple of poll_ms",
    ),
    "minutes": (
        "arp: {timeout_s: 240",
        "arp: {timeout_s: 250",
        "250 is not 1 to 240 whole minutes",
    ),
    "queue": ("  pfc_priority: 3", "  pfc_priority: 3\n  queue: 0", "queue 0 on Junos carries"),
    "percent": ("kmax_bytes: 7500000", "kmax_bytes: 760000", "both 1 % of a queue of 76,322,400"),
    "queue too small": ("kmax_bytes: 7500000", "kmax_bytes: 80000000", "lower lossless.ecn.kmax"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_system_cannot_do_is_refused(name: str, tmp_path: Path) -> None:
    """Naming the device, the field and what to do."""
    old, new, message = REFUSED[name]
    with pytest.raises(RenderError, match="^su1-rail0: ") as caught:
        render_device(changed(tmp_path, old, new))
    assert message in str(caught.value)


@pytest.mark.parametrize("policy", ["{queue: 4}", "{pfc_priority: 4}", "{cnp_queue: 5}"])
def test_ports_cannot_have_other_classes(policy: str, tmp_path: Path) -> None:
    """Queue and priority of a class hold for the whole switch."""
    overrides = ports(f"et-0/0/0: {{lossless: {policy}}}")
    with pytest.raises(RenderError, match="su1-rail0: .* of a port is not"):
        render_device(changed(tmp_path, "arp:", "arp:", overrides))


def test_ports_cannot_have_two_watchdog_actions(tmp_path: Path) -> None:
    """Recovery is a setting of the whole switch."""
    overrides = ports("et-0/0/0: {lossless: {watchdog: {action: forward}}}")
    with pytest.raises(RenderError, match="watchdog.action forward of a port is not drop"):
        render_device(changed(tmp_path, "arp:", "arp:", overrides))


def test_a_speed_needs_a_word() -> None:
    """An empty word would be printed."""
    device = designs("demo")["spine01"]
    port = replace(device.ports[0], speed_token="")
    with pytest.raises(RenderError, match="spine01: et-0/0/0: 400 Gb/s has no known Junos keyword"):
        render_device(replace(device, ports=(port, *device.ports[1:])))


def test_port_overrides(tmp_path: Path) -> None:
    """PFC off, no watchdog, another FEC, another DSCP."""
    text = text_of(
        changed(
            tmp_path,
            "arp:",
            "arp:",
            ports(
                "et-0/0/0: {lossless: {pfc: false}}",
                "et-0/0/1: {fec: rs, lossless: {watchdog: {enabled: false}}}",
                "et-0/0/32: {lossless: {roce_dscp: 24}}",
            ),
        )
    )
    head = "set class-of-service "
    assert f"{head}interfaces et-0/0/0 congestion-notification-profile" not in text
    assert f"{head}interfaces et-0/0/0 scheduler-map ROCE\n" in text
    assert "congestion-notification-profile ROCE_1 " not in text
    assert "congestion-notification-profile ROCE_2 pfc-watchdog" not in text
    assert "congestion-notification-profile ROCE_2 input dscp code-point 011010 pfc\n" in text
    assert "set interfaces et-0/0/1 gigether-options fec fec91\n" in text
    assert "congestion-notification-profile ROCE_3 input dscp code-point 011000 pfc\n" in text
    assert text.count("pfc-watchdog") == 2


def test_without_pfc_nothing_is_lossless(tmp_path: Path) -> None:
    """Neither class nor buffer."""
    text = text_of(changed(tmp_path, "  pfc_priority: 3", "  pfc_priority: 3\n  pfc: false"))
    for word in ("no-loss", "pfc-priority", "shared-buffer", "congestion-notification-profile"):
        assert f" {word}" not in text, word


def test_other_watchdog_is_spelt_out(tmp_path: Path) -> None:
    """In polls and milliseconds."""
    wanted = "watchdog: {detection_ms: 600, poll_ms: 200, restoration_ms: 800, action: forward}"
    text = text_of(changed(tmp_path, WATCHDOG, wanted))
    found = re.findall(r"pfc-watchdog (\S+ \S+)", text)
    assert found == ["poll-interval 200", "detection 3", "recovery 800", "watchdog-action forward"]


def test_bfd_is_rendered_where_it_is_asked_for(tmp_path: Path) -> None:
    """Slow enough for a pause."""
    asked = changed(tmp_path, "bgp: {spine_asn", "bgp: {bfd: true, spine_asn")
    head = "set protocols bgp group fabric bfd-liveness-detection"
    assert f"{head} minimum-interval 1000\n{head} multiplier 3\n" in text_of(asked)
    assert head not in text_of(designs("demo")["su1-rail0"])


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_text_stays_data(words: str) -> None:
    """A description changes its own line and no other, and comes back as it was."""
    device = designs("demo")["su1-rail0"]
    port = replace(device.ports[0], description=words)
    hostile = replace(device, ports=(port, *device.ports[1:]))
    plain, changed_lines = text_of(device).splitlines(), text_of(hostile).splitlines()
    apart = [line for old, line in zip(plain, changed_lines, strict=True) if old != line]
    for lines in (read_set(apart[0]), read_tree(tree_text([read_set(apart[0])[0][1]]))):
        assert lines == [("set", ("interfaces", "et-0/0/0", "description", words))]
    assert len(apart) == 1
