"""What one cause explains is taken off by amount: no known fault hides another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fabric.core.findings import Severity
from fabric.observe.state import InterfaceState, Optic, PfcCounters, QueueCounters, WatchdogState
from tests.cases import each
from tests.health.planted import ENDS, place, rose
from tests.health.windows import HOST, LEAF, ZEROS, Fabric, demo, quiet

ROWS = ENDS.rows[ENDS.number[LEAF]]
PORT, OTHER, UPLINK = "Ethernet0", "Ethernet8", "Ethernet128"
NIC, FAR_NIC = (HOST, "eth1"), ("gpu004", "eth2")
SPINE, SPINE_PORT = place(int(ENDS.far[ROWS[UPLINK]]))


def counted(port: str, **counts: int) -> Callable[[Fabric], None]:
    return lambda fabric: rose(fabric, ROWS[port], **counts)


def missed(nic: tuple[str, str], count: int) -> Callable[[Fabric], None]:
    return lambda fabric: fabric.nic(*nic, out_of_sequence=count)


def group_drops(count: int) -> Callable[[Fabric], None]:
    def change(fabric: Fabric) -> None:
        for first, dropped in ((True, 0), (False, count)):
            groups = {(PORT, 3): QueueCounters(None, dropped, 10**3)}
            fabric.change(LEAF, first=first, priority_groups=groups)

    return change


def held(fabric: Fabric) -> None:
    """Let the watchdog hold the lossless queue of a port."""
    for first in (True, False):
        state = {(PORT, 3): WatchdogState(first, 0 if first else 1)}
        fabric.change(LEAF, first=first, watchdog=state)


def falls(fabric: Fabric) -> None:
    """Let the cable of an uplink go down within the window."""
    for device, port in ((LEAF, UPLINK), (SPINE, SPINE_PORT)):
        fabric.change(device, interfaces={port: InterfaceState(up=False)})


def noisy(fabric: Fabric) -> None:
    fabric.change(LEAF, optics={PORT: Optic(pre_fec_bit_error_ratio=9e-4)})


#: Name, what is planted, and the rules, devices and ports of all causes.
CASES: list[tuple[str, list[Callable[[Fabric], Any]], list[tuple[str, str, str]]]] = [
    (
        "five codewords hide no drops",
        [counted(PORT, fec_uncorrected=5, rx_errors=5, tx_drops=90_210)],
        [("OBS111", LEAF, PORT), ("OBS116", LEAF, PORT)],
    ),
    (
        "errors of lost codewords are told once",
        [counted(PORT, fec_uncorrected=50, rx_errors=400)],
        [("OBS116", LEAF, PORT)],
    ),
    (
        "more errors than codewords explain",
        [counted(PORT, fec_uncorrected=5, rx_errors=48_211)],
        [("OBS111", LEAF, PORT), ("OBS116", LEAF, PORT)],
    ),
    (
        "headroom that drops hides no errors",
        [group_drops(700), counted(PORT, rx_errors=48_211, rx_drops=700)],
        [("OBS110", LEAF, PORT), ("OBS111", LEAF, PORT)],
    ),
    (
        "a queue that the watchdog holds hides no errors",
        [held, counted(PORT, rx_errors=48_211)],
        [("OBS111", LEAF, PORT), ("OBS113", LEAF, PORT)],
    ),
    (
        "a noisy signal hides no drops",
        [noisy, counted(PORT, tx_drops=90_210)],
        [("OBS111", LEAF, PORT), ("OBS123", LEAF, PORT)],
    ),
    ("but its errors", [noisy, counted(PORT, rx_errors=90)], [("OBS123", LEAF, PORT)]),
    (
        "drops at one end are none of the other",
        [
            counted(UPLINK, tx_drops=90_210),
            lambda f: rose(f, int(ENDS.far[ROWS[UPLINK]]), tx_drops=8_000),
        ],
        [("OBS111", LEAF, UPLINK), ("OBS111", SPINE, SPINE_PORT)],
    ),
    (
        "a few drops explain no flood",
        [counted(OTHER, tx_drops=12), missed(FAR_NIC, 70_000)],
        [("OBS111", LEAF, OTHER), ("OBS119", *FAR_NIC)],
    ),
    (
        "many do",
        [counted(OTHER, tx_drops=1_200), missed(FAR_NIC, 70_000)],
        [("OBS111", LEAF, OTHER)],
    ),
    (
        "drops behind a dead cable are no drops of other ports",
        [falls, counted(UPLINK, tx_drops=90_210), counted(PORT, rx_errors=48_211)],
        [("OBS111", LEAF, PORT), ("OBS114", SPINE, SPINE_PORT)],
    ),
    (
        "counters of one device are read one after the other",
        [
            counted(PORT, tx_drops=500),
            lambda f: [
                f.change(LEAF, first=turn == 0, queues={(PORT, 0): QueueCounters(0, 460 * turn)})
                for turn in (0, 1)
            ],
        ],
        [],
    ),
]


@each(("name", "changes", "expected"), CASES)
def test_the_causes(name: str, changes: list[Callable[[Fabric], Any]], expected: Any) -> None:
    fabric = Fabric()
    for change in changes:
        change(fabric)
    told = [(one.rule, one.device, one.port) for one in fabric.causes()]
    assert sorted(told) == sorted(expected), name


def test_what_a_nic_misses_goes_to_the_drops_on_its_cable() -> None:
    """Not to a flap elsewhere, of which nobody knows how much it lost."""
    fabric = Fabric()
    rose(fabric, ROWS[OTHER], carrier_transitions=2)
    rose(fabric, ROWS[PORT], tx_drops=48_211)
    fabric.nic(*NIC, out_of_sequence=9_000)
    by_rule = {cause.rule: cause for cause in fabric.causes()}
    assert by_rule["OBS111"].symptoms == 1
    assert by_rule["OBS115"].symptoms == 0


def test_ports_of_one_device_are_told_together() -> None:
    fabric = Fabric()
    rose(fabric, ROWS[PORT], tx_drops=700)
    rose(fabric, ROWS[OTHER], rx_errors=50)
    (cause,) = fabric.causes()
    assert cause.port == "Ethernet[0,8]"
    assert cause.message == "dropped 700 packets, had 50 frames with errors on 2 ports"


def test_an_uplink_that_is_down_hides_no_uneven_load() -> None:
    """One of the others carries all."""
    ends, _ = demo("rail-512")
    fabric = Fabric(quiet("rail-512"), quiet("rail-512"), example="rail-512")
    rows = ends.of_device[ends.number[LEAF]].tolist()
    up = [ends.ports[row] for row in rows if not ends.is_below[row]]
    below = [ends.ports[row] for row in rows if ends.is_below[row]]
    for first, turn in ((True, 0), (False, 10**6)):
        for port in up:
            fabric.counters(LEAF, port, first=first, tx_packets=turn * (port == up[1]))
        for port in below:
            fabric.counters(LEAF, port, first=first, rx_packets=turn // len(below))
    fabric.both(LEAF, interfaces={up[0]: InterfaceState(up=False)})
    assert {rule for rule, _, _ in fabric.seen()} == {"OBS114", "OBS120"}


def pauses(sent: int, heard: int, late_s: float = 0.0) -> list[tuple[str, str, str]]:
    """Return the causes where a leaf pauses an uplink, and the spine counts as much."""
    fabric = Fabric()
    for device, port, way, count in (
        (LEAF, UPLINK, "sent", sent),
        (SPINE, SPINE_PORT, "received", heard),
    ):
        frames = tuple(count if number == 3 else 0 for number in range(8))
        states = {"received": ZEROS, "sent": ZEROS, way: frames}
        fabric.change(device, pfc_counters={port: PfcCounters(**states)})
    fabric.late_s[LEAF] = late_s
    return fabric.seen()


@each(
    ("sent", "heard", "late_s", "is_told"),
    [(150, 0, 0.0, True), (150, 0, 3.0, False), (9_000, 0, 3.0, True), (2_900_000, 99, 0, True)],
)
def test_pauses_that_the_far_end_hardly_counts(sent, heard, late_s, is_told) -> None:
    told = pauses(sent, heard, late_s)
    assert (("OBS106", LEAF, UPLINK) in told) == is_told, (sent, heard, late_s)


def test_a_bound_alone_takes_no_host_out_of_use() -> None:
    """Frames tell at most how long; a leaf whose NIC cannot be read tells no more."""
    fabric = Fabric()
    del fabric.after[HOST], fabric.before[HOST]
    leaf_port = next(port for port, row in ROWS.items() if place(int(ENDS.far[row]))[0] == HOST)
    for frames, severity in ((70_000, Severity.WARNING), (700_000, Severity.ERROR)):
        received = tuple(frames if number == 3 else 0 for number in range(8))
        fabric.change(LEAF, pfc_counters={leaf_port: PfcCounters(received, ZEROS)})
        (storm,) = (cause for cause in fabric.causes() if cause.rule == "OBS101")
        assert storm.severity is severity


def test_an_old_watermark_is_old_without_a_first_reading() -> None:
    fabric = Fabric()
    groups = {(PORT, 3): QueueCounters(None, None, 10**7)}
    fabric.change(LEAF, priority_groups=groups)
    (cause,) = fabric.causes()
    assert (cause.rule, cause.severity) == ("OBS110", Severity.INFO)
    assert "since when is not known" in cause.message
