"""Puts symptoms to the causes that explain them."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.health.cause import ends_at

if TYPE_CHECKING:
    from fabric.health.cause import Cause

#: Packets that come out of sequence for each that is lost: those that are under way behind it, and
#: are sent again. 400 Gb/s carry 1 MB in a round trip of 20 us, about 1,000 packets of 1 KB (Guo et
#: al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.1: go-back-N).
AMPLIFIED = 1000.0


def folded(causes: list[Cause]) -> list[Cause]:
    """Return the causes with their symptoms in them.

    Parameters
    ----------
    causes : list of Cause
        In the order in which a cause is looked for: the first that explains a symptom takes it.
    """
    roots = _Roots()
    for cause in causes:
        place = roots.loser(cause) if cause.missed else roots.explaining(cause)
        roots.put(cause, place)
    return roots.causes


class _Roots:
    """The causes that no other explains, with an index of the signs and the ends they are about."""

    def __init__(self) -> None:
        self.causes: list[Cause] = []
        self._explaining: dict[int, list[int]] = defaultdict(list)
        self._at_end: dict[int, set[int]] = defaultdict(set)
        self._most: int | None = None
        self._uncounted: int | None = None

    def put(self, cause: Cause, place: int | None) -> None:
        """Add a cause, or put it to the one at a place, which explains it."""
        if place is None:
            place, fresh = len(self.causes), cause.explains
            self.causes.append(cause)
            self._count(place, cause.lost)
        else:
            fresh = cause.explains - self.causes[place].explains
            self.causes[place] = _with(self.causes[place], cause)
            cause = self.causes[place]
        for sign in fresh:
            self._explaining[sign].append(place)
        for end in ends_at(cause.about | fresh):
            self._at_end[end].add(place)

    def _count(self, place: int, lost: float) -> None:
        if not math.isfinite(lost):
            self._uncounted = place if self._uncounted is None else self._uncounted
        elif self._most is None or lost > self.causes[self._most].lost:
            self._most = place

    def explaining(self, cause: Cause) -> int | None:
        """Return the first cause that explains all of another one."""
        by_sign = [self._explaining.get(sign, ()) for sign in cause.about]
        places = min(by_sign, key=len, default=())
        return min((n for n in places if cause.about <= self.causes[n].explains), default=None)

    def loser(self, cause: Cause) -> int | None:
        """Return the cause that lost what a NIC misses.

        One on its cable comes first, then those that count enough, the most first, then those of
        which nobody counts what they lost.
        """
        near = {n for end in ends_at(cause.about) for n in self._at_end.get(end, ())}
        far = [n for n in (self._most, self._uncounted) if n is not None]
        for places in (sorted(near), far):
            enough = [n for n in places if self.causes[n].lost * AMPLIFIED >= cause.missed]
            if enough:
                return max(enough, key=self._counted)
        return None

    def _counted(self, place: int) -> tuple[bool, float]:
        lost = self.causes[place].lost
        return math.isfinite(lost), lost


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
