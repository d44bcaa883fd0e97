"""BGP004: every leaf has its own AS, and none has that of the spines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import switch_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("BGP004")
class UniqueAsns(ModelRule):
    """Every leaf has its own AS, and none has that of the spines."""

    why = (
        "A leaf drops routes that carry its own AS number, so leaves with one number do not "
        "reach each other."
    )
    source = "RFC 4271 section 9.1.2; RFC 7938 section 5.2.1"
    guards = ("bgp.leaf_asn_first", "bgp.spine_asn", "devices.asn")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the AS numbers of all switches."""
        owner: dict[int, str] = {}
        for name, device in reversed(list(model.devices.items())):
            asn = device.bgp.asn
            if device.role == "leaf" and asn in owner:
                places = [switch_place(model.intent, who, "asn") for who in (name, owner[asn])]
                yield self.finding(
                    f"AS {asn} is also that of {owner[asn]}",
                    "give every leaf its own AS number",
                    place=next((p for p in places if p), model.place("bgp", "leaf_asn_first")),
                    device=name,
                )
            owner.setdefault(asn, name)
