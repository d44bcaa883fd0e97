"""SON037: a port has one role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON037")
class OneRole(SonicRule):
    """A port is routed, a member of VLANs, or a member of one PortChannel."""

    why = "The daemon rejects the second role; which one runs depends on the order of the rows."
    source = (
        "sonic-net/sonic-buildimage src/sonic-yang-models (sonic-vlan.yang, sonic-portchannel.yang"
        "); sonic-net/sonic-utilities config/main.py (is already a router interface)"
    )
    judges_rendered = False
    guards = ("devices.ports",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Collect the roles of every port."""
        roles: dict[str, dict[str, str]] = {}
        for table, role, part in (
            ("INTERFACE", "routed", 0),
            ("VLAN_MEMBER", "a member of a VLAN", 1),
            ("PORTCHANNEL_MEMBER", "a member of a PortChannel", 1),
        ):
            for key in config.rows(table):
                port = key.split("|")[part] if key.count("|") >= part else ""
                roles.setdefault(port, {}).setdefault(role, table)
        for port, tables in roles.items():
            if len(tables) > 1:
                yield self.at(
                    config,
                    (list(tables.values())[-1],),
                    f"is {' and '.join(tables)}",
                    "keep one of these roles",
                    port=port,
                )
