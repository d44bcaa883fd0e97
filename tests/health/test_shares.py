"""`observe` and `judge` say the same share of the time of the same readings."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from fabric.health.cause import Cause
from fabric.health.judge import judge
from fabric.observe.rates import rates
from fabric.observe.state import InterfaceState, PfcCounters
from fabric.qos.pause_share import pause_share, share_words
from fabric.report.observed import Seen, busy
from tests.cases import each
from tests.health.windows import HOST, LEAF, SPINE, ZEROS, Fabric, demo

EVIDENCE = re.compile(r"(\S+) (\S+) pauses \S+ \S+ (.*) of the time")
PORT, UPLINK = "Ethernet0", "Ethernet128"


def frames(count: int) -> tuple[int, ...]:
    return (0, 0, 0, count, 0, 0, 0, 0)


def shown(fabric: Fabric, device: str) -> dict[tuple[str, str], str]:
    """Return the share that `observe` shows of each counter of a device."""
    before, after = fabric.before[device], fabric.after[device]
    seen = Seen(device, "sonic", after, rates=rates(before, after, fabric.elapsed_s))
    return {(port, what): share for _, port, what, _, _, share in busy([seen])}


def told(cause: Cause) -> dict[tuple[str, str], str]:
    """Return the share that `judge` shows of each end that pauses."""
    lines = filter(None, map(EVIDENCE.match, cause.evidence))
    return {(line[1], line[2]): line[3] for line in lines}


def storm() -> Fabric:
    """Return a NIC that pauses its leaf 90 % of the time, and the leaf its spine by frames."""
    fabric = Fabric()
    speed = InterfaceState(up=True, speed_gbps=400.0)
    fabric.nic(HOST, "eth1", tx_prio3_pause=10_000, tx_prio3_pause_duration=9_000_000)
    fabric.both(LEAF, interfaces={UPLINK: speed})
    sent = PfcCounters(ZEROS, frames(60_000))
    fabric.change(LEAF, pfc_counters={UPLINK: sent, PORT: PfcCounters(frames(10_000), ZEROS)})
    ends, _ = demo()
    far = ends.ports[ends.far[ends.rows[ends.names.index(LEAF)][UPLINK]]]
    fabric.change(SPINE, pfc_counters={far: PfcCounters(frames(60_000), ZEROS)})
    return fabric


def test_the_words_of_both_are_the_same() -> None:
    fabric = storm()
    (cause,) = fabric.causes()
    words = told(cause)
    assert words == {(HOST, "eth1"): "90 %", (LEAF, UPLINK): "at most 50 %"}
    nic, leaf = shown(fabric, HOST), shown(fabric, LEAF)
    assert nic["eth1", "seconds of pauses sent, priority 3"] == words[HOST, "eth1"]
    assert nic["eth1", "pause frames sent, priority 3"] == words[HOST, "eth1"]
    assert leaf[UPLINK, "pause frames sent, priority 3"] == words[LEAF, UPLINK]
    assert "pauses its leaf 90 % of the time" in cause.message


def test_pauses_that_the_far_end_does_not_count_have_their_share_too() -> None:
    """The mismatch explains the storm, and took its 90 % with it."""
    fabric = Fabric()
    fabric.nic(HOST, "eth1", tx_prio3_pause=5000, tx_prio3_pause_duration=9_000_000)
    (cause,) = fabric.causes()
    share = shown(fabric, HOST)["eth1", "seconds of pauses sent, priority 3"]
    words = (
        f"sent 5,000 pause frames of priority 3, {share} of the time, {LEAF} {PORT} counted none"
    )
    assert (cause.rule, cause.message, share) == ("OBS106", words, "90 %")


def test_one_count_of_all_priorities_is_a_bound_in_both() -> None:
    """As EOS counts; its speed is known."""
    fabric = Fabric()
    for first, count in ((True, 0), (False, 60_000)):
        state = InterfaceState(up=True, speed_gbps=400.0, counters={"tx_pfc_frames": count})
        none = {UPLINK: PfcCounters((None,) * 8, (None,) * 8)}
        fabric.change(LEAF, first=first, interfaces={UPLINK: state}, pfc_counters=none)
    (cause,) = fabric.causes()
    assert told(cause) == {(LEAF, UPLINK): "at most 50 %"}
    assert shown(fabric, LEAF)[UPLINK, "pause frames sent"] == "at most 50 %"


def test_one_count_of_several_lossless_classes_is_not_judged() -> None:
    """It tells nothing of either; judge said nothing, as if nothing paused."""
    fabric = Fabric()
    for device in (LEAF, SPINE):
        for first, count in ((True, 0), (False, 10**6)):
            ports = dict.fromkeys(fabric.before[device].interfaces)
            counts = {"tx_pfc_frames": count, "rx_pfc_frames": count}
            state = InterfaceState(up=True, counters=counts)
            none = PfcCounters((None,) * 8, (None,) * 8)
            fabric.change(
                device,
                first=first,
                interfaces=dict.fromkeys(ports, state),
                pfc_counters=dict.fromkeys(ports, none),
            )
    window, (_, plan) = fabric.window(), demo()
    two = plan.paused.copy()
    two[:, 4] |= two[:, 3]
    judgement = judge(replace(window, plan=replace(plan, paused=two)))
    assert judgement.causes == ()
    reason = str(judgement.unjudged["OBS104"][0])
    assert f"{LEAF} {UPLINK}" in reason
    assert f"{LEAF} {PORT}" not in reason, "its NIC counts the time"


SHARES = {
    "counted": ((0.9, 10**9, 100.0), "90 %"),
    "counted and more than all": ((1.02, np.nan, np.nan), "100 %"),
    "by frames": ((np.nan, 6_000.0, 400.0), "at most 50 %"),
    "by more frames than fit": ((np.nan, 10**9, 400.0), "at most 100 %"),
    "none": ((np.nan, 0.0, 400.0), "at most 0 %"),
}


@each("name", SHARES)
def test_shares(name: str) -> None:
    given, words = SHARES[name]
    share, is_bound = pause_share(*given)
    assert share_words(float(share), is_bound=bool(is_bound)) == words


def test_what_nobody_counts_is_unknown() -> None:
    assert np.isnan(pause_share(np.nan, np.nan, 400.0)[0])
    assert np.isnan(pause_share(np.nan, 5.0, np.nan)[0])
