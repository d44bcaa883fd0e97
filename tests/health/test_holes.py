"""What is not known is said: by port, by table, by device, and by system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fabric.observe.state import (
    BgpPeer,
    InterfaceState,
    PfcCounters,
    QueueCounters,
    Sensor,
    SystemFacts,
    WatchdogState,
)
from tests.cases import each
from tests.health.windows import HOST, LEAF, SPINE, ZEROS, Fabric

PORT, OTHER = "Ethernet0", "Ethernet8"
COUNTERS = dict.fromkeys(
    ("rx_errors", "tx_errors", "rx_drops", "tx_drops", "fec_corrected", "fec_uncorrected"), 0
)


def whole() -> Fabric:
    """Return a quiet fabric of which every table is read."""
    fabric = Fabric()
    for name, snapshot in [*fabric.before.items()]:
        if snapshot.interfaces is None:
            continue
        ports = [*snapshot.interfaces]
        numbered = [(port, 3) for port in ports]
        fabric.both(
            name,
            interfaces=dict.fromkeys(ports, InterfaceState(up=True, counters=COUNTERS)),
            queues=dict.fromkeys(numbered, QueueCounters(5, 0)),
            priority_groups=dict.fromkeys(numbered, QueueCounters(None, 0, 0)),
            watchdog=dict.fromkeys(numbered, WatchdogState(True, 0)),
            bgp={"10.0.0.1": BgpPeer(established=True, state="Established", asn=65100)},
            temperatures={"ASIC": Sensor(40.0, 105.0)},
            facts=SystemFacts(name, uptime_s=1000.0),
        )
    return fabric


def without(**fields: Any) -> Callable[[Fabric], None]:
    """Return a change that replaces fields of both readings of the leaf."""

    def change(fabric: Fabric) -> None:
        for table in (fabric.before, fabric.after):
            table[LEAF] = replace(table[LEAF], **fields)

    return change


def at_port(field: str, key: object, value: object) -> Callable[[Fabric], None]:
    return lambda fabric: fabric.both(LEAF, **{field: {key: value}})


def lacks(*names: str) -> Callable[[Fabric], None]:
    left = {name: count for name, count in COUNTERS.items() if name not in names}
    return at_port("interfaces", PORT, InterfaceState(up=True, counters=left))


def unread(fabric: Fabric) -> None:
    del fabric.after[LEAF]


#: Name, what is missing, the verdict, words of the figure, and where.
CASES: list[tuple[str, Callable[[Fabric], None], str, str, str]] = [
    ("drops of a port", lacks("rx_drops", "tx_drops"), "OBS111", "discarded", f"{LEAF} {PORT}"),
    ("one way of them", lacks("tx_drops"), "OBS111", "discarded packets", f"{LEAF} {PORT}"),
    ("errors of a port", lacks("rx_errors", "tx_errors"), "OBS111", "errors", f"{LEAF} {PORT}"),
    (
        "a queue",
        at_port("queues", (PORT, 3), QueueCounters(None, None)),
        "OBS111",
        "drops of queues",
        f"{LEAF} {PORT}",
    ),
    (
        "a priority group",
        at_port("priority_groups", (PORT, 3), QueueCounters(None, None, 0)),
        "OBS111",
        "drops of priority groups",
        f"{LEAF} {PORT}",
    ),
    ("codewords that were lost", lacks("fec_uncorrected"), "OBS116", "not", f"{LEAF} {PORT}"),
    ("the watchdog", without(watchdog=None), "OBS113", "storms", LEAF),
    ("the queues", without(queues=None), "OBS111", "drops of queues", LEAF),
    ("the sessions", without(bgp=None), "OBS122", "BGP sessions", LEAF),
    ("the sensors", without(temperatures=None), "OBS123", "temperatures", LEAF),
    ("the uptime", without(facts=None), "OBS121", "uptime", LEAF),
    ("all of it", unread, "OBS110", "readings", LEAF),
    (
        "the lossless priority",
        at_port("pfc_counters", PORT, PfcCounters((*ZEROS[:3], None, *ZEROS[4:]), ZEROS)),
        "OBS106",
        "received pause frames",
        f"{LEAF} {PORT}",
    ),
]


@each(("name", "change", "rule", "figure", "place"), CASES)
def test_a_hole_is_named(name: str, change: Any, rule: str, figure: str, place: str) -> None:
    fabric = whole()
    change(fabric)
    holes = fabric.judged().unjudged[rule]
    assert any(figure in hole.figure and place in hole.places for hole in holes), (name, holes)


@each("rule", ("OBS101", "OBS106", "OBS110", "OBS111", "OBS121", "OBS122", "OBS123"))
def test_a_whole_reading_has_none(rule: str) -> None:
    gaps = [hole for hole in whole().judged().unjudged.get(rule, ()) if not hole.system]
    assert gaps == []


def test_what_a_system_never_reports_is_no_gap() -> None:
    holes = whole().judged().unjudged["OBS115"]
    assert [(hole.system, hole.places) for hole in holes] == [("sonic", ())]


def test_a_table_that_no_switch_of_a_system_has_is_said_once() -> None:
    fabric = whole()
    for name in [*fabric.before]:
        fabric.both(name, temperatures=None)
    holes = fabric.judged().unjudged["OBS123"]
    assert [*map(str, holes)].count("temperatures: not reported by sonic") == 1


def test_a_table_that_the_last_reading_has_not_is_a_gap() -> None:
    fabric = whole()
    for name in [*fabric.before]:
        fabric.change(name, temperatures=None)
    (hole,) = (one for one in fabric.judged().unjudged["OBS123"] if one.figure == "temperatures")
    assert LEAF in hole.places


def test_a_reset_of_one_port_names_the_port() -> None:
    fabric = whole()
    was = {**COUNTERS, "tx_drops": 500, "fec_corrected": 900}
    fabric.counters(LEAF, PORT, first=True, **was)
    fabric.counters(LEAF, PORT, **COUNTERS)
    holes = fabric.judged().unjudged["OBS111"]
    assert any(f"{LEAF} {PORT}" in hole.places for hole in holes)


def test_pauses_that_nobody_hears_are_a_bound() -> None:
    """A NIC that counts no pause counts no time either."""
    fabric = whole()
    frames = tuple(100_000 if number == 3 else 0 for number in range(8))
    fabric.change(LEAF, pfc_counters={PORT: PfcCounters(ZEROS, frames)})
    (cause,) = [one for one in fabric.causes() if one.rule == "OBS106"]
    assert "at most" in cause.message
    assert HOST in cause.message
    assert SPINE not in cause.message
