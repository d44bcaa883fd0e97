"""Thresholds in the unit of each system: bytes inside, converted only where they leave.

A threshold is rounded up to a whole unit, as the switches do, both by the same rule: Kmin never
passes Kmax.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fabric.platforms import platforms
from fabric.platforms.features import marking_unit

if TYPE_CHECKING:
    from fabric.platforms.features import MarkingUnit
    from fabric.platforms.model import Sku

_WHOLE = 100
#: The unit whose size a model has.
_CELLS = "cells"


def to_units(
    size_bytes: int,
    unit: MarkingUnit,
    *,
    cell_bytes: int | None = None,
    queue_bytes: int | None = None,
    quantum_bytes: int = 1,
) -> int:
    """Return a threshold in whole units of a system, rounded up.

    Parameters
    ----------
    size_bytes : int
        Threshold, > 0.
    cell_bytes : int, optional
        Cell of the ASIC, for thresholds in cells.
    queue_bytes : int, optional
        Buffer of the queue, for percentages.
    quantum_bytes : int
        Step of the ASIC: the switch keeps a multiple of it whatever it is told.

    Raises
    ------
    ValueError
        When the size of the unit is not known, or the threshold exceeds the queue.
    """
    programmed = programmed_bytes(size_bytes, quantum_bytes)
    if unit.share:
        if not queue_bytes or programmed > queue_bytes:
            message = f"{size_bytes:,} bytes cannot be a percentage of a queue of {queue_bytes}"
            raise ValueError(message)
        return math.ceil(100 * programmed / queue_bytes)
    unit_bytes = unit.unit_bytes or (cell_bytes if unit.word == _CELLS else None)
    if unit_bytes is None:
        raise ValueError(f"the size of one of the {unit.word} is not known; use another unit")
    return math.ceil(programmed / unit_bytes)


def own_cell_bytes(sku: Sku) -> int | None:
    """Return the buffer cell where it is known of the very model; that of a family is not taken."""
    fact = sku.own_facts.get("cell_bytes")
    return int(fact.value) if fact and isinstance(fact.value, int) else None


def unmarked(sku: Sku, *, own_thresholds: bool) -> tuple[str, str]:
    """Return why a switch gets no thresholds, and what to do; empty texts where it gets them.

    Parameters
    ----------
    own_thresholds : bool
        Whether the inventory sets both.
    """
    unit = marking_unit(sku.nos)
    if unit.word == _CELLS and own_cell_bytes(sku) is None:
        return (
            f"the cell size of {sku.name} is not published",
            "set cell_bytes in an own model, or configure marking manually; it is kept",
        )
    if unit.written and not own_thresholds:
        title = platforms[sku.nos].title
        return (
            f"{title} gets no default thresholds, and the inventory does not set both",
            "set both ecn.kmin_bytes and ecn.kmax_bytes",
        )
    return "", ""


def largest_queue_bytes(sku: Sku) -> int | None:
    """Return what one lossless queue can fill at most, where thresholds are a share of it.

    That is the lossless part of the shared egress buffer, by the facts ``egress_lossless_percent``
    and ``dedicated_egress_percent`` of the model; None where the size or the part is not known.
    Juniper says that a fill level is a percent of the buffer of the queue (CLI reference
    fill-level); the share that a dynamic threshold leaves of it is not published.
    """
    buffer_bytes, facts = sku.packet_buffer_bytes, sku.facts
    if buffer_bytes is None or "egress_lossless_percent" not in facts:
        return None
    shared = _WHOLE - int(facts.get("dedicated_egress_percent", "0"))
    return buffer_bytes * shared * int(facts["egress_lossless_percent"]) // (_WHOLE * _WHOLE)


def percent_bytes(percent: int, queue_bytes: int) -> int:
    """Return where a queue marks that has a threshold in percent."""
    return percent * queue_bytes // _WHOLE


def share_note(sku: Sku, *sizes_bytes: int) -> str:
    """Return what a switch has in place of thresholds in bytes, where it marks at percents.

    Returns
    -------
    str
        ``" (1 to 2 percent on the switch)"``; empty for other units, and where no size is known.
    """
    unit, queue_bytes = marking_unit(sku.nos), largest_queue_bytes(sku)
    if not unit.share or queue_bytes is None or max(sizes_bytes) > queue_bytes:
        return ""
    shares = dict.fromkeys(to_units(size, unit, queue_bytes=queue_bytes) for size in sizes_bytes)
    return f" ({' to '.join(map(str, shares))} {unit.word} on the switch)"


def base_words(sku: Sku) -> str:
    """Return what the percents are of, where a switch marks at percents; else an empty text."""
    unit, queue_bytes = marking_unit(sku.nos), largest_queue_bytes(sku)
    if not unit.share or queue_bytes is None:
        return ""
    return (
        f"kmin_bytes and kmax_bytes in percent, rounded up, of {queue_bytes:,} bytes: what one "
        f"lossless queue of {sku.name} can fill at most, the lossless part of its shared egress "
        f"buffer; 1 percent is {percent_bytes(1, queue_bytes):,} bytes"
    )


def programmed_bytes(size_bytes: int, quantum_bytes: int) -> int:
    """Return what an ASIC keeps of a threshold: the next multiple of its step.

    Spectrum-4 and -5 show 159,744 bytes for 150,000 (NVIDIA Cumulus Linux 5.14 user guide, RoCE).

    Parameters
    ----------
    size_bytes : int
        Threshold, >= 0.
    quantum_bytes : int
        Step of the ASIC in bytes, >= 1.

    Returns
    -------
    int
        Bytes, at least ``size_bytes``.

    Raises
    ------
    ValueError
        When one of them is not positive.
    """
    if size_bytes <= 0 or quantum_bytes <= 0:
        raise ValueError(f"sizes must be above 0, not {size_bytes} and {quantum_bytes}")
    return math.ceil(size_bytes / quantum_bytes) * quantum_bytes


def stored_bytes(sku: Sku, size_bytes: int) -> int:
    """Return what a switch keeps of a threshold: as it is, where no step of its ASIC is known."""
    step = sku.asic_facts.integer("ecn_quantum_bytes", unconfirmed=True)
    return programmed_bytes(size_bytes, step) if step and size_bytes else size_bytes


def is_kept(
    wanted_bytes: int, seen_bytes: int, *, quantum_bytes: int = 1, unit_bytes: int = 1
) -> bool:
    """Tell whether a threshold that is read back is the one that was asked for.

    It is when both are equal, or when it is the next multiple of the step of the ASIC, above or
    below: not every maker says which way is rounded.

    Parameters
    ----------
    wanted_bytes, seen_bytes : int
        What was asked for, and what the switch shows.
    quantum_bytes : int
        Step of the ASIC.
    unit_bytes : int
        Unit that it is shown in, where that is coarser than the unit that it was asked for in.

    Raises
    ------
    ValueError
        When a step is not positive.
    """
    if quantum_bytes <= 0 or unit_bytes <= 0:
        raise ValueError(f"steps must be above 0, not {quantum_bytes} and {unit_bytes}")
    if seen_bytes == wanted_bytes:
        return True
    step = unit_bytes if unit_bytes > 1 else quantum_bytes
    return abs(seen_bytes - wanted_bytes) < max(quantum_bytes, unit_bytes) and not seen_bytes % step


def step_bytes(sku: Sku) -> int:
    """Return the step in which an ASIC keeps marking thresholds; 1 where nothing is known.

    That is the fact ``ecn_quantum_bytes``, also where it is unconfirmed, else a cell of the buffer.
    """
    asic = sku.asic_facts
    return asic.integer("ecn_quantum_bytes", unconfirmed=True) or asic.integer("cell_bytes") or 1
