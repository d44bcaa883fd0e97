"""SON018: lossless ports are bound to their maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig

_MAPS = {
    "dscp_to_tc_map": "DSCP_TO_TC_MAP",
    "tc_to_queue_map": "TC_TO_QUEUE_MAP",
    "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
    "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
}


@rules.add("SON018")
class BoundMaps(SonicRule):
    """Lossless ports are bound to their maps."""

    why = (
        "Without a DSCP map a port does not trust DSCP, and all RoCE packets arrive in the "
        "default class."
    )
    source = (
        "sonic-net/sonic-buildimage files/build_templates/qos_config.j2 (PORT_QOS_MAP); sonic-"
        "net/sonic-swss orchagent/qosorch.cpp"
    )
    guards = (
        "lossless.roce_dscp",
        "lossless.cnp_dscp",
        "lossless.traffic_class",
        "lossless.queue",
        "lossless.priority_group",
        "lossless.cnp_traffic_class",
        "lossless.cnp_queue",
    )

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for the maps of every lossless port."""
        whole = config.rows("PORT_QOS_MAP").get("global", {})
        for port in config.lossless_ports:
            for field, table in _MAPS.items():
                name = port.qos.get(field) or (
                    whole.get(field) if field == "dscp_to_tc_map" else None
                )
                if config.mapping(table, name) is None:
                    yield self.finding(
                        f"lossless port without {field}"
                        if not name
                        else f"{table} {name} does not exist",
                        f"bind {field}",
                        device=config.device,
                        port=port.name,
                    )
