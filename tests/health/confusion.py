"""What the verdicts say of planted incidents: found, told below another cause, missed, blamed."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from tests.health.planted import ENDS, INCIDENTS
from tests.health.windows import Fabric

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.health.judge import Judgement
    from tests.health.planted import Place

    #: Incidents by name, and the number that says where each happens.
    Case = tuple[tuple[str, int], ...]

#: What may become of a planted cause; the last must not happen.
FATES = ("found", "explained by another", "not judged", "missed")
#: Incidents that are not judged together: they say the opposite of each other, or hide each other.
_OPPOSITE = (
    {"CNPs of a rail are lost", "a NIC ignores CNPs"},
    {"a leaf pauses its spines without marks", "a NIC sends no CNP"},
    {"a leaf pauses its spines without marks", "a leaf pauses its spines beside marks"},
    {"CNPs of a rail are lost", "a NIC sends no CNP"},
    # The leaf has two uplinks.
    {"one uplink carries all", "an uplink is down"},
    {"one uplink carries all", "a spine is cut off"},
    {"leaves and spines wait for each other", "a leaf restarts"},
    {"leaves and spines wait for each other", "a spine restarts"},
    {"leaves and spines wait for each other", "a spine is silent"},
)
#: Verdicts that other causes explain, or that concern many cables.
_WIDE = {"OBS102", "OBS109", "OBS112", "OBS119"}


def planted(case: Case) -> tuple[list[Place], Judgement, Fabric]:
    """Return what was planted in one fabric, and what is said of it."""
    fabric = Fabric()
    places = [INCIDENTS[name](fabric, number) for name, number in case]
    return places, fabric.judged(), fabric


def fate(cause: Place, judgement: Judgement, fabric: Fabric) -> str:
    """Return what became of a planted cause."""
    rule, device, port = cause
    if any((told.rule, told.device) == (rule, device) for told in judgement.causes):
        return "found"
    lines = [line for told in judgement.causes for line in told.evidence]
    mine = [line for line in lines if line.startswith(f"{device} ") or f"{device}:" in line]
    if any(line.endswith((f"[{rule}]", "% of the time")) for line in mine):
        return "explained by another"
    devices, rows = judgement.concluded[rule]
    number = ENDS.number[device]
    row = ENDS.rows[number].get(port)
    is_judged = devices[number] if row is None else rows[row]
    # OBS121 says of a device that restarted that its counters have no rates.
    is_judged &= not fabric.window().restarted[number]
    return "missed" if is_judged else "not judged"


def blamed(places: Iterable[Place], judgement: Judgement) -> Iterator[Place]:
    """Yield the causes on devices on which nothing was planted."""
    guilty = {device for _, device, _ in places}
    for cause in judgement.causes:
        if cause.severity > Severity.INFO and cause.device not in guilty:
            yield cause.rule, cause.device, cause.port


def is_possible(case: Case) -> bool:
    """Tell whether incidents can be planted together; a host that is off has no other fault."""
    names = {name for name, _ in case}
    places = [INCIDENTS[name](Fabric(), number) for name, number in case]
    if len({place[1:] for place in places}) < len(case) or len(names) < len(case):
        return False
    off = set().union(*map(_of_host, places))
    others = [place for place in places if not _of_host(place)]
    hit = {ENDS.names[ENDS.device[row]] for row in off if ENDS.is_nic[row]}
    apart = all(_row(place) not in off and place[1] not in hit for place in others)
    return apart and not any(names >= pair for pair in _OPPOSITE)


def _of_host(place: Place) -> frozenset[int]:
    """Return both ends of the cables of a host that is off; none for another cause."""
    rule, device, _ = place
    rows = ENDS.of_device[ENDS.number[device]]
    is_off = rule == "OBS114" and ENDS.is_nic[rows].all()
    return frozenset([*rows.tolist(), *ENDS.far[rows].tolist()]) if is_off else frozenset()


def _row(place: Place) -> int:
    return ENDS.rows[ENDS.number[place[1]]].get(place[2], -1)


def are_apart(case: Case) -> bool:
    """Tell whether no incident of a case can hide, or explain, another one.

    They are on other cables; one that concerns all cables of a device is alone on it and beside it;
    losses of NICs follow from others.
    """
    places = [INCIDENTS[name](Fabric(), number) for name, number in case]
    cables = [_cables(place) for place in places]
    sole = all(first.isdisjoint(second) for first, second in itertools.combinations(cables, 2))
    return sole and not {rule for rule, _, _ in places} & _WIDE


def _cables(place: Place) -> set[int]:
    """Return the cables that an incident is about: of its port, or of its device."""
    _, device, port = place
    rows = ENDS.rows[ENDS.number[device]]
    mine = [rows[port]] if port in rows else [*rows.values()]
    return {min(row, int(ENDS.far[row])) for row in mine}


def cases() -> Iterator[Case]:
    """Yield every incident alone, and every pair on one host or on one leaf."""
    for name in INCIDENTS:
        yield ((name, 0),)
    for turn, (first, second) in enumerate(itertools.combinations(INCIDENTS, 2)):
        case = ((first, 0), (second, 1 + turn % 2))
        if is_possible(case):
            yield case


def table() -> str:
    """Return the fates of all planted causes by rule, and how often a rule blamed an innocent."""
    rows: dict[str, Counter[str]] = {}
    count = 0
    for case in cases():
        places, judgement, fabric = planted(case)
        count += 1
        for cause in places:
            rows.setdefault(cause[0], Counter())[fate(cause, judgement, fabric)] += 1
        for rule, _, _ in blamed(places, judgement):
            rows.setdefault(rule, Counter())["blamed"] += 1
    total: Counter[str] = sum(rows.values(), Counter())
    names = (*FATES, "blamed")
    lines = [f"| {rule} | {_cells(rows[rule], names)} |" for rule in sorted(rows)]
    return "\n".join([
        f"{len(INCIDENTS)} incidents, alone and in pairs: {count:,} windows.",
        "",
        f"| verdict | planted | {' | '.join(FATES)} | innocent blamed |",
        "|---|---|---|---|---|---|---|",
        *lines,
        f"| all | {_cells(total, names)} |",
    ])


def _cells(row: Counter[str], names: tuple[str, ...]) -> str:
    whole = sum(row[name] for name in FATES)
    return " | ".join(f"{number:,}" for number in (whole, *(row[name] for name in names)))
