"""Lines of lossless QoS: maps, profiles, queues, PFC watchdog, buffers.

Known: as in :mod:`fabric.systems.eos.lab.rules`; both thresholds of one ECN line carry the same
unit, ``microseconds`` of ECN exists only below ``tx-queue``; ``uc-tx-queue`` is a mode, no target
of a map; a 7388 prints the ECN counter inside a profile (AMD Instinct cluster-networking guide).
Assumed: ``platform trident`` is refused by DNX and ``platform sand|fap`` by XGS, ``hardware counter
feature ecn out`` too; strict priority of a queue is shown although it is the default.
"""

from __future__ import annotations

from fabric.systems.eos.lab.rules_ports import PFC, QUEUES

_UNITS = ("segments", "bytes", "kbytes", "mbytes", "milliseconds", "microseconds")


def _thresholds(prefix: str, tail: str) -> str:
    short_only = "tx: " if " ecn " in prefix else ""
    return "\n".join(
        f"{short_only if unit == 'microseconds' else ''}{prefix} = <1-256000000> {unit} "
        f"maximum-threshold <1-256000000> {unit} {tail}"
        for unit in _UNITS
    )


_QUEUE = f"""
no priority
priority strict
bandwidth percent = <1-100>
bandwidth guaranteed = ( percent <1-100> | <1-1000000000> )
shape rate = <1-1000000000> [ kbps|percent|pps ]
{
    _thresholds(
        "random-detect ecn minimum-threshold",
        "[ max-mark-probability <1-100> ] [ weight <0-15> ]",
    )
}
{
    _thresholds(
        "random-detect drop [ drop-precedence <1-2> ] minimum-threshold",
        "drop-probability <1-100> [ weight <0-15> ]",
    )
}
random-detect ecn count
-random-detect ecn
-random-detect drop
"""

_MMU = """
ingress reserved = [ bytes|cells ] <0-1000000000>
ingress threshold = <alpha>
ingress headroom = [ bytes|cells ] <0-1000000000>
ingress resume = <0-1000000000>
ingress priority-group <0-7> reserved = [ bytes|cells ] <0-1000000000>
ingress priority-group <0-7> threshold = <alpha>
egress unicast|multicast queue <0-7> reserved = [ bytes|cells ] <0-1000000000>
egress unicast|multicast queue <0-7> threshold = <alpha>
egress unicast|multicast queue <0-7> drop-precedence <1-2> drop-threshold = <dropalpha>
"""

QOS_GLOBAL: dict[str, str] = {
    "early": """
qos profile <name> > qos-profile
queue-monitor length = [ <text> ]
no queue-monitor length
""",
    "late": """
qos rewrite dscp
qos rewrite cos
qos map cos <0-7...> to traffic-class = <0-7>
qos map exp <0-7...> to traffic-class = <0-7>
qos map dscp <0-63...> to traffic-class = <0-7> [ drop-precedence <0-2> ]
qos map traffic-class <0-7...> to tx-queue = <0-7>
qos map traffic-class <0-7...> to cos = <0-7>
qos map traffic-class <0-7...> to dscp = <0-63>
-qos map dscp <0-63...>
-qos map cos <0-7...>
-qos map traffic-class <0-7...>
qos random-detect ecn allow non-ect = [ chip-based ]
qos random-detect ecn global-buffer minimum-threshold = <1-256000000> kbytes \
maximum-threshold <1-256000000> kbytes
qos tx-queue shape rate percent adaptive
qos tx-queue <0-7> scheduler profile = responsive
priority-flow-control all = off
priority-flow-control pause watchdog default timeout = <wdtime>
priority-flow-control pause watchdog default recovery-time = <wdtime>
priority-flow-control pause watchdog default polling-interval = <wdpoll>
priority-flow-control pause watchdog action = drop|errdisable|notify-only
priority-flow-control pause watchdog override action = drop
xgs: platform trident mmu queue profile <name> > mmu
xgs: platform trident mmu queue profile = <name> apply
xgs: platform trident mmu headroom-pool limit = bytes <0-1000000000>
dnx: platform sand qos map traffic-class <0-7> to network-qos = <0-63>
dnx: platform fap voq credit rates = unified
dnx: platform fap buffering egress profile = unicast|balanced
dnx: port-channel load-balance sand profile = <name>
xgs: port-channel load-balance trident udf eth-type IPv4 ip-protocol udp header \
inner|outer l2|l3|l4 offset <0-64> mask <hex>
""",
}

QOS_MODES: dict[str, str] = {
    "qos-profile": f"""
qos trust = dscp|cos
no qos trust
qos cos = <0-7>
qos dscp = <0-63>
service-policy type qos input = <name>
shape rate = <1-1000000000> [ kbps|percent|pps ]
{PFC}
{QUEUES}
""",
    "queue": _QUEUE,
    "mmu": _MMU,
}
