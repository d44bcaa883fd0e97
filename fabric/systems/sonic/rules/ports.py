"""Rules about ports of a CONFIG_DB."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms.breakout import parse_mode
from fabric.systems.sonic.rule import SonicModelRule, SonicPolicyRule
from fabric.validate.rule import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.platforms.model import Sku
    from fabric.systems.sonic.config_db import SonicConfig


@rules.add("SON013")
class MtuMismatch(SonicPolicyRule):
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


@rules.add("SON030")
class Lanes(SonicModelRule):
    """Lanes and aliases belong to one port, and lanes to its cage."""

    why = (
        "The second port with the same lanes does not come up; two ports with one alias are "
        "confused."
    )
    source = (
        "sonic-net/sonic-swss orchagent/portsorch.cpp; sonic-net/sonic-buildimage "
        "src/sonic-yang-models/yang-models/sonic-port.yang (unique lanes, unique alias)"
    )
    judges_rendered = False
    guards = ("devices.ports",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare lanes and aliases of every port with each other, and with the model.

        Lanes of service ports are the image's: on two models one is numbered as a lane of a cage
        (sonic-net/sonic-buildimage 202405 Arista-7050CX3-32S-C32/port_config.ini).
        """
        owners: dict[tuple[str, str], str] = {}
        model = self.model(config)
        service = {port.name: port.lanes for port in model.service_ports} if model else {}
        for port, row in config.rows("PORT").items():
            lanes = [lane.strip() for lane in str(row.get("lanes", "")).split(",") if lane]
            for kind, value in (
                ("alias", str(row.get("alias", port))),
                *(("lanes", n) for n in lanes if service.get(port) != row["lanes"]),
            ):
                first = owners.setdefault((kind, value), port)
                if first != port:
                    yield self.at(
                        config,
                        ("PORT", port, kind),
                        f"{'lane' if kind == 'lanes' else kind} {value} is also used by {first}",
                        f"use a different {kind} for each port",
                        port=port,
                    )
            cage = self._cage(config, port)
            outside = [lane for lane in lanes if cage and lane not in cage]
            if outside:
                yield self.at(
                    config,
                    ("PORT", port, "lanes"),
                    f"lane {outside[0]} is not in its cage, which has {','.join(cage)}",
                    "use the lanes of platform.json or port_config.ini",
                    port=port,
                )

    def _cage(self, config: SonicConfig, port: str) -> list[str]:
        """Return the lanes of the cage that a port begins; empty where the model is not known."""
        model = self.model(config)
        number = _cages(model).get(port) if model else None
        return [str(lane) for lane in model.whole.lanes(number)] if model and number else []


@lru_cache(maxsize=256)
def _cages(model: Sku) -> dict[str, int]:
    """Return the numbers of the cages by the names of their whole ports."""
    return model.whole.port_numbers()


#: From here on every lane is PAM4, and RS(544,514) is part of the PCS.
_RS_FEC_MBPS = 200_000


@rules.add("SON031")
class SpeedAndFec(SonicModelRule):
    """Ports have a speed that the model offers, and the FEC that it requires."""

    why = "Without FEC a PAM4 link does not come up, or loses frames that PFC cannot protect."
    source = (
        "IEEE 802.3-2022 clause 119 (200G and 400G), 802.3df clause 172 (800G); sonic-net/"
        "sonic-buildimage src/sonic-yang-models/yang-models/sonic-port.yang (speed is mandatory)"
    )
    judges_rendered = False
    guards = ("speeds.host_gbps", "speeds.uplink_gbps")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at speed and FEC of the lossless ports."""
        model = self.model(config)
        known = _speeds_mbps(model) if model else set()
        for port in config.lossless_ports:
            row = config.rows("PORT").get(port.name)
            if row is None:
                continue
            speed, fec = config.speed_mbps(port.name), str(row.get("fec", ""))
            if speed is None or (known and speed not in known):
                yield self.at(
                    config,
                    ("PORT", port.name, "speed"),
                    f"speed {row.get('speed', '(none)')} is not offered by the model",
                    "use a speed in Mb/s that the model offers",
                    port=port.name,
                )
            elif speed >= _RS_FEC_MBPS and fec in {"", "none", "fc"}:
                yield self.at(
                    config,
                    ("PORT", port.name, "fec"),
                    f"fec {fec or '(none)'} at {speed // 1000}G",
                    "set fec rs",
                    port=port.name,
                    severity=None if fec else Severity.WARNING,
                )


def _speeds_mbps(model: Sku) -> set[int]:
    """Return the speeds of whole and of split cages."""
    parts = (speed for word in model.all_breakouts for speed in parse_mode(word).speeds_gbps)
    return {gbps * 1000 for gbps in (*model.all_speeds_gbps, *parts)}
