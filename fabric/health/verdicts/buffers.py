"""Buffers: headroom against what was computed, drops of the lossless class, queues."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.findings import Severity
from fabric.health.cause import signs_at
from fabric.health.verdict import Verdict, losses_of, on_cables, place, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.health.cause import Cause
    from fabric.health.ends import Floats
    from fabric.health.window import Window
    from fabric.topology.model import Bools, Ints

#: Two rates are the same up to this factor: devices are read at slightly different times.
_SAME = 1.1


@verdicts.add("OBS110")
class HeadroomOverrun(Verdict):
    """Headroom holds what arrives after a pause."""

    why = "What arrives after a pause and finds no headroom is dropped."
    source = "IEEE 802.1Q-2018 annex N"
    fix = "compare length, speed and MTU of the cable with `rocefab explain DEVICE PORT`"
    rank = 15
    needs = (("headroom_peak_bytes",),)

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the ports whose lossless groups filled their headroom, or nearly."""
        groups, limits = window.plan.groups, window.settings
        peak = np.where(groups, window.last("headroom_peak_bytes"), np.nan)
        drops = np.where(groups, window.rise("group_drops"), np.nan)
        is_old = (peak == window.first("headroom_peak_bytes")) & (drops == 0)
        have = window.plan.headroom_bytes[:, None]
        near = peak >= have * limits.headroom_percent / 100
        for row, group in np.argwhere(near | (drops >= limits.lost_packets)).tolist():
            over = drops[row, group] >= limits.lost_packets or peak[row, group] >= have[row, 0]
            severity = Severity.ERROR if over else Severity.WARNING
            if is_old[row, group]:
                severity = Severity.INFO
            message = self._message(peak[row, group], have[row, 0], drops[row, group], group)
            yield self.cause(
                message + ("; it was as high before" if is_old[row, group] else ""),
                *place(window, row),
                severity=severity,
                explains=losses_of(window, np.array([row])) if over else frozenset(),
                **on_cables(window, np.array([row])),
            )

    def _message(self, peak: float, have: float, drops: float, group: int) -> str:
        text = f"priority group {group}: "
        if np.isnan(peak) or np.isnan(have):
            text += "the use of its headroom is not known"
        elif peak >= have:
            text += f"headroom over-run: {peak:,.0f} B used of {have:,.0f} B"
        else:
            text += f"{peak:,.0f} B of {have:,.0f} B of headroom used, slack {have - peak:,.0f} B"
        return f"{text}; {drops:,.0f} packets dropped" if drops > 0 else text


@verdicts.add("OBS111")
class Drops(Verdict):
    """The fabric drops no packets."""

    why = "One lost packet makes RoCE send all that followed it again."
    source = (
        "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.1 (go-back-N)"
    )
    fix = "check the cable and optics of the port, then the switch; drain it if drops continue"
    rank = 34
    needs = (("drops", "queue_drops", "group_drops"),)

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the devices whose ports discard packets, or whose lossless queues drop."""
        ends, errors = window.ends, np.nan_to_num(window.rise("errors"))
        dropped = _dropped(window)
        lost = np.where(dropped + errors >= window.settings.lost_packets, dropped + errors, 0.0)
        bad = np.flatnonzero(lost > 0)
        for device in np.unique(ends.device[bad]).tolist():
            rows = bad[ends.device[bad] == device]
            ports = hostlist.fold([ends.ports[row] for row in rows.tolist()])
            yield self.cause(
                f"dropped {lost[rows].sum():,.0f} packets on {len(rows)} "
                f"port{'' if len(rows) == 1 else 's'}",
                ends.names[device],
                ports,
                about=signs_at(rows[dropped[rows] > 0], "drop")
                | signs_at(rows[errors[rows] > 0], "error"),
                explains=losses_of(window, rows),
                **on_cables(window, rows),
            )


def _dropped(window: Window) -> Floats:
    """Return the packets that each end discarded, but for those of classes that may lose some.

    A port counts what its queues and groups drop too. What lossy ones dropped is taken off, and so
    is what lossless groups dropped: OBS110 speaks of these.
    """
    lossless, limits = window.plan.lossless, window.settings
    queues, groups = np.nan_to_num(window.rise("queue_drops")), window.rise("group_drops")
    others = np.where(lossless, 0.0, queues).sum(axis=1) + np.nansum(groups, axis=1)
    discarded = np.nan_to_num(window.rise("drops")) - others
    discarded = np.where(discarded >= limits.discarded_packets, discarded, 0.0)
    dropped: Floats = np.maximum(discarded, np.where(lossless, queues, 0.0).sum(axis=1))
    return dropped


@verdicts.add("OBS112")
class WrongQueue(Verdict):
    """Traffic is in the queues that the design has for it."""

    why = "Packets with another mark leave the lossless class: they are dropped, and never paused."
    source = "RFC 2474 section 3 (the DSCP chooses the queue); IEEE 802.1Q-2018 clause 36"
    fix = (
        "compare marks of the host (traffic class, cma_roce_tos, NCCL_IB_TC) and DSCP maps: "
        "`rocefab drift`"
    )
    rank = 42
    needs = (("queue_packets",), ("nic_packets",))

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield hosts that send in a wrong priority, then switches with a stray queue."""
        nics, switches = window.per_s("nic_packets"), window.per_s("queue_packets")
        at_nics = self._stray(window, nics) | self._all_astray(window, nics)
        at_ports = self._stray(window, switches)
        sent = np.where(at_nics, nics, 0.0).sum(axis=0)
        theirs = signs_at(_passed_on(window, np.where(at_ports, switches, 0.0), sent), "stray")
        for rows in _by_device(window, at_nics):
            words = "priority", "the NIC sends"
            yield replace(self._cause(window, rows, at_nics, nics, words), explains=theirs)
        for rows in _by_device(window, at_ports):
            yield self._cause(window, rows, at_ports, switches, ("queue", "ports send"))

    def _stray(self, window: Window, per_s: Floats) -> Bools:
        """Return where a queue that the design does not use has more than control traffic."""
        total = np.nansum(per_s, axis=1, keepdims=True)
        most = np.maximum(
            window.settings.stray_packets_per_s, total * window.settings.stray_percent / 100
        )
        planned = window.plan.used.any(axis=1, keepdims=True)
        stray: Bools = ~window.plan.used & planned & (per_s >= most)
        return stray

    def _all_astray(self, window: Window, per_s: Floats) -> Bools:
        """Return priority 0 of NICs that send in it, and nothing in a lossless one."""
        lossless = np.where(window.plan.lossless, per_s, 0.0)
        none = (lossless == 0).all(axis=1) & window.plan.lossless.any(axis=1)
        astray = np.zeros(per_s.shape, dtype=np.bool_)
        astray[:, 0] = none & ~window.plan.lossless[:, 0]
        return astray & np.greater_equal(per_s, window.settings.stray_packets_per_s)

    def _cause(
        self,
        window: Window,
        rows: Ints,
        stray: Bools,
        per_s: Floats,
        words: tuple[str, str],
    ) -> Cause:
        ends, (word, who) = window.ends, words
        numbers = np.flatnonzero(stray[rows].any(axis=0)).tolist()
        planned = np.flatnonzero(window.plan.lossless[rows].any(axis=0)).tolist()
        rate = np.where(stray[rows], per_s[rows], 0.0).sum()
        listed, right = (", ".join(map(str, many)) for many in (numbers, planned))
        return self.cause(
            f"{who} {rate:,.0f} packets/s in {word} {listed}; RoCE has {word} {right}",
            ends.names[ends.device[rows[0]]],
            hostlist.fold([ends.ports[row] for row in rows.tolist()]),
            # priority 0 may be TCP over the NIC while no RoCE runs
            severity=Severity.ERROR if any(numbers) else Severity.WARNING,
            about=signs_at(rows, "stray"),
            **on_cables(window, rows),
        )


def _passed_on(window: Window, per_s: Floats, sent: Floats) -> Ints:
    """Return the ends of switches that send no more stray packets than NICs do.

    A packet passes a switch once.
    """
    ends = window.ends
    totals = np.zeros((len(ends.names), per_s.shape[1]))
    np.add.at(totals, ends.device, per_s)
    more = np.asarray((totals > _SAME * sent).any(axis=1))
    return np.flatnonzero(per_s.any(axis=1) & ~more[ends.device])


def _by_device(window: Window, wrong: Bools) -> Iterator[Ints]:
    """Yield the ends of each device that have something wrong."""
    rows = np.flatnonzero(wrong.any(axis=1))
    for device in np.unique(window.ends.device[rows]).tolist():
        yield rows[window.ends.device[rows] == device]


@verdicts.add("OBS113")
class DeadQueue(Verdict):
    """Every lossless queue sends what it holds."""

    why = "A queue that does not send although nothing pauses it drops what is put into it."
    source = "sonic-net/sonic-swss orchagent/pfcwdorch.cpp (what the watchdog calls a storm)"
    fix = "check the PFC watchdog of the port; shut the port for a moment to empty the queue"
    rank = 32
    needs = (("operational", "queue_drops"), ("operational", "queue_packets"))

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the queues that the watchdog holds, or that drop and send nothing."""
        packets, drops = window.rise("queue_packets"), window.rise("queue_drops")
        held = (window.last("operational") == 0) | (window.rise("storms") > 0)
        dead = window.plan.lossless & (drops >= window.settings.lost_packets) & (packets == 0)
        for row, queue in np.argwhere(held | dead).tolist():
            what = "the PFC watchdog saw a storm" if held[row, queue] else "it sends nothing"
            lost = f", {drops[row, queue]:,.0f} packets dropped" if drops[row, queue] > 0 else ""
            yield self.cause(
                f"queue {queue} is dead: {what}{lost}",
                *place(window, row),
                about=signs_at(np.array([row]), "queue"),
                explains=losses_of(window, np.array([row])),
                **on_cables(window, np.array([row])),
            )
