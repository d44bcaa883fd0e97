"""ECN marks, the CNPs that they cause, and what senders do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted, noun
from fabric.core.findings import Severity
from fabric.health.hole import Hole
from fabric.health.verdict import Verdict, on_cables, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.health.cause import Cause
    from fabric.health.window import Window
    from fabric.topology.model import Bools, Ints

_COUNTERS = "Linux drivers/infiniband/hw/mlx5/counters.c"


def _by_host(window: Window, rows: Ints) -> Iterator[tuple[str, str, Ints]]:
    """Yield host, its NICs as one text, and their rows."""
    for device in np.unique(window.ends.device[rows]).tolist():
        mine = rows[window.ends.device[rows] == device]
        ports = hostlist.fold([window.ends.ports[row] for row in mine.tolist()])
        yield window.ends.names[device], ports, mine


class _Nics(Verdict):
    """Base of the verdicts on NICs, one cause for each host."""

    rank = 40

    def rows(self, window: Window) -> Ints:
        """Return the NICs that are wrong."""
        raise NotImplementedError

    def message(self, window: Window, rows: Ints) -> str:
        """Return what is wrong with the NICs of a host."""
        raise NotImplementedError

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the hosts with such NICs."""
        for host, ports, rows in _by_host(window, self.rows(window)):
            yield self.cause(self.message(window, rows), host, ports, **on_cables(window, rows))


@verdicts.add("OBS107")
class MarksWithoutCnp(_Nics):
    """NICs answer ECN marks with CNPs."""

    why = "Without a CNP no sender slows down: the queue grows until PFC acts."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 3"
    )
    fix = "enable the notification point (NP) on the lossless priority of the NIC: `rocefab drift`"
    needs = (("nic_marks",), ("cnp_sent",))

    def rows(self, window: Window) -> Ints:
        """Return the NICs that received marks and sent no CNP."""
        marks, sent = window.rise("nic_marks"), window.rise("cnp_sent")
        return np.flatnonzero((marks >= window.settings.least_frames) & (sent == 0))

    def message(self, window: Window, rows: Ints) -> str:
        """Return how many marks had no answer."""
        marks = window.rise("nic_marks")[rows].sum()
        return f"{counted(int(marks), 'packet')} arrived with an ECN mark, and no CNP was sent"


@verdicts.add("OBS108")
class CnpIgnored(_Nics):
    """NICs that receive CNPs slow down."""

    why = "A sender that ignores CNPs keeps its rate, and takes the share of those that slow down."
    source = _COUNTERS
    fix = "enable the reaction point (RP) on the lossless priority of the NIC: `rocefab drift`"
    needs = (("cnp_ignored",),)

    def rows(self, window: Window) -> Ints:
        """Return the NICs that ignored CNPs."""
        return np.flatnonzero(window.rise("cnp_ignored") >= window.settings.least_frames)

    def message(self, window: Window, rows: Ints) -> str:
        """Return how many CNPs were ignored."""
        ignored = int(window.rise("cnp_ignored")[rows].sum())
        return f"{counted(ignored, 'CNP')} arrived and {noun(ignored, 'was', 'were')} ignored"


@verdicts.add("OBS109")
class CnpLost(Verdict):
    """CNPs arrive at the senders."""

    why = "CNPs that are lost, or not recognised, leave PFC as the only brake of the rail."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 3"
    )
    fix = "compare the DSCP of CNPs that NICs send with that of the switches: `rocefab drift`"
    severity = Severity.ERROR
    rank = 41
    needs = (("cnp_sent",), ("cnp_handled",))

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the rails whose NICs are all known, and handle no CNP though some are sent."""
        ends, sent = window.ends, window.rise("cnp_sent")
        for number, rows, unknown in self._silent(window):
            if len(unknown):
                continue
            senders = rows[sent[rows] > 0]
            yield self.cause(
                f"rail {number}: {counted(int(sent[rows].sum()), 'CNP was', 'CNPs were')} sent, "
                "and no NIC received one",
                ends.hosts(senders)[0],
                evidence=(f"CNPs were sent by {hostlist.fold(list(ends.hosts(senders)))}",),
                **on_cables(window, rows),
            )

    def _silent(self, window: Window) -> Iterator[tuple[int, Ints, Ints]]:
        """Yield rails whose known NICs send CNPs and receive none: all NICs, those not known."""
        ends = window.ends
        rail = np.where(ends.is_nic, ends.fabric.nics.rail[ends.nic], -1)
        sent, handled = window.rise("cnp_sent"), window.rise("cnp_handled")
        received = np.nan_to_num(handled) + np.nan_to_num(window.rise("cnp_ignored"))
        for number in range(ends.fabric.rails):
            rows = np.flatnonzero(rail == number)
            if np.nansum(sent[rows]) >= window.settings.least_frames and not received[rows].any():
                yield number, rows, rows[np.isnan(sent[rows]) | np.isnan(handled[rows])]

    def unjudged(self, window: Window) -> tuple[list[Hole], bool]:
        """Name the rails too on which a NIC that is not known may have received the CNPs."""
        holes, none = super().unjudged(window)
        for number, _, unknown in self._silent(window):
            if len(unknown):
                names = tuple(window.ends.title(row) for row in unknown.tolist())
                holes.append(Hole(f"CNPs of rail {number}", names))
        return holes, none

    def concluded(self, window: Window) -> tuple[Bools, Bools]:
        """Return the devices and ends, without those of such rails."""
        devices, rows = super().concluded(window)
        for _, of_rail, unknown in self._silent(window):
            if len(unknown):
                rows[of_rail] = devices[window.ends.device[of_rail]] = False
        return devices, rows
