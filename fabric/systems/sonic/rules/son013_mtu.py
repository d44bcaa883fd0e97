"""SON013: a VLAN has no larger MTU than its members, these agree, and uplinks carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON013")
class MtuMismatch(SonicRule):
    """VLAN members have the same MTU, at least that of the VLAN, and uplinks carry it."""

    why = "The gateway sends frames that the member port drops."
    source = (
        "sonic-net/sonic-buildimage doc/Configuration.md (PORT and VLAN mtu); sonic-net/sonic-"
        "swss cfgmgr/vlanmgr.cpp"
    )
    guards = ("lossless.mtu.port_bytes",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the MTU of every VLAN with those of its members."""
        members: dict[str, dict[str, int]] = {}
        for key in config.rows("VLAN_MEMBER"):
            vlan, _, port = key.partition("|")
            table = "PORTCHANNEL" if port.startswith("PortChannel") else "PORT"
            members.setdefault(vlan, {})[port] = config.mtu(table, port)
        for vlan, ports in members.items():
            mtu = config.mtu("VLAN", vlan)
            for port, port_mtu in ports.items():
                if port_mtu < mtu:
                    yield self.finding(
                        f"MTU {mtu} of {vlan} is above {port_mtu} of its member port",
                        "increase the MTU of the port or lower that of the VLAN",
                        device=config.device,
                        port=port,
                    )
            if len(set(ports.values())) > 1 and min(ports.values()) >= mtu:
                yield self.finding(
                    f"members of {vlan} have MTUs "
                    f"{', '.join(map(str, sorted(set(ports.values()))))}",
                    "use one MTU in a VLAN",
                    device=config.device,
                    severity=Severity.WARNING,
                )
        if config.is_rendered:
            return
        widest = max((config.mtu("VLAN", vlan) for vlan in members), default=0)
        for port in sorted({key.partition("|")[0] for key in config.rows("INTERFACE")}):
            mtu = config.mtu("PORT", port)
            if mtu < widest:
                yield self.finding(
                    f"MTU {mtu} of a routed port is below {widest} of a VLAN",
                    "set the uplink MTU to at least that of the VLANs",
                    device=config.device,
                    port=port,
                )
