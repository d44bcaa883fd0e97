"""Ranges of releases, and whether a release lies in one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from fabric.platforms.data_file import DataModel
from fabric.platforms.releases import RELEASE_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable

_PART = re.compile(r"([A-Za-z]*)(\d*)([a-z]*)")
#: Kinds of a release that say nothing of its order: EOS ``4.32.2F``, NX-OS ``10.4(3)F``.
_KIND = re.compile(r"[A-Z]\d?")
Order = tuple[tuple[str, int, str], ...]


class Releases(DataModel):
    """A range of releases with a defect.

    Parameters
    ----------
    first : str
        The first one; empty for all older ones.
    last : str
        The last one in which somebody saw it, where nobody says which release mends it.
    fixed : str
        The one without it.
    """

    first: str = Field("", max_length=40)
    last: str = Field("", max_length=40)
    fixed: str = Field("", max_length=40)

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if not (self.first or self.last or self.fixed):
            raise ValueError("set first, last or fixed; leave the table out for all releases")
        if self.last and self.fixed:
            raise ValueError("set either last or fixed")
        return self

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """Field and text of the releases that are named."""
        fields = ("first", "last", "fixed")
        return tuple((name, text) for name in fields if (text := getattr(self, name)))

    @property
    def words(self) -> str:
        """The range in a few words."""
        if self.first == self.last:
            return self.first
        end = f"before {self.fixed}" if self.fixed else f"up to {self.last}" if self.last else ""
        return " ".join(part for part in (f"from {self.first}" if self.first else "", end) if part)


def order_of(system: str, text: str) -> Order | None:
    """Return what releases of a system are compared by; None for a text of another form."""
    key = RELEASE_KEYS.get(system)
    parts = key(text) if key else None
    if not parts:
        return None
    if system in ("eos", "nxos") and _KIND.fullmatch(parts[-1]):
        parts = parts[:-1]
    found = (_PART.fullmatch(part) for part in parts)
    # letters of a whole part, such as "master", are above all numbers
    return tuple((m[1], int(m[2] or 0), m[3]) for m in found if m)


def _is_before(one: Order, other: Order) -> bool | None:
    """Tell whether a release is before another; None where it is only known to be of its train.

    The first release of a train, such as 5.14.0 of 5.14, begins with it.
    """
    if len(one) < len(other) and other[: len(one)] == one:
        return None if any(part[1] for part in other[len(one) :]) else False
    return one[: len(other)] < other


def is_affected(system: str, release: str | None, ranges: Iterable[Releases]) -> bool | None:
    """Tell whether a release lies in one of the ranges; None where that is not known.

    Parameters
    ----------
    release : str or None
        None where nobody says it.
    ranges : iterable of Releases
        Without any, all releases are affected.
    """
    spans = list(ranges)
    if not spans:
        return True
    order = order_of(system, release) if release else None
    if order is None:
        return None
    answers = [_is_in(system, order, span) for span in spans]
    return True if True in answers else (None if None in answers else False)


def _is_in(system: str, order: Order, span: Releases) -> bool | None:
    first, last, fixed = (order_of(system, text) for text in (span.first, span.last, span.fixed))
    early = first is not None and _is_before(order, first)
    before = fixed is None or _is_before(order, fixed)
    late = last is not None and order[: len(last)] > last
    if early is True or late or before is False:
        return False
    return None if early is None or before is None else True


def is_empty(system: str, span: Releases) -> bool:
    """Tell whether no release of a system lies in a range."""
    first = order_of(system, span.first)
    return first is not None and _is_in(system, first, span) is False
