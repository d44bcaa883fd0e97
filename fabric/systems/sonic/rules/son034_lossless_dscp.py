"""SON034: Only RoCE packets are lossless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


#: What must not be lossless: unmarked traffic, and network control (RFC 2474, RFC 4594).
_NOT_LOSSLESS = {0: "unmarked packets", 48: "network control and CNPs"}


@rules.add("SON034")
class LosslessDscp(SonicRule):
    """Only RoCE packets are lossless."""

    why = (
        "RoCE packets in a lossy class are dropped under congestion; other packets in the "
        "lossless class take its buffer and are paused too."
    )
    source = "RFC 2474; RFC 4594 section 3; sonic-net/sonic-swss orchagent/qosorch.cpp"
    judges_rendered = False
    guards = ("lossless.roce_dscp", "lossless.cnp_dscp", "lossless.traffic_class")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look which DSCPs reach the lossless traffic classes of every port."""
        whole = config.rows("PORT_QOS_MAP").get("global", {}).get("dscp_to_tc_map")
        for port in config.lossless_ports:
            name = port.qos.get("dscp_to_tc_map") or whole
            classes = config.mapping("DSCP_TO_TC_MAP", name)
            if classes is None or not port.traffic_classes:
                continue
            lossless = {dscp for dscp, tc in classes.items() if tc in port.traffic_classes}
            path = ("DSCP_TO_TC_MAP", str(name))
            if not lossless:
                listed = ", ".join(map(str, port.traffic_classes))
                yield self.at(
                    config,
                    path,
                    f"map {name} maps no DSCP to the lossless traffic class {listed}",
                    "map the DSCP of RoCE to it",
                    port=port.name,
                )
            for dscp in sorted(lossless & _NOT_LOSSLESS.keys()):
                yield self.at(
                    config,
                    (*path, str(dscp)),
                    f"DSCP {dscp} ({_NOT_LOSSLESS[dscp]}) is in the lossless traffic class",
                    "map it to a lossy class",
                    port=port.name,
                    severity=Severity.WARNING,
                )
