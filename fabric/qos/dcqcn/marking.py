"""What the switch marks at a queue, and which queue a marking probability takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import percent_to_share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.qos.dcqcn.parameters import CongestionPoint

    Floats = NDArray[np.float64]


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
        """
        line = (queue_bytes - self.kmin_bytes) * self.slope_per_byte
        marked = np.where(queue_bytes <= self.kmax_bytes, line, 1.0)
        return np.asarray(np.where(queue_bytes <= self.kmin_bytes, 0.0, marked))

    def queue_bytes(self, marking: Floats) -> Floats:
        """Return the queue that gives a marking probability; NaN above Pmax, where none does."""
        queue = self.kmin_bytes + marking / self.slope_per_byte
        return np.asarray(np.where(marking <= self.pmax, queue, np.nan))


def band(point: CongestionPoint, shape: tuple[int, ...] = ()) -> Band:
    """Return the thresholds of one congestion point as arrays of a shape."""
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
