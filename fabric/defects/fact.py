"""A fact about a known defect: one file, read and validated as a whole."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from fabric.core.findings import Severity
from fabric.core.plugins import systems
from fabric.defects.conditions import ConfigCondition, StepTest, Text, Traits
from fabric.defects.releases import Releases, is_affected, is_empty, order_of
from fabric.platforms.asic_catalogue import asic_names
from fabric.platforms.data_file import DataModel, WrongFieldError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: A fact that nobody confirmed for so long says so: a vendor fixes most defects within a year.
FRESH = timedelta(days=365)
#: Facts of ours, and of an inventory.
OURS, OWN = "DEF", "OWN"
Words = Annotated[str, Field(min_length=1, max_length=600)]
Names = Annotated[tuple[Text, ...], Field(max_length=64)]


class Checked(DataModel):
    """Days on which somebody looked at the source."""

    first: date
    last: date

    @model_validator(mode="after")
    def _has_an_order(self) -> Self:
        if self.last < self.first:
            raise ValueError(f"last, {self.last}, is before first, {self.first}")
        return self


class Fact(DataModel):
    """A known defect: where it is, what it does, and what helps.

    Parameters
    ----------
    id : str
        ``DEF`` and a number; facts of an inventory have ``OWN`` and a number.
    title : str
        What is wrong, as a clause.
    systems, asics, models : tuple of str
        Systems, ASIC families and switch models that have it; ``*`` stands for any text of a
        model; without families and models, all of the systems.
    releases : tuple of Releases
        Releases that have it; without any, all of them.
    effect, workaround, source : str
        What happens in the network; what to do; where it is public.
    checked : Checked
        When the source was read for the first and for the last time.
    expires : date or None
        From when on it must be looked at again; by default a year after the last day.
    design : Traits or None
        What the lossless design is like where it strikes.
    config : tuple of ConfigCondition
        What a configuration file says where it strikes, all of it.
    plan : tuple of StepTest
        Changes that set it off, any of them.
    """

    id: str = Field(pattern=rf"^({OURS}|{OWN})[0-9]{{3}}$")
    title: Annotated[str, Field(min_length=1, max_length=160)]
    systems: Annotated[Names, Field(min_length=1)]
    asics: Names = ()
    models: Names = ()
    releases: Annotated[tuple[Releases, ...], Field(max_length=32)] = ()
    severity: Literal["error", "warning", "info"]
    effect: Words
    workaround: Words
    source: Words
    checked: Checked
    expires: date | None = None
    design: Traits | None = None
    config: Annotated[tuple[ConfigCondition, ...], Field(max_length=16)] = ()
    plan: Annotated[tuple[StepTest, ...], Field(max_length=16)] = ()

    @field_validator("systems")
    @classmethod
    def _are_systems(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return _known("system", names, systems())

    @field_validator("asics")
    @classmethod
    def _are_families(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return _known("ASIC family", names, asic_names())

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if not (self.design and self.design.asked) and not self.config and not self.plan:
            raise WrongFieldError(("design",), "no condition: set design, config or plan")
        for number, span in enumerate(self.releases):
            for name in self.systems:
                for field, text in span.texts:
                    if order_of(name, text) is None:
                        message = f"{text!r} is no release of {name}"
                        raise WrongFieldError(("releases", number, field), message)
                if is_empty(name, span):
                    message = f"no release of {name} is {span.words}"
                    raise WrongFieldError(("releases", number, "first"), message)
        return self

    @property
    def is_judged(self) -> bool:
        """Whether it is about the state of a switch; with ``plan``, it is about changes alone."""
        return not self.plan

    @property
    def level(self) -> Severity:
        """Severity of its findings."""
        return Severity.of_word(self.severity)

    @property
    def last_day(self) -> date:
        """Day until which it counts as confirmed."""
        return self.expires or self.checked.last + FRESH

    @property
    def range_words(self) -> str:
        """The releases that have it, in words."""
        return "; ".join(span.words for span in self.releases) or "all"

    @property
    def condition_words(self) -> str:
        """Where it strikes, in words."""
        design = self.design.words if self.design else []
        state = "; ".join([*design, *(test.words for test in self.config)])
        steps = " or ".join(test.words for test in self.plan)
        return "; ".join(part for part in (state, steps) if part)

    @property
    def ends(self) -> tuple[str, ...]:
        """What ends its ranges, in words."""
        spans = (span for span in self.releases if span.fixed or span.last)
        return tuple(
            f"fixed in {span.fixed}" if span.fixed else f"last seen in {span.last}"
            for span in spans
        )

    def is_stale(self, today: date) -> bool:
        """Tell whether nobody confirmed it for too long."""
        return today > self.last_day

    def age_words(self, today: date) -> str:
        """Return what messages add where nobody confirmed it for too long; else nothing."""
        return f" (not confirmed since {self.checked.last})" if self.is_stale(today) else ""

    def is_about(self, system: str, asic: str, model: str) -> bool:
        """Tell whether a switch is of its kind; what is not known of a switch does not fit."""
        return (
            system in self.systems
            and (not self.asics or asic in self.asics)
            and (not self.models or any(fits(model, pattern) for pattern in self.models))
        )

    def strikes(self, system: str, release: str | None) -> bool | None:
        """Tell whether a release has it; None where that is not known."""
        return is_affected(system, release, self.releases)


def fits(text: str, pattern: str) -> bool:
    """Tell whether a text is as a pattern says, in which ``*`` stands for any text."""
    return _compiled(pattern).fullmatch(text) is not None


@lru_cache(1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def _known(what: str, names: tuple[str, ...], known: Iterable[str]) -> tuple[str, ...]:
    choices = sorted(known)
    for number, name in enumerate(names):
        if name not in choices:
            message = f"unknown {what} {name!r}; known: {', '.join(choices)}"
            raise WrongFieldError((number,), message)
    return names
