"""Why the devices of a plan change, as its file says it and every report of it prints it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlannedCause:
    """Changes of a plan that have one cause.

    Parameters
    ----------
    edits : tuple of str
        Values of the inventory that were edited since the devices were as planned, each with its
        place; empty where the changes do not follow from such a value.
    topic : str
        The part of the inventory that the lines follow from; empty where edits are known.
    devices : tuple of str
    changes : int
        How many settings change, over all devices.
    example_device, example : str
        The first of its settings, and how it changes, short enough for a line.
    """

    edits: tuple[str, ...]
    topic: str
    devices: tuple[str, ...]
    changes: int
    example_device: str
    example: str


@dataclass(frozen=True, slots=True)
class PlannedCauses:
    """All causes of a plan: edits first, then those with most changes.

    Parameters
    ----------
    since : str
        What the edits were made since, in words; empty where no edit is known.
    less_protection : tuple of str
        What protects lossless traffic less after the edits.
    """

    causes: tuple[PlannedCause, ...]
    since: str = ""
    less_protection: tuple[str, ...] = ()
