"""SIT001: a switch is in one fabric of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import Place, fabric_place
from fabric.validate.rule import SiteRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.site import Member


@rules.add("SIT001")
class UniqueSwitches(SiteRule):
    """A switch is in one fabric of a site."""

    why = (
        "Two fabrics would each write a complete configuration to one switch, and the later "
        "one would overwrite the first."
    )
    source = "RFC 1178 (a name identifies one computer); a plan holds whole configurations"
    guards = ("switch_prefix", "leaf_names", "spine_names", "units.name", "switches.names")

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare the names of switches with those of all devices of the other fabric."""
        taken = {**first.fabric.switch_row, **first.fabric.host_row}
        switches = second.fabric.switches
        doubles: dict[str, list[str]] = {}
        for row, name in enumerate(switches.names):
            if name in taken:
                doubles.setdefault(switches.role(row), []).append(name)
        hosts = [name for name in second.fabric.hosts.names if name in first.fabric.switch_row]
        for role, names in {**doubles, "host": hosts}.items():
            if names:
                more = f", and {len(names) - 1} more of this kind are" if len(names) > 1 else ""
                yield self.finding(
                    f"{names[0]} is also a device of the fabric {first.name}{more}",
                    "set switch_prefix in one fabric, or use different switch names",
                    place=_place(second, role, names[0]),
                    device=names[0],
                )


def _place(member: Member, role: str, name: str) -> Place:
    """Return where the names of a kind of device come from."""
    intent, file = member.intent, member.intent.fabric
    own = {"leaf": file.leaf_names, "spine": file.spine_names}.get(role)
    if own:
        return fabric_place(intent, f"{role}_names")
    if role in ("leaf", "host") and not file.switches:
        owner = member.fabric.switches.unit if role == "leaf" else member.fabric.hosts.unit
        rows = member.fabric.switch_row if role == "leaf" else member.fabric.host_row
        field = "name" if role == "leaf" else "hosts"
        return fabric_place(intent, "units", int(owner[rows[name]]), field)
    if file.switches and role != "host":
        return fabric_place(intent, "switches")
    return fabric_place(
        intent, {"spine": "spines", "super-spine": "super_spines"}.get(role, "units")
    )
