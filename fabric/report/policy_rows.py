"""The lossless policy of a device in words: what its configuration gets of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.design.watchdog_words import watchdog_words
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
    """Return the lossless policy of a host, which has no watchdog."""
    mtu = policy.mtu
    return [
        *_classes(policy),
        ("MTU", f"ports {mtu.port_bytes:,}, hosts {mtu.host_bytes:,} bytes"),
    ]


def _classes(policy: LosslessPolicy, sku: Sku | None = None) -> Rows:
    rows = [row for one in lossless_classes(policy) for row in _class(one, policy, sku)]
    cnp = f"{policy.cnp_traffic_class}, {policy.cnp_queue} (strict priority)"
    return [*rows, ("CNP traffic class, queue", cnp)]


def _class(one: LosslessClass, policy: LosslessPolicy, sku: Sku | None) -> Rows:
    reason, _ = unmarked(sku, own_thresholds=one.own_thresholds) if sku else ("", "")
    marked = f"{one.kmin_bytes:,} to {one.kmax_bytes:,} bytes, {one.pmax_percent} %"
    dscps = " ".join(str(dscp) for dscp in one.dscps)
    rows = (
        ("RoCE DSCP, CNP DSCP", f"{dscps}, {policy.cnp_dscp}"),
        ("PFC", f"priority {one.pfc_priority}" if policy.pfc else "off"),
        ("traffic class, queue", f"{one.traffic_class}, {one.queue}"),
        ("priority group", str(one.priority_group)),
        ("ECN", f"not configured: {reason}" if reason else marked),
    )
    return [(f"{one.title}{name}", value) for name, value in rows]


def _port_mtus(mtus: Counter[int]) -> str:
    """Return the MTU of all ports; where they differ, each with the number of its ports."""
    if len(mtus) == 1:
        return f"ports {next(iter(mtus)):,}"
    ordered = sorted(mtus.items(), key=lambda item: (-item[1], -item[0]))
    return ", ".join(f"{count:,} port{'s' if count > 1 else ''} {mtu:,}" for mtu, count in ordered)
