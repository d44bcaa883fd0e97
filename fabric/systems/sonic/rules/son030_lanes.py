"""SON030: lanes and aliases belong to one port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


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
        if model is None or model.port_name != "Ethernet{lane}":
            return []
        number = int(port.removeprefix("Ethernet")) if port[8:].isdigit() else -1
        index, inside = divmod(number, model.lanes_per_port)
        if not 0 <= index < model.port_count or inside:
            return []
        first = model.first_lanes[index] if model.first_lanes else number
        return [str(lane) for lane in range(first, first + model.lanes_per_port)]
