"""The parameters of DCQCN with their units and ranges.

The figures of the NIC are whole numbers in the units of its registers, so that nothing is rounded
on the way. A set of the NIC alone does not exist: a :class:`ParameterSet` holds the thresholds of
the switch that it was reasoned for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import percent_to_share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


#: Fixed point of alpha and of its gain in ConnectX: ten bits of fraction (NVIDIA DOCA SDK
#: documentation, "DCQCN CC Parameters", DCE_TCP_G and INITIAL_ALPHA_VALUE).
ALPHA_ONE = 1024
#: DSCP of CNPs by default on ConnectX (mlxconfig CNP_DSCP).
USUAL_CNP_DSCP = 48


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}; it must lie between {low} and {high}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionPoint:
    """The sending NIC.

    Parameters
    ----------
    alpha_gain_1024ths : int
        g, the weight of the newest interval in alpha, in 1/1024; 1 to 1024.
    alpha_period_us : int
        tau', the time after which alpha falls when no CNP came, >= 1.
    initial_alpha_1024ths : int
        Alpha at the first CNP, in 1/1024; 1 to 1024.
    cut_period_us : int
        Least time between two cuts of the rate, >= 1.
    timer_us : int
        T, the time between two increases, >= 1.
    byte_counter_bytes : int
        B, the bytes between two increases; 0 switches the byte counter off.
    recovery_steps : int
        F, the increases that only go back towards the old rate, >= 1.
    additive_mbps, hyper_mbps : int
        R_AI and R_HAI, the steps of the target rate, >= 1.
    alpha_divisor : int
        A CNP cuts the rate by alpha over this: 2 in the paper, 1 or 2 in ConnectX.
    kept_percent : int
        Share of the rate that a single cut leaves at least, 1 to 100; 100 never cuts.
    min_rate_mbps : int
        Rate below which nothing is cut, >= 1.
    max_rate_mbps, first_cnp_rate_mbps : int
        Highest rate, and rate after the first CNP; 0 is the port speed.
    clamp_target, clamp_target_after_timer : bool
        Whether a CNP lowers the target rate always, and also after an increase by the timer.

    Raises
    ------
    ValueError
        When a figure is out of its range; the message names the field.
    """

    alpha_gain_1024ths: int
    alpha_period_us: int
    initial_alpha_1024ths: int
    cut_period_us: int
    timer_us: int
    byte_counter_bytes: int
    recovery_steps: int
    additive_mbps: int
    hyper_mbps: int
    alpha_divisor: int = 2
    kept_percent: int = 50
    min_rate_mbps: int = 1
    max_rate_mbps: int = 0
    first_cnp_rate_mbps: int = 0
    clamp_target: bool = False
    clamp_target_after_timer: bool = True

    def __post_init__(self) -> None:
        _within("alpha_gain_1024ths", self.alpha_gain_1024ths, 1, ALPHA_ONE)
        _within("initial_alpha_1024ths", self.initial_alpha_1024ths, 1, ALPHA_ONE)
        _within("kept_percent", self.kept_percent, 1, 100)
        positive = (
            "alpha_period_us cut_period_us timer_us recovery_steps additive_mbps hyper_mbps "
            "alpha_divisor min_rate_mbps"
        ).split()
        for name in positive:
            _within(name, getattr(self, name), 1, float("inf"))
        for name in ("byte_counter_bytes", "max_rate_mbps", "first_cnp_rate_mbps"):
            _within(name, getattr(self, name), 0, float("inf"))


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationPoint:
    """The receiving NIC.

    Parameters
    ----------
    cnp_interval_us : int
        Least time between two CNPs, >= 0.
    cnp_dscp : int
        DSCP of a CNP, 0 to 63.
    cnp_pcp : int
        802.1p priority of a CNP, 0 to 7.

    Raises
    ------
    ValueError
        When a figure is out of its range; the message names the field.
    """

    cnp_interval_us: int
    cnp_dscp: int = USUAL_CNP_DSCP
    cnp_pcp: int = 6

    def __post_init__(self) -> None:
        _within("cnp_interval_us", self.cnp_interval_us, 0, float("inf"))
        _within("cnp_dscp", self.cnp_dscp, 0, 63)
        _within("cnp_pcp", self.cnp_pcp, 0, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class CongestionPoint:
    """The switch: what its WRED profile of the lossless queue marks.

    Parameters
    ----------
    kmin_bytes : int
        Queue at which marking begins, >= 0.
    kmax_bytes : int
        Queue above which every packet is marked, > ``kmin_bytes``.
    pmax_percent : float
        Probability at ``kmax_bytes``, above 0 up to 100.
    set_bytes : tuple of int, optional
        Kmin and Kmax as they are configured, where the switch keeps multiples of a step.

    Raises
    ------
    ValueError
        When a figure is out of its range; the message names the field.
    """

    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: float
    set_bytes: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        _within("kmin_bytes", self.kmin_bytes, 0, float("inf"))
        if not self.kmax_bytes > self.kmin_bytes:
            raise ValueError(
                f"kmax_bytes is {self.kmax_bytes}; it must lie above kmin_bytes {self.kmin_bytes}"
            )
        if not 0 < self.pmax_percent <= 100:  # noqa: PLR2004
            raise ValueError(f"pmax_percent is {self.pmax_percent}; it must be above 0, up to 100")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSet:
    """What both NICs and the switch are given; none of the three is told without the others.

    Parameters
    ----------
    source : str
        Where the figures come from.
    note : str
        What a reader must know before the set is used.
    """

    name: str
    reaction_point: ReactionPoint
    notification_point: NotificationPoint
    congestion_point: CongestionPoint
    source: str
    note: str = ""

    def with_first_cnp(self, rate_mbps: int | None) -> ParameterSet:
        """Return the set with another rate after the first CNP; None changes nothing.

        Raises
        ------
        ValueError
            When the rate is below zero.
        """
        if rate_mbps is None:
            return self
        point = replace(self.reaction_point, first_cnp_rate_mbps=rate_mbps)
        return replace(self, reaction_point=point)

    @property
    def cut_interval_us(self) -> int:
        """Least time between two cuts: a cut takes a CNP, and the reaction point may wait."""
        return max(self.reaction_point.cut_period_us, self.notification_point.cnp_interval_us)


@dataclass(frozen=True, slots=True)
class Band:
    """Thresholds of the switch as arrays of one shape; ``pmax`` is a probability."""

    kmin_bytes: Floats
    kmax_bytes: Floats
    pmax: Floats

    @property
    def slope_per_byte(self) -> Floats:
        """Growth of the marking probability with the queue."""
        return self.pmax / (self.kmax_bytes - self.kmin_bytes)

    def marking(self, queue_bytes: Floats) -> Floats:
        """Return the marking probability at an instantaneous queue.

        Zero up to Kmin, then a line that ends with Pmax at Kmax, and one above Kmax (Zhu et al.,
        SIGCOMM 2015, section 3.1).

        Parameters
        ----------
        queue_bytes : array of float
            Egress queue, >= 0.

        Returns
        -------
        array of float
            Probability, 0 to 1.
        """
        line = (queue_bytes - self.kmin_bytes) * self.slope_per_byte
        marked = np.where(queue_bytes <= self.kmax_bytes, line, 1.0)
        return np.asarray(np.where(queue_bytes <= self.kmin_bytes, 0.0, marked))

    def queue_bytes(self, marking: Floats) -> Floats:
        """Return the queue that gives a marking probability; NaN above Pmax, where none does.

        Parameters
        ----------
        marking : array of float
            Probability, 0 to 1.

        Returns
        -------
        array of float
            Egress queue in bytes, from Kmin to Kmax; NaN above Pmax.
        """
        queue = self.kmin_bytes + marking / self.slope_per_byte
        return np.asarray(np.where(marking <= self.pmax, queue, np.nan))


def band(point: CongestionPoint, shape: tuple[int, ...] = ()) -> Band:
    """Return the thresholds of one congestion point as arrays of a shape.

    Parameters
    ----------
    point : CongestionPoint
        Kmin, Kmax and Pmax of a queue.
    shape : tuple of int
        Shape of the arrays; default: scalars.
    """
    return Band(
        np.full(shape, float(point.kmin_bytes)),
        np.full(shape, float(point.kmax_bytes)),
        np.full(shape, percent_to_share(point.pmax_percent)),
    )


def join(*bands: Band) -> Band:
    """Return the thresholds of several points as arrays of one dimension."""
    return Band(
        *(
            np.concatenate([np.ravel(getattr(each, name)) for each in bands])
            for name in Band.__slots__
        )
    )
