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
        place = next(
            (n for n, one in enumerate(kept) if cause.about and cause.about <= one.explains), None
        )
        if place is None:
            kept.append(cause)
        else:
            kept[place] = _with(kept[place], cause)
    return kept


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
