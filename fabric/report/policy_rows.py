"""The lossless policy of a device in words: what its configuration gets of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.design.configured import pmax_words, watchdog_words
from fabric.design.qos import host_qos
from fabric.intent.classes import lossless_classes
from fabric.qos.ecn.edge import unmarked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.intent.classes import LosslessClass
    from fabric.intent.policy import LosslessPolicy
    from fabric.platforms.model import Sku

#: Rows of two cells: what it is, and its value.
Rows = list[tuple[str, str]]


def switch_policy_rows(
    policy: LosslessPolicy, sku: Sku, role: str, mtus_bytes: Iterable[int]
) -> Rows:
    """Return the lossless policy of a switch, as rows of a name and a value.

    Parameters
    ----------
    policy : LosslessPolicy
        That of the switch, without what single ports override.
    mtus_bytes : iterable of int
        MTU of each of its ports with a cable; the policy's counts where there is none.
    """
    mtus = Counter(mtus_bytes) or Counter([policy.mtu.port_bytes])
    watchdog = policy.watchdog if policy.pfc else None
    return [
        *_classes(policy, sku),
        ("PFC watchdog", watchdog_words(watchdog, sku, role)),
        ("MTU", f"{_port_mtus(mtus)}, hosts {policy.mtu.host_bytes:,} bytes"),
    ]


def host_policy_rows(policy: LosslessPolicy) -> Rows:
    """Return the lossless policy of a host: the classes of its NICs, whose numbers are their own.

    Queues, priority groups and marking are of switches, and so is the watchdog.
    """
    qos, mtu = host_qos(policy), policy.mtu
    carried = qos.priority_to_traffic_class
    rows = [
        row
        for traffic in qos.classes
        for row in (
            *_marks(traffic, policy),
            (f"{traffic.title}traffic class", str(carried[traffic.pfc_priority])),
        )
    ]
    cnp = carried[qos.cnp_priority]
    return [
        *rows,
        ("CNP traffic class", f"{cnp} (strict priority)" if qos.tsa[cnp] == "strict" else str(cnp)),
        ("MTU", f"ports {mtu.port_bytes:,}, hosts {mtu.host_bytes:,} bytes"),
    ]


def _classes(policy: LosslessPolicy, sku: Sku) -> Rows:
    rows = [row for one in lossless_classes(policy) for row in _class(one, policy, sku)]
    cnp = f"{policy.cnp_traffic_class}, {policy.cnp_queue} (strict priority)"
    return [*rows, ("CNP traffic class, queue", cnp)]


def _class(one: LosslessClass, policy: LosslessPolicy, sku: Sku) -> Rows:
    reason, _ = unmarked(sku, own_thresholds=one.own_thresholds)
    marked = f"{one.kmin_bytes:,} to {one.kmax_bytes:,} bytes, Pmax {pmax_words(one, sku)}"
    rows = (
        ("traffic class, queue", f"{one.traffic_class}, {one.queue}"),
        ("priority group", str(one.priority_group)),
        ("ECN", f"not configured: {reason}" if reason else marked),
    )
    return [*_marks(one, policy), *((f"{one.title}{name}", value) for name, value in rows)]


def _marks(traffic: LosslessClass, policy: LosslessPolicy) -> Rows:
    """Return the DSCPs of a class, and whether it is paused."""
    dscps = " ".join(str(dscp) for dscp in traffic.dscps)
    return [
        (f"{traffic.title}RoCE DSCP, CNP DSCP", f"{dscps}, {policy.cnp_dscp}"),
        (f"{traffic.title}PFC", f"priority {traffic.pfc_priority}" if policy.pfc else "off"),
    ]


def _port_mtus(mtus: Counter[int]) -> str:
    """Return the MTU of all ports; where they differ, each with the number of its ports."""
    if len(mtus) == 1:
        return f"ports {next(iter(mtus)):,}"
    ordered = sorted(mtus.items(), key=lambda item: (-item[1], -item[0]))
    return ", ".join(f"{counted(count, 'port')} {mtu:,}" for mtu, count in ordered)
