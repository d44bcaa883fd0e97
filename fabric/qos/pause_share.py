"""The share of the time that a sender is paused: as it is counted, or a bound by the frames.

`observe` and `judge` take it from here, so that they say the same of the same readings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.watchdog import longest_pause_s

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]


def pause_share(
    paused_s_per_s: ArrayLike, frames_per_s: ArrayLike, speed_gbps: ArrayLike
) -> tuple[Floats, Bools]:
    """Return the share of the time, NaN where it is unknown, and whether it is a bound.

    Parameters
    ----------
    paused_s_per_s : array of float
        Seconds that were counted as paused in each second; NaN where nobody counts them.
    frames_per_s : array of float
        Pause frames in each second; NaN where they are not known.
    speed_gbps : array of float
        Of the port, > 0; NaN where it is not known.

    Notes
    -----
    Each frame stops the sender for 65,535 quanta at most, and a later one may end it at once.
    """
    timed = np.asarray(paused_s_per_s, dtype=np.float64)
    stopped = np.asarray(frames_per_s, dtype=np.float64) * longest_pause_s(1)
    bound = np.minimum(stopped / np.asarray(speed_gbps, dtype=np.float64), 1.0)
    is_bound: Bools = np.isnan(timed)
    return np.where(is_bound, bound, np.fmin(timed, 1.0)), is_bound


def share_words(share: float, *, is_bound: bool, digits: int = 0) -> str:
    """Return a share as people read it; a bound is one in words too."""
    return f"{'at most ' if is_bound else ''}{100 * share:.{digits}f} %"
