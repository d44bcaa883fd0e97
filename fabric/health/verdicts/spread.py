"""The spread of traffic over the uplinks of a switch, against what ECMP gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.health.cause import signs_at
from fabric.health.hashing import spread_probability
from fabric.health.verdict import Verdict, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.health.cause import Cause
    from fabric.health.ends import Floats
    from fabric.health.window import Window
    from fabric.topology.model import Ints


@verdicts.add("OBS120")
class UnevenUplinks(Verdict):
    """Uplinks share the traffic as hashing does."""

    severity = Severity.WARNING
    why = "Traffic that two tiers hash the same way leaves links idle and fills others."
    source = "RFC 2992 (hashing over next hops)"
    fix = "compare the hash seeds of both tiers, and the routes over idle uplinks"
    rank = 36
    needs = (("sent_bytes", "sent_packets"),)

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the switches whose spread is too unlikely."""
        ends, load = window.ends, _load(window)
        cases = [self._case(window, load, rows) for rows in ends.of_device]
        known = [case for case in cases if case]
        limit = window.settings.spread_probability / max(1, len(known))
        for rows, flows in known:
            sent = load[rows]
            probability = spread_probability(sent, flows)
            if probability < limit:
                mean = float(sent.mean())
                busiest, idle = int(rows[int(sent.argmax())]), int((sent == 0).sum())
                message = (
                    f"uplinks are uneven: {ends.ports[busiest]} has {sent.max() / mean:.1f} times "
                    f"the mean, {idle} of {len(rows)} are idle"
                )
                yield self.cause(
                    message,
                    ends.names[ends.device[busiest]],
                    evidence=(f"probability for {flows} flows: {probability:.1e}",),
                    about=signs_at(rows[sent < mean / 2], "load"),
                )

    def _case(self, window: Window, load: Floats, rows: Ints) -> tuple[Ints, int] | None:
        """Return the equal uplinks of a switch and the least number of flows on them."""
        ends = window.ends
        up = rows[~ends.is_below[rows] & ~ends.is_nic[rows]]
        below = rows[ends.is_below[rows]]
        sent = load[up]
        if len(up) < 2 or np.isnan(sent).any() or not sent.sum():  # noqa: PLR2004 - a choice
            return None
        if len(np.unique(ends.speed_gbps[up])) > 1:
            return None
        return up, _flows(load[ends.far[below]], float(sent.sum()))


def _load(window: Window) -> Floats:
    """Return what each end sends in each second: bytes, or packets where there are none."""
    octets = window.per_s("sent_bytes")
    packets = window.per_s("sent_packets")
    nics = np.nansum(window.per_s("nic_packets"), axis=1)
    leaf = window.per_s("received_packets")[window.ends.far]
    packets = np.where(window.ends.is_nic, np.fmax(nics, leaf), packets)
    load: Floats = np.where(np.isnan(octets), packets, octets)
    return load


def _flows(senders: Floats, sent: float) -> int:
    """Return how many equal flows there are at least: one for each device that sends.

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
