"""A condition as its user writes it: in a file of the state, and over HTTP."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.intent.scalars import formed
from fabric.placement.engine.state import Health, of_degraded, with_usual_share
from fabric.placement.job import MAX_NAMES, range_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_Condition = TypeVar("_Condition")
#: A name of printable ASCII without spaces.
VisibleName = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=r"^[!-~]+$")]
#: A host, a switch, one end of a cable as ``device:port``, or a range of them.
Subject = VisibleName

#: One line of printable ASCII, so that a log or a label can hold it.
Line = Annotated[str, Field(max_length=200), formed(r"^[ -~]*$", "one line of printable ASCII")]


class ConditionBody(BaseModel):
    """How a host, a switch or a cable is."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    health: Health = Field(strict=False, description="down, drained, window or degraded.")
    reason: Line = ""
    capacity: Annotated[float, Field(ge=0, le=1), AfterValidator(of_degraded)] = Field(
        0.0,
        description="Share of its speed that a degraded cable or switch has left; then 1.",
    )

    _usual = model_validator(mode="before")(with_usual_share)


def by_name(conditions: Mapping[str, _Condition]) -> dict[str, _Condition]:
    """Return conditions by name: that of a range holds for each of its names.

    Raises
    ------
    ValueError
        When a range cannot be read, when two of them have a name in common, or when there are too
        many names.
    """
    try:
        count = sum(map(hostlist.count, conditions))
    except ValueError as error:
        raise ValueError("; ".join(range_words(error))) from None
    if count > MAX_NAMES:
        raise ValueError(f"there are {counted(count, 'name')}, more than {MAX_NAMES:,}; name fewer")
    subjects: dict[str, str] = {}
    for subject in conditions:
        for name in hostlist.expand(subject):
            if name in subjects:
                both = f"{subjects[name]!r} and {subject!r}"
                raise ValueError(f"{name} is in {both}; leave it in one of them")
            subjects[name] = subject
    return {name: conditions[subject] for name, subject in subjects.items()}


def named(subjects: Iterable[str]) -> list[str]:
    """Return what ranges stand for; one that cannot be read, or is too long, is left out."""
    names: list[str] = []
    for subject in subjects:
        with suppress(ValueError):
            if hostlist.count(subject) + len(names) <= MAX_NAMES:
                names += hostlist.expand(subject)
    return names
