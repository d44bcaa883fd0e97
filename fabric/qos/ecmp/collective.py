"""What few large flows make of a fabric: queue pairs, traffic through the spines, bisection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.counts import counted, noun
from fabric.qos.ecmp.load import MOST_FLOWS, expected_max_load, max_load

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Numbers of queue pairs that are tried: NCCL_IB_QPS_PER_CONNECTION takes 1 to 128 (NVIDIA NCCL
#: documentation, environment variables).
QUEUE_PAIRS = (1, 2, 4, 8, 16, 32, 64, 128)


@dataclass(frozen=True, slots=True)
class Spread:
    """What splitting the bytes of every sender over some queue pairs gives.

    Parameters
    ----------
    queue_pairs : int
        Queue pairs of a sender, each with a source port of its own and an equal share.
    over_mean : float
        Expected load of the fullest link over the mean load.
    efficiency : float
        Rate of the slowest sender over its rate with an even spread, 0 to 1.
    """

    queue_pairs: int
    over_mean: float
    efficiency: float


@dataclass(frozen=True, slots=True)
class QueuePairAdvice:
    """The least number of queue pairs that reaches a target, and what it was chosen from.

    Parameters
    ----------
    queue_pairs : int
        Advised number; the largest that was tried where none reaches the target.
    reached : bool
        Whether the target is reached.
    table : tuple of Spread
        All that was tried.
    """

    queue_pairs: int
    reached: bool
    table: tuple[Spread, ...]
    reason: str


def spread(senders: int, links: int, queue_pairs: int, link_ratio: float = 1.0) -> Spread:
    """Return what a number of queue pairs gives to senders that share the uplinks of a leaf.

    Parameters
    ----------
    senders, links : int
        Senders at line rate, and equal uplinks.
    queue_pairs : int
        Queue pairs of each sender; senders times queue pairs is at most 16384.
    link_ratio : float
        Speed of an uplink over the speed of a NIC, > 0.

    Raises
    ------
    ValueError
        When a number is out of its range.

    Notes
    -----
    k senders of m queue pairs are k m flows of size 1/m. A sender is never faster than its NIC, so
    that a link slows nobody down before it has more than one sender's worth of load.
    """
    if queue_pairs < 1 or not link_ratio > 0:
        raise ValueError("queue_pairs must be at least 1, and link_ratio above zero")
    law = max_load(senders * queue_pairs, links)
    over_mean = law.mean * links / (senders * queue_pairs)
    even = max(senders / (links * link_ratio), 1.0)
    slowest = law.mean_over(1, queue_pairs * link_ratio) / (queue_pairs * link_ratio)
    return Spread(queue_pairs, over_mean, even / slowest)


def enough_queue_pairs(
    senders: int, links: int, target: float, link_ratio: float = 1.0
) -> int | None:
    """Return the number that `advise_queue_pairs` finds; None where none reaches the target."""
    enough = (
        one.queue_pairs for one in _spreads(senders, links, link_ratio) if one.efficiency >= target
    )
    return next(enough, None)


def _spreads(senders: int, links: int, link_ratio: float) -> Iterator[Spread]:
    """Yield what each number of queue pairs gives that a law is known for, the least first."""
    tried = [count for count in QUEUE_PAIRS if senders * count <= MOST_FLOWS] or [1]
    return (spread(senders, links, count, link_ratio) for count in tried)


def advise_queue_pairs(
    senders: int, links: int, target: float = 0.8, link_ratio: float = 1.0
) -> QueuePairAdvice:
    """Return the least number of queue pairs with which the slowest sender reaches a target.

    Parameters
    ----------
    senders, links, link_ratio
        As in :func:`spread`.
    target : float
        Efficiency that is wanted, above 0 up to 1.

    Raises
    ------
    ValueError
        When a number is out of its range.
    """
    if not 0 < target <= 1:
        raise ValueError(f"target is {target}; it must be above 0, up to 1")
    table = tuple(_spreads(senders, links, link_ratio))
    enough = [row for row in table if row.efficiency >= target]
    chosen = enough[0] if enough else table[-1]
    start = (
        f"{counted(senders, 'sender')} on {counted(links, 'uplink')} with "
        f"{counted(chosen.queue_pairs, 'queue pair')} each {noun(senders, 'reaches', 'reach')}"
    )
    if enough:
        reason = f"{start} {chosen.efficiency:.0%} of an even spread; {target:.0%} is wanted"
    else:
        reason = (
            f"{start} only {chosen.efficiency:.0%} of an even spread; {target:.0%} takes adaptive "
            "routing or packet spraying"
        )
    return QueuePairAdvice(chosen.queue_pairs, bool(enough), table, reason)


@dataclass(frozen=True, slots=True)
class Sprayed:
    """What choosing the link for each packet gives, and what it asks for.

    Parameters
    ----------
    efficiency : float
        As in :class:`Spread`.
    needs : tuple of str
        What NICs and switches must be able to do.
    """

    efficiency: float
    needs: tuple[str, ...]


def spray(flows: int, links: int, packets: int) -> Sprayed:
    """Return what spraying gives to flows of some packets each, every packet on a random link.

    Parameters
    ----------
    flows, links, packets : int
        At least 1 each; packets of a flow in the time that is looked at.

    Raises
    ------
    ValueError
        When a number is below 1.

    Notes
    -----
    Up to 16384 packets the law is exact. The excess of the fullest link over the mean then grows
    with the square root of the packets (central limit theorem). Adaptive routing, which takes the
    emptiest link, comes nearer to an even spread than that.
    """
    if min(flows, links, packets) < 1:
        raise ValueError("flows, links and packets must be at least 1")
    total = flows * packets
    if total <= MOST_FLOWS:
        efficiency = spread(flows, links, packets).efficiency
    else:
        excess = expected_max_load(MOST_FLOWS, links) - MOST_FLOWS / links
        fullest = total / links + excess * math.sqrt(total / MOST_FLOWS)
        efficiency = max(flows / links, 1.0) / max(fullest / packets, 1.0)
    return Sprayed(
        efficiency,
        (
            "the receiving NICs place packets that arrive out of order",
            "the senders do not take a gap for a loss (selective repeat, adaptive retransmission)",
            "the switches spray or route adaptively only what is marked for it",
        ),
    )


def bisection_bps(nominal_bps: float, failed_share: float, efficiency: float) -> float:
    """Return what of a bisection flows can use: ``B (1 - failed) eta``.

    Parameters
    ----------
    nominal_bps : float
        Sum of the uplinks, >= 0.
    failed_share : float
        Share of them that is down, 0 to 1.
    efficiency : float
        Of the flows that share the uplinks of a leaf, 0 to 1.

    Raises
    ------
    ValueError
        When a number is out of its range.
    """
    if nominal_bps < 0 or not 0 <= failed_share <= 1 or not 0 <= efficiency <= 1:
        raise ValueError("nominal_bps must not be negative; the shares must lie between 0 and 1")
    return nominal_bps * (1.0 - failed_share) * efficiency


def rail_spine_share(rails: int) -> float:
    """Return the share of a uniform all-to-all that crosses the spines of one rail-optimised pod.

    Traffic between the same rails of two hosts stays on a leaf: ``(r - 1) / r`` goes up.

    Parameters
    ----------
    rails : int
        Rails of the pod, >= 1.

    Returns
    -------
    float
        Share, 0 to 1.
    """
    if rails < 1:
        raise ValueError(f"rails is {rails}; it must be at least 1")
    return (rails - 1) / rails


def relayed_spine_share() -> float:
    """Return the same when hosts relay over NVLink to the rail of the receiver: nothing goes up."""
    return 0.0


def classic_spine_share(hosts: int, hosts_per_leaf: int) -> float:
    """Return the same where all NICs of a host are on one leaf: ``1 - (m - 1) / (h - 1)``.

    Parameters
    ----------
    hosts, hosts_per_leaf : int
        Hosts of the pod, at least 2, and on one leaf, 1 up to all.

    Raises
    ------
    ValueError
        When a number is out of its range.
    """
    if not 1 <= hosts_per_leaf <= hosts or hosts < 2:  # noqa: PLR2004
        raise ValueError(
            f"{hosts_per_leaf} of {counted(hosts, 'host')} on a leaf: at least 2 hosts are needed"
        )
    return 1.0 - (hosts_per_leaf - 1) / (hosts - 1)
