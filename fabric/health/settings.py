"""Limits of the verdicts that an operator may set."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of the verdicts; each is a choice of rocefab, and ``WHY`` gives its reason.

    Parameters
    ----------
    pause_percent : float
        Share of the time that a link is paused, from which on it counts as paused.
    storm_percent : float
        The same, from which on a NIC that pauses is a storm.
    least_frames : float
        Pause frames of a window, below which the two ends of a cable are not compared.
    stray_percent : float
        Share of the packets of a port in a queue that the design does not use.
    stray_packets_per_s : float
        Packets of such a queue, below which it is control traffic.
    headroom_percent : float
        Share of the headroom that was in use, from which on it is nearly full.
    table_percent : float
        Use of a table, from which on it is nearly full.
    spread_probability : float
        Probability that even hashing looks as uneven on any switch of the fabric.
    single_probability : float
        Probability that hashing puts all flows of a switch on one uplink, from which on it is an
        info, not a warning.
    fec_hours : float
        Expected time until a codeword cannot be corrected, below which FEC is close to its limit.
    flaps : float
        Changes of a link in a window, from which on it flaps.
    lost_packets : float
        Packets of a window that a lossless class lost, below which nothing is said.
    optic_celsius : float
        Temperature of an optic, above which it is too hot.
    discarded_packets : float
        The same of packets that a port discarded, of a class that is not known.
    """

    pause_percent: float = 1.0
    storm_percent: float = 50.0
    least_frames: float = 100.0
    stray_percent: float = 1.0
    stray_packets_per_s: float = 100.0
    headroom_percent: float = 90.0
    table_percent: float = 90.0
    spread_probability: float = 1e-3
    single_probability: float = 0.05
    fec_hours: float = 168.0
    flaps: float = 1.0
    lost_packets: float = 1.0
    discarded_packets: float = 10.0
    optic_celsius: float = 70.0

    def changed(self, values: Mapping[str, float]) -> Settings:
        """Return the limits with other values; raises TypeError for a name that none has."""
        return replace(self, **values)


#: Why each limit has its default.
WHY: Mapping[str, str] = {
    "pause_percent": "a link loses this share of its speed",
    "storm_percent": "no buffer takes half of the time of a window to drain: the pause of a "
    "full buffer lasts milliseconds",
    "least_frames": "the two ends are not read at the same instant",
    "stray_percent": "management and discovery of neighbours are far below 1 % of the packets",
    "stray_packets_per_s": "BGP, BFD, LLDP and ARP of a port stay below",
    "headroom_percent": "one more frame of the longest kind must still fit",
    "table_percent": "a table must hold what moves over when a neighbour fails",
    "spread_probability": "one false alarm in a thousand judgements of the whole fabric",
    "single_probability": "where so few ports send, one uplink for all of them is seen every day",
    "fec_hours": "one codeword a week and link is a lost frame every few minutes in a large fabric",
    "flaps": "a link of a fabric in production does not change",
    "lost_packets": "a lossless class loses none",
    "optic_celsius": "the case of a commercial QSFP-DD optic is specified up to here",
    "discarded_packets": "a port discards single frames that no VLAN or route takes",
}
NAMES = tuple(item.name for item in fields(Settings))
