"""What a verdict says of one cause, and the signs that tie causes and symptoms together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.core.findings import Severity
    from fabric.topology.model import Ints


#: What is wrong at an end of a cable: it pauses its other end, discards packets, gets damaged ones,
#: misses some, carries too much or too little, has a dead queue or packets in one that nothing has,
#: or is down.
KINDS = ("pause", "drop", "error", "loss", "load", "queue", "stray", "down")

#: Packets that come out of sequence for each that is lost: those that are under way behind it, and
#: are sent again. 400 Gb/s carry 1 MB in a round trip of 20 us, about 1,000 packets of 1 KB (Guo et
#: al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.1: go-back-N).
AMPLIFIED = 1000.0


def signs_at(rows: Ints, *kinds: str) -> frozenset[int]:
    """Return signs of some kinds at some ends: causes explain signs, symptoms are about some."""
    return frozenset(
        number for kind in kinds for number in (rows * len(KINDS) + KINDS.index(kind)).tolist()
    )


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong.

    Parameters
    ----------
    message, fix : str
        What is wrong, and what to do.
    about : frozenset of int
        What it is itself; where another cause explains all of it, it is a symptom of that one.
    explains : frozenset of int
        What follows from it.
    lost : float
        Packets that it lost, which NICs may miss; infinite where nobody counts them.
    missed : float
        Packets that a NIC misses: it is a symptom of what lost enough.
    evidence : tuple of str
        What shows it, a line each; symptoms are added.
    symptoms : int
        How many other signs it explains.
    hosts : tuple of str
        Hosts that it slows down or stops.
    rails : tuple of int
        Rails of their NICs.
    jobs : tuple of str
        Jobs on these hosts.
    """

    rule: str
    severity: Severity
    message: str
    fix: str
    device: str
    port: str = ""
    about: frozenset[int] = frozenset()
    explains: frozenset[int] = frozenset()
    lost: float = 0.0
    missed: float = 0.0
    evidence: tuple[str, ...] = ()
    symptoms: int = 0
    hosts: tuple[str, ...] = ()
    rails: tuple[int, ...] = ()
    jobs: tuple[str, ...] = field(default=())

    @property
    def title(self) -> str:
        """Its place and message as a line of evidence of another cause."""
        place = " ".join(part for part in (self.device, self.port) if part)
        return f"{place}: {self.message} [{self.rule}]"


def folded(causes: list[Cause]) -> list[Cause]:
    """Return the causes with their symptoms in them.

    Parameters
    ----------
    causes : list of Cause
        In the order in which a cause is looked for: the first that explains a symptom takes it.
    """
    kept: list[Cause] = []
    for cause in causes:
        place = _loser(kept, cause) if cause.missed else _explaining(kept, cause)
        if place is None:
            kept.append(cause)
        else:
            kept[place] = _with(kept[place], cause)
    return kept


def _explaining(kept: list[Cause], cause: Cause) -> int | None:
    """Return the first cause that explains all of another one."""
    places = enumerate(kept)
    return next((n for n, one in places if cause.about and cause.about <= one.explains), None)


def _loser(kept: list[Cause], cause: Cause) -> int | None:
    """Return the cause that lost what a NIC misses.

    One on its cable comes first, then those that count enough, the most first, then those of which
    nobody counts what they lost.
    """
    rows = _rows(cause.about)
    enough = [n for n, one in enumerate(kept) if one.lost * AMPLIFIED >= cause.missed]

    def nearness(number: int) -> tuple[bool, bool, float]:
        one = kept[number]
        is_near = bool(_rows(one.about | one.explains) & rows)
        return is_near, math.isfinite(one.lost), one.lost

    return max(enough, key=nearness, default=None)


def _rows(signs: frozenset[int]) -> set[int]:
    """Return the ends that signs are at."""
    return {sign // len(KINDS) for sign in signs}


def rows_of(causes: list[Cause]) -> set[int]:
    """Return the ends that causes are about."""
    return set().union(*(_rows(cause.about) for cause in causes))


def together(whole: Cause, parts: list[Cause]) -> Cause:
    """Return a cause with what its parts explain."""
    return replace(
        whole,
        evidence=tuple(line for one in parts for line in one.evidence),
        symptoms=sum(one.symptoms for one in parts),
        hosts=tuple(sorted({*whole.hosts, *(host for one in parts for host in one.hosts)})),
        rails=tuple(sorted({*whole.rails, *(rail for one in parts for rail in one.rails)})),
    )


def _with(cause: Cause, symptom: Cause) -> Cause:
    """Return a cause that also explains what a symptom would have explained."""
    return replace(
        cause,
        explains=cause.explains | symptom.explains,
        evidence=(*cause.evidence, symptom.title),
        symptoms=cause.symptoms + 1 + symptom.symptoms,
        hosts=tuple(sorted({*cause.hosts, *symptom.hosts})),
        rails=tuple(sorted({*cause.rails, *symptom.rails})),
    )
