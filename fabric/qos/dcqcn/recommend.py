"""Our own parameter set for a port speed: what it is and which criterion led to each figure.

1. Kmin is one bandwidth-delay product, so that the port stays busy while a sender that was cut
   comes back (Villamizar and Song, "High Performance TCP in ANSNET", 1994).
2. The timers are the paper's. The byte counter is off: the unit of its register is not confirmed,
   and off means the same in both readings. At 2 MB and more it would hardly change the margins.
3. The marking is as steep as leaves twice that slope to the edge of oscillation for every number of
   flows that is asked about (gain margin 2; Astrom and Murray, Feedback Systems, second
   edition, section 10.3, give 2 to 5 as usual).
4. Pmax is the least whole percent that leaves a quarter above what the most flows need: at Kmax
   the marking jumps to 1, and a queue that is pushed over it swings although small disturbances
   die out. With the slope, Pmax gives Kmax.
5. R_AI is the largest step, doubling from the default of ConnectX, whose Kmax is within the limit:
   it is how fast freed capacity is taken. R_HAI is ten times that, as in all published sets.
6. Over a round trip of ``LONG_TRIP_S`` and more, feedback is older than the paper's timers, and no
   step fits. Then the timers, the CNP gap among them, are 2, 4, 8 ... times the paper's, the
   shortest that fit, Kmax may be ``LONG_DELAYS`` bandwidth-delay products, and the step may
   be below the default.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import (
    gbps_to_bps,
    gbps_to_bytes_per_s,
    percent_to_share,
    s_to_us,
    share_to_percent,
)
from fabric.qos.dcqcn.fluid import fixed_point, loop
from fabric.qos.dcqcn.parameters import CongestionPoint, ParameterSet
from fabric.qos.dcqcn.presets import CONNECTX, PAPER
from fabric.qos.dcqcn.stability import stability
from fabric.qos.path import ROCE_PACKET_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Round trip where the path is not modelled; our choice.
ROUND_TRIP_S = 8e-6
#: Gain margin: 6 dB, our choice, as is usual in control engineering.
MARGIN = 2.0
#: Pmax over the marking that the most flows need; our choice.
RESERVE = 1.25
#: Largest Kmax, whatever the PFC level: the scale of alibaba-edu/High-Precision-Congestion-
#: Control simulation/run.py at 08d4ba0b, 400 KB for 25 Gb/s.
KMAX_BYTES_PER_GBPS = 16_000
#: Doublings of the additive step of ConnectX, 5 Mb/s, that are tried; our choice.
_DOUBLINGS = 9
_STEPS_MBPS = tuple(CONNECTX.reaction_point.additive_mbps << count for count in range(_DOUBLINGS))
#: Round trip from which slower timers are tried: about the paper's timers, 50 and 55 us.
LONG_TRIP_S = 50e-6
#: Largest Kmax over a long round trip, in bandwidth-delay products; our choice.
LONG_DELAYS = 4
#: Times the paper's timers, and steps below the default of ConnectX, that are tried then; our
#: choice.
_SLOWER = (2, 4, 8, 16, 32, 64)
_SMALL_STEPS_MBPS = (1, 2)
#: Hyper step over the additive step: the ratio of the factory defaults of ConnectX (5 and 50 Mb/s).
_HYPER_STEPS = 10
_ALL_PERCENT = 100
#: Thresholds are given in whole kilobytes; our choice.
_GRAIN_BYTES = 1000
#: A marking flatter than this, 1 % over 10 GB, is no marking.
_FLATTEST_PER_BYTE = 1e-12


@dataclass(frozen=True, slots=True)
class Trial:
    """One additive step with the thresholds that it asks for.

    Parameters
    ----------
    slope_margin : float
        Least over the numbers of flows: how many times steeper the marking could be.
    worst_flows : int
        Number of flows with that margin.
    most_marking : float
        p* of the most flows.
    fits : bool
        Whether margin and reserve hold, and Kmax is within the limit.
    slower : int
        How many times the paper's timers.
    """

    parameters: ParameterSet
    slope_margin: float
    worst_flows: int
    most_marking: float
    fits: bool
    slower: int = 1


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The chosen set, why, and everything that was tried."""

    parameters: ParameterSet
    reasons: tuple[str, ...]
    trials: tuple[Trial, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a set is reasoned for.

    Parameters
    ----------
    speed_gbps : int
        Speed of the port, > 0.
    round_trip_s : float
        Feedback delay of the path, > 0.
    packet_bytes : int
        Packet on the wire.
    most_flows : int
        From 2 to this many equal flows must be stable; a power of two.
    kmax_limit_bytes : int
        PFC level of the switch, which bounds Kmax as ``KMAX_BYTES_PER_GBPS`` does; 0 where it is
        not known.

    Raises
    ------
    ValueError
        When a figure is not above zero.
    """

    speed_gbps: int
    round_trip_s: float = ROUND_TRIP_S
    packet_bytes: int = ROCE_PACKET_BYTES
    most_flows: int = 256
    kmax_limit_bytes: int = 0

    def __post_init__(self) -> None:
        if not (self.speed_gbps > 0 and self.round_trip_s > 0 and self.packet_bytes > 0):
            raise ValueError("speed_gbps, round_trip_s and packet_bytes must be above zero")
        if self.most_flows < 2:  # noqa: PLR2004
            raise ValueError("most_flows must be at least 2")

    @property
    def flows(self) -> NDArray[np.float64]:
        """Numbers of flows that must be stable: 2, 4, 8 ..."""
        count = math.floor(math.log2(self.most_flows))
        return np.exp2(np.arange(1, count + 1, dtype=np.float64))

    @property
    def limit_bytes(self) -> int:
        """Largest Kmax."""
        return self._bounded(KMAX_BYTES_PER_GBPS * self.speed_gbps)

    @property
    def long_limit_bytes(self) -> int:
        """Largest Kmax with slower timers."""
        delay_bytes = gbps_to_bytes_per_s(self.speed_gbps) * self.round_trip_s
        return self._bounded(max(self.limit_bytes, int(LONG_DELAYS * delay_bytes)))

    def _bounded(self, scale_bytes: int) -> int:
        return min(self.kmax_limit_bytes, scale_bytes) if self.kmax_limit_bytes else scale_bytes


def recommend(need: Need) -> Recommendation:
    """Return the parameter set for a port, with its reasons.

    Raises
    ------
    ValueError
        When no additive step leaves Kmax within the limit; the message says what it takes.
    """
    trials = tuple(_trial(need, step) for step in _STEPS_MBPS)
    limit = need.limit_bytes
    if need.round_trip_s >= LONG_TRIP_S and not any(trial.fits for trial in trials):
        trials, limit = _slow_trials(need), need.long_limit_bytes
    fitting = [trial for trial in trials if trial.fits]
    if not fitting:
        raise ValueError(_no_fit(need, trials, limit))
    chosen = fitting[-1]
    reasons = _reasons(need, chosen, limit)
    return Recommendation(replace(chosen.parameters, note=" ".join(reasons)), reasons, trials)


def _slow_trials(need: Need) -> tuple[Trial, ...]:
    """Return the trials with slower timers, up to the first ones of which some fit."""
    trials: tuple[Trial, ...] = ()
    for slower in _SLOWER:
        more = tuple(_trial(need, step, slower) for step in (*_SMALL_STEPS_MBPS, *_STEPS_MBPS))
        trials += more
        if any(trial.fits for trial in more):
            break
    return trials


def _no_fit(need: Need, trials: tuple[Trial, ...], limit_bytes: int) -> str:
    least = min(trials, key=lambda trial: trial.parameters.congestion_point.kmax_bytes)
    timers = f" with timers {least.slower} times the paper's" if least.slower > 1 else ""
    return (
        f"no step leaves {need.speed_gbps} Gb/s and {need.most_flows} flows stable with Kmax "
        f"up to {limit_bytes} bytes over {s_to_us(need.round_trip_s):g} us; the least "
        f"Kmax is {least.parameters.congestion_point.kmax_bytes} bytes{timers}"
    )


def _trial(need: Need, additive_mbps: int, slower: int = 1) -> Trial:
    """Work out the thresholds for one additive step: the edge of oscillation, then half of it."""
    limit = need.limit_bytes if slower == 1 else need.long_limit_bytes
    draft = _draft(need, additive_mbps, slower)
    kmin_bytes = draft.congestion_point.kmin_bytes
    model = loop(draft, gbps_to_bps(need.speed_gbps), need.flows, need.packet_bytes)
    most_marking = float(fixed_point(model).marking[-1])
    wanted_percent = math.ceil(share_to_percent(RESERVE * most_marking))
    pmax_percent = min(wanted_percent, _ALL_PERCENT)
    pmax = percent_to_share(pmax_percent)
    guess = pmax / limit
    margin = float(stability(model, guess, need.round_trip_s).slope_margin.min())
    edge = max(guess * margin, _FLATTEST_PER_BYTE)
    kmax_bytes = kmin_bytes + _grains(pmax * MARGIN / edge)
    switch = CongestionPoint(
        kmin_bytes=kmin_bytes, kmax_bytes=kmax_bytes, pmax_percent=pmax_percent
    )
    margins = stability(model, pmax / (kmax_bytes - kmin_bytes), need.round_trip_s)
    holds = margins.slope_margin >= MARGIN
    worst = int(margins.slope_margin.argmin())
    return Trial(
        replace(draft, congestion_point=switch),
        float(margins.slope_margin[worst]),
        int(need.flows[worst]),
        most_marking,
        bool(holds.all()) and wanted_percent == pmax_percent and kmax_bytes <= limit,
        slower,
    )


def _draft(need: Need, additive_mbps: int, slower: int) -> ParameterSet:
    """Return the set with its Kmin; Kmax and Pmax are still to be found."""
    kmin_bytes = _grains(gbps_to_bytes_per_s(need.speed_gbps) * need.round_trip_s)
    paper, gap = PAPER.reaction_point, PAPER.notification_point
    point = replace(
        paper,
        alpha_period_us=slower * paper.alpha_period_us,
        cut_period_us=slower * paper.cut_period_us,
        timer_us=slower * paper.timer_us,
        byte_counter_bytes=0,
        additive_mbps=additive_mbps,
        hyper_mbps=_HYPER_STEPS * additive_mbps,
    )
    return ParameterSet(
        name=f"rocefab-{need.speed_gbps}g",
        reaction_point=point,
        notification_point=replace(gap, cnp_interval_us=slower * gap.cnp_interval_us),
        congestion_point=CongestionPoint(
            kmin_bytes=kmin_bytes,
            kmax_bytes=kmin_bytes + need.limit_bytes,
            pmax_percent=_ALL_PERCENT,
        ),
        source="computed: fabric/qos/dcqcn/recommend.py",
    )


def _grains(size_bytes: float) -> int:
    return math.ceil(size_bytes / _GRAIN_BYTES) * _GRAIN_BYTES


def _reasons(need: Need, chosen: Trial, limit_bytes: int) -> tuple[str, ...]:
    switch, point = chosen.parameters.congestion_point, chosen.parameters.reaction_point
    most = int(need.flows[-1])
    kmin = (
        f"Kmin {switch.kmin_bytes} bytes is {need.speed_gbps} Gb/s times "
        f"{s_to_us(need.round_trip_s):g} us."
    )
    pmax = (
        f"Pmax {switch.pmax_percent:g} % leaves a quarter above the "
        f"{share_to_percent(chosen.most_marking):.2f} % that {most} flows need."
    )
    kmax = (
        f"Kmax {switch.kmax_bytes} bytes leaves {chosen.slope_margin:.2f} times the slope to the "
        f"edge of oscillation for 2 to {most} flows; {chosen.worst_flows} flows are nearest."
    )
    step = (
        f"R_AI {point.additive_mbps} Mb/s is the largest step whose Kmax is within "
        f"{limit_bytes} bytes."
    )
    counter = "The byte counter is off: the unit of its register is not confirmed."
    reasons = (kmin, pmax, kmax, step, counter)
    if chosen.slower == 1:
        return reasons
    slow = f"The timers are {chosen.slower} times the paper's: over "
    return (*reasons, f"{slow}{s_to_us(need.round_trip_s):g} us no step fits with its own.")
