"""Rules about maps and lossless classes of a CONFIG_DB."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.qos.dscps import DSCPS
from fabric.qos.path import LONG_CABLE_M
from fabric.systems.sonic.rule import SonicPolicyRule
from fabric.validate.rule import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.systems.sonic.config_db import LosslessPort, SonicConfig


MOST_NAMED = 5


@rules.add("SON017")
class DscpTotal(SonicPolicyRule):
    """DSCP maps contain all 64 code points."""

    severity = Severity.WARNING
    why = (
        "A code point that is not in the map gets the vendor's default class, which may be a "
        "lossless one."
    )
    source = "sonic-net/sonic-swss orchagent/qosorch.cpp; RFC 2474 section 3"
    guards = ("lossless.roce_dscp", "lossless.cnp_dscp")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Count the code points of every map."""
        for name in config.rows("DSCP_TO_TC_MAP"):
            known = config.mapping("DSCP_TO_TC_MAP", name) or {}
            missing = [dscp for dscp in range(DSCPS) if dscp not in known]
            if missing:
                few = ", ".join(map(str, missing[:MOST_NAMED])) + (
                    " ..." if len(missing) > MOST_NAMED else ""
                )
                yield self.finding(
                    f"DSCP map {name} lacks {len(missing)} of 64 code points: {few}",
                    "map the missing ones to traffic class 0",
                    device=config.device,
                )


_MAPS = {
    "dscp_to_tc_map": "DSCP_TO_TC_MAP",
    "tc_to_queue_map": "TC_TO_QUEUE_MAP",
    "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
    "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
}


@rules.add("SON018")
class BoundMaps(SonicPolicyRule):
    """Lossless ports are bound to their maps."""

    why = (
        "Without a map of DSCPs, or of the priorities of tags, all RoCE packets arrive in the "
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
        untagged = {
            key.partition("|")[2]
            for key, row in config.rows("VLAN_MEMBER").items()
            if row.get("tagging_mode") != "tagged"
        }
        untagged |= config.members(untagged)
        for port in config.lossless_ports:
            tags = config.mapping("DOT1P_TO_TC_MAP", port.qos.get("dot1p_to_tc_map"))
            by_tag = tags is not None and port.name not in untagged
            for field, table in _MAPS.items():
                if by_tag and field == "dscp_to_tc_map":
                    continue
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


@rules.add("SON020")
class GapInPath(SonicPolicyRule):
    """PFC is on at all ports in use or at none of them."""

    why = "One port without PFC breaks the lossless path of every flow through it."
    source = (
        "IEEE 802.1Q-2018 clause 36; Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM"
        " 2016"
    )
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the ports in use with those that have PFC on."""
        lossless = {port.name for port in config.lossless_ports}
        lengths = {
            port: length
            for row in config.rows("CABLE_LENGTH").values()
            for port, length in row.items()
        }
        state = config.rows("PORT")
        for port in sorted(config.used_ports - lossless) if lossless else ():
            if port in state and state[port].get("admin_status") == "up":
                yield self.finding(
                    "in use without pfc_enable, while "
                    f"{counted(len(lossless), 'other port has', 'other ports have')} it",
                    "set pfc_enable, or remove the port from the fabric",
                    device=config.device,
                    port=port,
                    severity=Severity.WARNING if _is_long(lengths.get(port)) else None,
                )


def _is_long(length: object) -> bool:
    """Tell whether a cable leads to another site, where PFC may be off (QOS004)."""
    metres = str(length).removesuffix("m")
    return metres.isdigit() and int(metres) >= LONG_CABLE_M


@rules.add("SON021")
class SamePriorities(SonicPolicyRule):
    """All ports with the same maps of DSCPs and pauses pause the same priorities."""

    why = (
        "A pause for a priority that the next hop does not pause has no effect, and frames are "
        "dropped."
    )
    source = "IEEE 802.1Q-2018 clause 36"
    guards = ("lossless.pfc", "lossless.pfc_priority")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare pfc_enable of the lossless ports that classify packets and pauses alike."""
        roles: dict[object, list[LosslessPort]] = defaultdict(list)
        for port in config.lossless_ports:
            maps = port.qos.get("dscp_to_tc_map"), port.qos.get("pfc_to_queue_map")
            roles[maps].append(port)
        for ports in roles.values():
            common = Counter(port.priorities for port in ports).most_common(1)[0][0]
            for port in ports:
                if port.priorities != common:
                    yield self.finding(
                        f"pfc_enable {port.qos['pfc_enable']}, other ports have "
                        f"{','.join(map(str, common))}",
                        "pause the same priorities on all ports",
                        device=config.device,
                        port=port.name,
                    )


@rules.add("SON027")
class LosslessClass(SonicPolicyRule):
    """The switch has a lossless class."""

    why = "A switch without one drops RoCE packets under congestion and sends no pauses."
    source = "IEEE 802.1Q-2018 clause 36; sonic-net/sonic-swss orchagent/qosorch.cpp (pfc_enable)"
    judges_rendered = False
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for a port with PFC."""
        if config.lossless_ports:
            return
        if not config.rows("PORT"):
            message = "a lossless class is not judged, as there is no PORT table"
            fix = "check the whole CONFIG_DB"
            yield self.at(config, ("PORT",), message, fix, severity=Severity.WARNING)
            return
        ports = len(config.rows("PORT_QOS_MAP").keys() - {"global"})
        yield self.at(
            config,
            ("PORT_QOS_MAP",),
            f"no port has pfc_enable, of {ports} in PORT_QOS_MAP: nothing is lossless",
            "set pfc_enable on every port of the fabric, or do not check this switch",
        )


#: What must not be lossless: unmarked traffic, and network control (RFC 2474, RFC 4594).
_NOT_LOSSLESS = {0: "unmarked packets", 48: "network control and CNPs"}


@rules.add("SON034")
class LosslessDscp(SonicPolicyRule):
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
