"""ADR006: pools are usable address space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ADR006")
class UsableSpace(ModelRule):
    """Pools are usable address space."""

    why = (
        "Hosts and switches drop packets of reserved networks; public space in use elsewhere"
        " is not reachable."
    )
    source = "RFC 6890; RFC 1918"
    guards = (
        "addressing.loopbacks",
        "addressing.uplinks",
        "addressing.core_links",
        "addressing.hosts",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for reserved and for public networks among the pools."""
        for name in ("loopbacks", "uplinks", "core_links", "hosts"):
            pool = getattr(model.intent.fabric.addressing, name)
            if pool is None:
                continue
            bad = pool.is_loopback or pool.is_multicast or pool.is_link_local or pool.is_reserved
            if bad or pool.is_unspecified or pool.network_address.packed[0] == 0:
                yield self.finding(
                    f"addressing.{name} {pool} is reserved and cannot be used for hosts",
                    "use private address space",
                    place=model.place("addressing", name),
                )
            elif pool.is_global:
                yield self.finding(
                    f"addressing.{name} {pool} is public address space",
                    "make sure that you own it, or use private space",
                    place=model.place("addressing", name),
                    severity=Severity.INFO,
                )
