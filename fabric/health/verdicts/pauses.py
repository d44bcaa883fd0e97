"""Pauses: where they begin, and whether both ends of a cable count them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.core.units import gbps_to_bytes_per_s
from fabric.health.cause import signs_at
from fabric.health.pauses import roots
from fabric.health.verdict import Verdict, on_cables, place, verdicts
from fabric.qos.pause_share import share_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.health.cause import Cause
    from fabric.health.pauses import Root
    from fabric.health.window import Window
    from fabric.topology.model import Bools

_PAUSES = (
    ("pauses_received", "all_pauses_received", "paused_us"),
    ("pauses_sent", "all_pauses_sent", "pausing_us"),
)
#: Lines of evidence about paused ports.
_MOST_LINES = 8


class _Origin(Verdict):
    """Base of the verdicts on roots of the pause graph."""

    rank = 30
    needs: tuple[tuple[str, ...], ...] = _PAUSES
    is_mirrored = True

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the roots that are of this kind."""
        for root in roots(window):
            if message := self.message(window, root):
                yield self._cause(window, root, message)

    def message(self, window: Window, root: Root) -> str:
        """Return what is wrong, or nothing where the root is of another kind."""
        raise NotImplementedError

    def severity_of(self, window: Window, root: Root) -> Severity:  # noqa: ARG002
        """Return how bad a root is."""
        return self.severity

    def _cause(self, window: Window, root: Root, message: str) -> Cause:
        ends = window.ends
        victims, row = root.victims(ends), int(root.rows[0])
        hosts = victims[ends.is_nic[victims]]
        port = ends.ports[row] if root.kind == "nic" else ""
        return self.cause(
            message,
            ends.names[ends.device[row]],
            port,
            severity=self.severity_of(window, root),
            about=signs_at(root.rows, "pause"),
            explains=signs_at(root.reached, "pause") | signs_at(victims, "load", "queue"),
            evidence=_evidence(window, root),
            symptoms=len(victims) - (1 if root.kind == "nic" else 0),
            hosts=ends.hosts(hosts),
            rails=ends.rails(np.concatenate([hosts, root.rows])),
        )


def _evidence(window: Window, root: Root) -> tuple[str, ...]:
    """Return which ends are paused, the nearest first."""
    ends = window.ends
    share, bound = window.pausing[:, root.priority], window.is_bound[:, root.priority]
    lines = [
        f"{ends.title(row)} pauses {ends.title(int(ends.far[row]))} "
        f"{share_words(share[row], is_bound=bound[row])} of the time"
        for row in root.reached[:_MOST_LINES].tolist()
    ]
    more = len(root.reached) - _MOST_LINES
    return (*lines, f"and {counted(more, 'more cable')}") if more > 0 else tuple(lines)


def _words(window: Window, root: Root, digits: int = 0) -> str:
    is_bound = bool(window.is_bound[root.rows, root.priority].any())
    return share_words(_share(window, root), is_bound=is_bound, digits=digits)


def _share(window: Window, root: Root) -> float:
    return float(window.pausing[root.rows, root.priority].max())


def _is_storm(window: Window, root: Root) -> bool:
    """Tell whether a NIC pauses without end: by its share, or by a watchdog of either end."""
    is_long = _share(window, root) >= window.settings.storm_percent / 100
    return is_long or _is_seen(window, root)


def _is_seen(window: Window, root: Root) -> bool:
    """Tell whether a watchdog of either end saw a storm."""
    row = int(root.rows[0])
    leaf = int(window.ends.far[row])
    queue = window.plan.queue_of[leaf, root.priority]
    watchdog = window.last("operational")[leaf, queue] == 0
    watchdog |= window.rise("storms")[leaf, queue] > 0
    own = window.rise("storm_errors")[row] > 0
    return bool(watchdog | own)


@verdicts.add("OBS101")
class PauseStorm(_Origin):
    """No NIC pauses its leaf without end."""

    why = (
        "A NIC that keeps its leaf paused fills the buffers of the leaf, which then pauses its "
        "neighbours: one NIC stops a rail or the fabric."
    )
    source = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.3"
    fix = "take the host out of use, then check its NIC, PCIe and receiving process"

    def severity_of(self, window: Window, root: Root) -> Severity:
        """Return a warning where frames alone tell of a storm, and may have told less."""
        row = int(root.rows[0])
        is_open = window.is_bound[row, root.priority] and _share(window, root) < 1
        return Severity.WARNING if is_open and not _is_seen(window, root) else self.severity

    def message(self, window: Window, root: Root) -> str:
        """Return how much a NIC pauses."""
        if root.kind != "nic" or not _is_storm(window, root):
            return ""
        share = _words(window, root)
        return f"PFC storm: pauses its leaf {share} of the time, priority {root.priority}"


@verdicts.add("OBS102")
class PauseCycle(_Origin):
    """No pauses form a cycle."""

    why = "Switches that each wait for the next one never send again: a deadlock."
    source = (
        "Hu et al., Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them, "
        "HotNets 2016"
    )
    fix = "shut one of the cables for a moment, then check routes with `rocefab show deadlock`"

    def message(self, window: Window, root: Root) -> str:
        """Return which devices wait for each other."""
        if root.kind != "cycle":
            return ""
        names = sorted({window.ends.names[one] for one in window.ends.device[root.rows].tolist()})
        return f"suspected deadlock: {', '.join(names)} pause each other, priority {root.priority}"


@verdicts.add("OBS103")
class SlowReceiver(_Origin):
    """No NIC pauses its leaf while its link has room."""

    severity = Severity.WARNING
    why = (
        "A NIC that cannot take what arrives pauses the network, although its link is not full: "
        "everyone who sends to it, and others behind them, wait."
    )
    source = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.4"
    fix = "check PCIe width, memory, ACS and the receive buffers of the host"

    def message(self, window: Window, root: Root) -> str:
        """Return how much a NIC pauses, and how full its link is."""
        if root.kind != "nic" or _is_storm(window, root):
            return ""
        row = int(root.rows[0])
        text = f"slow receiver: pauses its leaf {_words(window, root, 1)} of the time"
        rate = window.per_s("sent_bytes")[window.ends.far[row]]
        full = rate / gbps_to_bytes_per_s(float(window.ends.speed_gbps[row]))
        text += "" if np.isnan(full) else f" while its link is {100 * full:.0f} % full"
        lost = window.rise("out_of_buffer")[row]
        text += f", and has no buffer for {counted(int(lost), 'packet')}" if lost > 0 else ""
        return f"{text}, priority {root.priority}"


class _AtSwitch(_Origin):
    """Base of the verdicts on switches where pauses begin."""

    severity = Severity.WARNING

    def marks(self, window: Window, root: Root) -> bool | None:
        """Tell whether the switch marks: by its own counters, or those of the NICs below it."""
        ends, device = window.ends, int(window.ends.device[root.rows[0]])
        rows = ends.of_device[device]
        own = np.concatenate([
            window.rise("marks")[rows].ravel(),
            window.rise("all_marks")[rows],
            window.rise("nic_marks")[ends.far[rows]],
        ])
        known = own[~np.isnan(own)]
        return bool((known > 0).any()) if len(known) else None


@verdicts.add("OBS104")
class Congestion(_AtSwitch):
    """No switch is congested and pauses its neighbours."""

    why = "More arrives for a port than it can send; the pauses that follow stop other traffic too."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 2"
    )
    fix = "see which jobs send to the hosts below it; compare ECN with `rocefab show ecn`"

    def message(self, window: Window, root: Root) -> str:
        """Return where pauses begin, and by which port if it is known."""
        if root.kind != "switch" or self.marks(window, root) is False:
            return ""
        text = f"pauses begin at this switch, priority {root.priority}: {_port(window, root)}"
        return text + _unseen(window, root)


@verdicts.add("OBS105")
class PauseWithoutMarks(_AtSwitch):
    """ECN marks before PFC pauses."""

    severity = Severity.ERROR
    why = "Senders slow down on marks. Without marks, PFC is the only brake, and it stops everyone."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 4"
    )
    fix = "check that ECN is on for the lossless queue: `rocefab drift`, `rocefab show ecn`"
    needs = (*_PAUSES, ("marks", "all_marks", "nic_marks"))

    def message(self, window: Window, root: Root) -> str:
        """Return where pauses begin without a mark."""
        if root.kind != "switch" or self.marks(window, root) is not False:
            return ""
        text = f"pauses begin at this switch without ECN marks, priority {root.priority}: "
        return text + _port(window, root) + _unseen(window, root)


def _port(window: Window, root: Root) -> str:
    """Return the egress port that is congested, by marks, else by the watermark of its queue."""
    rows = window.ends.of_device[int(window.ends.device[root.rows[0]])]
    for table in (window.rise("marks"), window.last("queue_peak_bytes")):
        figures = table[rows, window.plan.queue_of[rows, root.priority]]
        if np.nanmax(figures, initial=0) > 0:
            return f"the fullest port is {window.ends.ports[rows[int(np.nanargmax(figures))]]}"
    return "which port is congested is not known"


def _unseen(window: Window, root: Root) -> str:
    """Say how many of its cables have no pause counters at either end."""
    rows = window.ends.of_device[int(window.ends.device[root.rows[0]])]
    blind = int(np.isnan(window.pausing[window.ends.far[rows], root.priority]).sum())
    return f"; pauses of {blind} of its cables are not known" if blind else ""


#: Share of the pauses of an end that the other one counts at least, if it heeds any. Ours.
_HEARD = 0.01
#: How much more pauses it takes where one end is read a whole window later. Ours.
_APART = 10.0


@verdicts.add("OBS106")
class AsymmetricPause(Verdict):
    """Both ends of a cable count the same pauses."""

    why = "A pause that the other end does not count does not stop it: packets are lost."
    source = "IEEE 802.1Q clause 36.1 (a pause of a priority that is not enabled is ignored)"
    fix = "compare PFC and its priority at both ends: `rocefab drift` names the difference"
    rank = 20
    needs = (("pauses_received",), ("pauses_sent",))

    def concluded(self, window: Window) -> tuple[Bools, Bools]:
        """Return the devices, and the ends of which the other one is known too."""
        devices, rows = super().concluded(window)
        return devices, rows & rows[window.ends.far]

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the cables of which one end sends and the other counts none."""
        ends, elapsed_s = window.ends, window.elapsed_s[window.ends.device]
        sent, received = window.rise("pauses_sent"), window.rise("pauses_received")[ends.far]
        # What the one end counts while the other is not read is in no other window.
        apart = np.abs(elapsed_s - elapsed_s[ends.far]) / np.fmin(elapsed_s, elapsed_s[ends.far])
        least = window.settings.least_frames * (1 + _APART * np.nan_to_num(apart))[:, None]
        unheard = (sent >= least) & (received <= _HEARD * sent)
        for row, priority in np.argwhere(unheard).tolist():
            far = int(ends.far[row])
            share = share_words(
                window.pausing[row, priority], is_bound=window.is_bound[row, priority]
            )
            heard = f"{received[row, priority]:,.0f}" if received[row, priority] else "none"
            message = (
                f"sent {counted(int(sent[row, priority]), 'pause frame')} of priority {priority}, "
                f"{share} of the time, {ends.title(far)} counted {heard}"
            )
            if others := np.flatnonzero(received[row] >= least[row]).tolist():
                message += f" but received priority {', '.join(map(str, others))}"
            both = np.array([row, far])
            yield self.cause(
                message,
                *place(window, row),
                explains=signs_at(both, "pause") | signs_at(np.array([row]), "drop"),
                lost=math.inf,
                **on_cables(window, both),
            )
