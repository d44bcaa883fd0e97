"""ASIC families: what is known of a chip, number by number with its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import model_validator

from fabric.platforms.data_file import DataModel, WrongFieldError
from fabric.platforms.facts import FACTS, Fact, Grade, parse_facts

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Which headroom law the vendor's tables follow: ``spectrum`` and ``tofino-2`` are the formulas of
#: SONiC's buffer manager (sonic-net/sonic-swss cfgmgr/buffer_headroom_*.lua); ``xgs`` and ``dnx``
#: are Broadcom's; ``linear`` is an intercept and a slope; ``plain`` is IEEE 802.1Qbb.
Law = Literal["spectrum", "tofino-2", "xgs", "dnx", "linear", "plain"]
LAWS: tuple[Law, ...] = get_args(Law)
#: Beginnings of the facts without which a law has no answer (fabric/qos/headroom/laws.py).
LAW_FACTS: Mapping[Law, tuple[str, ...]] = {
    "spectrum": ("cell_bytes", "pipeline_bytes", "mac_phy_bytes"),
    "tofino-2": ("cell_bytes", "pipeline_bytes", "mac_phy_bytes"),
    "xgs": ("cell_bytes", "response_ns"),
    "dnx": ("delay_ns_per_m", "packing_factor", "intercept_bytes_"),
    "linear": ("delay_ns_per_m", "packing_factor", "intercept_bytes_"),
    "plain": (),
}


@dataclass(frozen=True, slots=True, eq=False)
class Asic:
    """One ASIC family.

    Parameters
    ----------
    name : str
        Name in lower case, such as ``spectrum-4``.
    title, vendor : str
        Names as the maker writes them.
    law : str
        The headroom law that applies, one of ``LAWS``.
    facts : mapping of str to Fact
        By the names of ``FACTS``; what has no source is not there.
    aliases : tuple of str
        Other names that mean this family, such as ``spc4``.
    """

    name: str
    title: str
    vendor: str
    law: Law
    facts: Mapping[str, Fact]
    aliases: tuple[str, ...] = ()

    def fact(self, name: str, *, unconfirmed: bool = False) -> Fact | None:
        """Return a fact, or None when it is not known well enough.

        Parameters
        ----------
        name : str
            One of ``FACTS``.
        unconfirmed : bool
            Whether a fact of the grade ``unconfirmed`` will do.

        Raises
        ------
        KeyError
            When no fact has that name.
        """
        if name not in FACTS:
            raise KeyError(name)
        fact = self.facts.get(name)
        return fact if fact and (unconfirmed or fact.grade != "unconfirmed") else None

    def number(self, name: str, *, unconfirmed: bool = False) -> float | None:
        """Return the value of a numeric fact in the unit of ``FACTS``, or None; as `fact`.

        Raises
        ------
        TypeError
            When the fact is no number.
        """
        fact = self.fact(name, unconfirmed=unconfirmed)
        if fact is None:
            return None
        if not isinstance(fact.value, int | float):
            raise TypeError(f"{name} of {self.name} is {fact.value!r}, not a number")
        return float(fact.value)

    def integer(self, name: str, *, unconfirmed: bool = False) -> int | None:
        """Return the value of a fact that is a whole number, or None; as `number`.

        Raises
        ------
        TypeError
            When the fact is not a whole number.
        """
        value = self.number(name, unconfirmed=unconfirmed)
        if value is None:
            return None
        if not value.is_integer():
            raise TypeError(f"{name} of {self.name} is {value}, not a whole number")
        return int(value)

    def count(self, grade: Grade) -> int:
        """Return how many facts have a grade."""
        return sum(fact.grade == grade for fact in self.facts.values())


class AsicFile(DataModel):
    """A data file of an ASIC family: each fact is ``[value, grade, key of its source]``."""

    title: str
    vendor: str
    law: Law
    aliases: tuple[str, ...] = ()
    sources: dict[str, str]
    facts: dict[str, tuple[Any, Grade, str]]

    @model_validator(mode="after")
    def _law_has_its_facts(self) -> AsicFile:
        for fact in LAW_FACTS[self.law]:
            if not any(known.startswith(fact) for known in self.facts):
                raise WrongFieldError(
                    ("law",), f"{self.law!r} needs the fact {fact}, which is not among facts"
                )
        parse_facts(self.facts, self.sources, "facts")
        return self

    def asic(self, name: str) -> Asic:
        """Return the family of this name."""
        facts = parse_facts(self.facts, self.sources, "facts")
        return Asic(name, self.title, self.vendor, self.law, facts, self.aliases)
