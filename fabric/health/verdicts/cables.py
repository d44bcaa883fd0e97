"""Cables: down, flapping, close to the limit of FEC."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.counts import counted, noun
from fabric.core.findings import Severity
from fabric.health.cause import signs_at
from fabric.health.fec import hours_until_loss
from fabric.health.verdict import Verdict, on_cables, place, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.health.cause import Cause
    from fabric.health.window import Window
    from fabric.topology.model import Ints

_LOAD = ("down", "load", "drop", "error", "queue")


def _near(rows: Ints, window: Window) -> Ints:
    """Return one row for each cable: the end further from the hosts."""
    return np.unique(np.where(window.ends.is_below[rows], rows, window.ends.far[rows]))


@verdicts.add("OBS114")
class LinkDown(Verdict):
    """Every cable of the design is up."""

    why = "The traffic of a cable that is down has fewer paths, or none."
    source = "docs/whatif.md (what a lost cable costs)"
    fix = "`rocefab cabling` names the plug; `rocefab whatif --fail` shows what the cable carries"
    rank = 10
    needs = (("up",),)
    is_mirrored = True

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the cables that are down, one cause where all of a device are."""
        ends, up = window.ends, window.last("up")
        down = (up == 0) | (up[ends.far] == 0)
        known = ~np.isnan(up) | ~np.isnan(up[ends.far])
        left = down.copy()
        for device, rows in enumerate(ends.of_device):
            whole = len(rows) > 1 and down[rows].all() and known[rows].all()
            if whole and left[rows].any():
                left[rows] = left[ends.far[rows]] = False
                message = f"all {len(rows)} cables of it are down"
                name, reading = ends.names[device], window.readings.get(ends.names[device])
                is_off = ends.is_nic[rows].all() and (reading is None or reading.after is None)
                if is_off:
                    message = f"is off, or cut off: {message}"
                severity = Severity.WARNING if is_off else Severity.ERROR
                yield self._cause(window, message, rows, name, severity=severity)
        for row in _near(np.flatnonzero(left), window).tolist():
            message = f"the cable to {ends.title(int(ends.far[row]))} is down"
            where, more = np.array([row]), {}
            if shut := _shut(window, row):
                verb = noun(len(shut), "is", "are")
                message, more = f"{message}: {' and '.join(shut)} {verb} shut down", _SHUT
            yield self._cause(window, message, where, *place(window, row), **more)

    def _cause(
        self,
        window: Window,
        message: str,
        rows: Ints,
        device: str,
        port: str = "",
        **more: Any,
    ) -> Cause:
        ends = window.ends
        both = np.concatenate([rows, ends.far[rows]])
        lost = "hosts" if ends.is_nic[both].any() else ""
        # Once routes are gone, a cable that is down loses nothing.
        fell = (window.first("up")[both] == 1).any()
        return self.cause(
            message,
            device,
            port,
            about=signs_at(both, "down"),
            explains=signs_at(both, *_LOAD),
            lost=math.inf if fell else 0.0,
            **(on_cables(window, both) if lost else {}),
            **more,
        )


#: What to do about a port that somebody shut.
_SHUT = {"fix": "no plug to replace: `rocefab plan` shows whether the inventory wants it up"}


def _shut(window: Window, row: int) -> list[str]:
    """Return the ends of a cable that their switches say are shut down."""
    return [
        window.ends.title(end)
        for end in (row, int(window.ends.far[row]))
        if (one := window.readings.get(place(window, end)[0]))
        and one.after
        and (port := (one.after.interfaces or {}).get(window.ends.ports[end]))
        and port.enabled is False
    ]


@verdicts.add("OBS115")
class Flapping(Verdict):
    """No link changes its state."""

    why = "Each change moves traffic to other paths, and loses what was on the cable."
    source = (
        "Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst "
        "(link_down_events_phy)"
    )
    fix = "clean or replace the cable or the transceiver"
    rank = 11
    needs = (("flaps",),)
    is_mirrored = True

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the cables that changed."""
        flaps = np.fmax(window.rise("flaps"), window.rise("flaps")[window.ends.far])
        rows = np.flatnonzero(flaps >= window.settings.flaps)
        for row in _near(rows, window).tolist():
            both = np.array([row, window.ends.far[row]])
            far = window.ends.title(int(window.ends.far[row]))
            yield self.cause(
                f"the link to {far} changed {flaps[row]:.0f} times",
                *place(window, row),
                about=signs_at(both, "down"),
                explains=signs_at(both, *_LOAD),
                lost=math.inf,
                **on_cables(window, both),
            )


@verdicts.add("OBS116")
class FecLimit(Verdict):
    """FEC corrects what the cable damages, with room to spare."""

    severity = Severity.WARNING
    why = "Close to its limit, a little more noise makes codewords that cannot be corrected."
    source = (
        "IEEE 802.3 clauses 91 and 119: RS(528,514) corrects 7 symbols, RS(544,514) 15 "
        "(https://www.ieee802.org/3/bs/)"
    )
    fix = "clean or replace the cable or the transceiver before it fails"
    rank = 12
    needs = (("fec_corrected", "fec_uncorrected"),)
    also = (("fec_uncorrected",),)

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the ports with codewords that were, or soon are, beyond correction."""
        lost = window.rise("fec_uncorrected")
        hours = hours_until_loss(
            window.per_s("fec_corrected"), window.ends.speed_gbps, window.plan.fec_symbols
        )
        bad = (lost > 0) | (hours < window.settings.fec_hours)
        for row in np.flatnonzero(bad).tolist():
            both = np.array([row, window.ends.far[row]])
            corrected = f"{window.per_s('fec_corrected')[row]:,.0f} codewords/s are corrected"
            if lost[row] > 0:
                message = f"FEC could not correct {counted(int(lost[row]), 'codeword')}"
            else:
                message = f"FEC is close to its limit: a lost codeword every {hours[row]:,.1f} h"
            yield self.cause(
                message,
                *place(window, row),
                severity=Severity.ERROR if lost[row] > 0 else Severity.WARNING,
                evidence=(corrected,),
                lost=0.0 if np.isnan(lost[row]) else float(lost[row]),  # not what FEC corrects
                **on_cables(window, both),
            )
