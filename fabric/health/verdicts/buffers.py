"""Buffers: headroom against what was computed, drops of the lossless class, queues."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.health.cause import signs_at
from fabric.health.flags import all_of_end, any_of_end
from fabric.health.verdict import Verdict, on_cables, place, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.health.cause import Cause
    from fabric.health.ends import Floats
    from fabric.health.window import Window
    from fabric.topology.model import Bools, Ints

#: Frames of one codeword of RS(544,514): 5,440 bits hold eight of 64 bytes, and parts of two more.
_FRAMES = 10
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
        first = window.first("headroom_peak_bytes")
        # Where nobody read it before, or counts drops, nothing says that it is new.
        is_old = ((peak == first) | np.isnan(first)) & ~(drops > 0)
        have = window.plan.headroom_bytes[:, None]
        near = peak >= have * limits.headroom_percent / 100
        for row, group in np.argwhere(near | (drops >= limits.lost_packets)).tolist():
            over = drops[row, group] >= limits.lost_packets or peak[row, group] >= have[row, 0]
            severity = Severity.ERROR if over else Severity.WARNING
            if is_old[row, group]:
                severity = Severity.INFO
            message = self._message(peak[row, group], have[row, 0], drops[row, group], group)
            yield self.cause(
                message + self._age(first[row, group], is_old[row, group]),
                *place(window, row),
                severity=severity,
                lost=_amount(drops[row, group]) if over and not is_old[row, group] else 0.0,
                **on_cables(window, np.array([row])),
            )

    def _age(self, first: float, is_old: bool) -> str:  # noqa: FBT001
        if not is_old:
            return ""
        return "; since when is not known" if np.isnan(first) else "; it was as high before"

    def _message(self, peak: float, have: float, drops: float, group: int) -> str:
        text = f"priority group {group}: "
        if np.isnan(peak) or np.isnan(have):
            text += "the use of its headroom is not known"
        elif peak >= have:
            text += f"headroom over-run: {peak:,.0f} B used of {have:,.0f} B"
        else:
            text += f"{peak:,.0f} B of {have:,.0f} B of headroom used, slack {have - peak:,.0f} B"
        return f"{text}; {drops:,.0f} packets dropped" if drops > 0 else text


#: What a port lost: packets that it discarded, frames with errors.
_LOSSES = ("dropped {:,.0f} packets", "had {:,.0f} frames with errors")


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

    also = (("drops",), ("errors",), ("queue_drops",), ("group_drops",))
    joins = True

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the ports that discard packets, or whose lossless queues drop."""
        lost = np.add(*_losses(window))
        for row in np.flatnonzero(lost >= window.settings.lost_packets).tolist():
            yield self.joined(window, np.array([row]))

    def joined(self, window: Window, rows: Ints) -> Cause:
        """Return the cause of some ports of a device."""
        ends, losses = window.ends, [one[rows] for one in _losses(window)]
        least = window.settings.lost_packets
        what = [
            words.format(count.sum())
            for words, count in zip(_LOSSES, losses, strict=True)
            if count.sum() >= least
        ]
        return self.cause(
            f"{', '.join(what)} on {counted(len(rows), 'port')}",
            ends.names[ends.device[rows[0]]],
            hostlist.fold([ends.ports[row] for row in rows.tolist()]),
            about=signs_at(rows[losses[0] > 0], "drop") | signs_at(rows[losses[1] > 0], "error"),
            lost=float(losses[0].sum() + losses[1].sum()),
            **on_cables(window, rows),
        )


def _amount(count: float) -> float:
    """Return how many packets were lost; infinite where nobody counts them."""
    return float(count) if count > 0 else math.inf


@lru_cache(maxsize=1)
def _losses(window: Window) -> tuple[Floats, Floats]:
    """Return the packets that each end discarded, and its frames with errors.

    A port counts what its queues and groups drop too. What lossy ones dropped is taken off; so is
    what lossless groups and dead queues dropped, and frames of codewords that FEC gave up: other
    verdicts speak of these.
    """
    lossless, limits = window.plan.lossless, window.settings
    queues, groups = np.nan_to_num(window.rise("queue_drops")), window.rise("group_drops")
    mine = np.where(lossless & ~_dead(window), queues, 0.0).sum(axis=1)
    at_nics = np.where(window.plan.lossless, 0.0, np.nan_to_num(window.rise("nic_discards")))
    others = queues.sum(axis=1) - mine + np.nansum(groups, axis=1) + at_nics.sum(axis=1)
    counted = np.nan_to_num(window.rise("drops"))
    # Counters of one device are read one after the other.
    is_more = counted - _SAME * others >= limits.discarded_packets
    discarded = np.where(is_more, counted - others, 0.0)
    codewords = np.nan_to_num(window.rise("fec_uncorrected"))
    errors = np.nan_to_num(window.rise("errors")) - _FRAMES * codewords
    return np.maximum(discarded, mine), np.maximum(errors, 0.0)


def _dead(window: Window) -> Bools:
    """Return the queues that the watchdog holds, or that drop and send nothing."""
    packets, drops = window.rise("queue_packets"), window.rise("queue_drops")
    held = (window.last("operational") == 0) | (window.rise("storms") > 0)
    silent = window.plan.lossless & (drops >= window.settings.lost_packets) & (packets == 0)
    dead: Bools = held | silent
    return dead


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
        planned = any_of_end(window.plan.used)[:, None]
        stray: Bools = ~window.plan.used & planned & (per_s >= most)
        return stray

    def _all_astray(self, window: Window, per_s: Floats) -> Bools:
        """Return priority 0 of NICs that send in it, and nothing in a lossless one."""
        lossless = np.where(window.plan.lossless, per_s, 0.0)
        none = all_of_end(lossless == 0) & any_of_end(window.plan.lossless)
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
    more = any_of_end(totals > _SAME * sent)
    return np.flatnonzero(any_of_end(per_s != 0) & ~more[ends.device])


def _by_device(window: Window, wrong: Bools) -> Iterator[Ints]:
    """Yield the ends of each device that have something wrong."""
    rows = np.flatnonzero(any_of_end(wrong))
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
    also = (("queue_drops",), ("queue_packets",), ("storms",))

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the queues that the watchdog holds, or that drop and send nothing."""
        drops = window.rise("queue_drops")
        held = (window.last("operational") == 0) | (window.rise("storms") > 0)
        for row, queue in np.argwhere(_dead(window)).tolist():
            what = "the PFC watchdog saw a storm" if held[row, queue] else "it sends nothing"
            lost = (
                f", {counted(int(drops[row, queue]), 'packet')} dropped"
                if drops[row, queue] > 0
                else ""
            )
            yield self.cause(
                f"queue {queue} is dead: {what}{lost}",
                *place(window, row),
                about=signs_at(np.array([row]), "queue"),
                lost=_amount(drops[row, queue]),
                **on_cables(window, np.array([row])),
            )
