"""The spread of traffic over the uplinks of a switch, against what ECMP gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.health.cause import signs_at
from fabric.health.hashing import IDLE, spread_probability
from fabric.health.verdict import Verdict, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.health.cause import Cause
    from fabric.health.ends import Floats
    from fabric.health.window import Window
    from fabric.topology.model import Ints

#: Shortest frame (IEEE 802.3-2022 clause 3.2.7).
_FRAME_BYTES = 64


@verdicts.add("OBS120")
class UnevenUplinks(Verdict):
    """Uplinks share the traffic as hashing does."""

    severity = Severity.WARNING
    why = "Traffic that two tiers hash the same way leaves links idle and fills others."
    source = "RFC 2992 (hashing over next hops)"
    fix = "compare the hash seeds of both tiers, and the routes over idle uplinks"
    rank = 36
    needs = (("sent_bytes", "sent_packets"), ("received_bytes", "received_packets"))

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the switches whose spread is too unlikely, or whose traffic takes one uplink."""
        ends = window.ends
        known = [case for rows in ends.of_device if (case := _case(window, rows))]
        limit = window.settings.spread_probability / max(1, len(known))
        for rows, sent, flows in known:
            probability, busiest = spread_probability(sent, flows), int(sent.argmax())
            idle, port = np.delete(rows, busiest), ends.ports[rows[busiest]]
            is_single = bool((np.delete(sent, busiest) < IDLE * sent.mean()).all())
            if is_single:
                message = (
                    f"{port} carries all traffic of the uplinks, "
                    f"{len(rows) - 1} of {len(rows)} are idle"
                )
            elif probability < limit:
                mean = float(sent.mean())
                message = (
                    f"uplinks are uneven: {port} has {sent.max() / mean:.1f} times the mean, "
                    f"{(sent == 0).sum()} of {len(rows)} are idle"
                )
                idle = rows[sent < mean / 2]
            else:
                continue
            by_chance = is_single and probability >= window.settings.single_probability
            yield self.cause(
                message + ("; few flows may do so by chance" if by_chance else ""),
                ends.names[ends.device[rows[busiest]]],
                severity=Severity.INFO if by_chance else Severity.WARNING,
                evidence=(f"probability for {counted(flows, 'flow')}: {probability:.1e}",),
                about=signs_at(idle, "load"),
            )


def _case(window: Window, rows: Ints) -> tuple[Ints, Floats, int] | None:
    """Return the equal uplinks of a switch, their load, and the least number of flows on them.

    The load is in bytes, or in packets where bytes are not known; control traffic is none.
    """
    ends = window.ends
    switch = rows[~ends.is_nic[rows]]
    is_down = (window.last("up")[switch] == 0) | (window.last("up")[ends.far[switch]] == 0)
    switch = switch[~is_down]
    up, below = switch[~ends.is_below[switch]], switch[ends.is_below[switch]]
    if len(up) < 2 or len(np.unique(ends.speed_gbps[up])) > 1:  # noqa: PLR2004 - a choice
        return None
    least = window.settings.stray_packets_per_s
    for unit, least_per_s in (("bytes", least * _FRAME_BYTES), ("packets", least)):
        sent = window.per_s(f"sent_{unit}")[up]
        received = window.per_s(f"received_{unit}")[below]
        if sent.sum() >= least_per_s and np.isfinite(received).any():
            return up, sent, _flows(received, float(sent.sum()))
    return None


def _flows(senders: Floats, sent: float) -> int:
    """Return how many equal flows there are at least: one for each port that traffic comes from.

    Notes
    -----
    Effective number of senders (sum x)^2 / sum x^2 (Kish, Survey Sampling, 1965),
    times the share of their traffic that takes the uplinks.
    """
    known = senders[senders > 0]
    if not len(known):
        return 1
    effective = known.sum() ** 2 / (known**2).sum()
    return max(1, int(effective * min(1.0, sent / known.sum())))
