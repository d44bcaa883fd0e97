"""Rules about names of devices (TOP)."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP031")
class RangeWithoutBrackets(ModelRule):
    """The only host of a unit has no name that looks like a range."""

    severity = Severity.WARNING
    why = "Without brackets it is the name of one host, and no port of the others is configured."
    source = "docs/reference/inventory.md (ranges)"
    guards = ("units.hosts",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the units that have one host."""
        for index, unit in enumerate(model.intent.fabric.units):
            meant, _ = hostlist.with_brackets(unit.hosts)
            if meant:
                yield self.finding(
                    f"{unit.hosts!r} is one host, whose name looks like a range",
                    f'write "{meant}" if it is one, or waive this finding',
                    place=model.place("units", index, "hosts"),
                )


@rules.add("TOP032")
class SameDigits(ModelRule):
    """Names of hosts have leading zeros everywhere or nowhere."""

    severity = Severity.WARNING
    why = "The hosts are called otherwise, so that jobs, hosts and their files do not meet."
    source = "docs/reference/inventory.md (ranges)"
    guards = ("units.hosts",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the digits of all names that begin alike."""
        units = [hostlist.expand(unit.hosts) for unit in model.intent.fabric.units]
        digits = _digits(name for names in units for name in names)
        for index, names in enumerate(units):
            short = [name for name in names if _is_short(name, digits)]
            if short:
                width = digits[_parts(short[0])[0]]
                yield self.finding(
                    f"{hostlist.in_short(short)} {'has' if len(short) == 1 else 'have'} no leading "
                    f"zero; other names have {counted(width, 'digit')}",
                    f"write the numbers with {counted(width, 'digit')}, or waive this finding",
                    place=model.place("units", index, "hosts"),
                )


def _parts(name: str) -> tuple[str, str]:
    """Return a name without its last number, and that number."""
    number = re.search(r"\d*$", name)
    digits = number[0] if number else ""
    return name.removesuffix(digits), digits


def _digits(names: Iterable[str]) -> dict[str, int]:
    """Return the digits of numbers with leading zeros, by what stands before them."""
    widths: dict[str, int] = defaultdict(int)
    for name in names:
        before, number = _parts(name)
        if number.startswith("0"):
            widths[before] = max(widths[before], len(number))
    return widths


def _is_short(name: str, digits: dict[str, int]) -> bool:
    before, number = _parts(name)
    return bool(number) and len(number) < digits.get(before, 0)
