"""ASIC families: what is known of a chip, number by number with its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

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
            message = f"{name} of {self.name} is {fact.value!r}, not a number"
            raise TypeError(message)
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
            message = f"{name} of {self.name} is {value}, not a whole number"
            raise TypeError(message)
        return int(value)

    def count(self, grade: Grade) -> int:
        """Return how many facts have a grade."""
        return sum(fact.grade == grade for fact in self.facts.values())


def parse_asic(name: str, data: Mapping[str, Any]) -> Asic:
    """Return the family that a data file describes.

    Parameters
    ----------
    name : str
        Name of the family.
    data : mapping
        ``title``, ``vendor``, ``law``, ``aliases``; ``sources`` by key; ``facts``, each as
        ``[value, grade, key of its source]``.

    Raises
    ------
    ValueError
        When a fact, its grade, its source or the law is unknown, or the law lacks a fact.
    """
    law = data["law"]
    if law not in LAWS:
        message = f"law: {law!r} is unknown; known: {', '.join(LAWS)}"
        raise ValueError(message)
    for fact in LAW_FACTS[law]:
        if not any(known.startswith(fact) for known in data["facts"]):
            message = f"law: {law!r} needs the fact {fact}, which is not among facts"
            raise ValueError(message)
    return Asic(
        name=name,
        title=data["title"],
        vendor=data["vendor"],
        law=law,
        facts=parse_facts(data["facts"], data["sources"]),
        aliases=tuple(data.get("aliases", ())),
    )
