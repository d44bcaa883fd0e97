"""Each verdict on a reading that shows it, and on one that does not."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import pytest

from fabric.core.findings import Severity
from fabric.health.settings import Settings
from fabric.health.verdict import verdicts
from fabric.observe.state import (
    BgpPeer,
    EcnState,
    InterfaceState,
    NicCounters,
    Optic,
    PfcCounters,
    QueueCounters,
    Sensor,
    SystemFacts,
    TableUse,
    WatchdogState,
)
from fabric.report.judged import outcome_of, text
from fabric.validate.publications import help_address
from fabric.validate.waivers import Decisions
from tests.cases import each
from tests.health.windows import HOST, LEAF, SPINE, ZEROS, Fabric, demo, quiet

NAN = float("nan")

PORT, UPLINK = "Ethernet0", "Ethernet128"
ENDS, _ = demo()


def frames(count: int) -> tuple[int, ...]:
    return (0, 0, 0, count, 0, 0, 0, 0)


def test_what_is_not_known_is_said_once_for_the_same_devices() -> None:
    """One line for a leaf and its NIC, whatever the verdicts."""
    fabric = Fabric()
    for first in (True, False):
        fabric.change(HOST, first=first, nics={"eth1": NicCounters("mlx5", True, {}, {})})
        fabric.change(LEAF, first=first, pfc_counters={PORT: PfcCounters((None,) * 8, (None,) * 8)})
    judgement = fabric.judged()
    decisions = Decisions.of(ENDS.fabric.intent)
    lines = text(judgement, outcome_of(judgement, decisions)).splitlines()
    mine = [line for line in lines if f"not known of {HOST} eth1,{LEAF} {PORT}" in line]
    assert len(mine) == 1
    assert mine[0].endswith("[OBS[101-106,124]]")
    assert "received pause frames by priority or received pause frames or time paused" in mine[0]


def test_a_quiet_fabric_has_no_cause() -> None:
    assert Fabric().seen() == []


def test_the_ports_of_the_tests_are_those_of_the_demo() -> None:
    ends, plan = demo()
    rows = ends.rows[ends.names.index(LEAF)]
    assert ends.title(int(ends.far[rows[PORT]])) == f"{HOST} eth1"
    assert ends.names[ends.device[ends.far[rows[UPLINK]]]] == SPINE
    assert plan.headroom_bytes[rows[PORT]] > 0
    assert plan.fec_symbols[rows[PORT]] == 544


def test_a_counter_that_fell_hides_itself_and_what_stood_still() -> None:
    """Counters of a reading are cleared together: what rose rose at least as much."""
    fabric = Fabric()
    fabric.counters(LEAF, PORT, first=True, rx_drops=10, tx_packets=10, rx_errors=0)
    fabric.counters(LEAF, PORT, rx_drops=30, tx_packets=5, rx_errors=0)
    assert fabric.seen() == [("OBS111", LEAF, PORT)]
    window = fabric.window()
    row = window.ends.rows[window.ends.names.index(LEAF)][PORT]
    assert window.rise("drops")[row] == 20
    assert isnan(window.rise("sent_packets")[row])


def test_no_counter_of_32_bits_wraps_beside_larger_ones() -> None:
    fabric = Fabric()
    fabric.counters(LEAF, PORT, first=True, tx_packets=2**32 - 1000)
    fabric.counters(LEAF, PORT, tx_packets=500)
    for first in (True, False):
        fabric.counters(LEAF, UPLINK, first=first, tx_packets=2**33)
    window = fabric.window()
    row = window.ends.rows[window.ends.names.index(LEAF)][PORT]
    assert isnan(window.rise("sent_packets")[row])


@each(
    ("was", "now", "rise"),
    [
        (2**64 - 1_000, 399_000, 400_000),
        (2**64 - 10, 48_211, 48_221),
        (2**64 - 5_000, 50_000, 55_000),
        (2**60, 2**60 + 100, 100),
        (2**63 + 1, 2**63 + 442, 441),
        (2**63 + 1, 7, NAN),
        (10**12, 5, NAN),
    ],
)
def test_counters_of_64_bits_are_exact(was: int, now: int, rise: float) -> None:
    fabric = Fabric()
    fabric.counters(LEAF, PORT, first=True, tx_packets=was)
    fabric.counters(LEAF, PORT, tx_packets=now)
    window = fabric.window()
    row = window.ends.rows[window.ends.names.index(LEAF)][PORT]
    said = window.rise("sent_packets")[row]
    assert said == rise or (isnan(said) and isnan(rise)), (was, now, said)


def test_a_nic_that_was_reset_hides_itself_alone() -> None:
    fabric = Fabric()
    for name in ("eth1", "eth2"):
        fabric.nic(HOST, name, np_ecn_marked_roce_packets=5_000)
    assert fabric.seen() == [("OBS107", HOST, "eth[1-2]")]
    old = fabric.before[HOST].nics["eth1"]
    counted = replace(old, hw_counters={**old.hw_counters, "rp_cnp_handled": 7})
    fabric.change(HOST, first=True, nics={"eth1": counted})
    assert fabric.seen() == [("OBS107", HOST, "eth2")]


def test_a_restart_hides_the_device() -> None:
    fabric = Fabric()
    fabric.counters(LEAF, PORT, first=True, rx_drops=10)
    fabric.counters(LEAF, PORT, rx_drops=30)
    fabric.change(LEAF, facts=SystemFacts(LEAF, uptime_s=5.0))
    assert fabric.seen() == [("OBS121", LEAF, "")]


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
    for first, dropped, seen in ((True, 0, 0), (False, drops, peak)):
        group = QueueCounters(None, dropped, peak and seen)
        fabric.change(LEAF, first=first, priority_groups={(PORT, 3): group})
    causes = fabric.causes()
    assert [one.severity for one in causes] == ([severity] if severity else [])
    if severity is Severity.WARNING:
        assert f"slack {have - peak:,.0f} B" in causes[0].message


def test_an_old_watermark_is_information() -> None:
    fabric = Fabric()
    fabric.both(LEAF, priority_groups={(PORT, 3): QueueCounters(None, 0, 10**9)})
    (cause,) = fabric.causes()
    assert cause.severity is Severity.INFO
    assert "it was as high before" in cause.message


def of_switch(fabric: Fabric, ports: tuple[str, ...], **counts: int) -> None:
    """Give ports of the leaf and of the spines counters that stand still."""
    for name in fabric.window().ends.fabric.switches.names:
        for port in fabric.before[name].interfaces:
            if name != LEAF or port in ports:
                for first in (True, False):
                    fabric.counters(name, port, first=first, **counts)


def test_a_switch_without_a_counter_of_drops_is_not_judged_for_them() -> None:
    """As Cumulus and Comware 7: what its NICs discard says nothing of its own drops."""
    fabric = Fabric()
    of_switch(fabric, (PORT,), rx_drops=0)
    for host in fabric.window().ends.fabric.hosts.names:
        for interface in fabric.before[host].nics:
            fabric.nic(host, interface, rx_discards_phy=0)
        fabric.before[host] = fabric.after[host]
    judgement = fabric.judged()
    words = "discarded packets or drops of queues or drops of priority groups: not known of"
    reasons = [*map(str, judgement.unjudged["OBS111"])]
    assert f"{words} {LEAF} Ethernet[8,128,136]" in reasons
    assert "OBS111" in judgement.judged
    of_switch(fabric, (), rx_drops=0)
    fabric.both(
        LEAF, interfaces=dict.fromkeys(fabric.before[LEAF].interfaces, InterfaceState(True))
    )
    holes = fabric.judged().unjudged["OBS111"]
    assert [hole.places for hole in holes if "drops of queues or" in hole.figure] == [(LEAF,)]


def test_a_queue_whose_packets_are_not_known_is_not_judged_for_standing() -> None:
    """EOS counts what queues drop, not what they send, and has no watchdog."""
    fabric = Fabric()
    for number in (0, 7):
        fabric.change(LEAF, first=not number, queues={(PORT, 3): QueueCounters(None, number)})
    holes = fabric.judged().unjudged["OBS113"]
    assert any("or packets of queues" in hole.figure for hole in holes)
    assert "OBS113" not in fabric.judged().judged


@each("name", ("out_discards", "tx_drops"))
def test_what_a_port_and_its_queue_count_is_dropped_once(name: str) -> None:
    """VRP8 and others count what a lossless queue drops at the port too."""
    fabric = Fabric()
    for first, drops in ((True, 0), (False, 90)):
        fabric.counters(LEAF, PORT, first=first, **{name: drops})
        fabric.change(LEAF, first=first, queues={(PORT, 3): QueueCounters(1000 + drops, drops)})
    (cause,) = fabric.causes()
    assert (cause.rule, cause.message) == ("OBS111", "dropped 90 packets on 1 port")


def test_drops_of_lossy_queues_are_taken_off() -> None:
    """A port counts what its queues drop; what is left is of the lossless class, or of none."""
    fabric = Fabric()
    for first, drops, lossy in ((True, 0, 0), (False, 60, 41)):
        fabric.counters(LEAF, PORT, first=first, tx_drops=drops)
        fabric.change(LEAF, first=first, queues={(PORT, 0): QueueCounters(0, lossy)})
    assert fabric.seen() == [("OBS111", LEAF, PORT)]
    assert "dropped 19 packets" in fabric.causes()[0].message
    fabric.change(LEAF, queues={(PORT, 0): QueueCounters(0, 55)})
    assert fabric.seen() == [], "5 that no class accounts for are below the limit"


def test_a_cable_that_was_down_before_explains_no_losses() -> None:
    fabric = Fabric()
    down = InterfaceState(up=False)
    fabric.both(SPINE, interfaces={"Ethernet1/1": down})
    for first, lost in ((True, 0), (False, 5_000)):
        fabric.counters(LEAF, PORT, first=first, rx_errors=lost)
    assert {rule for rule, _, _ in fabric.seen()} == {"OBS111", "OBS114"}


@pytest.mark.parametrize(
    ("enabled", "words"),
    [(False, f"is down: {SPINE} Ethernet1/1 is shut down"), (True, "is down"), (None, "is down")],
)
def test_a_port_that_is_shut_down_is_no_broken_cable(enabled: bool | None, words: str) -> None:
    fabric = Fabric()
    fabric.both(SPINE, interfaces={"Ethernet1/1": InterfaceState(up=False, enabled=enabled)})
    (cause,) = fabric.causes()
    assert cause.message.endswith(words)
    assert ("plug to replace" in cause.fix) == (enabled is False)


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
    assert any(
        f"{LEAF} (one reading)" in reason
        for lines in reasons.values()
        for reason in map(str, lines)
    )


def test_missing_counters_are_named_never_fine() -> None:
    fabric = Fabric()
    for readings in (fabric.before, fabric.after):
        for name in list(readings):
            readings[name] = replace(readings[name], pfc_counters=None, nics=None)
    judgement = fabric.judged()
    assert not {f"OBS10{number}" for number in range(1, 10)} & {*judgement.judged}
    assert "received pause frames by priority" in str(judgement.unjudged["OBS101"][0])
    assert judgement.causes == ()


@each("name", verdicts)
def test_a_verdict_says_what_why_and_source(name) -> None:
    verdict = verdicts[name](name)
    assert verdict.title
    assert verdict.why.endswith(".")
    assert verdict.fix
    own = verdict.source.startswith("docs/")
    assert own or help_address(verdict.source) or "https://" in verdict.source, verdict.source


def test_a_switch_without_sessions() -> None:
    fabric = Fabric()
    down = BgpPeer(established=False, state="Active", asn=65100)
    fabric.change(LEAF, bgp={"10.0.0.1": down, "10.0.0.3": down})
    assert fabric.seen() == [("OBS122", LEAF, "")]
    fabric.change(LEAF, bgp={"10.0.0.1": replace(down, established=True)})
    assert fabric.seen() == []


@pytest.mark.parametrize(
    ("over_cable", "between", "said"),
    [
        (True, {"10.255.0.1": False, "10.255.0.2": False}, "2 BGP sessions between loopbacks"),
        (True, {}, "2 BGP sessions between loopbacks"),
        (True, {"10.255.0.1": True, "10.255.0.2": False}, ""),
        (False, {"10.255.0.1": False, "10.255.0.2": False}, "3 BGP sessions"),
    ],
    ids=["down", "absent", "one is up", "all are down"],
)
def test_a_switch_without_sessions_between_loopbacks(
    over_cable: bool, between: dict[str, bool], said: str
) -> None:
    fabric = Fabric(quiet("tenants"), quiet("tenants"), example="tenants")
    states = {"10.254.0.0": over_cable, **between}
    fabric.change(LEAF, bgp={peer: BgpPeer(up, "", 65100) for peer, up in states.items()})
    messages = [cause.message for cause in fabric.causes()]
    assert messages == ([f"none of its {said} is established"] if said else [])


@pytest.mark.parametrize(
    ("optic", "said"),
    [
        (Optic(temperature_celsius=84.0), "84 degrees"),
        (Optic(pre_fec_bit_error_ratio=1e-3), "1.0e-03 of the bits"),
        (Optic(temperature_celsius=60.0, pre_fec_bit_error_ratio=1e-6), ""),
    ],
    ids=["hot", "noisy", "sound"],
)
def test_optics(optic, said) -> None:
    fabric = Fabric()
    fabric.change(LEAF, optics={PORT: optic})
    assert fabric.seen() == ([("OBS123", LEAF, PORT)] if said else [])
    assert all(said in cause.message for cause in fabric.causes())


def test_a_sensor_above_the_limit_that_its_device_has() -> None:
    fabric = Fabric()
    sensors = {"CPU": Sensor(81.0, 80.0), "ASIC": Sensor(104.0, 105.0), "PSU": Sensor(90.0)}
    fabric.change(SPINE, temperatures=sensors)
    assert fabric.seen() == [("OBS123", SPINE, "")]
    assert fabric.causes()[0].message == "CPU has 81 degrees, its limit is 80"


def test_pauses_of_a_priority_that_is_not_lossless() -> None:
    """The advice is about maps; no storm and no slow receiver is seen in it."""
    fabric = Fabric()
    fabric.nic(HOST, "eth1", tx_prio5_pause_duration=6_000_000)
    assert fabric.seen() == [("OBS124", HOST, "eth1")]
    assert "pauses priority 5 of su1-rail0 Ethernet0; lossless is 3" in fabric.causes()[0].message


def test_the_clock_of_a_collector_is_not_the_time_of_a_window() -> None:
    fabric = Fabric(elapsed_s=0.0)
    fabric.counters(LEAF, PORT, rx_drops=50)
    assert fabric.seen() == []
    assert fabric.judged().unjudged["OBS120"]
