"""Each verdict on a reading that shows it, and on one that does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.core.findings import Severity
from fabric.health.settings import Settings
from fabric.health.verdict import verdicts
from fabric.observe.state import (
    EcnState,
    InterfaceState,
    PfcCounters,
    QueueCounters,
    SystemFacts,
    TableUse,
    WatchdogState,
)
from fabric.validate.publications import help_address
from tests.cases import each
from tests.health.windows import HOST, LEAF, SPINE, ZEROS, Fabric, demo

PORT, UPLINK = "Ethernet0", "Ethernet128"


def frames(count: int) -> tuple[int, ...]:
    return (0, 0, 0, count, 0, 0, 0, 0)


def test_a_quiet_fabric_has_no_cause() -> None:
    assert Fabric().seen() == []


def test_the_ports_of_the_tests_are_those_of_the_demo() -> None:
    ends, plan = demo()
    rows = ends.rows[ends.names.index(LEAF)]
    assert ends.title(int(ends.far[rows[PORT]])) == f"{HOST} eth1"
    assert ends.names[ends.device[ends.far[rows[UPLINK]]]] == SPINE
    assert plan.headroom_bytes[rows[PORT]] > 0
    assert plan.fec_symbols[rows[PORT]] == 544


def test_a_counter_that_fell_hides_its_reading() -> None:
    fabric = Fabric()
    fabric.counters(LEAF, PORT, first=True, rx_drops=10, tx_packets=10)
    fabric.counters(LEAF, PORT, rx_drops=30, tx_packets=5)
    assert fabric.seen() == []
    fabric.counters(LEAF, PORT, rx_drops=30, tx_packets=15)
    assert fabric.seen() == [("OBS111", LEAF, PORT)]


def test_a_nic_that_was_reset_hides_itself_alone() -> None:
    fabric = Fabric()
    fabric.nic(HOST, "eth1", out_of_sequence=50, np_cnp_sent=-1)
    assert fabric.seen() == []
    fabric.nic(HOST, "eth2", out_of_sequence=50)
    assert fabric.seen() == [("OBS119", HOST, "eth2")]


def test_a_restart_hides_the_device() -> None:
    fabric = Fabric()
    fabric.counters(LEAF, PORT, first=True, rx_drops=10)
    fabric.counters(LEAF, PORT, rx_drops=30)
    fabric.change(LEAF, facts=SystemFacts(LEAF, uptime_s=5.0))
    assert fabric.seen() == []


def test_a_counter_that_one_reading_lacks_is_unknown() -> None:
    fabric = Fabric()
    fabric.counters(LEAF, PORT, rx_drops=30)
    assert fabric.seen() == []
    fabric.counters(LEAF, PORT, first=True, tx_drops=0)
    assert fabric.seen() == []


@pytest.mark.parametrize(("frames_sent", "rules"), [(99, []), (100, ["OBS106"])])
def test_asymmetric_pauses_need_some_frames(frames_sent, rules) -> None:
    fabric = Fabric()
    fabric.change(LEAF, pfc_counters={PORT: PfcCounters(ZEROS, frames(frames_sent))})
    assert [rule for rule, _, _ in fabric.seen()] == rules


def test_pauses_of_another_priority_are_named() -> None:
    fabric = Fabric()
    fabric.change(LEAF, pfc_counters={PORT: PfcCounters(ZEROS, frames(500))})
    fabric.nic(HOST, "eth1", rx_prio4_pause=500)
    (cause,) = fabric.causes()
    assert cause.message.endswith(f"{HOST} eth1 counted none but received priority 4")


def test_a_system_that_counts_all_priorities_is_used() -> None:
    """A port with one lossless class has no other pauses."""
    fabric = Fabric()
    ports = demo()[0].rows[demo()[0].names.index(LEAF)]
    for first, count in ((True, 0), (False, 200_000)):
        table = fabric.before if first else fabric.after
        table[LEAF] = replace(table[LEAF], pfc_counters=None)
        fabric.change(
            LEAF,
            first=first,
            interfaces={
                port: InterfaceState(
                    up=True, counters={"in_pfc_frames": count if port == PORT else 0}
                )
                for port in ports
            },
        )
    for readings in (fabric.before, fabric.after):
        readings[HOST] = replace(readings[HOST], nics={})
    assert fabric.seen() == [("OBS101", HOST, "eth1")]


@pytest.mark.parametrize(
    ("peak_bytes", "drops", "severity"),
    [
        (10_000, 0, None),
        (0.95, 0, Severity.WARNING),
        (1.0, 0, Severity.ERROR),
        (10_000, 3, Severity.ERROR),
        (None, 3, Severity.ERROR),
    ],
)
def test_headroom(peak_bytes, drops, severity) -> None:
    ends, plan = demo()
    have = plan.headroom_bytes[ends.rows[ends.names.index(LEAF)][PORT]]
    peak = int(peak_bytes * have) if isinstance(peak_bytes, float) else peak_bytes
    fabric = Fabric()
    for first, dropped in ((True, 0), (False, drops)):
        group = QueueCounters(None, dropped, peak)
        fabric.change(LEAF, first=first, priority_groups={(PORT, 3): group})
    causes = fabric.causes()
    assert [one.severity for one in causes] == ([severity] if severity else [])
    if severity is Severity.WARNING:
        assert f"slack {have - peak:,.0f} B" in causes[0].message


def test_headroom_of_another_group_is_not_judged() -> None:
    fabric = Fabric()
    fabric.both(LEAF, priority_groups={(PORT, 0): QueueCounters(None, 0, 10**9)})
    assert fabric.seen() == []


@pytest.mark.parametrize(
    ("corrected", "lost", "rules"),
    [(10**6, 0, []), (6 * 10**8, 0, ["OBS116"]), (0, 1, ["OBS116"])],
)
def test_fec(corrected, lost, rules) -> None:
    """78 million codewords a second at 400G; 60 million with a wrong symbol are too many."""
    fabric = Fabric()
    fabric.counters(LEAF, PORT, first=True, fec_corrected=0, fec_uncorrected=0)
    fabric.counters(LEAF, PORT, fec_corrected=corrected, fec_uncorrected=lost)
    assert [rule for rule, _, _ in fabric.seen()] == rules
    if lost:
        assert fabric.causes()[0].severity is Severity.ERROR


def test_losses_go_to_the_cable_that_damages_frames() -> None:
    fabric = Fabric()
    fabric.counters(LEAF, PORT, first=True, fec_uncorrected=0)
    fabric.counters(LEAF, PORT, fec_uncorrected=4)
    fabric.nic(HOST, "eth1", out_of_sequence=3)
    (cause,) = fabric.causes()
    assert (cause.rule, cause.symptoms, cause.hosts) == ("OBS116", 1, (HOST,))
    assert f"{HOST} eth1: 3 packets" in cause.evidence[-1]


@pytest.mark.parametrize(
    ("used", "severity"), [(89, None), (90, Severity.WARNING), (100, Severity.ERROR)]
)
def test_tables(used, severity) -> None:
    fabric = Fabric()
    fabric.both(LEAF, tables={"host_entries": TableUse(used, 100), "route_entries": TableUse(5)})
    causes = fabric.causes()
    assert [one.severity for one in causes] == ([severity] if severity else [])


def test_marks_of_a_switch_tell_congestion_from_pause_without_ecn() -> None:
    for marked, rule in ((0, "OBS105"), (500, "OBS104")):
        fabric = Fabric()
        far = demo()[0].far[demo()[0].rows[demo()[0].names.index(LEAF)][UPLINK]]
        port = demo()[0].ports[far]
        fabric.change(LEAF, pfc_counters={UPLINK: PfcCounters(ZEROS, frames(50_000))})
        fabric.change(SPINE, pfc_counters={port: PfcCounters(frames(50_000), ZEROS)})
        fabric.change(LEAF, first=True, ecn={(PORT, 3): EcnState(marked_packets=0)})
        fabric.change(LEAF, ecn={(PORT, 3): EcnState(marked_packets=marked)})
        assert fabric.seen() == [(rule, LEAF, "")]
        assert ("the fullest port is Ethernet0" in fabric.causes()[0].message) == bool(marked)


def test_a_watchdog_makes_a_slow_receiver_a_storm() -> None:
    fabric = Fabric()
    fabric.nic(HOST, "eth1", tx_prio3_pause=10, tx_prio3_pause_duration=500_000)
    assert fabric.seen() == [("OBS103", HOST, "eth1")]
    fabric.both(LEAF, watchdog={(PORT, 3): WatchdogState(False, 1, 0, 0)})
    assert fabric.seen() == [("OBS101", HOST, "eth1")], "the dead queue is a symptom"


def test_limits_move() -> None:
    fabric = Fabric(settings=Settings(storm_percent=4.0))
    fabric.nic(HOST, "eth1", tx_prio3_pause=10, tx_prio3_pause_duration=500_000)
    assert fabric.seen() == [("OBS101", HOST, "eth1")]


def test_jobs_on_the_hosts_are_named() -> None:
    fabric = Fabric()
    fabric.nic(HOST, "eth1", tx_prio3_pause=10, tx_prio3_pause_duration=9_000_000)
    (cause,) = fabric.judged(mine=(HOST, "gpu002"), other=("gpu003",)).causes
    assert cause.jobs == ("mine",)


def test_a_device_that_was_read_once_is_not_judged() -> None:
    fabric = Fabric()
    del fabric.before[LEAF]
    fabric.change(LEAF, interfaces={UPLINK: InterfaceState(up=True, counters={"rx_drops": 9})})
    assert fabric.seen() == []
    reasons = fabric.judged().unjudged
    assert all(LEAF not in reason for lines in reasons.values() for reason in lines)


def test_missing_counters_are_named_never_fine() -> None:
    fabric = Fabric()
    for readings in (fabric.before, fabric.after):
        for name in list(readings):
            readings[name] = replace(readings[name], pfc_counters=None, nics=None)
    judgement = fabric.judged()
    assert not {f"OBS10{number}" for number in range(1, 10)} & {*judgement.judged}
    assert "received pause frames by priority" in judgement.unjudged["OBS101"][0]
    assert judgement.causes == ()


@each("name", verdicts)
def test_a_verdict_says_what_why_and_source(name) -> None:
    verdict = verdicts[name](name)
    assert verdict.title
    assert verdict.why.endswith(".")
    assert verdict.fix
    own = verdict.source.startswith("docs/")
    assert own or help_address(verdict.source) or "https://" in verdict.source, verdict.source
