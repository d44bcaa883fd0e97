"""How many devices may fail before a run stops."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core.errors import DeviceError, InputError, JournalError, PlanError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.core.errors import FabricError


@dataclass(frozen=True)
class MaxFailures:
    """A number of devices, or a share of them.

    Parameters
    ----------
    count : int
        Devices that may fail, in a wave and in all; 0 with a percentage.
    percent : float
        Share of the devices of a wave, and of all; 0 to 100.
    """

    count: int = 0
    percent: float = 0.0

    @classmethod
    def from_text(cls, text: str) -> MaxFailures:
        """Return what ``3`` or ``1%`` means.

        Raises
        ------
        InputError
            When it is neither.
        """
        match = re.fullmatch(r"(\d{1,6})|(\d{1,2}(?:\.\d{1,3})?|100)%", text)
        if not match:
            raise InputError(f"--max-failures: {text!r} is not a number such as 3 or 1%")
        return cls(int(match[1])) if match[1] else cls(percent=float(match[2]))

    def of(self, devices: int) -> int:
        """Return how many of a number of devices may fail; a share is rounded up."""
        return self.count or math.ceil(devices * self.percent / 100)


NO_FAILURES = MaxFailures()


@dataclass
class Budget:
    """What may still fail in a run.

    Parameters
    ----------
    limit : MaxFailures
        What was allowed.
    waves : sequence of sequences of str
        All devices of the run.
    lost : dict
        Why each skipped device failed.
    """

    limit: MaxFailures
    waves: Sequence[Sequence[str]]
    lost: dict[str, str] = field(default_factory=dict)

    def allows(self, failed: Mapping[str, FabricError]) -> bool:
        """Tell whether these devices may fail as well.

        A wave of which nothing is left is never allowed: what all of its devices have in common
        is wrong. An error of the journal, or one of ours, is none of a device.
        """
        if not all(_is_of_device(error) for error in failed.values()):
            return False
        lost = {*self.lost, *failed}
        if len(lost) > self.limit.of(sum(len(wave) for wave in self.waves)):
            return False
        return all(self._spares(wave, lost) for wave in self.waves)

    def _spares(self, wave: Sequence[str], lost: set[str]) -> bool:
        count = len(lost.intersection(wave))
        return count <= self.limit.of(len(wave)) and (not count or count < len(wave))


def _is_of_device(error: FabricError) -> bool:
    return isinstance(error, (DeviceError, PlanError)) and not isinstance(error, JournalError)
