"""What devices say of themselves: restarts, sessions, optics; and pauses that nothing plans."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.health.cause import signs_at
from fabric.health.flags import any_of_end
from fabric.health.verdict import Verdict, on_cables, place, verdicts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from fabric.health.cause import Cause
    from fabric.health.window import Window
    from fabric.observe.state import BgpPeer, Sensor

#: Bit error ratio before FEC that a link with RS(544,514) may have (IEEE 802.3-2022 clause 124.1.1,
#: 400GBASE-DR4).
_MOST_ERRORS = 2.4e-4

#: Sensors of a device that a message names; the others are evidence.
_MOST_TOLD = 2


@verdicts.add("OBS121")
class Restarted(Verdict):
    """No device restarts."""

    why = "While a switch restarts, its ports are down; its counters begin at 0."
    source = "RFC 2578 section 7.1.6 (counters after a discontinuity)"
    fix = "find out why it restarted: its log, its power, a change by hand"
    rank = 9
    reads = (("facts", "uptime"),)

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the devices whose uptimes say that they restarted."""
        for number in np.flatnonzero(window.restarted).tolist():
            rows = window.ends.of_device[number]
            both = np.concatenate([rows, window.ends.far[rows]])
            yield self.cause(
                "restarted between the two readings: its counters have no rates",
                window.ends.names[number],
                explains=signs_at(both, "load", "drop")
                | signs_at(both[window.first("up")[both] != 0], "down")
                | signs_at(rows, "pause")
                | signs_at(rows, "error"),
                lost=math.inf,
                **on_cables(window, rows),
            )


@verdicts.add("OBS122")
class SessionsDown(Verdict):
    """Switches have BGP sessions."""

    why = (
        "A switch without sessions has no routes: all that it should carry is lost. Without those "
        "between loopbacks it has none of tenants on other leaves."
    )
    source = "RFC 4271 section 8 (routes of a session that ends are removed)"
    fix = "check the BGP process and its log; `rocefab verify` names the sessions"
    rank = 13
    reads = (("bgp", "BGP sessions"),)

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the switches of which no session is established, or none between loopbacks."""
        for name, reading in window.readings.items():
            sessions = (reading.after.bgp if reading.after else None) or {}
            between = window.plan.loopback_sessions.get(name, ())
            if missing := _all_down(sessions, between):
                rows = window.ends.of_device[window.ends.number[name]]
                yield self.cause(
                    f"none of its {missing} is established",
                    name,
                    explains=signs_at(
                        np.concatenate([rows, window.ends.far[rows]]), "load", "drop"
                    ),
                    lost=math.inf,
                    **on_cables(window, rows),
                )


def _all_down(sessions: Mapping[str, BgpPeer], between_loopbacks: Collection[str]) -> str:
    """Return of which sessions none is established, in words; empty where some of each are."""
    up = {session for session, one in sessions.items() if one.established}
    if not up:
        return counted(len(sessions), "BGP session") if sessions else ""
    if between_loopbacks and up.isdisjoint(between_loopbacks):
        return f"{counted(len(between_loopbacks), 'BGP session')} between loopbacks"
    return ""


@verdicts.add("OBS123")
class Heat(Verdict):
    """Optics and sensors are within their limits."""

    severity = Severity.WARNING
    why = "An optic or a switch that is too hot, or a signal that is too noisy, damages frames."
    source = (
        "IEEE 802.3-2022 clause 124.1.1 (bit errors before FEC); QSFP-DD MSA hardware "
        "specification (case temperature up to 70 degrees)"
    )
    fix = "clean or replace the optic; check the fans and the air flow of the switch"
    rank = 14
    reads = (("optics", "optics"), ("temperatures", "temperatures"))

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the ports with such optics, and the devices with such sensors."""
        for name, reading in window.readings.items():
            yield from self._sensors(name, (reading.after and reading.after.temperatures) or {})
            optics = (reading.after and reading.after.optics) or {}
            known = window.ends.rows[window.ends.number[name]]
            for port, optic in optics.items():
                heat, errors = optic.temperature_celsius, optic.pre_fec_bit_error_ratio
                words = []
                if heat is not None and heat > window.settings.optic_celsius:
                    words.append(f"the optic has {heat:.0f} degrees")
                noisy = errors is not None and errors > _MOST_ERRORS
                if noisy:
                    words.append(f"{errors:.1e} of the bits are wrong before FEC")
                if words and port in known:
                    rows = np.array([known[port], window.ends.far[known[port]]])
                    yield self.cause(
                        "; ".join(words),
                        name,
                        port,
                        # Heat alone loses nothing.
                        explains=signs_at(rows, "error") if noisy else frozenset(),
                        lost=math.inf if noisy else 0.0,
                        **on_cables(window, rows),
                    )

    def _sensors(self, device: str, sensors: Mapping[str, Sensor]) -> Iterator[Cause]:
        """Yield the device where a sensor is above the limit that the device gives it."""
        hot = [
            f"{name} has {one.celsius:.0f} degrees, its limit is {one.limit_celsius:.0f}"
            for name, one in sensors.items()
            if one.limit_celsius is not None and one.celsius > one.limit_celsius
        ]
        if hot:
            yield self.cause("; ".join(hot[:_MOST_TOLD]), device, evidence=tuple(hot[_MOST_TOLD:]))


@verdicts.add("OBS124")
class UnplannedPause(Verdict):
    """Only lossless priorities are paused."""

    severity = Severity.WARNING
    why = "A pause of a priority that is not lossless stops other traffic, and protects no RoCE."
    source = "IEEE 802.1Q-2018 clause 36.1.3 (the priority enable vector of a pause)"
    fix = (
        "compare the priorities of PFC and the map of DSCP at both ends: `rocefab drift`; not PCIe"
    )
    rank = 21
    needs = (("pauses_received", "paused_us"), ("pauses_sent", "pausing_us"))

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the ends that pause such a priority, by device."""
        ends, plan = window.ends, window.plan
        planned = plan.paused | plan.paused[ends.far]
        stray = window.is_paused & ~planned & any_of_end(planned)[:, None]
        for row in np.flatnonzero(any_of_end(stray)).tolist():
            numbers = np.flatnonzero(stray[row]).tolist()
            right = ", ".join(map(str, np.flatnonzero(planned[row]).tolist()))
            yield self.cause(
                f"pauses priority {hostlist.fold([str(one) for one in numbers])} of "
                f"{ends.title(int(ends.far[row]))}; lossless is {right}",
                *place(window, row),
                about=signs_at(np.array([row]), "stray"),
                **on_cables(window, np.array([row])),
            )
