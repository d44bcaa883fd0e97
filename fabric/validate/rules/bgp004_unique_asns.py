"""BGP004: every leaf has its own AS, and so have the spines of a pod and the super-spines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import switch_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: What to do, and the field that counts AS numbers, by role.
_FIXES = {
    "leaf": ("use a different AS number for every leaf", "leaf_asn_first"),
    "spine": ("use a different AS number for the spines of every pod", "pod_asn_first"),
    "super-spine": ("use a different AS number for the super-spines", "super_spine_asn"),
}


@rules.add("BGP004")
class UniqueAsns(ModelRule):
    """Leaves, the spines of each pod and the super-spines have separate AS numbers."""

    why = (
        "A leaf drops routes that carry its own AS number, so leaves with the same number "
        "cannot reach each other; nor can pods whose spines have the same number."
    )
    source = "RFC 4271 section 9.1.2; RFC 7938 section 5.2.1"
    guards = (
        "bgp.leaf_asn_first",
        "bgp.spine_asn",
        "bgp.pod_asn_first",
        "bgp.super_spine_asn",
        "devices.asn",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the AS numbers of all switches."""
        owner: dict[int, str] = {}
        switches, rows = model.fabric.switches, model.fabric.switch_row
        for name, device in reversed(list(model.devices.items())):
            asn = device.bgp.asn
            other = rows[owner.get(asn, name)]
            tiers, pods = switches.tier[[rows[name], other]], switches.pod[[rows[name], other]]
            friends = device.role != "leaf" and tiers[0] == tiers[1] and pods[0] == pods[1]
            if asn in owner and not friends:
                places = [switch_place(model.intent, who, "asn") for who in (name, owner[asn])]
                yield self.finding(
                    f"AS {asn} is also that of {owner[asn]}",
                    _FIXES[device.role][0],
                    place=next(
                        (p for p in places if p), model.place("bgp", _FIXES[device.role][1])
                    ),
                    device=name,
                )
            owner.setdefault(asn, name)
