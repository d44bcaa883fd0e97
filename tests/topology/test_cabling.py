"""Cables: verdicts by hand, every injected fault named and none invented, repairs that repair."""

from __future__ import annotations

import random
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.intent.inventory import load
from fabric.topology.cable_moves import Work, repair
from fabric.topology.cabling import CableVerdict, Judged, Planned, Told, judge, planned_cables
from fabric.workflow.init import example
from fabric.workflow.project import Project
from tests.cases import each
from tests.topology.fabrics import HEADER, csv, document, refused

A, B, C, D = ("host1", "eth1"), ("leaf1", "p1"), ("host2", "eth1"), ("leaf1", "p2")
E = ("leaf2", "p1")
TWO = (Planned(A, B, 0), Planned(C, D, 0))


def seen(*pairs, silent=()):
    """Return what both ends of these cables tell, and ports that have no link."""
    results = {end: Told((other,), up=True) for pair in pairs for end, other in (pair, pair[::-1])}
    return results | {end: Told((), up=False) for end in silent}


def only(reported, *devices):
    """Return what these devices tell."""
    return {end: what for end, what in reported.items() if end[0] in devices}


CASES = {
    "as planned": (TWO, seen((A, B), (C, D)), ["ok", "ok"]),
    "told by one end": (TWO, only(seen((A, B), (C, D)), "leaf1"), ["ok", "ok"]),
    "nobody was read": (TWO, {}, ["unknown", "unknown"]),
    "no neighbour at the only end that was read": (
        TWO,
        {B: Told((), up=True), **seen((C, D))},
        ["unknown", "ok"],
    ),
    "no link at the only end that was read": (
        TWO,
        {B: Told((), up=False), **seen((C, D))},
        ["missing", "ok"],
    ),
    "nothing is known of the link at the only end that was read": (
        TWO,
        {B: Told((), up=None), **seen((C, D))},
        ["unknown", "ok"],
    ),
    "right switch, and its port has the cable of another host": (
        TWO,
        seen((A, ("leaf1", "p9")), (("host9", "eth1"), B), (C, D)),
        ["wrong neighbour", "ok"],
    ),
    "no neighbour at both ends": (
        TWO,
        {A: Told((), up=True), B: Told((), up=True), **seen((C, D))},
        ["unknown", "ok"],
    ),
    "nothing is known of both ends": (
        TWO,
        seen((C, D)) | {A: Told(), B: Told()},
        ["unknown", "ok"],
    ),
    "no link at an end, and no neighbour": (
        TWO,
        {A: Told((), up=True), B: Told((), up=False), **seen((C, D))},
        ["missing", "ok"],
    ),
    "an end is shut down": (
        TWO,
        {A: Told((), up=False), B: Told((), up=False, shut=True), **seen((C, D))},
        ["shut down", "ok"],
    ),
    "an end is shut down, and LLDP remembers": (
        TWO,
        {A: Told((B,), up=False), B: Told((), up=False, shut=True), **seen((C, D))},
        ["ok", "ok"],
    ),
    "swapped": (TWO, seen((A, D), (C, B)), ["swapped pair", "swapped pair"]),
    "swapped, told by the leaf": (
        TWO,
        only(seen((A, D), (C, B)), "leaf1"),
        ["swapped pair", "swapped pair"],
    ),
    "crossed": (
        (Planned(A, B, 0), Planned(("host1", "eth2"), E, 1)),
        seen((A, E), (("host1", "eth2"), B)),
        ["crossed rail", "crossed rail"],
    ),
    "wrong port": (TWO, seen((A, ("leaf1", "p9")), (C, D), silent=[B]), ["wrong port", "ok"]),
    "wrong neighbour": (TWO, seen((A, E), (C, D), silent=[B]), ["wrong neighbour", "ok"]),
    "several neighbours": (
        TWO,
        seen((C, D)) | {A: Told((("bmc", "x"), B)), B: Told((A,))},
        ["ok", "ok"],
    ),
    "the port of the neighbour is not told": (
        TWO,
        seen((C, D)) | {B: Told((("host1", ""),))},
        ["ok", "ok"],
    ),
    "the ends contradict each other": (
        TWO,
        seen((C, D)) | {A: Told((B,)), B: Told((E,))},
        ["unknown", "ok"],
    ),
    "nobody planned it": (
        TWO,
        seen((A, B), (C, D), (("host9", "x"), ("leaf1", "p9"))),
        ["ok", "ok", "unexpected"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_verdicts(case):
    planned, reported, expected = CASES[case]
    assert [str(item.verdict) for item in judge(planned, reported)] == expected


def test_a_swap_names_its_partner():
    first, second = judge(TWO, seen((A, D), (C, B)))
    assert (first.partner, second.partner) == ((C, D), (A, B))
    assert (first.seen_near, first.seen_far) == (D, C)


def test_a_swap_costs_two_moves():
    moves = repair(judge(TWO, seen((A, D), (C, B))))
    assert moves == [
        Work(A, D, None, aside=True),
        Work(C, B, D),
        Work(A, D, B, aside=True),
    ] or moves == [
        Work(C, B, None, aside=True),
        Work(A, D, B),
        Work(C, B, D, aside=True),
    ]  # fmt: skip


@pytest.mark.parametrize("turn", [1, -1])
def test_three_cables_in_a_circle_cost_three_moves(turn):
    f, g = ("host3", "eth1"), ("leaf1", "p3")
    planned = (*TWO, Planned(f, g, 0))[::turn]
    for actual in ([(A, D), (C, g), (f, B)], [(A, g), (C, B), (f, D)]):
        judged = judge(planned, seen(*actual))
        assert {str(item.verdict) for item in judged} == {"wrong neighbour"}
        assert all(item.partner is None for item in judged)
        assert plugs(repair(judged)) == 3


def test_a_cable_that_nobody_planned_becomes_one_that_is_missing():
    judged = judge(TWO, seen((A, B), (("x", "1"), ("y", "1")), silent=[C, D]))
    assert repair(judged) == [Work(None, ("x", "1"), C), Work(None, ("y", "1"), D)]


def plugs(moves: list[Work]) -> int:
    """Return how many plugs are handled; one that is held between two steps counts once."""
    return sum(not (move.aside and move.to_end is None) for move in moves)


def fewest(planned: list[tuple], actual: list[tuple]) -> int:
    """Return the fewest plugs of all ways to make the planned cables of those that are there."""
    short, long = sorted((planned, actual), key=len)
    best = min(
        sum(2 - len({*one} & {*other}) for one, other in zip(short, chosen, strict=True))
        for chosen in permutations(long, len(short))
    )
    return best + 2 * (len(long) - len(short))


@each("seed", range(300))
def test_no_way_handles_fewer_plugs_and_no_plug_goes_to_a_taken_port(seed):
    """Scrambled plugs, cables that are missing and others that nobody planned."""
    chance = random.Random(seed)
    count = chance.randint(2, 5)
    planned = [Planned((f"h{n}", "e"), ("leaf", f"p{n}"), 0) for n in range(count)]
    far = [cable.far for cable in planned]
    chance.shuffle(far)
    actual = list(zip((cable.near for cable in planned), far, strict=True))
    del actual[: chance.randint(0, 2)]
    actual += [((f"x{n}", "1"), (f"y{n}", "1")) for n in range(chance.randint(0, 2))]
    if chance.random() < 0.5 and actual:
        actual[-1] = (actual[-1][0], ("leaf", "p9"))
    ends = {end for cable in planned for end in (cable.near, cable.far)}
    free = ends - {end for pair in actual for end in pair}
    moves = repair(judge(planned, seen(*actual, silent=free)))
    after = done([frozenset(pair) for pair in actual], moves)
    assert after == {frozenset((cable.near, cable.far)) for cable in planned}
    pairs = [(cable.near, cable.far) for cable in planned]
    assert plugs(moves) == fewest(pairs, actual)


def test_of_several_neighbours_the_one_with_a_port_is_shown():
    (first, _) = judge(TWO, {A: Told((("aa", ""), E, ("bb", "")))})
    assert first.seen_near == E


def test_cables_that_are_missing_come_and_those_that_nobody_planned_go():
    other = (("x", "1"), ("y", "1")), (("x", "2"), ("y", "2"))
    judged = judge(TWO, seen((A, B), *other, silent=[C, D]))
    assert len(repair(judged)) == 4
    assert repair(judge(TWO, seen((A, B), silent=[C, D]))) == [
        Work(None, None, C),
        Work(None, None, D),
    ]
    assert repair(judge(TWO, seen((A, B), (C, D), other[0]))) == [
        Work(None, ("x", "1"), None),
        Work(None, ("y", "1"), None),
    ]


def test_what_is_unknown_is_left_alone():
    assert repair(judge(TWO, {})) == []


@cache
def cables():
    return tuple(planned_cables(Project(example("rail-512")).fabric))


def test_the_example_has_its_cables():
    assert len(cables()) == 512 + 16 * 8 * 4
    assert len({end for cable in cables() for end in (cable.near, cable.far)}) == 2 * len(cables())


class Injected:
    """A fabric with swapped and lost cables, and devices that cannot be read."""

    def __init__(self, seed):
        chance = random.Random(seed)
        chosen = chance.sample(cables(), 2 * chance.randint(0, 12) + chance.randint(0, 8))
        pairs = chance.randint(0, len(chosen) // 2)
        self.swapped = {}
        self.actual = {cable.near: cable.far for cable in cables()}
        for one, other in zip(chosen[:pairs], chosen[pairs : 2 * pairs], strict=True):
            self.actual[one.near], self.actual[other.near] = other.far, one.far
            self.swapped |= {one: other, other: one}
        self.lost = set(chosen[2 * pairs :])
        for cable in self.lost:
            del self.actual[cable.near]
        devices = sorted({end[0] for cable in cables() for end in (cable.near, cable.far)})
        self.unread = set(chance.sample(devices, chance.randint(0, 12)))
        reported = seen(
            *self.actual.items(), silent=[e for c in self.lost for e in (c.near, c.far)]
        )
        self.told = {end: what for end, what in reported.items() if end[0] not in self.unread}

    def is_told(self, *ends):
        return any(end[0] not in self.unread for end in ends)


def expected(built: Injected, cable: Planned) -> set[CableVerdict]:
    """Return the verdicts that are right for a cable."""
    if cable in built.lost:
        reported = built.is_told(cable.near, cable.far)
        return {CableVerdict.MISSING} if reported else {CableVerdict.UNKNOWN}
    other = built.swapped.get(cable)
    if other is None:
        reported = built.is_told(cable.near, cable.far)
        return {CableVerdict.OK} if reported else {CableVerdict.UNKNOWN}
    tellers = [built.is_told(cable.near, other.far), built.is_told(other.near, cable.far)]
    if all(tellers):
        crossed = cable.rail is not None and cable.rail != other.rail
        return {CableVerdict.CROSSED_RAIL if crossed else CableVerdict.SWAPPED}
    wrong = {CableVerdict.WRONG_NEIGHBOUR, CableVerdict.WRONG_PORT}
    return wrong if any(tellers) else {CableVerdict.UNKNOWN}


@each("seed", range(200))
def test_every_fault_is_named_and_none_invented(seed):
    built = Injected(seed)
    judged = judge(cables(), built.told)
    assert len(judged) == len(cables())
    for cable, item in zip(cables(), judged, strict=True):
        assert item.verdict in expected(built, cable)
        if item.partner is not None:
            other = built.swapped[cable]
            assert item.partner == (other.near, other.far)


@each("seed", range(40))
def test_the_work_order_leads_to_what_is_planned(seed):
    built = Injected(seed)
    far = seen(*built.actual.items(), silent=[e for c in built.lost for e in (c.near, c.far)])
    moves = repair(judge(cables(), far))
    after = done([frozenset(pair) for pair in built.actual.items()], moves)
    assert after == {frozenset((cable.near, cable.far)) for cable in cables()}
    assert plugs(moves) == len(built.swapped) + 2 * len(built.lost)


def done(cables: list[frozenset], moves: list[Work]) -> set[frozenset]:
    """Return the cables after the steps were done one by one; no plug goes to a taken port."""
    cable_at = {end: number for number, cable in enumerate(cables) for end in cable}
    held, new = {}, []
    for move in moves:
        if move.from_end is None:
            new.append(move.to_end)
            cable = len(cables) + (len(new) - 1) // 2
        elif move.from_end in held:
            cable = held.pop(move.from_end)
        else:
            cable = cable_at.pop(move.from_end)
        if move.to_end is None and move.aside:
            held[move.from_end] = cable
        elif move.to_end is not None:
            assert move.to_end not in cable_at, f"{move.to_end} is taken"
            cable_at[move.to_end] = cable
    assert not held
    ends: dict[int, set] = {}
    for end, number in cable_at.items():
        ends.setdefault(number, set()).add(end)
    return {frozenset(cable) for cable in ends.values()}


def test_nothing_is_planned_twice_and_nothing_crashes_on_strange_tales():
    judged = judge(TWO, {A: Told((A,)), B: Told((("", ""),)), ("z", "z"): Told((("q", ""),))})
    assert all(isinstance(item, Judged) for item in judged)
    repair(judged)


BAD_CSV: dict[str, tuple[str | bytes, list[str]]] = {
    "empty": ("", ["inventory/cabling.csv:1:1: the file is empty; add the header line device"]),
    "comments only": ("# nothing\n", ["cabling.csv:1:1: the file is empty"]),
    "no header": (
        "a1,eth1,su1-rail0,Ethernet0\n",
        ["cabling.csv:1:1: the header is missing: this line has none of the columns device, port,"],
    ),
    "semicolons": (
        "# from a spreadsheet\ndevice;port;peer_device;peer_port\na1;eth1;su1-rail0;Ethernet0\n",
        ["cabling.csv:2:1: the cells are separated by semicolons, not by commas; save the file"],
    ),
    "tabs": (csv(header=HEADER.replace(",", "\t")), ["1:1: the cells are separated by tabs"]),
    "misspelt column": (
        csv(header="device,port,peer_device,peer_prt"),
        ["1:25: unknown column 'peer_prt'; did you mean 'peer_port'?", "peer_port is missing"],
    ),
    "column twice": (csv(header=f"{HEADER},port"), ["1:35: the column port appears twice"]),
    "too few cells": (csv("a1,eth1,su1-rail0"), ["2:1: 3 cells, the header has 4"]),
    "empty cell": (csv("a1,,su1-rail0,Ethernet0"), ["2:4: port is empty; set both ends"]),
    "open quote": (csv('a1,"eth1,su1-rail0,Ethernet0'), ["2:4: a quote is not closed; close it"]),
    "text after a quote": (csv('"a1"x,eth1,su1-rail0,Ethernet0'), ["2:1: not CSV"]),
    "speed": (
        csv("a1,eth1,su1-rail0,Ethernet0,7", header=f"{HEADER},speed_gbps"),
        ["2:29: '7' is not a port speed; use 10, 25"],
    ),
    "length": (
        csv("a1,eth1,su1-rail0,Ethernet0,-3", header=f"{HEADER},cable_m"),
        ["2:29: '-3' is not a length; use whole metres"],
    ),
    "length with its unit": (
        csv("a1,eth1,su1-rail0,Ethernet0,150 m", header=f"{HEADER},cable_m"),
        ["2:29: '150 m' is not a length; use 150: the field is in metres, without a unit"],
    ),
    "length that is too much with its unit": (
        csv("a1,eth1,su1-rail0,Ethernet0,150 km", header=f"{HEADER},cable_m"),
        ["2:29: '150 km' is not a length; use whole metres"],
    ),
    "speed with its unit": (
        csv("a1,eth1,su1-rail0,Ethernet0,400G", header=f"{HEADER},speed_gbps"),
        ["2:29: '400G' is not a port speed; use 400: the field is in Gb/s, without a unit"],
    ),
    "not UTF-8": (csv("a1,eth1,abc").encode() + b"\xe9", ["3:1: not UTF-8 text; save the file"]),
    "control character": (
        csv("a1,eth1\x07,su1-rail0,Ethernet0"),
        ["2:8: the file contains the char"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), BAD_CSV.values(), ids=BAD_CSV)
def test_bad_csv(text: str | bytes, expected: list[str]) -> None:
    result = refused(text)
    assert len(result) >= len(expected), result
    for target in expected:
        assert any(target in line for line in result), result


def test_a_file_without_a_header_is_one_error() -> None:
    """Whatever the number of cells and rows."""
    [line] = refused("a1,eth1,su1-rail0,Ethernet0,,5\na2,eth1,su1-rail0,Ethernet8,,5\n")
    assert line.endswith("add the header line device,port,peer_device,peer_port above it [INT030]")


def test_two_files(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(document()), encoding="utf-8")
    for name in ("cabling.csv", "cabling.dot"):
        (tmp_path / name).write_text("", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        load(tmp_path, "inventory")
    [result] = raised.value.findings
    assert "cabling.csv also exists; remove one of them [INT031]" in str(result)


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of rows; that of bytes is met before the file is read as a table."""
    monkeypatch.setattr("fabric.intent.cabling.MAX_ROWS", 3)
    assert "more than 3 cables" in refused(csv(*["a1,eth1,su1-rail0,Ethernet0"] * 9))[0]


def test_too_large(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(document()), encoding="utf-8")
    with (tmp_path / "cabling.csv").open("wb") as stream:
        stream.truncate(10**9)
    with pytest.raises(InputError) as raised:
        load(tmp_path, "inventory")
    assert "the file is larger than 64 MiB" in str(raised.value.findings[0])


SWITCH_PORT = '"su1-rail0":"Ethernet0"'
NOT_ONE = "2:1: not a cable between two ports"
BAD_DOT = {
    "no graph": (f'"a1":"eth1" -- {SWITCH_PORT};', "1:1: no graph"),
    "direction": (f'graph f {{\n"a1":"eth1" -> {SWITCH_PORT};\n}}', "2:13: cables have no dir"),
    "no port": (f'graph f {{\n"a1" -- {SWITCH_PORT};\n}}', NOT_ONE),
    "chain": (f'graph f {{\n"a1":"eth1" -- {SWITCH_PORT} -- "d":"e";\n}}', NOT_ONE),
    "attributes alone": ("graph f {\n[color=red];\n}", "2:1: unexpected '['; remove it"),
    "one end": (f"graph f {{\n{SWITCH_PORT} --;\n}}", NOT_ONE),
    "open quote": ('graph f {\n"a1":"eth1 -- b:c;\n}', "2:6: unexpected '\"'"),
    "speed": ("graph f {\na1:eth1 -- b:c [speed_gbps=7];\n}", "2:28: '7' is not a port speed"),
}


@pytest.mark.parametrize(("text", "expected"), BAD_DOT.values(), ids=BAD_DOT)
def test_bad_dot(text: str, expected: str) -> None:
    result = refused(text, "cabling.dot")
    assert any(f"inventory/cabling.dot:{expected}" in line for line in result), result
