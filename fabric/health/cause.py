"""What a verdict says of one cause, and the signs that tie causes and symptoms together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.core.findings import Severity
    from fabric.topology.model import Ints


#: What is wrong at an end of a cable: it pauses its other end, discards packets, gets damaged ones,
#: misses some, carries too much or too little, has a dead queue or packets in one that nothing has,
#: or is down.
KINDS = ("pause", "drop", "error", "loss", "load", "queue", "stray", "down")


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


def ends_at(signs: frozenset[int]) -> set[int]:
    """Return the ends that signs are at."""
    return {sign // len(KINDS) for sign in signs}


def rows_of(causes: list[Cause]) -> set[int]:
    """Return the ends that causes are about."""
    return set().union(*(ends_at(cause.about) for cause in causes))


def together(whole: Cause, parts: list[Cause]) -> Cause:
    """Return a cause with what its parts explain."""
    return replace(
        whole,
        evidence=tuple(line for one in parts for line in one.evidence),
        symptoms=sum(one.symptoms for one in parts),
        hosts=tuple(sorted({*whole.hosts, *(host for one in parts for host in one.hosts)})),
        rails=tuple(sorted({*whole.rails, *(rail for one in parts for rail in one.rails)})),
    )
