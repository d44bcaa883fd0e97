"""What a cyclic buffer dependency is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Channel:
    """The lossless buffer behind one direction of a link, for one priority.

    It is the ingress buffer of ``target``; when it is full, ``source`` is told to pause.

    Parameters
    ----------
    source, target : str
        Devices at both ends.
    priority : int
        PFC priority on the link, 0 to 7.
    source_port, target_port : str
        Ports of the cable; empty where a link is known by its devices alone.
    """

    source: str
    target: str
    priority: int = 0
    source_port: str = ""
    target_port: str = ""

    def __str__(self) -> str:
        ends = ((self.source, self.source_port), (self.target, self.target_port))
        return " to ".join(f"{device} {port}".strip() for device, port in ends)


@dataclass(frozen=True, slots=True)
class Cycle:
    """Channels of which each waits for the next, and the last for the first."""

    channels: tuple[Channel, ...]

    def __str__(self) -> str:
        priorities = sorted({channel.priority for channel in self.channels})
        plural = "y" if len(priorities) == 1 else "ies"
        numbers = ", ".join(str(priority) for priority in priorities)
        path = ", ".join(str(channel) for channel in self.channels)
        return f"{path} (priorit{plural} {numbers})"
