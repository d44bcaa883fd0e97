"""SON027: the switch has a lossless class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON027")
class LosslessClass(SonicRule):
    """The switch has a lossless class."""

    why = "A switch without one drops RoCE packets under congestion and sends no pauses."
    source = "IEEE 802.1Q-2018 clause 36; sonic-net/sonic-swss orchagent/qosorch.cpp (pfc_enable)"
    judges_rendered = False
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for a port with PFC."""
        if not config.lossless_ports:
            ports = len(config.rows("PORT_QOS_MAP").keys() - {"global"})
            yield self.at(
                config,
                ("PORT_QOS_MAP",),
                f"no port has pfc_enable, of {ports} in PORT_QOS_MAP: nothing is lossless",
                "set pfc_enable on every port of the fabric, or do not check this switch",
            )
